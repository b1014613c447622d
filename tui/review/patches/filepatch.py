"""What every patch format comes down to: for each file, what happens to it and which lines become which.

Plain data, made from the patch's text alone; no file was looked at for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import takewhile
from typing import NamedTuple

from tui.edit.linediff import changed
from tui.errors import RedlineError

KEPT, REMOVED, ADDED = b" ", b"-", b"+"


class PatchError(RedlineError):
    """A patch that cannot be read, or that does not fit the files as they are."""

    code = "INVALID_ARGUMENT"


class Line(NamedTuple):
    """A line of a hunk: its sign, and its bytes with their line end, which the last of a file may lack."""

    sign: bytes
    raw: bytes


class Run(NamedTuple):
    """Neighbouring changes of a hunk: its old lines `start` to `stop` become these."""

    start: int
    stop: int
    new: list[bytes]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring lines of which some change.

    `name` is what people call it ("hunk 2"), `line` the line of the patch it begins on, 0 if it has none.
    Where it goes is told by any of: `at`, how many lines of the file come before it; `headings`, lines that
    stand somewhere before it, in this order; `at_end`, that the file ends with it; and by its old lines.
    """

    name: str
    line: int
    lines: tuple[Line, ...]
    at: int | None = None
    headings: tuple[bytes, ...] = ()
    at_end: bool = False

    @property
    def old(self) -> list[bytes]:
        return [raw for sign, raw in self.lines if sign != ADDED]

    @property
    def new(self) -> list[bytes]:
        return [raw for sign, raw in self.lines if sign != REMOVED]

    @property
    def told(self) -> str:
        return f"{self.name} (patch line {self.line})" if self.line else self.name

    @property
    def context(self) -> tuple[int, int]:
        """How many unchanged lines it begins and ends with."""
        return _kept_at_start(self.lines), _kept_at_start(self.lines[::-1])

    def trimmed(self, front: int, back: int) -> Hunk:
        """Without so many of the lines it begins and ends with."""
        at = None if self.at is None else self.at + front
        return replace(self, lines=self.lines[front : len(self.lines) - back], at=at)

    def runs(self) -> Iterator[Run]:
        start = stop = 0
        new: list[bytes] = []
        for sign, raw in self.lines:
            if sign == ADDED:
                new.append(raw)
                continue
            if sign == KEPT:
                if new or stop > start:
                    yield Run(start, stop, new)
                start, new = stop + 1, []
            stop += 1
        if new or stop > start:
            yield Run(start, stop, new)


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A stretch of text that becomes another, not of whole lines; with `everywhere`, wherever it is."""

    name: str
    old: bytes
    new: bytes
    everywhere: bool = False


class Kind(Enum):
    CHANGE = auto()
    """In place. A file that is not there is created if the change begins with nothing."""
    CREATE = auto()
    """A file that is not there yet."""
    WRITE = auto()
    """These contents, whether the file is there or not."""
    DELETE = auto()
    RENAME = auto()
    COPY = auto()


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What one section of a patch does to one file. `executable` is None where the patch does not say;
    `emptied` asks that the hunks of a deletion leave nothing over."""

    path: str
    kind: Kind
    new_path: str | None = None
    executable: bool | None = None
    hunks: tuple[Hunk, ...] = ()
    edits: tuple[TextEdit, ...] = ()
    emptied: bool = False


def compared(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Line, ...]:
    """The lines of a hunk that was given as its old and its new text."""
    lines: list[Line] = []
    at = 0
    for a, b, c, d in changed(old, new):
        lines += [Line(KEPT, raw) for raw in old[at:a]]
        lines += [Line(REMOVED, raw) for raw in old[a:b]]
        lines += [Line(ADDED, raw) for raw in new[c:d]]
        at = b
    lines += [Line(KEPT, raw) for raw in old[at:]]
    return tuple(lines)


def split_lines(patch: bytes) -> list[bytes]:
    """The patch's lines without their `\\n`; a `\\r` before it stays."""
    lines = patch.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _kept_at_start(lines: Sequence[Line]) -> int:
    return sum(1 for _ in takewhile(lambda line: line.sign == KEPT, lines))
