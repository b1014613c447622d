"""A file's change as people review it: hunks of lines, as plain data without colours.

A diff is made of one edit and the bytes it starts from, when it is asked for. Making it holds the
edit to its digests, so what is shown is what would be written.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from tui.edit.changes import Change, FileChanges, clusters, file_changes, new_bytes
from tui.edit.emphasis import Span, columns_of, differing_words, spans_by_line
from tui.edit.layout import Layout
from tui.edit.plan import FileEdit, Splice
from tui.search.decoding import Encoding, UndecodableError, decode, encoding_of

CONTEXT = 3
WHOLE_FILE = "file"
"""The id of what is decided once for the file: its name, its mode, that it is there; bytes that are no text."""


class FileKind(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"


class LineKind(StrEnum):
    CONTEXT = "context"
    REMOVED = "removed"
    ADDED = "added"


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a hunk. `old` and `new` are its numbers on the two sides, from 1.

    `text` is without the line end, which is `eol`: empty where the file ends without one. `pair` is
    the place in the hunk of the line that stands against it. `spans` are the columns that differ;
    none on a line that is new or gone as a whole.
    """

    kind: LineKind
    old: int | None
    new: int | None
    text: str
    eol: str
    spans: tuple[Span, ...] = ()
    pair: int | None = None
    eol_changed: bool = False

    @property
    def no_newline(self) -> bool:
        """Whether the file ends here without a line end."""
        return not self.eol


class Hunk(msgspec.Struct, frozen=True):
    """Changed lines with the lines around them.

    `id` names the hunk within its file by the lines it takes away and brings, so it stays the same
    when other hunks come or go; hunks with one `fingerprint` do the same, wherever they are.
    `splices` says which of the diff's splices it covers: from, to.
    """

    id: str
    fingerprint: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[DiffLine, ...]
    splices: tuple[int, int]

    @property
    def header(self) -> str:
        return f"@@ -{_range(self.old_start, self.old_count)} +{_range(self.new_start, self.new_count)} @@"


class FileDiff(msgspec.Struct, frozen=True):
    """One file's change. `splices` are the edit's, refined to what differs; hunks divide them up."""

    path: str
    new_path: str
    kind: FileKind
    hunks: tuple[Hunk, ...]
    splices: tuple[Splice, ...]
    notes: tuple[str, ...] = ()
    decided_whole: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """Everything that can be accepted or rejected on its own."""
        return (WHOLE_FILE,) * self.decided_whole + tuple(hunk.id for hunk in self.hunks)

    @property
    def added(self) -> int:
        return self._count(LineKind.ADDED)

    @property
    def removed(self) -> int:
        return self._count(LineKind.REMOVED)

    def _count(self, kind: LineKind) -> int:
        return sum(line.kind is kind for hunk in self.hunks for line in hunk.lines)


def file_diff(edit: FileEdit, old: bytes, context: int = CONTEXT) -> FileDiff:
    """StaleError if `old` is not what the edit was made from, BadPlanError if it breaks its promise."""
    changes = file_changes(edit, old)
    hunks = tuple(_hunks(edit.path, changes, context)) if changes else ()
    return FileDiff(
        edit.path,
        edit.new_path or edit.path,
        kind_of(edit),
        hunks,
        tuple([splice for change in changes.changes for splice in change.splices]) if changes else (),
        tuple(_notes(edit, old, binary=changes is None)),
        decided_whole=not hunks or _moves_or_changes_mode(edit),
    )


def kind_of(edit: FileEdit) -> FileKind:
    if edit.before is None:
        return FileKind.CREATED
    if edit.after is None:
        return FileKind.DELETED
    return FileKind.MODIFIED if edit.new_path is None else FileKind.RENAMED


def _moves_or_changes_mode(edit: FileEdit) -> bool:
    modes = edit.before is not None and edit.after is not None and edit.before.mode != edit.after.mode
    return edit.new_path is not None or modes


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def _hunks(path: str, changes: FileChanges, context: int) -> Iterator[Hunk]:
    seen: Counter[str] = Counter()
    at = 0
    for cluster in clusters(changes.changes, context):
        fingerprint = _fingerprint(cluster)
        identity = f"{path}\0{fingerprint}\0{seen[fingerprint]}"
        seen[fingerprint] += 1
        before = max(0, cluster[0].first - context)
        after = min(changes.layout.count, cluster[-1].last + context)
        lines = _Lines(changes, cluster, before, after).all()
        old_count = after - before
        new_count = old_count + sum(len(change.new) - len(change.old) for change in cluster)
        new_before = before + cluster[0].new_first - cluster[0].first
        splices = sum(len(change.splices) for change in cluster)
        yield Hunk(
            _short_digest(identity.encode("utf-8", "surrogatepass")),
            fingerprint,
            before + (old_count > 0),
            old_count,
            new_before + (new_count > 0),
            new_count,
            lines,
            (at, at + splices),
        )
        at += splices


def _fingerprint(cluster: list[Change]) -> str:
    parts: list[bytes] = []
    for change in cluster:
        parts += (b"%d,%d\0" % (len(change.old), len(change.new)), *change.old, b"\0", *change.new)
    return _short_digest(b"".join(parts))


def _short_digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


class _Lines:
    """The lines of one hunk: in each run of changed lines first all that go, then all that come."""

    def __init__(self, changes: FileChanges, cluster: list[Change], before: int, after: int) -> None:
        self._layout = changes.layout
        self._new_encoding = changes.new_encoding
        self._cluster = cluster
        self._before = before
        self._after = after
        self._lines: list[DiffLine] = []

    def all(self) -> tuple[DiffLine, ...]:
        at, ahead = self._before, self._cluster[0].new_first - self._cluster[0].first
        for run in _adjoining(self._cluster):
            self._add_context(at, run[0].first, ahead)
            self._add_run(run)
            at = run[-1].last
            ahead += sum(len(change.new) - len(change.old) for change in run)
        self._add_context(at, self._after, ahead)
        return tuple(self._lines)

    def _add_context(self, first: int, last: int, ahead: int) -> None:
        for line in range(first, last):
            text, eol = _text(self._layout.raw(line), self._layout.encoding)
            self._lines.append(DiffLine(LineKind.CONTEXT, line + 1, line + ahead + 1, text, eol))

    def _add_run(self, run: list[Change]) -> None:
        removed_at = len(self._lines)
        added_at = removed_at + sum(len(change.old) for change in run)
        removed: list[DiffLine] = []
        added: list[DiffLine] = []
        for change in run:
            gone, come = self._sides(change, removed_at + len(removed), added_at + len(added))
            removed += gone
            added += come
        self._lines += removed
        self._lines += added

    def _sides(self, change: Change, removed_at: int, added_at: int) -> tuple[list[DiffLine], list[DiffLine]]:
        """What goes and what comes, and where in the hunk the two lists begin."""
        old = [_text(raw, self._layout.encoding) for raw in change.old]
        new = [_text(raw, self._new_encoding) for raw in change.new]
        old_spans, new_spans = self._spans(change, [text for text, _ in old], [text for text, _ in new])
        paired = change.paired
        ends_differ = [paired and old[i][1] != new[i][1] for i in range(len(old))]
        gone = [
            DiffLine(
                LineKind.REMOVED, change.first + i + 1, None, text, eol,
                old_spans[i], added_at + i if paired else None, ends_differ[i],
            )
            for i, (text, eol) in enumerate(old)
        ]  # fmt: skip
        come = [
            DiffLine(
                LineKind.ADDED, None, change.new_first + i + 1, text, eol,
                new_spans[i], removed_at + i if paired else None, paired and ends_differ[i],
            )
            for i, (text, eol) in enumerate(new)
        ]  # fmt: skip
        return gone, come
