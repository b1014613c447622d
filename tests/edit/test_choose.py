"""Any part of an edit can be taken alone, and is then all that happens."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.edit.samples import ENCODINGS, edited_files
from tui.edit.changes import new_bytes
from tui.edit.choose import choose
from tui.edit.diff import WHOLE_FILE, FileDiff, FileKind, file_diff
from tui.edit.difflines import LineKind
from tui.edit.plan import EditPlan, FileEdit, FileState, Splice, create, delete, modify, rename, spliced
from tui.errors import InvalidArgumentError
from tui.search.decoding import encoding_of


@given(edited_files(), st.integers(0, 2), st.data())
@settings(max_examples=400)
def test_any_choice_of_hunks_gives_what_their_splices_give(
    case: tuple[bytes, FileEdit], context: int, draw: st.DataObject
) -> None:
    old, edit = case
    diff = file_diff(edit, old, context)
    accepted = draw.draw(st.sets(st.sampled_from(diff.ids)))
    chosen = choose(edit, old, accepted, context=context)
    if accepted == set(diff.ids):
        assert chosen == edit
        return
    splices = [
        splice for hunk in diff.hunks if hunk.id in accepted for splice in diff.splices[slice(*hunk.splices)]
    ]
    if chosen is None:
        assert WHOLE_FILE not in accepted
        assert spliced(old, splices) == old
        return
    EditPlan("", (chosen,)).check()
    assert chosen.new_bytes(old) == spliced(old, splices)
    assert chosen.new_path == (edit.new_path if WHOLE_FILE in accepted else None)


@given(edited_files(), st.integers(0, 2), st.data())
@settings(max_examples=400)
def test_what_is_chosen_and_then_the_rest_is_the_whole(
    case: tuple[bytes, FileEdit], context: int, draw: st.DataObject
) -> None:
    old, edit = case
    diff = file_diff(edit, old, context)
    if diff.kind is not FileKind.MODIFIED or not diff.hunks:
        return
    accepted = draw.draw(st.sets(st.sampled_from(diff.ids)))
    chosen = choose(edit, old, accepted, context=context)
    rest = choose(edit, old, set(diff.ids) - accepted, context=context)
    together = sorted(
        [*(chosen.splices if chosen else ()), *(rest.splices if rest else ())], key=lambda s: (s.start, s.end)
    )
    assert spliced(old, together) == edit.new_bytes(old)


@given(edited_files(), st.data())
@settings(max_examples=400)
def test_line_by_line_the_lines_that_stay_and_come_are_those_chosen(
    case: tuple[bytes, FileEdit], draw: st.DataObject
) -> None:
    old, edit = case
    assume(not encoding_of(old).bom and not encoding_of(new_bytes(edit, old)).bom)
    diff = file_diff(edit, old)
    lines = {hunk.id: draw.draw(st.sets(st.integers(0, len(hunk.lines) - 1))) for hunk in diff.hunks}
    chosen = choose(edit, old, (), lines)
    made = new_bytes(chosen, old) if chosen else old
    assert sorted(texts_of(made)) == sorted(expected_texts(diff, old, lines))


def texts_of(data: bytes) -> list[str]:
    """Without carriage returns: a lone one at the end becomes part of a line end when a line follows."""
    text = data.decode("utf-8", "surrogateescape")
    return [line.replace("\r", "") for line in text.removesuffix("\n").split("\n")] if text else []


def expected_texts(diff: FileDiff, old: bytes, lines: dict[str, set[int]]) -> list[str]:
    expected = texts_of(old)
    for hunk in diff.hunks:
        for place in lines[hunk.id]:
            line = hunk.lines[place]
            text = line.text.replace("\r", "")
            if line.kind is LineKind.REMOVED:
                expected.remove(text)
            elif line.kind is LineKind.ADDED:
                expected.append(text)
    return expected


def choose_lines(old: bytes, new: bytes, places: set[int]) -> bytes:
    edit = modify("file", old, 0o644, [Splice(0, len(old), new)])
    assert edit is not None
    (hunk,) = file_diff(edit, old).hunks
    chosen = choose(edit, old, (), {hunk.id: places})
    return old if chosen is None else chosen.new_bytes(old)


class TestLines:
    def test_one_of_two_paired_lines(self) -> None:
        assert choose_lines(b"a\nb\n", b"A\nB\n", {0, 2}) == b"A\nb\n"
        assert choose_lines(b"a\nb\n", b"A\nB\n", {1, 3}) == b"a\nB\n"

    def test_a_line_gone_and_none_come(self) -> None:
        assert choose_lines(b"a\nb\n", b"A\nB\n", {0}) == b"b\n"

    def test_a_line_come_and_none_gone(self) -> None:
        assert choose_lines(b"a\nb\n", b"A\nB\n", {2}) == b"a\nA\nb\n"

    def test_unpaired_lines_come_after_those_that_stay(self) -> None:
        assert choose_lines(b"a\nb\n", b"X\nY\nZ\n", {0, 3}) == b"b\nY\n"

    def test_a_line_that_is_no_longer_the_last_gets_a_line_end(self) -> None:
        assert choose_lines(b"x\r\na", b"x\r\na\r\nb\r\nc", {4}) == b"x\r\na\r\nc"

    def test_all_lines_are_the_hunk(self) -> None:
        assert choose_lines(b"a\nb", b"A\nB\nC", {0, 1, 2, 3, 4}) == b"A\nB\nC"

    def test_part_of_a_new_file(self) -> None:
        edit = create("file", b"\xef\xbb\xbfa\nb\n", 0o755)
        (hunk,) = file_diff(edit, b"").hunks
        chosen = choose(edit, b"", (), {hunk.id: {1}})
        assert chosen is not None
        assert chosen.new_bytes(b"") == b"\xef\xbb\xbfb\n"
        assert (chosen.before, chosen.after) == (None, FileState.of(b"\xef\xbb\xbfb\n", 0o755))

    def test_part_of_a_deletion_is_a_change(self) -> None:
        old = ENCODINGS["utf-16-le"].encode("a\nb\n")
        edit = delete("file", old, 0o644)
        (hunk,) = file_diff(edit, old).hunks
        chosen = choose(edit, old, (), {hunk.id: {0}})
        assert chosen is not None
        assert chosen.new_bytes(old) == ENCODINGS["utf-16-le"].encode("b\n")

    def test_every_line_of_a_deletion_is_the_deletion(self) -> None:
        edit = delete("file", b"a\nb\n", 0o644)
        assert choose(edit, b"a\nb\n", (), {file_diff(edit, b"a\nb\n").ids[0]: {0, 1}}) == edit

    def test_another_encoding_is_all_or_nothing(self) -> None:
        old = ENCODINGS["utf-16-le"].encode("a\nb\n")
        with pytest.raises(InvalidArgumentError, match="encoding"):
            choose_lines(old, b"a\nb\n", {0})


class TestTheFileItself:
    OLD = b"a\n"

    def test_a_new_name_without_the_new_text(self) -> None:
        edit = rename("old", "new", self.OLD, 0o644, [Splice(0, 1, b"b")])
        chosen = choose(edit, self.OLD, {WHOLE_FILE})
        assert chosen == rename("old", "new", self.OLD, 0o644)

    def test_the_new_text_without_the_new_name(self) -> None:
        edit = rename("old", "new", self.OLD, 0o644, [Splice(0, 1, b"b")])
        chosen = choose(edit, self.OLD, {file_diff(edit, self.OLD).hunks[0].id})
        assert chosen == modify("old", self.OLD, 0o644, [Splice(0, 1, b"b")])

    def test_a_mode(self) -> None:
        edit = FileEdit("file", FileState.of(self.OLD, 0o644), FileState.of(self.OLD, 0o755))
        assert choose(edit, self.OLD, {WHOLE_FILE}) == edit
        assert choose(edit, self.OLD, ()) is None

    def test_what_is_not_accepted_is_not_created_or_deleted(self) -> None:
        for edit, old in (
            (create("file", b"a"), b""),
            (create("file", b""), b""),
            (delete("file", b"a", 0), b"a"),
        ):
            assert choose(edit, old, ()) is None


def test_an_unknown_hunk_is_refused() -> None:
    edit = create("file", b"a\n")
    with pytest.raises(InvalidArgumentError, match="no hunk 0123"):
        choose(edit, b"", {"0123"})
    with pytest.raises(InvalidArgumentError, match="lines 0 to 0"):
        choose(edit, b"", (), {file_diff(edit, b"").ids[0]: {1}})
