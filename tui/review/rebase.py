"""A proposal whose files moved on: its change carried over to the files as they are now.

A three-way merge by lines, between what the proposal was made from, what it makes of it, and what is
there now. Lines that both sides changed are a conflict, unless they changed them alike; so are changes
that touch without a line between them, since nobody can say in which order they belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tui.edit.changes import new_bytes
from tui.edit.layout import Layout
from tui.edit.linediff import Range, changed
from tui.edit.plan import EditPlan, FileEdit, FileState, Splice, modify, rename
from tui.errors import NotFoundError, RedlineError
from tui.search.decoding import UndecodableError, is_binary
from tui.text import visible
from tui.workspace import Reader, Workspace, explain


class Conflict(NamedTuple):
    """Why a file's change cannot be carried over; `line` is where it is now, from 1, or 0 for all of it."""

    path: str
    line: int
    why: str

    def __str__(self) -> str:
        where = f"{visible(self.path)}:{self.line}" if self.line else visible(self.path)
        return f"{where}: {self.why}"


class Rebased(NamedTuple):
    """The plan for the files as they are now, and their bytes. With conflicts it is not all of it."""

    plan: EditPlan
    originals: dict[str, bytes]
    conflicts: tuple[Conflict, ...]


class _Now(NamedTuple):
    data: bytes
    mode: int


def rebase(workspace: Workspace, plan: EditPlan, originals: Mapping[str, bytes]) -> Rebased:
    """A file in which the change is there already is left out of the plan."""
    edits: list[FileEdit] = []
    bytes_now: dict[str, bytes] = {}
    conflicts: list[Conflict] = []
    with Reader(workspace) as reader:
        for edit in plan.files:
            now = _now(reader, edit.path)
            try:
                carried = _carried_over(edit, originals.get(edit.path, b""), now)
                if carried is not None and carried.new_path is not None:
                    _check_free(reader, carried.new_path)
            except _ConflictError as error:
                conflicts.append(Conflict(edit.path, error.line, error.why))
                continue
            if carried is not None:
                edits.append(carried)
                if now is not None:
                    bytes_now[edit.path] = now.data
    return Rebased(EditPlan(plan.title, tuple(edits)), bytes_now, tuple(conflicts))


class _ConflictError(Exception):
    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.why = why
        self.line = line


def _now(reader: Reader, path: str) -> _Now | None:
    try:
        return _Now(*reader.read_with_mode(path))
    except (NotFoundError, FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise explain(error, path) from error


def _check_free(reader: Reader, path: str) -> None:
    try:
        taken = _now(reader, path) is not None
    except RedlineError:
        taken = True
    if taken:
        raise _ConflictError(f"there is a file {visible(path)} by now")


def _carried_over(edit: FileEdit, base: bytes, now: _Now | None) -> FileEdit | None:
    if edit.before is None:
        if now is None:
            return edit
        if edit.after is not None and now.data == edit.new_bytes(b""):
            return None
        raise _ConflictError("it is there by now, with other contents")
    if now is None:
        if edit.after is None:
            return None
        raise _ConflictError("it is gone")
    if now.data == base:
        return _with_mode(edit, edit.splices, now)
    if edit.after is None:
        raise _ConflictError("it was to be deleted, and has changed since")
    return _with_mode(edit, _merged(edit, base, now.data), now)


def _with_mode(edit: FileEdit, splices: Sequence[Splice], now: _Now) -> FileEdit | None:
    """The edit of the present file: its permission bits change as far as the proposal changes them."""
    if edit.before is None or edit.after is None:
        return FileEdit(edit.path, FileState.of(now.data, now.mode), None)
    mode = edit.after.mode if edit.after.mode != edit.before.mode else now.mode
    if edit.new_path is not None:
        moved = rename(edit.path, edit.new_path, now.data, now.mode, splices)
        return _bits(moved, mode)
    change = modify(edit.path, now.data, now.mode, splices)
    if change is None and mode != now.mode:
        state = FileState.of(now.data, now.mode)
        change = FileEdit(edit.path, state, state)
    return None if change is None else _bits(change, mode)


def _bits(edit: FileEdit, mode: int) -> FileEdit:
    after = edit.after
    assert after is not None  # noqa: S101 - for the type checker
    return FileEdit(
        edit.path, edit.before, FileState(after.digest, after.size, mode), edit.splices, edit.new_path
    )


def _merged(edit: FileEdit, base: bytes, now: bytes) -> list[Splice]:
    """What the edit makes of the lines that nobody else touched, in terms of the present bytes."""
    theirs = new_bytes(edit, base)
    if any(map(is_binary, (base, theirs, now))):
        raise _ConflictError("it is no text, and has changed since")
    try:
        layouts = [Layout(data) for data in (base, theirs, now)]
    except UndecodableError as error:
        raise _ConflictError(f"it cannot be read as text: {error}") from error
    if len({layout.encoding for layout in layouts}) > 1:
        raise _ConflictError("its encoding is another one by now")
    return list(_spliced_in(*layouts))


def _spliced_in(base: Layout, theirs: Layout, now: Layout) -> Iterator[Splice]:
    before, proposed, present = (_lines(layout) for layout in (base, theirs, now))
    ours = changed(before, present)
    at = 0  # the first of our ranges that may still matter
    ahead = 0  # how many lines the present text has more, up to there
    for a, b, c, d in changed(before, proposed):
        while at < len(ours) and ours[at][1] < a:
            ahead += _growth(ours[at])
            at += 1
        if at < len(ours) and ours[at][0] <= b:
            if _same((a, b, c, d), ours[at], proposed, present):
                continue
            raise _ConflictError(_both_changed(a, b), ours[at][2] + 1)
        start, end = now.starts[a + ahead], now.starts[b + ahead]
        yield Splice(start, end, b"".join(proposed[c:d]))


def _lines(layout: Layout) -> list[bytes]:
    return [layout.raw(line) for line in range(layout.count)]


def _growth(stretch: Range) -> int:
    a, b, c, d = stretch
    return (d - c) - (b - a)


def _same(theirs: Range, ours: Range, proposed: Sequence[bytes], present: Sequence[bytes]) -> bool:
    """Whether both made the same of the same lines."""
    return theirs[:2] == ours[:2] and proposed[theirs[2] : theirs[3]] == present[ours[2] : ours[3]]


def _both_changed(a: int, b: int) -> str:
    where = f"line {a + 1}" if b - a <= 1 else f"lines {a + 1} to {b}"
    return f"what the proposal changes ({where} of the old file) was changed here too"
