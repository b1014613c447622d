"""Where every file of the workspace stands: shelves of consecutive files, in path order.

A shelf is a fact: these files, as they were when their block was read. When one of them changes, a
new shelf takes its place, so what was once found in a shelf stays true of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from tui.search.live.block import Block
from tui.search.live.packed import Left

FILES_ON_A_SHELF = 256
_TOO_MANY = 4 * FILES_ON_A_SHELF


class Place(Enum):
    """How far a shelf has come."""

    WAITING = "waiting"
    ASKED = "asked"
    READY = "ready"
    GONE = "gone"


@dataclass(eq=False, slots=True)
class Shelf:
    """`keeper` and `number` say who keeps its block and by which name; `block` is the block itself
    where the session keeps it; `in_memory` is false for a shelf that is read for every query, and
    `put_aside` is true for one that had to make room."""

    paths: list[str]
    place: Place = Place.WAITING
    keeper: int = -1
    number: int = -1
    size: int = 0
    in_memory: bool = False
    put_aside: bool = False
    skipped: tuple[Left, ...] = ()
    block: Block | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A shelf gives way to others; where `stale` is not None, to one that can be made from it."""

    old: Shelf
    new: tuple[Shelf, ...]
    stale: frozenset[str] | None = None


class Catalogue:
    """All shelves of one listing, in path order."""

    def __init__(self) -> None:
        self.shelves: list[Shelf] = []
        self.complete = False

    def __iter__(self) -> Iterator[Shelf]:
        return iter(self.shelves)

    def add(self, paths: list[str]) -> None:
        """The next files of a listing."""
        last = self.shelves[-1] if self.shelves else None
        if last is not None and last.place is Place.WAITING and len(last.paths) < FILES_ON_A_SHELF:
            taken = FILES_ON_A_SHELF - len(last.paths)
            last.paths += paths[:taken]
            paths = paths[taken:]
        self.shelves += _shelves(paths)

    def cut(self, shelf: Shelf, files: int) -> Shelf:
        """Only the first files of a shelf had room in its block; the others get one of their own."""
        rest = Shelf(shelf.paths[files:])
        shelf.paths = shelf.paths[:files]
        self.shelves.insert(self.shelves.index(shelf) + 1, rest)
        return rest

    def start_over(self, shelves: Iterable[Shelf], *, put_aside: bool = False) -> list[Change]:
        """The same files, to be read anew."""
        changes = [
            Change(shelf, (Shelf(shelf.paths, put_aside=put_aside or shelf.put_aside),)) for shelf in shelves
        ]
        self._replace(changes)
        return changes

    def holding(self, paths: Iterable[str]) -> dict[Shelf, set[str]]:
        """The shelves that these files stand on; files that stand on none are left out."""
        firsts = [shelf.paths[0] for shelf in self.shelves]
        found: dict[Shelf, set[str]] = {}
        for path in paths:
            index = bisect_right(firsts, path) - 1
            if index < 0:
                continue
            shelf = self.shelves[index]
            at = bisect_left(shelf.paths, path)
            if at < len(shelf.paths) and shelf.paths[at] == path:
                found.setdefault(shelf, set()).add(path)
        return found

    def renew(self, stale: dict[Shelf, set[str]]) -> list[Change]:
        """Files have changed, none came or went."""
        changes = [Change(shelf, (Shelf(shelf.paths),), frozenset(paths)) for shelf, paths in stale.items()]
        self._replace(changes)
        return changes

    def relist(self, paths: list[str], stale: Iterable[str]) -> list[Change]:
        """The listing is now this one, and some of the files have changed."""
        if not self.shelves:
            self.add(paths)
            return []
        changed = self.holding(stale)
        changes = []
        start = 0
        for index, shelf in enumerate(self.shelves):
            last = index + 1 == len(self.shelves)
            end = len(paths) if last else bisect_left(paths, self.shelves[index + 1].paths[0], start)
            files = paths[start:end]
            start = end
            if files == shelf.paths and shelf not in changed:
                continue
            if 0 < len(files) <= _TOO_MANY:
                changes.append(Change(shelf, (Shelf(files),), frozenset(changed.get(shelf, ()))))
            else:
                changes.append(Change(shelf, tuple(_shelves(files))))
        self._replace(changes)
        return changes

    def _replace(self, changes: list[Change]) -> None:
        by_shelf = {change.old: change.new for change in changes}
        self.shelves = [new for shelf in self.shelves for new in by_shelf.get(shelf, (shelf,))]


def _shelves(paths: list[str]) -> Iterator[Shelf]:
    for at in range(0, len(paths), FILES_ON_A_SHELF):
        yield Shelf(paths[at : at + FILES_ON_A_SHELF])
