"""What the ones that read and scan tell the session."""

from __future__ import annotations

from dataclasses import dataclass

from tui.search.live.packed import BlockHits, Left
from tui.search.live.shelf import Shelf
from tui.search.skipped import Skipped


@dataclass(frozen=True, slots=True)
class Ready:
    """A shelf's block is there, with the first so many of its files."""

    shelf: Shelf
    files: int
    size: int
    skipped: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """All matches in a shelf, for the search of that generation."""

    generation: int
    shelf: Shelf
    hits: BlockHits


@dataclass(frozen=True, slots=True)
class TookTooLong:
    """A pattern needs more time than can be given to it where it cannot be ended."""

    generation: int


@dataclass(frozen=True, slots=True)
class Listed:
    """The next files of the listing."""

    listing: int
    paths: list[str]


@dataclass(frozen=True, slots=True)
class ListingEnded:
    """The listing is complete, or cannot be made: then `problem` says why, or it is `broken` off."""

    listing: int
    skipped: tuple[Skipped, ...] = ()
    problem: str = ""
    directories: tuple[str, ...] = ()
    broken: bool = False


@dataclass(frozen=True, slots=True)
class WentStale:
    """Files of a shelf are no longer what was read."""

    shelf: Shelf
    paths: list[str]


@dataclass(frozen=True, slots=True)
class Checked:
    """Everything that was to be compared with the disk has been."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A keeper died, and the text of these shelves with it."""

    shelves: list[Shelf]


Event = Ready | Found | TookTooLong | Listed | ListingEnded | WentStale | Checked | Lost
