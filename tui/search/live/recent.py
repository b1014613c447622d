"""What the last queries found, shelf by shelf: the way back is known, and the way on is short."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Set
from dataclasses import dataclass, field

from tui.search.globs import PathFilter
from tui.search.live.narrowing import lies_within
from tui.search.live.packed import BlockHits, numbers
from tui.search.live.shelf import Shelf
from tui.search.matcher import Matcher
from tui.search.query import Query

QUERIES_KEPT = 24
BYTES_KEPT = 40_000_000


@dataclass(eq=False, slots=True)
class Finding:
    """One query's hits so far. A shelf never changes, so they are true as long as the shelf stands."""

    matcher: Matcher
    files: PathFilter
    hits: dict[Shelf, BlockHits] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(
            len(hits.lines) + len(hits.widths) + len(hits.spans) + len(hits.stamps) + 200
            for hits in self.hits.values()
        )


class Recent:
    """The findings of the last queries, within a limit on their memory."""

    def __init__(self) -> None:
        self._findings: OrderedDict[tuple[Query, PathFilter], Finding] = OrderedDict()
        self._near: list[Finding] = []

    def finding(self, matcher: Matcher, files: PathFilter) -> Finding:
        """What is already known of a query; from now on its hits are kept here."""
        key = matcher.query, files
        found = self._findings.pop(key, None) or Finding(matcher, files)
        self._near = [
            other
            for other in reversed(self._findings.values())
            if other.files == files and lies_within(matcher, other.matcher)
        ]
        self._trim()
        self._findings[key] = found
        return found

    def narrowed(self, shelf: Shelf, wanted: frozenset[int] | None) -> frozenset[int] | None:
        """Which of the wanted files may hold a match of the last query asked for."""
        for other in self._near:
            hits = other.hits.get(shelf)
            if hits is not None:
                files = frozenset((*numbers(hits.files), *(left.file for left in hits.left)))
                return files if wanted is None else files & wanted
        return wanted

    def keep_only(self, shelves: Set[Shelf]) -> None:
        """Shelves that are gone take with them what was found in them."""
        for finding in self._findings.values():
            finding.hits = {shelf: hits for shelf, hits in finding.hits.items() if shelf in shelves}

    def clear(self) -> None:
        self._findings.clear()
        self._near.clear()

    def _trim(self) -> None:
        total = 0
        for number, (key, finding) in enumerate(reversed(list(self._findings.items()))):
            total += finding.size
            if number >= QUERIES_KEPT or total > BYTES_KEPT:
                del self._findings[key]
