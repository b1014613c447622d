"""The session as its owner sees it: values that do not change any more."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

from tui.search.live.packed import BlockHits
from tui.search.live.results import Results, left_out
from tui.search.live.shelf import Catalogue, Place, Shelf
from tui.search.matcher import BadPattern
from tui.search.query import Query
from tui.search.skipped import Skipped

Wanted = frozenset[int] | None
"""Files of a shelf by their index; None for all of them."""


class Phase(StrEnum):
    """How far the search of a snapshot has come. Idle: there is nothing to search for."""

    IDLE = "idle"
    INVALID = "invalid"
    RUNNING = "running"
    COMPLETE = "complete"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Loading:
    """What is known and kept: files found so far, whether these are all, files that have been read
    or put aside, and how much text is in memory."""

    listed: int = 0
    all_listed: bool = False
    files: int = 0
    files_in_memory: int = 0
    bytes: int = 0

    @classmethod
    def of(cls, catalogue: Catalogue) -> Loading:
        ready = [shelf for shelf in catalogue if shelf.place is Place.READY]
        return cls(
            sum(len(shelf.paths) for shelf in catalogue),
            catalogue.complete,
            sum(len(shelf.paths) for shelf in ready),
            sum(len(shelf.paths) for shelf in ready if shelf.in_memory),
            sum(shelf.size for shelf in ready),
        )

    @property
    def complete(self) -> bool:
        return self.all_listed and self.files == self.listed


class FileList(Sequence[str]):
    """The files in scope, in path order, without a copy of their paths."""

    def __init__(self, shelves: Sequence[tuple[Shelf, Wanted]] = ()) -> None:
        self._of = [(shelf, wanted, len(shelf.paths)) for shelf, wanted in shelves]
        self._shelves = [pair for pair in shelves if pair[1] is None or pair[1]]
        sizes = (len(shelf.paths) if wanted is None else len(wanted) for shelf, wanted in self._shelves)
        self._before = list(accumulate(sizes, initial=0))

    def is_of(self, shelves: Sequence[tuple[Shelf, Wanted]]) -> bool:
        """Whether one made of these would hold the same. A shelf may grow while files are listed."""
        return len(shelves) == len(self._of) and all(
            shelf is known and (wanted is files or wanted == files) and len(shelf.paths) == count
            for (shelf, wanted), (known, files, count) in zip(shelves, self._of, strict=True)
        )

    def __len__(self) -> int:
        return self._before[-1]

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return [self[at] for at in range(start, stop, step)]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        at = bisect_right(self._before, index) - 1
        shelf, wanted = self._shelves[at]
        offset = index - self._before[at]
        return shelf.paths[offset if wanted is None else sorted(wanted)[offset]]

    def __iter__(self) -> Iterator[str]:
        for shelf, wanted in self._shelves:
            if wanted is None:
                yield from shelf.paths
            else:
                for index in sorted(wanted):
                    yield shelf.paths[index]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment. `generation` is the one that `submit` told; `revision` grows with every snapshot.

    In phase invalid `problem` says why: a bad pattern, or a sentence about the scope. Totals are exact
    when the phase is complete, unless it was `cut`: then there are more matches than anyone can look
    at, and the search has ended with those it had. `seconds` is the time the search took, or has taken
    so far.
    """

    generation: int = 0
    revision: int = 0
    phase: Phase = Phase.IDLE
    query: Query | None = None
    problem: BadPattern | str | None = None
    results: Results = field(default_factory=Results)
    files: FileList = field(default_factory=FileList)
    skipped: int = 0
    seconds: float = 0.0
    loading: Loading = field(default_factory=Loading)
    _not_walked: tuple[Skipped, ...] = ()
    _searched: tuple[tuple[Shelf, BlockHits | None, Wanted], ...] = ()
    cut: bool = False

    @property
    def matches(self) -> int:
        return self.results.matches

    @property
    def is_running(self) -> bool:
        return self.phase is Phase.RUNNING

    @property
    def is_complete(self) -> bool:
        return self.phase is Phase.COMPLETE

    @property
    def is_cancelled(self) -> bool:
        return self.phase is Phase.CANCELLED

    def left_out(self) -> list[Skipped]:
        """Everything that was not searched, in path order."""
        told = [*self._not_walked]
        for shelf, hits, wanted in self._searched:
            told += left_out(shelf, hits, wanted)
        return sorted(told, key=lambda skipped: skipped.path)
