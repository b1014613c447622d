"""Matches as arrays of numbers: sixteen bytes each instead of a kilobyte of objects."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from tui.search.scan import Match, Span
from tui.search.skipped import Reason, Skipped


class Left(msgspec.Struct, array_like=True, frozen=True):
    """A file of the block that the pattern could not be run on."""

    file: int
    reason: Reason
    detail: str


class BlockHits(msgspec.Struct, array_like=True):
    """All matches in one block. What is bytes here is an array of unsigned numbers: the files with
    matches by their index in the block, their match counts and stamps; then for every match its line,
    its number of spans (empty where each has one) and the spans: of each where it begins and where it
    ends, or only where it begins, if all are of the same `length`."""

    block: int
    files: bytes = b""
    counts: bytes = b""
    stamps: bytes = b""
    lines: bytes = b""
    widths: bytes = b""
    spans: bytes = b""
    left: tuple[Left, ...] = ()
    length: int = 0

    @property
    def matches(self) -> int:
        return len(self.lines) // 4


class Lines(NamedTuple):
    """The lines that matched in one block: as in `BlockHits`, and where in the block's text each line
    begins (NOWHERE if that was not told)."""

    files: Sequence[int] = ()
    counts: Sequence[int] = ()
    lines: Sequence[int] = ()
    starts: Sequence[int] = ()


NOWHERE = 0xFFFFFFFF


class Packer:
    """Collects a block's matches; `length` is that of every span, 0 if they differ."""

    def __init__(self, length: int = 0) -> None:
        self.length = length
        self.lines = array("I")
        self.starts = array("I")
        self.widths = array("I")
        self.spans = array("I")
        self._files = array("I")
        self._counts = array("I")
        self._stamps = array("q")
        self._left: list[Left] = []
        self._done = 0

    def add(self, matches: Iterable[Match]) -> None:
        for match in matches:
            self.lines.append(match.line)
            self.starts.append(NOWHERE)
            self.widths.append(len(match.spans))
            for start, end in match.spans:
                self.spans.append(start)
                if not self.length:
                    self.spans.append(end)

    def end_file(self, file: int, stamp: Iterable[int]) -> None:
        """What was added since the last file belongs to this one."""
        count = len(self.lines) - self._done
        if count:
            self._done += count
            self._files.append(file)
            self._counts.append(count)
            self._stamps.extend(stamp)

    def leave(self, file: int, skipped: Skipped) -> None:
        self._left.append(Left(file, skipped.reason, skipped.detail))

    def matching_lines(self) -> Lines | None:
        """None where it is not known of every file whether it has any."""
        return None if self._left else Lines(self._files, self._counts, self.lines, self.starts)

    def hits(self, block: int) -> BlockHits:
        single = self.widths.count(1) == len(self.widths)
        return BlockHits(
            block,
            self._files.tobytes(),
            self._counts.tobytes(),
            self._stamps.tobytes(),
            self.lines.tobytes(),
            b"" if single else self.widths.tobytes(),
            self.spans.tobytes(),
            tuple(self._left),
            self.length,
        )


def numbers(packed: bytes, kind: Literal["I", "q"] = "I") -> memoryview[int]:
    return memoryview(packed).cast(kind)


def spans_of(hits: BlockHits, first: int, count: int) -> Iterator[tuple[Span, ...]]:
    """The spans of some consecutive matches."""
    told, length = numbers(hits.spans), hits.length
    widths: Sequence[int] = numbers(hits.widths) if hits.widths else ()
    at = sum(widths[:first]) if widths else first
    for index in range(first, first + count):
        after = at + (widths[index] if widths else 1)
        if length:
            yield tuple((start, start + length) for start in told[at:after])
        else:
            yield tuple((told[place], told[place + 1]) for place in range(2 * at, 2 * after, 2))
        at = after
