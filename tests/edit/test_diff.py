"""A diff tells the whole change and nothing but the change."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edit.samples import ENCODINGS, edited_files, files, replacement
from tui.edit.changes import new_bytes
from tui.edit.diff import WHOLE_FILE, FileDiff, FileKind, file_diff
from tui.edit.difflines import DiffLine, LineKind
from tui.edit.lines import insert_after, replace_lines, update
from tui.edit.plan import (
    BadPlanError,
    FileEdit,
    FileState,
    Splice,
    StaleError,
    create,
    delete,
    modify,
    rename,
    spliced,
)
from tui.edit.replace import plan_file
from tui.search.decoding import decode


def diff_of(old: bytes, *splices: Splice, context: int = 3) -> FileDiff:
    edit = modify("file", old, 0o644, splices)
    assert edit is not None
    return file_diff(edit, old, context)


def replaced(old: bytes, pattern: str, new: str, **options: bool) -> FileDiff:
    edit = plan_file("file", old, 0o644, replacement(pattern, new, **options))
    assert edit is not None
    return file_diff(edit, old)


def shown(diff: FileDiff) -> list[str]:
    """The diff as one would read it: signs, texts, and emphasis in brackets."""
    signs = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
    rows: list[str] = []
    for hunk in diff.hunks:
        rows.append(hunk.header)
        for line in hunk.lines:
            text = line.text
            for start, end in reversed(line.spans):
                text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
            rows.append(signs[line.kind] + text + ("\\" if line.no_newline else ""))
    return rows


def text_lines(data: bytes) -> list[str]:
    """With their line ends; a byte order mark is a character here."""
    text = data.decode(decode(data).encoding.codec, decode(data).encoding.errors)
    return [line + "\n" for line in text.split("\n")[:-1]] + [text.split("\n")[-1]] * (
        not text.endswith("\n") and bool(text)
    )


def check_tells_all(diff: FileDiff, old: bytes, new: bytes) -> None:
    """The old lines and the hunks give the new lines, every number on the way is right."""
    before, after = text_lines(old), text_lines(new)
    if old and new and decode(old).encoding.bom == decode(new).encoding.bom != b"":
        before, after = (
            [line.removeprefix("\ufeff") for line in before],
            [line.removeprefix("\ufeff") for line in after],
        )
        before, after = [line for line in before if line], [line for line in after if line]
    made: list[str] = []
    at = 0
    for hunk in diff.hunks:
        start = hunk.old_start - (hunk.old_count > 0)
        made += before[at:start]
        at = start + hunk.old_count
        assert hunk.new_start - (hunk.new_count > 0) == len(made)
        check_hunk_lines(hunk.lines, before, after)
        gone = [line.text + line.eol for line in hunk.lines if line.kind is not LineKind.ADDED]
        assert gone == before[start:at]
        come = [line.text + line.eol for line in hunk.lines if line.kind is not LineKind.REMOVED]
        assert len(come) == hunk.new_count
        made += come
    assert made + before[at:] == after


def check_hunk_lines(lines: tuple[DiffLine, ...], before: list[str], after: list[str]) -> None:
    for place, line in enumerate(lines):
        assert (line.old is None) == (line.kind is LineKind.ADDED)
        assert (line.new is None) == (line.kind is LineKind.REMOVED)
        assert line.old is None or before[line.old - 1] == line.text + line.eol
        assert line.new is None or after[line.new - 1] == line.text + line.eol
        assert line.pair is None or lines[line.pair].pair == place
        assert line.pair is None or (lines[line.pair].eol != line.eol) == line.eol_changed
        assert all(0 <= start < end <= len(line.text) for start, end in line.spans)


@given(edited_files(), st.integers(0, 3))
@settings(max_examples=400)
def test_the_old_lines_and_the_hunks_give_the_new_lines(case: tuple[bytes, FileEdit], context: int) -> None:
    old, edit = case
    diff = file_diff(edit, old, context)
    if "binary" not in diff.notes and not any("encoding" in note for note in diff.notes):
        check_tells_all(diff, old, new_bytes(edit, old))
    if diff.hunks:
        assert spliced(old, diff.splices) == new_bytes(edit, old)
        assert [hunk.splices[0] for hunk in diff.hunks[1:]] == [hunk.splices[1] for hunk in diff.hunks[:-1]]
        assert diff.hunks[-1].splices[1] == len(diff.splices)
    assert len(set(diff.ids)) == len(diff.ids) > 0


@given(
    files(),
    st.sampled_from(["a", "b*", "foo|é", r"\n", r"(?s)a.*b", "$", "^"]),
    st.sampled_from(["", "X", r"a\nb"]),
)
@settings(max_examples=200)
def test_replacements_in_every_encoding(data: bytes, pattern: str, new: str) -> None:
    edit = plan_file("file", data, 0o644, replacement(pattern, new, multiline=True))
    if edit is not None:
        check_tells_all(file_diff(edit, data), data, edit.new_bytes(data))


@given(files(), st.sampled_from(["a", "foo", "é", "[ab]+", " "]))
def test_emphasis_falls_exactly_on_what_was_replaced(data: bytes, pattern: str) -> None:
    edit = plan_file("file", data, 0o644, replacement(pattern, "YY"))
    for hunk in file_diff(edit, data).hunks if edit else ():
        for line in hunk.lines:
            old = replacement(pattern, "").matcher.pattern.findall(line.text)
            told = [line.text[start:end] for start, end in line.spans]
            if line.kind is LineKind.REMOVED:
                assert told == old
            elif line.kind is LineKind.ADDED:
                assert told == ["YY"] * line.text.count("YY")


def test_a_replacement_reads_like_a_diff() -> None:
    old = b"one\ntwo foo\nthree foo foo\nfour\nfive\nsix\nseven\n"
    assert shown(replaced(old, "foo", "bar")) == [
        "@@ -1,6 +1,6 @@",
        " one",
        "-two [foo]",
        "-three [foo] [foo]",
        "+two [bar]",
        "+three [bar] [bar]",
        " four",
        " five",
        " six",
    ]


def test_lines_stand_in_pairs() -> None:
    (hunk,) = replaced(b"foo\nfoo\n", "foo", "bar").hunks
    assert [line.pair for line in hunk.lines] == [2, 3, 0, 1]


def test_hunks_join_when_their_context_meets() -> None:
    old = b"foo\n" + b"-\n" * 6 + b"foo\n" + b"-\n" * 7 + b"foo\n"
    assert [hunk.header for hunk in replaced(old, "foo", "x").hunks] == [
        "@@ -1,11 +1,11 @@",
        "@@ -13,4 +13,4 @@",
    ]


def test_a_changed_number_of_lines() -> None:
    assert shown(replaced(b"a\nb, c\nd\n", ", ", r",\n")) == [
        "@@ -1,3 +1,4 @@",
        " a",
        "-b[, ]c",
        "+b[,]",
        "+c",
        " d",
    ]


def test_joined_lines() -> None:
    assert shown(replaced(b"a\nb\nc\n", r"a\n", "a ", multiline=True)) == [
        "@@ -1,3 +1,2 @@",
        "-a",
        "-b",
        "+[a ]b",
        " c",
    ]


def test_a_whole_new_text_falls_into_small_hunks() -> None:
    old = b"".join(b"line %d\n" % n for n in range(40))
    new = old.replace(b"line 5\n", b"line five\n").replace(b"line 30\n", b"")
    diff = diff_of(old, Splice(0, len(old), new), context=1)
    assert shown(diff) == [
        "@@ -5,3 +5,3 @@",
        " line 4",
        "-line [5]",
        "+line [five]",
        " line 6",
        "@@ -30,3 +30,2 @@",
        " line 29",
        "-line 30",
        " line 31",
    ]


def test_words_are_emphasised_where_whole_lines_are_replaced() -> None:
    old = b"def area(width, height):\n    return width * height\n"
    diff = diff_of(old, *replace_lines(old, 1, 1, "def area(width, depth):"))
    assert shown(diff)[1:3] == ["-def area(width, [height]):", "+def area(width, [depth]):"]


class TestTheEndOfTheFile:
    def test_a_missing_line_end_is_marked(self) -> None:
        assert shown(diff_of(b"a\nb", *insert_after(b"a\nb", 2, "c"))) == [
            "@@ -1,2 +1,3 @@",
            " a",
            "-b\\",
            "+b",
            "+c\\",
        ]

    def test_a_line_end_that_comes_is_a_change(self) -> None:
        diff = diff_of(b"a\nb", *update(b"a\nb", "a\nb\n"))
        assert shown(diff) == ["@@ -1,2 +1,2 @@", " a", "-b\\", "+b"]
        assert [line.eol_changed for line in diff.hunks[0].lines] == [False, True, True]

    def test_a_line_end_alone(self) -> None:
        diff = diff_of(b"a\nb\n", Splice(0, 4, b"a\r\nb\n"))
        assert [(line.text, line.eol) for line in diff.hunks[0].lines] == [
            ("a", "\n"),
            ("a", "\r\n"),
            ("b", "\n"),
        ]
        assert diff.notes == ("line ends LF -> mixed",)


class TestNotes:
    def test_line_ends(self) -> None:
        assert diff_of(b"a\r\nb\r\n", Splice(0, 6, b"a\nb\n")).notes == ("line ends CRLF -> LF",)
        utf16 = ENCODINGS["utf-16-le"]
        old, new = utf16.encode("a\r\n"), utf16.encode("a\n")
        assert diff_of(old, Splice(0, len(old), new)).notes == ("line ends CRLF -> LF",)

    def test_a_byte_order_mark(self) -> None:
        gone = diff_of(b"\xef\xbb\xbfa\n", Splice(0, 3, b""))
        assert gone.notes == ("byte order mark removed",)
        assert shown(gone)[1:] == ["-[\ufeff]a", "+a"]
        assert diff_of(b"a\n", Splice(0, 0, b"\xef\xbb\xbf")).notes == ("byte order mark added",)

    def test_a_byte_order_mark_that_stays_is_no_text(self) -> None:
        old = b"\xef\xbb\xbfa\nb\n"
        assert shown(diff_of(old, Splice(0, len(old), b"\xef\xbb\xbfa\nc\n")))[1:] == [" a", "-[b]", "+[c]"]

    def test_mode(self) -> None:
        old = b"a\n"
        edit = FileEdit("file", FileState.of(old, 0o644), FileState.of(old, 0o755))
        diff = file_diff(edit, old)
        assert (diff.notes, diff.ids, diff.hunks) == (("mode 644 -> 755",), (WHOLE_FILE,), ())

    def test_binary(self) -> None:
        diff = diff_of(b"a\0b\n", Splice(0, 1, b"x"))
        assert (diff.notes, diff.hunks, diff.ids) == (("binary",), (), (WHOLE_FILE,))
        assert diff_of(b"\xff\xfea\0", Splice(3, 4, b"")).notes == ("binary",)

    def test_encoding(self) -> None:
        old = ENCODINGS["utf-16-le"].encode("é\n")
        diff = diff_of(old, Splice(0, len(old), "é\n".encode()))
        assert diff.notes == ("encoding UTF-16-LE -> UTF-8",)
        assert [line.text for line in diff.hunks[0].lines] == ["\ufeffé", "é"]


class TestKinds:
    def test_created(self) -> None:
        diff = file_diff(create("new", b"a\nb\n"), b"")
        assert (diff.kind, diff.path, shown(diff)) == (
            FileKind.CREATED,
            "new",
            ["@@ -0,0 +1,2 @@", "+a", "+b"],
        )

    def test_created_empty(self) -> None:
        assert file_diff(create("new", b""), b"").ids == (WHOLE_FILE,)

    def test_deleted(self) -> None:
        diff = file_diff(delete("old", b"a\nb", 0o644), b"a\nb")
        assert (diff.kind, shown(diff)) == (FileKind.DELETED, ["@@ -1,2 +0,0 @@", "-a", "-b\\"])

    def test_renamed(self) -> None:
        diff = file_diff(rename("old", "new", b"a\n", 0o644, [Splice(0, 1, b"b")]), b"a\n")
        assert (diff.kind, diff.path, diff.new_path) == (FileKind.RENAMED, "old", "new")
        assert (len(diff.ids), diff.ids[0], diff.added, diff.removed) == (2, WHOLE_FILE, 1, 1)


class TestIds:
    OLD = b"".join(b"foo\n" + b"-\n" * 9 for _ in range(5))

    def test_hunks_that_do_the_same_share_a_fingerprint_not_an_id(self) -> None:
        hunks = replaced(self.OLD, "foo", "bar").hunks
        assert (len({hunk.fingerprint for hunk in hunks}), len({hunk.id for hunk in hunks})) == (1, 5)

    def test_an_id_stays_when_other_hunks_come_and_go(self) -> None:
        old = b"other\n" + b"-\n" * 9 + self.OLD
        alone, both = replaced(self.OLD, "foo", "x"), replaced(old, "foo|other", "x")
        assert both.ids[1:] == alone.ids

    def test_an_id_is_another_when_the_hunk_does_something_else(self) -> None:
        assert not set(replaced(self.OLD, "foo", "x").ids) & set(replaced(self.OLD, "foo", "y").ids)


class TestWhatIsRefused:
    def test_other_bytes_than_the_edit_was_made_from(self) -> None:
        edit = modify("file", b"a\n", 0o644, [Splice(0, 1, b"b")])
        assert edit is not None
        with pytest.raises(StaleError):
            file_diff(edit, b"c\n")
        with pytest.raises(StaleError):
            file_diff(delete("file", b"a\n", 0o644), b"c\n")

    def test_an_edit_that_does_not_give_what_it_promises(self) -> None:
        edit = FileEdit("file", FileState.of(b"a", 0), FileState.of(b"b", 0), (Splice(0, 1, b"c"),))
        with pytest.raises(BadPlanError):
            file_diff(edit, b"a")


def test_ten_thousand_hunks_in_one_file_take_no_minutes() -> None:
    old = b"".join(b"foo %d\n" % n if n % 10 == 0 else b"something else\n" for n in range(100_000))
    edit = plan_file("file", old, 0o644, replacement("foo", "bar"))
    assert edit is not None
    began = time.process_time()
    diff = file_diff(edit, old)
    assert time.process_time() - began < 20
    assert len(diff.hunks) == 10_000


def test_joining_all_lines_of_a_file_takes_time_in_proportion() -> None:
    old = b"some words on a line\n" * 30_000
    edit = plan_file("file", old, 0o644, replacement(r"\n", " ", multiline=True))
    assert edit is not None
    began = time.process_time()
    diff = file_diff(edit, old)
    assert time.process_time() - began < 2
    assert (diff.removed, diff.added) == (30_000, 1)


@pytest.mark.parametrize("start", ["", "é"])
def test_a_long_line_with_many_edits(start: str) -> None:
    old = start.encode() + (b"foo " + b"x" * 26) * 100_000
    edit = plan_file("file", old, 0o644, replacement("(?:)foo", "bar"))
    assert edit is not None
    began = time.process_time()
    diff = file_diff(edit, old)
    assert time.process_time() - began < 2
    assert len(diff.hunks[0].lines[0].spans) == 100_000
