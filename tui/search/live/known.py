"""The lines that the last search found, where a keeper has them: a narrower one looks at no others."""

from __future__ import annotations

from collections.abc import Iterable, Set

from tui.search.live.packed import Lines
from tui.search.matcher import Matcher


class Known:
    """Block by block, with the files that were looked at (None: all)."""

    def __init__(self, matcher: Matcher | None = None) -> None:
        self.matcher = matcher
        self._blocks: dict[int, tuple[Set[int] | None, Lines]] = {}

    def learn(self, block: int, files: Set[int] | None, lines: Lines | None) -> None:
        if lines is not None:
            self._blocks[block] = files, lines

    def lines(self, block: int, files: Set[int] | None) -> Lines | None:
        """The lines found in these files and perhaps in others; None if not all of them were looked at."""
        searched, lines = self._blocks.get(block, (frozenset(), None))
        covered = searched is None or (files is not None and files <= searched)
        return lines if covered else None

    def forget(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            self._blocks.pop(block, None)
