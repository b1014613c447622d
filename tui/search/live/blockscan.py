"""A matcher run over a block: the needles are spotted in the joined text, and only what is around
them is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

import regex

from tui.search.files import Limits, skipped_because
from tui.search.live.block import ASCII, FAR, ODD_CASES, UNENDED, ZEROS, Block
from tui.search.live.candidates import Candidates
from tui.search.live.packed import NOWHERE, BlockHits, Lines, Packer
from tui.search.live.spotting import Spots, spotter
from tui.search.matcher import Matcher
from tui.search.scan import scan_form, scan_without_form
from tui.search.timelimit import TimeLimit, TimeLimitError

_TOO_MUCH = (TimeLimitError, MemoryError, RecursionError)


def scan_block(
    number: int,
    block: Block,
    matcher: Matcher,
    wanted: Set[int] | None,
    time: TimeLimit,
    limits: Limits,
    interrupted: Callable[[], bool] = lambda: False,
) -> BlockHits | None:
    """All matches in the wanted files of a block (None: in all). A file that takes too long is left.
    None when interrupted between two files."""
    scan = Scan(block, matcher, time, limits)
    return scan.packer.hits(number) if scan.files(wanted, interrupted) else None


class Scan:
    """Three roads: a plain string is found in place; where every match holds a needle, the lines with
    needles are matched together; everything else is scanned file by file."""

    def __init__(self, block: Block, matcher: Matcher, time: TimeLimit, limits: Limits) -> None:
        self.packer = Packer()
        self._block = block
        self._matcher = matcher
        self._time = time
        self._limits = limits
        by_lines = not (matcher.query.invert or matcher.query.multiline)
        self._in_place = by_lines and matcher.exact
        self._together = matcher.line_form if by_lines and not matcher.exact else None
        self._candidates: Candidates | None = None

    def files(self, wanted: Set[int] | None, interrupted: Callable[[], bool] = lambda: False) -> bool:
        """Packs all matches in the wanted files (None: in all). False when interrupted between two."""
        files = range(len(self._block)) if wanted is None else sorted(wanted)
        if self._matcher.needles and not self._matcher.query.invert:
            finished = self._around_needles(files, interrupted)
        else:
            finished = self._everywhere(files, interrupted)
        self._match_candidates()
        return finished

    def lines(self, known: Lines, wanted: Set[int] | None) -> None:
        """Packs all matches in the wanted files, if there are none but in these lines."""
        first = 0
        for file, count in zip(known.files, known.counts, strict=True):
            lines, starts = known.lines[first : first + count], known.starts[first : first + count]
            first += count
            if wanted is not None and file not in wanted:
                continue
            if starts[0] == NOWHERE:
                self._scan_file(file)
            elif self._in_place and self._block.kinds[file] & ASCII:
                self._find_in_lines(file, lines, starts)
            elif self._together is not None:
                self._gather_lines(file, self._together, starts)
            else:
                self._scan_file(file)
        self._match_candidates()

    def _everywhere(self, files: Iterable[int], interrupted: Callable[[], bool]) -> bool:
        for file in files:
            if interrupted():
                return False
            self._scan_file(file)
        return True

    def _around_needles(self, files: Iterable[int], interrupted: Callable[[], bool]) -> bool:
        starts = self._block.starts
        zeros = bool(self._block.traits & ZEROS)
        spots = spotter(self._block.text, self._matcher.needles, self._matcher.caseless, zeros)
        hiding = self._hiding()
        at = spots.next(0)
        if at < 0 and not hiding:
            return True
        for file in files:
            if file not in hiding:
                if 0 <= at < starts[file]:
                    at = spots.next(starts[file])
                if not 0 <= at < starts[file + 1]:
                    continue
            if interrupted():
                return False
            if file in hiding:
                self._scan_file(file)
            elif self._in_place and self._block.kinds[file] & ASCII:
                self._find_in_place(file, at)
            elif self._together is not None:
                at = self._gather(file, self._together, spots, at)
            else:
                self._scan_file(file)
        return True

    def _hiding(self) -> set[int]:
        """The files whose needles cannot be seen in the block's text."""
        hiding = set(self._block.raw)
        if self._matcher.caseless:
            hiding.update(file for file, kind in enumerate(self._block.kinds) if kind & ODD_CASES)
        return hiding

    def _gather(self, file: int, line_form: regex.Pattern[str], spots: Spots, at: int) -> int:
        """Where the next needle after the file is."""
        if self._candidates is None:
            self._candidates = Candidates(self._block, line_form)
        after = self._candidates.add(file, spots, at)
        if self._candidates.are_enough():
            self._match_candidates()
        return after

    def _gather_lines(self, file: int, line_form: regex.Pattern[str], starts: Sequence[int]) -> None:
        if self._candidates is None:
            self._candidates = Candidates(self._block, line_form)
        self._candidates.add_lines(file, starts)
        if self._candidates.are_enough():
            self._match_candidates()

    def _match_candidates(self) -> None:
        candidates, self._candidates = self._candidates, None
        if candidates is None:
            return
        try:
            candidates.match(self._time, self.packer)
        except _TOO_MUCH:  # of which file, they tell one by one
            for file in dict.fromkeys(candidates.files):
                self._scan_file(file)

    def _scan_file(self, file: int) -> None:
        self._match_candidates()
        block, matcher, time = self._block, self._matcher, self._time
        if file in block.skipped:
            return
        try:
            with time:
                if file in block.raw:
                    found = scan_without_form(block.raw[file], matcher, time.engine_timeout)
                else:
                    ended = not block.kinds[file] & UNENDED
                    found = scan_form(block.form(file), matcher, time.engine_timeout, ended)
            self.packer.add(found)
        except _TOO_MUCH as error:
            self.packer.leave(file, skipped_because(block.paths[file], error, self._limits))
        self._end_file(file)

    def _end_file(self, file: int) -> None:
        self.packer.end_file(file, self._block.stamps[file * 4 : file * 4 + 4])

    def _find_in_place(self, file: int, at: int) -> None:
        """A column is what lies between the last line end and the needle, and a line's number grows
        by the line ends that lie between two occurrences."""
        text, needle = self._block.text, self._matcher.needles[0]
        find, count, rfind, line_ends = text.find, text.count, text.rfind, self._block.line_ends
        line_start = seen = self._block.starts[file]
        end = self._block.starts[file + 1]
        lines, starts = self.packer.lines.append, self.packer.starts.append
        widths, spans = self.packer.widths, self.packer.spans.append
        length = len(needle)
        number, first = 1, True
        while at >= 0:
            newlines = count(b"\n", seen, at) if at - seen < FAR else line_ends(seen, at)
            if newlines:
                number += newlines
                line_start = rfind(b"\n", seen, at) + 1
            if newlines or first:
                first = False
                lines(number)
                starts(line_start)
                widths.append(1)
            else:
                widths[-1] += 1
            seen = at + length
            spans(at - line_start)
            spans(seen - line_start)
            at = find(needle, seen, end)
        self._end_file(file)

    def _find_in_lines(self, file: int, lines: Sequence[int], starts: Sequence[int]) -> None:
        find, needle = self._block.text.find, self._matcher.needles[0]
        tell_line, tell_start = self.packer.lines.append, self.packer.starts.append
        tell_width, tell_column = self.packer.widths.append, self.packer.spans.append
        length = len(needle)
        for number, start in zip(lines, starts, strict=True):
            end = find(b"\n", start)
            at = find(needle, start, end)
            if at < 0:
                continue
            tell_line(number)
            tell_start(start)
            width = 0
            while at >= 0:
                width += 1
                seen = at + length
                tell_column(at - start)
                tell_column(seen - start)
                at = find(needle, seen, end)
            tell_width(width)
        self._end_file(file)
