"""A result as the rows of a list: for each file a heading and, unless it is folded, its matches.

Only numbers are kept, so that a million rows are laid out in an instant; what a row says is read from
the results when it is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Set
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tui.search.live.results import Results


class Hit(NamedTuple):
    """A row: a file's heading (`number` None), or one of its matches."""

    file: int
    number: int | None


class Places:
    """`matches` is how many each file has, `before` how many come before it. Making one takes a while
    for many files; folding some takes less."""

    def __init__(self, results: Results | None = None) -> None:
        self._results = results
        self.matches = results.counts() if results is not None else []
        self.before = list(accumulate(self.matches, initial=0))
        self._starts: list[int] = list(map(add, self.before, range(len(self.before))))

    def folded(self, paths: Set[str], *, others: bool = False) -> Places:
        """The same with these files folded or, with `others`, all but these."""
        places = Places()
        places._results, places.matches, places.before = self._results, self.matches, self.before
        known = {file for path in paths if (file := self.find(path)) is not None}
        rows = [1 if (file in known) != others else 1 + count for file, count in enumerate(self.matches)]
        places._starts = list(accumulate(rows, initial=0))
        return places

    @property
    def results(self) -> Results:
        if self._results is None:
            from tui.search.live.results import Results  # not needed for the first frame

            self._results = Results()
        return self._results

    @property
    def rows(self) -> int:
        return self._starts[-1]

    @property
    def files(self) -> int:
        return len(self.matches)

    def path(self, file: int) -> str:
        return self.results.path(file)

    def find(self, path: str) -> int | None:
        """The file of that path. The files are in path order."""
        low, high = 0, self.files
        while low < high:
            middle = (low + high) // 2
            if self.path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < self.files and self.path(low) == path else None

    def at(self, row: int) -> Hit | None:
        if not 0 <= row < self.rows:
            return None
        file = bisect_right(self._starts, row) - 1
        inside = row - self._starts[file]
        return Hit(file, inside - 1 if inside else None)

    def heading(self, file: int) -> int:
        """The row of the file's heading."""
        return self._starts[file]

    def first_hit(self, file: int) -> int:
        """The row of a file's first match, or of its heading where it is folded."""
        return min(self._starts[file] + 1, self._starts[file + 1] - 1)

    def is_folded(self, file: int) -> bool:
        return self._starts[file + 1] - self._starts[file] == 1

    def number(self, hit: Hit) -> int:
        """Of a match among all matches; of a heading, that of its file's first one."""
        return self.before[hit.file] + (hit.number or 0)

    def line(self, hit: Hit) -> int:
        """The line of a match; of a heading, that of its file's first one."""
        (line,) = self.results.line_numbers(self.number(hit), 1)
        return line

    def nearest(self, path: str, line: int) -> int | None:
        """The row of a match, or of the last one before that line of its file; None if the file is
        not among those with matches. Line 0 stands for the heading."""
        file = self.find(path)
        if file is None:
            return None
        if not line or self.is_folded(file):
            return self._starts[file]
        lines = self.results.line_numbers(self.before[file], self.matches[file])
        return self._starts[file] + max(1, bisect_right(lines, line))
