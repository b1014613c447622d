"""What the last search found, where the text is kept: a narrower one looks at no other lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from tui.search.files import Limits
from tui.search.live.block import Block
from tui.search.live.blockscan import Scan
from tui.search.live.narrowing import lies_within
from tui.search.live.packed import BlockHits, Lines
from tui.search.matcher import Matcher
from tui.search.timelimit import TimeLimit


class _Found:
    """One search's lines, block by block, with the files that were looked at (None: all)."""

    def __init__(self, matcher: Matcher | None = None) -> None:
        self.matcher = matcher
        self.blocks: dict[int, tuple[Set[int] | None, Lines]] = {}

    def lines(self, block: int, files: Set[int] | None) -> Lines | None:
        """The lines found in these files and perhaps in others; None if not all of them were looked at."""
        searched, lines = self.blocks.get(block, (frozenset(), None))
        covered = searched is None or (files is not None and files <= searched)
        return lines if covered else None


class Known:
    """The search that is under way, and the one before it."""

    def __init__(self) -> None:
        self._before = self._now = _Found()
        self._narrower = False

    def begin(self, matcher: Matcher) -> None:
        """This is searched for from now on; more of the same is the same search."""
        if self._now.matcher is None or self._now.matcher.query != matcher.query:
            self._before, self._now = self._now, _Found(matcher)
            old = self._before.matcher
            self._narrower = old is not None and lies_within(matcher, old)

    def scan(
        self,
        number: int,
        block: Block,
        files: Set[int] | None,
        time: TimeLimit,
        limits: Limits,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> BlockHits:
        """As `scan_block`. The same block goes by the same number."""
        matcher = self._now.matcher
        assert matcher is not None, "a scan without a search"  # noqa: S101
        scan = Scan(block, matcher, time, limits)
        lines = self._before.lines(number, files) if self._narrower else None
        if lines is not None and scan.gains_by(lines):
            scan.lines(lines, files)
        else:
            scan.files(files, interrupted)
        if (found := scan.packer.matching_lines()) is not None:
            self._now.blocks[number] = files, found
        return scan.packer.hits(number)

    def forget(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            self._before.blocks.pop(block, None)
            self._now.blocks.pop(block, None)

    def clear(self) -> None:
        self._before = self._now = _Found()
        self._narrower = False
