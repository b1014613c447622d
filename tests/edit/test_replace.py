"""A replacement does to each line what the pattern says, and nothing to anything else."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edit.samples import ENCODINGS, files, inverse, matcher, replacement, texts
from tui.edit.plan import spliced
from tui.edit.replace import (
    Edit,
    Replacement,
    compile_replacement,
    edit_keys,
    edits,
    in_line,
    plan_file,
)
from tui.edit.template import BadReplacement
from tui.errors import InvalidArgumentError, InvalidRegexError
from tui.search.decoding import decode
from tui.search.scan import scan

PATTERNS = [
    "a", "foo", "b*", "x*", "^", "$", "^$", "|a", "(a)|(b)", "(?<=a)b", "(a)(?=b)", r"\b(\w)", "(?i)A(B)?",
    "é", ".", "[^a]+", r"(\s)+$", "(?r)a*", "(?r)(a|b)", r"a\Kb", r"(?P<one>.)(?P<two>.)?", "\r",
    "(?:fo){e<=1}",
]  # fmt: skip


def new_bytes(data: bytes, plan: Replacement) -> bytes:
    edit = plan_file("file", data, 0o644, plan)
    return data if edit is None else edit.new_bytes(data)


def lines_of(text: str) -> list[tuple[str, str]]:
    """Each line with its line end, told apart the slow way."""
    found = regex.findall(r"([^\n]*?)(\r?\n)|([^\n]+)\Z", text)
    return [(line or rest, eol) for line, eol, rest in found]


@given(files(), st.sampled_from(PATTERNS), st.sampled_from(["", "-", r"<\g<0>>", "é\U0001f600"]))
@settings(max_examples=500)
def test_each_line_becomes_what_the_regex_module_makes_of_it(
    data: bytes, pattern: str, template: str
) -> None:
    decoded = decode(data)
    sub = regex.compile(pattern).sub
    expected = "".join(sub(template, line) + eol for line, eol in lines_of(decoded.text))
    assert new_bytes(data, replacement(pattern, template)) == decoded.encoding.encode(expected)


@given(files(), st.sampled_from(["(a)|(b)", "(é)?(.)", r"(?P<n>\w)+", "(x*)"]))
def test_groups_are_those_of_the_match(data: bytes, pattern: str) -> None:
    compiled = regex.compile(pattern)
    decoded = decode(data)
    template = "".join(rf"\{n}-" for n in range(1, compiled.groups + 1))
    expected = "".join(compiled.sub(template, line) + eol for line, eol in lines_of(decoded.text))
    assert new_bytes(data, replacement(pattern, template)) == decoded.encoding.encode(expected)


MULTILINE = [
    r"\n",
    r"a\n",
    r"(\w)\n+(\w)?",
    "^",
    "$",
    r"(?s).*",
    r"\s+",
    "(?r)\n",
    r"a$\n?",
    r"\A",
    r"\Z",
    "x*",
]


@given(
    texts,
    st.sampled_from(MULTILINE),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", r"\\n", r"[\g<0>]"]),
)
@settings(max_examples=300)
def test_multiline_sees_the_whole_text_with_plain_line_ends(
    text: str, pattern: str, eol: str, new: str
) -> None:
    text = regex.sub(r"\r+\n", "\n", text).replace("\r", "")
    new = new.replace(r"\\n", r"-\n-")

    def expanded(found: regex.Match[str]) -> str:
        past_the_last_line = found.start() == len(text) and (not text or text[-1] == "\n")
        return "" if past_the_last_line else str(found.expand(new))

    expected = regex.compile(pattern, regex.MULTILINE).sub(expanded, text).replace("\n", eol)
    data = text.replace("\n", eol).encode("utf-8", "surrogateescape")
    made = new_bytes(data, replacement(pattern, new, multiline=True))
    if eol == "\r\n" and "\n" not in text:  # a file without line ends has none to take over
        expected = expected.replace("\r\n", "\n")
    assert made == expected.encode("utf-8", "surrogateescape")


@given(files(), st.sampled_from([r"(.*)(\n?)(.*)", r"(\s+)", r"(?s)(.)(.*)"]))
def test_groups_keep_the_line_ends_they_have_in_the_file(data: bytes, pattern: str) -> None:
    groups = regex.compile(pattern).groups
    same = "".join(rf"\{n}" for n in range(1, groups + 1))
    assert plan_file("file", data, 0o644, replacement(pattern, same, multiline=True)) is None


@given(files(), st.sampled_from(PATTERNS), st.booleans())
def test_edits_are_in_order_apart_and_say_what_they_replace(
    data: bytes, pattern: str, multiline: bool
) -> None:
    decoded = decode(data)
    at = 0
    for edit in edits(data, replacement(pattern, "<$0>", multiline=multiline)):
        assert at <= edit.splice.start <= edit.splice.end
        at = edit.splice.end
        assert data[edit.splice.start : at] == decoded.encoding.encode_part(edit.old)
        assert edit.splice.new == decoded.encoding.encode_part(edit.new)
        assert edit.old.replace("\r\n", "\n").rstrip("\n") == edit.text[slice(*edit.span)].rstrip("\n")


@given(files(), st.sampled_from(PATTERNS))
def test_splices_lead_back(data: bytes, pattern: str) -> None:
    edit = plan_file("file", data, 0o644, replacement(pattern, "-"))
    if edit is not None:
        assert spliced(edit.new_bytes(data), inverse(data, edit.splices)) == data


class TestLineEnds:
    @pytest.mark.parametrize(
        ("data", "pattern", "new", "expected"),
        [
            (b"a,b\r\nc\n", ",", r"\n", b"a\r\nb\r\nc\n"),  # that of the line it is on
            (b"c\r\na,b", ",", r"\n", b"c\r\na\r\nb"),  # else the file's most frequent
            (b"a,b", ",", r"\n", b"a\nb"),
            (b"x\r\ny\na,b", ",", "\\r\\n", b"x\r\ny\na\nb"),  # \r\n is a line end too, and not the file's
        ],
    )
    def test_a_line_end_in_the_replacement_is_the_files_own(
        self, data: bytes, pattern: str, new: str, expected: bytes
    ) -> None:
        assert new_bytes(data, replacement(pattern, new)) == expected
        assert new_bytes(data, replacement(pattern, new, multiline=True)) == expected

    def test_across_lines_it_is_that_of_the_replaced_stretch(self) -> None:
        plan = replacement(r"a\nb", r"1\n2\n3", multiline=True)
        assert new_bytes(b"a\r\nb\na\nb\r\n", plan) == b"1\r\n2\r\n3\n1\n2\n3\r\n"

    def test_literal_text_may_hold_line_ends_of_its_own(self) -> None:
        plan = replacement("a\nb", "x\r\ny\nz", literal=True, multiline=True)
        assert new_bytes(b"a\r\nb\r\n", plan) == b"x\r\ny\r\nz\r\n"

    def test_in_utf_16_too(self) -> None:
        encoding = ENCODINGS["utf-16-be"]
        data = encoding.encode("é,b\r\n")
        assert new_bytes(data, replacement(",", r"\n")) == encoding.encode("é\r\nb\r\n")


class TestEncodings:
    def test_bytes_of_the_command_line_go_into_byte_preserved_files(self) -> None:
        plan = replacement("e", os.fsdecode(b"\xe9"), literal=True)
        assert new_bytes(b"caf\xe8 e\n", plan) == b"caf\xe8 \xe9\n"

    def test_but_not_into_utf_16(self) -> None:
        plan = replacement("e", os.fsdecode(b"\xe9"), literal=True)
        with pytest.raises(InvalidArgumentError, match="UTF-16-LE"):
            edits(ENCODINGS["utf-16-le"].encode("e"), plan)

    def test_half_a_character_is_refused_at_once(self) -> None:
        bad = compile_replacement("a\ud800", matcher("e"))
        assert isinstance(bad, BadReplacement)
        assert bad.position == 1

    def test_unpaired_surrogates_of_the_file_survive(self) -> None:
        encoding = ENCODINGS["utf-16-le"]
        data = encoding.encode("\ud800(a)\udc00 b")
        made = new_bytes(data, replacement(r"(\S)\((a)\)(\S)", r"\3\2\1\1", multiline=True))
        assert made == encoding.bom + "\udc00a\ud800\ud800 b".encode("utf-16-le", "surrogatepass")


class TestWhatIsRefused:
    def test_lines_that_do_not_match(self) -> None:
        bad = compile_replacement("x", matcher("e", invert=True))
        assert isinstance(bad, BadReplacement)
        assert "invert" in str(bad)

    def test_overlapping_matches(self) -> None:
        with pytest.raises(InvalidRegexError, match="overlap"):
            edits(b"abab", replacement(r"a(?=b\K)", "x"))

    def test_a_pattern_that_takes_too_long(self) -> None:
        with pytest.raises(TimeoutError):
            edits(b"a" * 40 + b"!", replacement("(a|aa)+$", "$1"), timeout=0.05)


class TestKeys:
    def keys(self, data: bytes, plan: Replacement) -> list[object]:
        return [edit.key for edit in edits(data, plan)]

    @given(files(), st.sampled_from(PATTERNS), st.booleans())
    def test_no_two_edits_of_a_file_have_the_same(self, data: bytes, pattern: str, multiline: bool) -> None:
        keys = self.keys(data, replacement(pattern, "-", multiline=multiline))
        assert len(set(keys)) == len(keys)

    @given(
        files(), st.sampled_from([pattern for pattern in PATTERNS if "(?r)" not in pattern]), st.booleans()
    )
    def test_search_results_tell_them_without_a_replacement(
        self, data: bytes, pattern: str, multiline: bool
    ) -> None:
        told = [key for keys in edit_keys(scan(data, matcher(pattern, multiline=multiline))) for key in keys]
        assert self.keys(data, replacement(pattern, "new $0", multiline=multiline)) == told

    def test_they_outlive_lines_that_come_and_go_elsewhere(self) -> None:
        before = self.keys(b"one foo\nfoo foo\nfoo foo\n", replacement("foo", "1"))
        after = self.keys(b"new\nnew foo\none foo\nfoo foo\nfoo foo\n", replacement("foo", "22"))
        assert after[1:] == before

    def test_they_outlive_another_search_that_finds_the_same_stretch(self) -> None:
        before = self.keys(b"foo food foo\n", replacement("foo", "1"))
        after = self.keys(b"foo food foo\n", replacement(r"foo\b", "1"))
        assert after == [before[0], before[2]]

    def test_one_edit_alone_can_be_left_out(self) -> None:
        plan = replacement("foo", "bar")
        left_out = {edits(b"foo foo\nfoo foo\n", plan)[2].key}
        edit = plan_file(
            "f", b"foo foo\nfoo foo\n", 0o644, plan, chosen=lambda edit: edit.key not in left_out
        )
        assert edit is not None
        assert edit.new_bytes(b"foo foo\nfoo foo\n") == b"bar bar\nfoo bar\n"

    def test_nothing_chosen_is_no_change(self) -> None:
        assert plan_file("f", b"foo", 0o644, replacement("foo", "bar"), chosen=lambda edit: False) is None


def test_a_row_shows_its_new_text_without_a_plan() -> None:
    plan = replacement(r"(\w)=(\w)", "$2=$1")
    (match,) = scan("é a=b, c=d\n".encode(), plan.matcher)
    assert in_line(match, plan) == [((2, 5), "b=a"), ((7, 10), "d=c")]


def test_edits_say_where_they_are() -> None:
    first, second = edits("\ufeffa\r\n b é b\r\n".encode(), replacement("b", "x"))
    assert (first.line, first.text, first.span, first.old, first.new) == (2, " b é b", (1, 2), "b", "x")
    assert (second.line, second.span, second.splice.start) == (2, (5, 6), 12)


def test_multiline_edits_say_where_they_are() -> None:
    (edit,) = edits(b"0\r\n1 a\r\nb 2\r\n", replacement(r"a\nb", "x", multiline=True))
    assert (edit.line, edit.text, edit.span, edit.old) == (2, "1 a\nb 2", (2, 5), "a\r\nb")


def test_whole_words_only() -> None:
    assert new_bytes(b"foo food foo_ foo", replacement("foo", "x", whole_word=True)) == b"x food foo_ x"


def test_case_is_kept() -> None:
    plan = replacement("(?i)foo", "bar", keep_case=True)
    assert new_bytes(b"foo Foo FOO fooBar FOO_X", plan) == b"bar Bar BAR barBar BAR_X"


@pytest.mark.parametrize(
    ("start", "pattern", "new", "options"),
    [
        ("", "foo", "bar", {"literal": True}),
        ("", "(fo)o", r"$1\n", {}),
        ("é", "(fo)o", r"$1\n", {}),
        ("", "(fo)o", r"$1\n", {"multiline": True}),
        ("é", "foo", "bar", {"literal": True}),
        ("é", "foo", "bar", {"literal": True, "multiline": True}),
    ],
)
def test_a_long_line_with_many_hits_takes_time_in_proportion(
    start: str, pattern: str, new: str, options: dict[str, bool]
) -> None:
    data = start.encode() + (b"foo " + b"x" * 26) * 100_000
    plan = replacement(pattern, new, **options)
    began = time.process_time()
    edit = plan_file("file", data, 0o644, plan)
    assert time.process_time() - began < 2
    assert edit is not None
    assert len(edit.splices) == 100_000


LIBRARY = Path(os.__file__).parent


def library_files(directory: Path, count: int = 40) -> list[Path]:
    """Copies of some of Python's own modules, in plain ASCII."""
    copies: list[Path] = []
    for path in sorted(LIBRARY.glob("*.py"))[:count]:
        data = path.read_bytes()
        if data.isascii() and b"\r" not in data and data.endswith(b"\n"):
            copies.append(directory / path.name)
            copies[-1].write_bytes(data)
    assert len(copies) >= count // 2
    return copies


PERL = [
    ("self", "this"),
    (r"\bdef (\w+)\(", "def new_$1("),
    (r"(\w+)\.(\w+)", "$2->${1}"),
    ("^", "# "),
    ("$", ";"),
    (r"[ \t]+$", ""),
    (r"(?<=\()self(?=[,)])", "me"),
    (r"x*", "-"),
    (r"(['\"])(.*?)\1", r"<\2>"),
    (r"(a)|(e)", "[$1$2]"),
    (r"\bimport\b", r"im\\port$$"),
]


@pytest.mark.parametrize(("pattern", "new"), PERL)
def test_the_same_bytes_as_perl(tmp_path: Path, pattern: str, new: str) -> None:
    copies = library_files(tmp_path, 4 if pattern == "x*" else 40)  # that one matches between all letters
    plan = replacement(pattern, new)
    expected = {path.name: new_bytes(path.read_bytes(), plan) for path in copies}
    perls_new = new.replace("$$", r"\$").replace("->", r"\->").replace("[", r"\[")
    program = f"no warnings; s{{{pattern}}}{{{perls_new}}}g"
    subprocess.run(["perl", "-i", "-lpe", program, *map(str, copies)], check=True)
    assert {path.name: path.read_bytes() for path in copies} == expected


SED = [
    ("self", "this", "s/self/this/g"),
    (r"(\w)(\w)", r"\2\1", r"s/\(\w\)\(\w\)/\2\1/g"),
    ("$", "!", "s/$/!/"),
]


@pytest.mark.parametrize(("pattern", "new", "program"), SED)
def test_the_same_bytes_as_sed(tmp_path: Path, pattern: str, new: str, program: str) -> None:
    copies = library_files(tmp_path)
    expected = {path.name: new_bytes(path.read_bytes(), replacement(pattern, new)) for path in copies}
    subprocess.run(["sed", "-i", program, *map(str, copies)], check=True, env={**os.environ, "LC_ALL": "C"})
    assert {path.name: path.read_bytes() for path in copies} == expected


def test_an_edit_is_plain_data() -> None:
    (edit,) = edits(b"a", replacement("a", "b"))
    assert isinstance(edit, Edit)
    assert hash(edit.key) == hash(edits(b"a", replacement("a", "c"))[0].key)
