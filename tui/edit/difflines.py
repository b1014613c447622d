"""The lines of a hunk: what stays, what goes, what comes, and which columns differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.edit.changes import Change, Cluster, FileChanges
from tui.edit.emphasis import Span, columns_of, differing_words, spans_by_line
from tui.search.decoding import Encoding


class LineKind(StrEnum):
    CONTEXT = "context"
    REMOVED = "removed"
    ADDED = "added"


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a hunk. `old` and `new` are its numbers on the two sides, from 1.

    `text` is without the line end, which is `eol`: empty where the file ends without one. `spans`
    are the columns that differ; none on a line that is new or gone as a whole. `pair` is the place
    in the hunk of the line that stands against it, and `eol_changed` says that their ends differ.
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


class _Shown(NamedTuple):
    text: str
    eol: str
    spans: tuple[Span, ...]

    @property
    def differs_whole(self) -> bool:
        return self.spans == ((0, len(self.text)),)


def hunk_lines(changes: FileChanges, cluster: Cluster) -> list[DiffLine]:
    """In each run of changed lines come first all that go, then all that come."""
    lines: list[DiffLine] = []
    at, ahead = cluster.before, cluster.new_before - cluster.before
    for run in cluster.runs():
        lines += _context(changes, at, run[0].first, ahead)
        lines += _run(changes, run, len(lines))
        at, ahead = run[-1].last, ahead + sum(len(change.new) - len(change.old) for change in run)
    lines += _context(changes, at, cluster.before + cluster.old_count, ahead)
    return lines


def _context(changes: FileChanges, first: int, last: int, ahead: int) -> Iterator[DiffLine]:
    layout = changes.layout
    for line in range(first, last):
        text, eol = _text(layout.raw(line), layout.encoding)
        yield DiffLine(LineKind.CONTEXT, line + 1, line + ahead + 1, text, eol)


def _run(changes: FileChanges, run: Sequence[Change], place: int) -> list[DiffLine]:
    """`place`: how many lines the hunk has already."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    removed_at, added_at = place, place + sum(len(change.old) for change in run)
    for change in run:
        old, new = _sides(changes, change)
        pairs = zip(old, new, strict=True) if change.paired else ()
        ends_differ = [a.eol != b.eol for a, b in pairs] or [False] * max(len(old), len(new))
        for i, (text, eol, spans) in enumerate(old):
            pair = added_at + i if change.paired else None
            number = change.first + i + 1
            removed.append(DiffLine(LineKind.REMOVED, number, None, text, eol, spans, pair, ends_differ[i]))
        for i, (text, eol, spans) in enumerate(new):
            pair = removed_at + i if change.paired else None
            number = change.new_first + i + 1
            added.append(DiffLine(LineKind.ADDED, None, number, text, eol, spans, pair, ends_differ[i]))
        removed_at += len(old)
        added_at += len(new)
    return removed + added


def _sides(changes: FileChanges, change: Change) -> tuple[list[_Shown], list[_Shown]]:
    """Emphasis falls on exactly what is spliced. Where that is all of a line and of the line against
    it, it falls on the words that differ instead."""
    gone, come = _stretches(change, changes.layout.starts[change.first])
    old = _shown(change.old, changes.layout.encoding, gone)
    new = _shown(change.new, changes.new_encoding, come)
    if not change.paired:
        return _unstressed(old), _unstressed(new)
    for i, (before, after) in enumerate(zip(old, new, strict=True)):
        if before.differs_whole and after.differs_whole:
            gone_words, come_words = differing_words(before.text, after.text)
            old[i], new[i] = before._replace(spans=gone_words), after._replace(spans=come_words)
    return old, new


def _stretches(change: Change, begin: int) -> tuple[list[Span], list[Span]]:
    """The spliced bytes on each side, counted from the change's first byte."""
    gone: list[Span] = []
    come: list[Span] = []
    ahead = -begin
    for splice in change.splices:
        gone.append((splice.start - begin, splice.end - begin))
        start = splice.start + ahead
        come.append((start, start + len(splice.new)))
        ahead += len(splice.new) - (splice.end - splice.start)
    return gone, come


def _shown(lines: Sequence[bytes], encoding: Encoding, stretches: Sequence[Span]) -> list[_Shown]:
    shown: list[_Shown] = []
    for raw, spans in zip(lines, spans_by_line(lines, stretches), strict=True):
        text, eol = _text(raw, encoding)
        shown.append(_Shown(text, eol, columns_of(raw, text, encoding, spans)))
    return shown


def _unstressed(lines: list[_Shown]) -> list[_Shown]:
    """A line that differs as a whole needs no emphasis: its sign says so."""
    return [line._replace(spans=()) if line.differs_whole else line for line in lines]


def _text(raw: bytes, encoding: Encoding) -> tuple[str, str]:
    """A line's text and its line end."""
    text = raw.decode(encoding.codec, encoding.errors)
    if text.endswith("\r\n"):
        return text[:-2], "\r\n"
    return (text[:-1], "\n") if text.endswith("\n") else (text, "")
