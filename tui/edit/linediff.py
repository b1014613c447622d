"""What two sequences of lines have in common, found fast enough to wait for.

Lines that are there once on both sides are found first and taken as fixed points (patience diff):
that is what a reader does, and it is linear. What lies between them is compared exactly (Myers'
shortest edit), within a bounded effort. A stretch that would cost more is given as changed whole:
a larger hunk, never a wrong one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from math import isqrt

Range = tuple[int, int, int, int]
"""Old lines `a` to `b` become new lines `c` to `d`: `(a, b, c, d)`."""

EFFORT = 1_000_000


def changed(old: Sequence[Hashable], new: Sequence[Hashable], effort: int = EFFORT) -> list[Range]:
    """The ranges that differ, in order, with at least one common line between any two."""
    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in old]
    right = [numbers.setdefault(line, len(numbers)) for line in new]
    return _Comparison(left, right, effort).run()


class _Comparison:
    def __init__(self, old: list[int], new: list[int], effort: int) -> None:
        self._old = old
        self._new = new
        self._effort = effort + len(old) + len(new)  # the first look over everything is free

    def run(self) -> list[Range]:
        ranges: list[Range] = []
        waiting: list[Range] = [(0, len(self._old), 0, len(self._new))]
        while waiting:
            a, b, c, d = stretch = self._trimmed(waiting.pop())
            if a == b or c == d:
                if a != b or c != d:
                    ranges.append(stretch)
            elif anchors := self._anchors(stretch):
                waiting += reversed(list(_between(anchors, stretch)))
            else:
                ranges += self._exactly(stretch)
        return ranges

    def _trimmed(self, stretch: Range) -> Range:
        old, new = self._old, self._new
        a, b, c, d = stretch
        while a < b and c < d and old[a] == new[c]:
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
        return a, b, c, d

    def _anchors(self, stretch: Range) -> list[tuple[int, int]]:
        """Pairs of lines, unique on both sides, that stand in the same order on both."""
        a, b, c, d = stretch
        if self._effort <= 0:
            return []
        self._effort -= (b - a) + (d - c)
        there = _unique(self._new, c, d)
        pairs = [(i, there[line]) for line, i in _unique(self._old, a, b).items() if line in there]
        return _longest_rising(sorted(pairs))

    def _exactly(self, stretch: Range) -> list[Range]:
        a, b, c, d = stretch
        limit = min(b - a + d - c, isqrt(max(self._effort, 0)))
        pairs, cost = _shortest_edit(self._old[a:b], self._new[c:d], limit)
        self._effort -= cost
        return list(_between([(a + i, c + j) for i, j in pairs], stretch))


def _unique(lines: list[int], start: int, end: int) -> dict[int, int]:
    """Where each line stands that is there once."""
    places: dict[int, int] = {}
    for i in range(start, end):
        places[lines[i]] = -1 if lines[i] in places else i
    return {line: i for line, i in places.items() if i >= 0}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs (sorted by the first) whose second numbers rise too."""
    ends: list[int] = []  # the lowest second number that ends a choice of each length
    holders: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(holders[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        holders[length : length + 1] = [index]
    chosen: list[tuple[int, int]] = []
    at = holders[-1] if holders else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _between(pairs: Iterable[tuple[int, int]], stretch: Range) -> Iterable[Range]:
    """The ranges of a stretch that the paired lines leave over."""
    a, b, c, d = stretch
    for i, j in pairs:
        if a < i or c < j:
            yield a, i, c, j
        a, c = i + 1, j + 1
    if a < b or c < d:
        yield a, b, c, d


def _shortest_edit(old: list[int], new: list[int], limit: int) -> tuple[list[tuple[int, int]], int]:
    """The pairs of equal lines that the fewest insertions and deletions leave, and what it cost to
    find them. No pairs if it takes more than `limit` of them."""
    furthest = {1: 0}  # by diagonal (old minus new lines used): how many old lines can be used
    trace: list[dict[int, int]] = []
    for edits in range(limit + 1):
        trace.append(furthest.copy())
        for diagonal in range(-edits, edits + 1, 2):
            x, _ = _one_more(furthest, diagonal, edits)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walked_back(trace, x, y), (edits + 1) ** 2
    return [], (limit + 1) ** 2


def _one_more(furthest: dict[int, int], diagonal: int, edits: int) -> tuple[int, bool]:
    """Where one more edit leads on this diagonal, and whether that edit is an insertion."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1], True
    return furthest[diagonal - 1] + 1, False


def _walked_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        start, inserted = _one_more(trace[edits], x - y, edits)
        while x > start:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = (x, y - 1) if inserted else (x - 1, y)
    return pairs[::-1]
