"""A file's change as people review it: hunks of lines, as plain data without colours.

A diff is made from one edit and the bytes it starts from, when it is asked for. Making it holds
the edit to its digests, so what is shown is what would be written.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.edit.changes import Cluster, FileChanges, clusters, file_changes, hunk_header, new_bytes
from tui.edit.difflines import DiffLine, LineKind, hunk_lines
from tui.edit.notes import notes
from tui.edit.plan import FileEdit, Splice

CONTEXT = 3

WHOLE_FILE = "file"
"""The id of what is decided once for a file: its name, its mode, its being there, bytes that are no text."""


class FileKind(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"

    @classmethod
    def of(cls, edit: FileEdit) -> FileKind:
        if edit.before is None:
            return cls.CREATED
        if edit.after is None:
            return cls.DELETED
        return cls.MODIFIED if edit.new_path is None else cls.RENAMED


class Hunk(msgspec.Struct, frozen=True):
    """Changed lines with the lines around them, numbered as in a unified diff.

    `id` names the hunk by its path and by the lines it takes and brings, so it stays when other hunks
    come or go, and is another as soon as the hunk does anything else. Hunks with the same
    `fingerprint` do the same, wherever they are. `splices` says which of the diff's splices the hunk
    covers: from and to.
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
        return hunk_header(self.old_start, self.old_count, self.new_start, self.new_count)


class FileDiff(msgspec.Struct, frozen=True):
    """One file's change. `splices` are the edit's own, cut down to the lines that differ; the hunks
    divide them up. `decided_whole`: there is something to decide besides the hunks."""

    path: str
    new_path: str | None
    kind: FileKind
    hunks: tuple[Hunk, ...]
    splices: tuple[Splice, ...]
    notes: tuple[str, ...]
    decided_whole: bool

    @property
    def ids(self) -> tuple[str, ...]:
        """Everything that can be accepted or rejected on its own."""
        whole = (WHOLE_FILE,) if self.decided_whole else ()
        return whole + tuple(hunk.id for hunk in self.hunks)

    @property
    def added(self) -> int:
        return self._count(LineKind.ADDED)

    @property
    def removed(self) -> int:
        return self._count(LineKind.REMOVED)

    def _count(self, kind: LineKind) -> int:
        return sum(line.kind is kind for hunk in self.hunks for line in hunk.lines)


class Outline(NamedTuple):
    """A diff without its lines: what can be decided, and how many lines come and go."""

    ids: tuple[str, ...]
    added: int
    removed: int


def file_diff(edit: FileEdit, old: bytes, context: int = CONTEXT) -> FileDiff:
    """StaleError if `old` is not what the edit was made from, BadPlanError if the edit does not give
    what it promises."""
    new = new_bytes(edit, old)
    changes = file_changes(edit, old, new)
    hunks = tuple(_hunks(edit.path, changes, context)) if changes else ()
    return FileDiff(
        path=edit.path,
        new_path=edit.new_path,
        kind=FileKind.of(edit),
        hunks=hunks,
        splices=tuple([splice for change in changes.changes for splice in change.splices] if changes else ()),
        notes=tuple(notes(edit, old, new, binary=changes is None)),
        decided_whole=not hunks or _beside_hunks(edit),
    )


def outline(edit: FileEdit, old: bytes, context: int = CONTEXT) -> Outline:
    """What `file_diff` would say in short, at a small part of its cost."""
    changes = file_changes(edit, old, new_bytes(edit, old))
    ids = tuple(name for name, _, _ in _identified(edit.path, changes, context)) if changes else ()
    whole = (WHOLE_FILE,) if not ids or _beside_hunks(edit) else ()
    every = changes.changes if changes else ()
    return Outline(
        whole + ids, sum(len(change.new) for change in every), sum(len(change.old) for change in every)
    )


def _beside_hunks(edit: FileEdit) -> bool:
    """Whether the edit changes something that no line shows, and that is decided on its own."""
    modes = {state.mode for state in (edit.before, edit.after) if state is not None}
    return edit.new_path is not None or len(modes) > 1


def _hunks(path: str, changes: FileChanges, context: int) -> Iterator[Hunk]:
    splices = 0
    for name, fingerprint, cluster in _identified(path, changes, context):
        covered = sum(len(change.splices) for change in cluster.changes)
        yield Hunk(
            id=name,
            fingerprint=fingerprint,
            old_start=cluster.old_start,
            old_count=cluster.old_count,
            new_start=cluster.new_start,
            new_count=cluster.new_count,
            lines=tuple(hunk_lines(changes, cluster)),
            splices=(splices, splices + covered),
        )
        splices += covered


def _identified(path: str, changes: FileChanges, context: int) -> Iterator[tuple[str, str, Cluster]]:
    """Each hunk's id and fingerprint, and what it covers."""
    seen: Counter[str] = Counter()
    for cluster in clusters(changes.layout, changes.changes, context):
        fingerprint = _fingerprint(cluster)
        identity = f"{path}\0{fingerprint}\0{seen[fingerprint]}"
        seen[fingerprint] += 1
        yield _short_digest(identity.encode("utf-8", "surrogatepass")), fingerprint, cluster


def _fingerprint(cluster: Cluster) -> str:
    parts: list[bytes] = []
    for change in cluster.changes:
        old, new = b"".join(change.old), b"".join(change.new)
        parts += (b"%d %d " % (len(old), len(new)), old, new)
    return _short_digest(b"".join(parts))


def _short_digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
