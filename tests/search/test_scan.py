"""The fast roads of a search lead to where the slow one does."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.search.reference import reference_lines, reference_scan
from tui.search import scan as scan_module
from tui.search.decoding import split_lines
from tui.search.matcher import BadPattern, Matcher, compile_query, without_fast_paths
from tui.search.query import Case, Query
from tui.search.scan import Match, scan

# Few letters, so that patterns hit; the letters whose other cases lie outside ASCII (k, s, i); the
# Turkish i's and the sharp s; characters that other tools take for line ends.
LETTERS = "aakKsSiIb_ 1.\t\u212a\u017f\u0130\u0131ßẞé\r\x0b\x0c\x85\u2028"

texts = st.lists(st.text(LETTERS, max_size=8), max_size=8).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)
bytes_with_junk = st.lists(
    st.one_of(texts.map(str.encode), st.sampled_from([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\n", b"\x80k"])),
    max_size=4,
).map(b"".join)
utf16 = texts.map(lambda text: ("\ufeff" + text).encode("utf-16-le"))
files = st.one_of(
    texts.map(str.encode), bytes_with_junk, utf16, texts.map(lambda t: b"\xef\xbb\xbf" + t.encode())
)

atoms = st.sampled_from(
    [
        "a",
        "k",
        "s",
        "i",
        "K",
        "ab",
        "aks",
        "is",
        "ß",
        "é",
        ".",
        r"\w",
        r"\s",
        r"\S",
        r"\W",
        r"\d",
        r"\D",
        "[ak]",
        "[^a]",
    ]
    + [
        "[a-s]",
        r"[\sk]",
        r"[^\w]",
        r"\b",
        r"\B",
        "^",
        "$",
        r"\.",
        r"\x6b",
        "(?=k)",
        "(?!a)",
        "(?<=a)",
        "(?<![^k])",
    ]
    + [r"\t", r"\r", r"\p{L}", r"\P{L}", "(?#x)", "{", "}", "]", " ", "_"]
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map(lambda p: f"(?:{p})"),
        inner.map(lambda p: f"({p})"),
        inner.map(lambda p: f"(?i:{p})"),
        inner.map(lambda p: f"(?s-i:{p})"),
        inner.map(lambda p: f"(?>{p})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "*?", "++", "{0}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.tuples(
            st.sampled_from(["a", "k", "[as]", r"\s", "."]), st.sampled_from(["*", "+", "?", "{2}"])
        ).map("".join),
        st.tuples(
            inner,
            st.sampled_from([r"\1", "{e<=1}", r"\Z", "(?s)", "(?m)", "(?V1)", "(?f)", "(?x) a # b", "(?r)"]),
        ).map("".join),
    )


patterns = st.recursive(atoms, grown, max_leaves=6)
queries = st.builds(
    Query,
    pattern=patterns,
    literal=st.booleans(),
    case=st.sampled_from(Case),
    whole_word=st.booleans(),
    invert=st.booleans(),
    multiline=st.booleans(),
)


def compiled(query: Query) -> Matcher:
    matcher = compile_query(query)
    assert isinstance(matcher, Matcher), matcher
    return matcher


def found(pattern: str, data: bytes, **options: object) -> list[Match]:
    return scan(data, compiled(Query(pattern, **options)))  # type: ignore[arg-type]


@settings(max_examples=800, deadline=None)
@given(files, queries)
@example("K\u212ask".encode(), Query("kk", case=Case.INSENSITIVE))
@example("\u017f".encode(), Query("s", case=Case.INSENSITIVE))
@example("disk di\u017fk D\u0130S\u212a".encode(), Query("disk", case=Case.INSENSITIVE))
@example(b"a\n", Query("$", multiline=True))
@example(b"a\r\nb", Query(r"\s", multiline=True))
@example(b"abc\r", Query("c$"))
@example(b"\r\n\r\r\n", Query("^"))
def test_every_road_finds_what_the_reference_finds(data: bytes, query: Query) -> None:
    matcher = compile_query(query)
    if isinstance(matcher, BadPattern):
        return
    expected = reference_scan(data, matcher)
    assert scan(data, matcher) == expected
    assert scan(data, without_fast_paths(matcher)) == expected


@settings(max_examples=500, deadline=None)
@given(st.lists(patterns, min_size=1, max_size=3).map("".join), files)
def test_needles_are_in_every_match(pattern: str, data: bytes) -> None:
    matcher = compile_query(Query(pattern))
    if isinstance(matcher, BadPattern) or not matcher.needles:
        return
    for match in reference_scan(data, matcher):
        line = match.text.encode("utf-8", "surrogateescape")
        folded = line.lower() if matcher.caseless and line.isascii() else line
        if line.isascii() or not matcher.caseless:
            assert any(needle in folded for needle in matcher.needles)


@given(texts)
def test_lines_end_at_newline_only(text: str) -> None:
    assert split_lines(text) == reference_lines(text)


def test_letters_with_other_cases_outside_ascii_are_exactly_those_the_scan_knows() -> None:
    everything = "".join(chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code <= 0xDFFF)
    partners = set()
    for letter in map(chr, range(0x80)):
        partners.update(regex.findall(regex.escape(letter), everything, flags=regex.IGNORECASE))
    assert {partner.encode() for partner in partners} == set(scan_module.OTHER_CASES)


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        (r"(struct|union)\s+\w+_ops", (b"_ops",)),
        (r"\w+_ops\b", (b"_ops",)),
        (r"foo|bar|TODO", (b"foo", b"bar", b"TODO")),
        (r"schedule_timeout\(", (b"schedule_timeout(",)),
        (r"(?:async )?def (\w+)_handler", (b"_handler",)),
        (r"^import\s+[os]s", (b"import",)),
        (r"\d+", ()),
        (r"a*", ()),
        (r"(?:error){e<=1}", ()),
        (r"(?r)abcd", ()),
    ],
)
def test_needles_of(pattern: str, needles: tuple[bytes, ...]) -> None:
    assert compiled(Query(pattern)).needles == needles


AWKWARD = [
    *("[^]a]", "[^-a]", "[^-a-z]", "[]a]", "[^^a]", "[[:alpha:]]", "[[:^alpha:]k]", "[a\\]]"),
    *(
        "(?:(?i)ERROR)",
        "k(?i)",
        "(?i)k|K(?:s)",
        "(?a)\\W",
        "(?a:\\W)",
        "(?ia:\\W)",
        "(?a:\\s)",
        "(?i)(?a:\\D)",
    ),
    *("colou(?#British)?r", "colou(?i)?r", "fooa{,}bar", "fooa{,2}bar", "\\101foo", "(a)\\1{2}"),
    *("(?:abc){e<=1:\\p{L}}", "(?:abc){e<=1}", "a{ 2}", "(?x) a{ 2 } # {", "x{3", "{", "}{", "a{,"),
    *(
        "\n",
        "\\\n",
        "b-\n+",
        "(?|(a)|(k))s",
        "(?<n>k)(?P=n)",
        "k(?=s)",
        "\\Kk",
        "(?>k+)s",
        "(?:k|)s",
        "()",
        "|",
    ),
    *(
        "\\N{LATIN SMALL LETTER K}",
        "\\L<x>",
        "\\R",
        "\\X",
        "\\h",
        "\\m\\w",
        "(?w).",
        "(?V1)[a--k]",
        "(?(1)a|b)",
    ),
]
SUBJECTS = (
    "xyz\n+++\nerror\nERROR\nK\nk\ncolor\ncolour\nfoobar\nfooaabar\nAfoo\naxc\nabc\né\n\u2003\nab-\n"
    "aaa\na{ 2}\naa\nx{3\n{\n}{\na{,\nks\nKS\nkk\n\u212as\n-a-\n]\n\\\n\n"
).encode()


@pytest.mark.parametrize("word", [False, True], ids=["", "word"])
@pytest.mark.parametrize("case", [Case.SENSITIVE, Case.INSENSITIVE])
@pytest.mark.parametrize("literal", [False, True], ids=["regex", "literal"])
@pytest.mark.parametrize("pattern", AWKWARD)
def test_patterns_that_once_took_a_wrong_road(pattern: str, literal: bool, case: Case, word: bool) -> None:
    matcher = compile_query(Query(pattern, literal, case, word))
    if isinstance(matcher, Matcher):
        assert scan(SUBJECTS, matcher) == reference_scan(SUBJECTS, matcher)


def test_a_match_is_a_line_with_all_its_occurrences() -> None:
    assert found("ab", b"ab ab\nx\nxab\n") == [
        Match(1, "ab ab", ((0, 2), (3, 5))),
        Match(3, "xab", ((1, 3),)),
    ]


def test_columns_count_characters_not_bytes() -> None:
    assert found("k", "é€k\n".encode()) == [Match(1, "é€k", ((2, 3),))]


def test_a_byte_order_mark_is_not_part_of_the_first_line() -> None:
    assert found("^a", b"\xef\xbb\xbfa\n") == [Match(1, "a", ((0, 1),))]


def test_utf_16_is_searched_as_text() -> None:
    data = "\ufeffein Käse\r\nzwei".encode("utf-16-be")
    assert found("käse$", data, case=Case.INSENSITIVE) == [Match(1, "ein Käse", ((4, 8),))]


def test_unpaired_surrogates_in_utf_16_do_not_hide_the_rest() -> None:
    data = b"\xff\xfe" + "a\ud800\nneedle\n".encode("utf-16-le", "surrogatepass")
    assert [match.line for match in found("needle", data)] == [2]


def test_an_undecodable_byte_can_be_searched_for() -> None:
    assert found("\udcff", b"a\xffb\n\xc3\xbf\n", literal=True) == [Match(1, "a\udcffb", ((1, 2),))]


@pytest.mark.parametrize("multiline", [False, True])
@pytest.mark.parametrize("character", ["x", "é"])
def test_a_long_line_with_many_hits_takes_linear_time(character: str, multiline: bool) -> None:
    """Quadratic, it would take minutes."""
    data = ("foo" + character * 27).encode() * 100_000 + b"\nend\n"
    matches = found("foo", data, multiline=multiline)
    assert sum(len(match.spans) for match in matches) == 100_000
    assert matches[-1].spans[-1] == (2_999_970, 2_999_973)


def test_a_backward_pattern_is_told_from_the_left() -> None:
    assert found("(?r)a", b"aa\na\n") == [Match(1, "aa", ((0, 1), (1, 2))), Match(2, "a", ((0, 1),))]
    assert [match.line for match in found("(?r)a", b"a\n\na\n", multiline=True)] == [1, 3]


def test_a_multiline_match_has_all_its_lines() -> None:
    assert found(r"b\s*c", b"a\r\nb\r\n\r\nc d\r\n", multiline=True) == [Match(2, "b\n\nc d", ((0, 4),))]


def test_a_newline_in_the_pattern_needs_multiline() -> None:
    assert found(r"a\nb", b"a\nb\n") == []
    assert len(found(r"a\nb", b"a\nb\n", multiline=True)) == 1


def test_an_empty_file_has_no_lines() -> None:
    for query in (Query("^"), Query("x", invert=True), Query("^$", multiline=True)):
        assert scan(b"", compiled(query)) == []
