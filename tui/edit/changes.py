"""Splices seen as lines: which whole lines of a file become which others.

A plan says bytes; people review lines. Each splice is widened to the lines it touches, and splices
that share a line go together. No general diff is needed for that, only for a stretch of several
lines: there the lines that stay are found, so that a whole new text still falls into small hunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tui.edit.layout import Layout, raw_lines
from tui.edit.linediff import changed
from tui.edit.plan import FileEdit, Splice, StaleError, digest
from tui.search.decoding import Encoding, UndecodableError, encoding_of, is_binary


@dataclass(frozen=True, slots=True)
class Change:
    """Neighbouring lines that become others: the least that can be taken or left.

    `first` and `new_first` count lines from 0. The splices turn exactly the old lines into the new.
    """

    first: int
    new_first: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    splices: tuple[Splice, ...]

    @property
    def last(self) -> int:
        """The old line after the change."""
        return self.first + len(self.old)

    @property
    def paired(self) -> bool:
        """Whether each new line stands for one old line."""
        return len(self.old) == len(self.new)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Changes shown together, with the lines around them: what one hunk tells. It begins at old line
    `before`, which is `new_before` in the new text, and covers so many lines of each."""

    changes: tuple[Change, ...]
    before: int
    old_count: int
    new_before: int
    new_count: int

    @classmethod
    def of(cls, changes: Sequence[Change], lines_in_file: int, context: int) -> Cluster:
        first = changes[0]
        before = max(0, first.first - context)
        count = min(lines_in_file, changes[-1].last + context) - before
        more = sum(len(change.new) - len(change.old) for change in changes)
        return cls(tuple(changes), before, count, before + first.new_first - first.first, count + more)

    @property
    def old_start(self) -> int:
        """The number in the hunk's header: an empty side is numbered by the line before it."""
        return self.before + (self.old_count > 0)

    @property
    def new_start(self) -> int:
        return self.new_before + (self.new_count > 0)

    def runs(self) -> Iterator[list[Change]]:
        """The changes, those with no line between them together."""
        run = [self.changes[0]]
        for change in self.changes[1:]:
            if change.first > run[-1].last:
                yield run
                run = []
            run.append(change)
        yield run


def hunk_header(old_start: int, old_count: int, new_start: int, new_count: int) -> str:
    def numbers(start: int, count: int) -> str:
        return str(start) if count == 1 else f"{start},{count}"

    return f"@@ -{numbers(old_start, old_count)} +{numbers(new_start, new_count)} @@"


@dataclass(frozen=True, slots=True)
class FileChanges:
    """A file's change as lines of text.

    The old lines are written as `layout.encoding` says, the new ones as `new_encoding`. A byte order
    mark that both sides have is part of no line; one that comes or goes is part of the first.
    """

    layout: Layout
    new_encoding: Encoding
    changes: tuple[Change, ...]


def file_changes(edit: FileEdit, old: bytes, new: bytes) -> FileChanges | None:
    """The change as lines of text; None if one of its sides is no text."""
    if is_binary(old) or is_binary(new):
        return None
    before, after = encoding_of(old or new), encoding_of(new or old)
    try:
        if before.codec != after.codec:
            return _in_other_encoding(old, new, Encoding(before.codec), Encoding(after.codec))
        shared = before if before == after and old and new else Encoding(before.codec)
        return FileChanges(layout := Layout(old, shared), shared, _text_changes(layout, edit, new))
    except UndecodableError:
        return None


def new_bytes(edit: FileEdit, old: bytes) -> bytes:
    """What is there afterwards, nothing for a deleted file. StaleError if `old` is not what the edit
    was made from, BadPlanError if the edit does not give what it promises."""
    if edit.after is not None:
        return edit.new_bytes(old)
    if edit.before is not None and digest(old) != edit.before.digest:
        raise StaleError([(edit.path, "changed since it was read")])
    return b""


def all_splices(edit: FileEdit, old: bytes) -> tuple[Splice, ...]:
    """The splices that give the new bytes, also where the file goes altogether."""
    if edit.after is None:
        return (Splice(0, len(old), b""),) if old else ()
    return edit.splices


def line_changes(layout: Layout, splices: Sequence[Splice]) -> Iterator[Change]:
    """The changed lines in order. They tell all of the new text: each gives whole lines."""
    ahead = 0  # how many lines the new text has more, so far
    at = 0
    for first, last, count, part in _sharing_lines(layout, splices):
        old = tuple([layout.raw(line) for line in range(first, last)])
        new = tuple(raw_lines(part, layout.encoding))
        change = Change(first, first + ahead, old, new, tuple(splices[at : at + count]))
        if len(old) + len(new) > 2 and old and new:
            yield from _refined(layout, change)
        elif old != new:
            yield change
        ahead += len(new) - len(old)
        at += count


def clusters(layout: Layout, changes: Iterable[Change], context: int) -> Iterator[Cluster]:
    """The changes divided up: those whose context lines would touch or overlap stay together."""
    together: list[Change] = []
    for change in changes:
        if together and change.first - together[-1].last > 2 * context:
            yield Cluster.of(together, layout.count, context)
            together = []
        together.append(change)
    if together:
        yield Cluster.of(together, layout.count, context)


def _text_changes(layout: Layout, edit: FileEdit, new: bytes) -> tuple[Change, ...]:
    splices = all_splices(edit, layout.data)
    begin = layout.starts[0]
    if not splices or splices[0].start >= begin:
        try:
            return tuple(line_changes(layout, splices))
        except UndecodableError:
            pass
    # Splices that cut through characters or through the byte order mark: only the whole is text.
    return tuple(line_changes(layout, [Splice(begin, len(layout.data), new[begin:])]))


def _in_other_encoding(old: bytes, new: bytes, before: Encoding, after: Encoding) -> FileChanges:
    layout = Layout(old, before)
    lines = tuple([layout.raw(line) for line in range(layout.count)])
    change = Change(0, 0, lines, tuple(raw_lines(new, after)), (Splice(0, len(old), new),))
    return FileChanges(layout, after, (change,))


def _sharing_lines(layout: Layout, splices: Sequence[Splice]) -> Iterator[tuple[int, int, int, bytes]]:
    """Splices that touch a line in common: the first line, the line after the last, how many splices
    these are, and what the lines become."""
    newline = layout.encoding.encode_part("\n")
    touched = [_lines_touched(layout, splice, newline) for splice in splices]
    at = 0
    while at < len(splices):
        first, last = touched[at]
        after = at + 1
        while True:
            while after < len(splices) and touched[after][0] < last:
                last = max(last, touched[after][1])
                after += 1
            new = _part_of_new(layout, first, last, splices[at:after])
            if not new or new.endswith(newline):
                break
            if last < layout.count:  # the next line is drawn into the last new one
                last += 1
            elif after < len(splices):  # text at the end of the file, with more to follow on that line
                after += 1
            else:
                break
        yield first, last, after - at, new
        at = after


def _lines_touched(layout: Layout, splice: Splice, newline: bytes) -> tuple[int, int]:
    """The first line and the line after the last. A splice that takes a line end away draws in the
    next line; told here, a file whose lines are all joined is put together once, not once a line."""
    first = layout.line_at(splice.start)
    last = max(first, layout.line_after(splice.end))
    if last < layout.count and layout.starts[last] == splice.end:
        ended = splice.new.endswith(newline) if splice.new else splice.start == layout.starts[first]
        last += not ended
    return first, last


def _part_of_new(layout: Layout, first: int, last: int, splices: Sequence[Splice]) -> bytes:
    """What the lines become that these splices touch."""
    parts: list[bytes] = []
    at = layout.starts[first]
    for splice in splices:
        parts += (layout.data[at : splice.start], splice.new)
        at = splice.end
    parts.append(layout.data[at : layout.starts[last]])
    return b"".join(parts)


def _refined(layout: Layout, change: Change) -> Iterator[Change]:
    """The change without the lines that stay, as smaller changes of whole lines."""
    ranges = changed(change.old, change.new)
    if ranges == [(0, len(change.old), 0, len(change.new))]:
        yield change
        return
    for a, b, c, d in ranges:
        new = change.new[c:d]
        start, end = layout.starts[change.first + a], layout.starts[change.first + b]
        splice = Splice(start, end, b"".join(new))
        yield Change(change.first + a, change.new_first + c, change.old[a:b], new, (splice,))
