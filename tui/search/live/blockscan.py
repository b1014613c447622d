"""A matcher run over a block: the needles are spotted in the joined text, and only what is around
them is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import compress, repeat
from operator import sub

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

# What finding a string costs, in units that have only to be right beside each other: a known line, a
# hit in the whole text, and a thousand bytes of that text without one (folded first where case is ignored).
_KNOWN_LINE = 0.65
_HIT = 1.2
_EMPTY_TEXT = 0.05
_FOLDED_TEXT = 0.35
_SAMPLE = 32


class InterruptedScanError(Exception):
    """Somebody wants something else."""


def scan_block(
    number: int,
    block: Block,
    matcher: Matcher,
    wanted: Set[int] | None,
    time: TimeLimit,
    limits: Limits,
    interrupted: Callable[[], bool] = lambda: False,
) -> BlockHits:
    """All matches in the wanted files of a block (None: in all). A file that takes too long is left.
    InterruptedScanError when interrupted between two files."""
    scan = Scan(block, matcher, time, limits)
    scan.files(wanted, interrupted)
    return scan.packer.hits(number)


class Scan:
    """Three roads: a plain string is found in place; where every match holds a needle, the lines with
    needles are matched together; everything else is scanned file by file."""

    def __init__(self, block: Block, matcher: Matcher, time: TimeLimit, limits: Limits) -> None:
        self.packer = Packer(len(matcher.needles[0]) if matcher.exact else 0)
        self._block = block
        self._matcher = matcher
        self._time = time
        self._limits = limits
        by_lines = not (matcher.query.invert or matcher.query.multiline)
        self._in_place = by_lines and matcher.exact
        self._together = matcher.line_form if by_lines else None
        self._candidates: Candidates | None = None

    def files(self, wanted: Set[int] | None, interrupted: Callable[[], bool] = lambda: False) -> None:
        """Packs all matches in the wanted files (None: in all). InterruptedScanError between two."""
        files = range(len(self._block)) if wanted is None else sorted(wanted)
        if self._matcher.needles and not self._matcher.query.invert:
            self._around_needles(files, interrupted)
        else:
            self._everywhere(files, interrupted)
        self._match_candidates()

    def gains_by(self, known: Lines) -> bool:
        """Whether a narrower search in these lines is less work than one in the whole text: where there
        are very many lines and few of them hold the longer string, it is not."""
        if not self._in_place or len(known.starts) < 4 * _SAMPLE:
            return True
        text, caseless = self._block.text, self._matcher.caseless
        sample = known.starts[:: len(known.starts) // _SAMPLE]
        lines = (text[start : text.find(b"\n", start)] for start in sample if start != NOWHERE)
        needle = self._matcher.needles[0]
        holding = sum(needle in (line.lower() if caseless else line) for line in lines) / len(sample)
        whole = len(text) / 1000 * (_FOLDED_TEXT if caseless else _EMPTY_TEXT)
        return len(known.starts) * _KNOWN_LINE < whole + len(known.starts) * holding * _HIT

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

    def _everywhere(self, files: Iterable[int], interrupted: Callable[[], bool]) -> None:
        for file in files:
            if interrupted():
                raise InterruptedScanError
            self._scan_file(file)

    def _around_needles(self, files: Iterable[int], interrupted: Callable[[], bool]) -> None:
        starts = self._block.starts
        text = self._block.text.lower() if self._matcher.caseless else self._block.text
        spots = spotter(text, self._matcher.needles, bool(self._block.traits & ZEROS))
        hiding = self._hiding()
        at = spots.next(0)
        if at < 0 and not hiding:
            return
        for file in files:
            if file not in hiding:
                if 0 <= at < starts[file]:
                    at = spots.next(starts[file])
                if not 0 <= at < starts[file + 1]:
                    continue
            if interrupted():
                raise InterruptedScanError
            if file in hiding:
                self._scan_file(file)
            elif self._in_place and self._block.kinds[file] & ASCII:
                at = self._find_in_place(text, file, spots, at)
            elif self._together is not None:
                at = self._gather(file, self._together, spots, at)
            else:
                self._scan_file(file)

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

    def _find_in_place(self, text: bytearray, file: int, spots: Spots, at: int) -> int:
        """A column is what lies between the last line end and the needle, and a line's number grows
        by the line ends that lie between two occurrences. `text` is the block's, perhaps in small
        letters, and the needle's first place in the file is `at`. Returns the first one after the file."""
        needle = self._matcher.needles[0]
        find, count, rfind, line_ends = text.find, text.count, text.rfind, self._block.line_ends
        line_start = seen = self._block.starts[file]
        end = self._block.starts[file + 1]
        lines, starts = self.packer.lines.append, self.packer.starts.append
        widths, spans = self.packer.widths, self.packer.spans.append
        length = len(needle)
        number, first = 1, True
        while 0 <= at < end:
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
            at = find(needle, seen, seen + FAR)
            if at < 0:
                at = spots.next(seen + FAR - length + 1)
        self._end_file(file)
        return at

    def _find_in_lines(self, file: int, lines: Sequence[int], starts: Sequence[int]) -> None:
        """The same in known lines of a file; one call after another inside the interpreter's own loops."""
        text, needle, offset = self._block.text, self._matcher.needles[0], 0
        ends: Sequence[int] = list(map(text.find, repeat(b"\n"), starts))
        if self._matcher.caseless:
            offset = starts[0]
            text = text[offset : ends[-1]].lower()
            ends = [end - offset for end in ends]
        begins = [start - offset for start in starts] if offset else starts
        places = list(map(text.find, repeat(needle), begins, ends))
        if -1 in places:
            held = [place >= 0 for place in places]
            lines, starts, begins, ends, places = (
                list(compress(each, held)) for each in (lines, starts, begins, ends, places)
            )
        packer, length = self.packer, len(needle)
        packer.lines.extend(lines)
        packer.starts.extend(starts)
        nexts = list(map(text.find, repeat(needle), [place + length for place in places], ends))
        if nexts.count(-1) == len(nexts):
            packer.widths.extend(repeat(1, len(nexts)))
            packer.spans.extend(map(sub, places, begins))
        else:
            for begin, end, place in zip(begins, ends, places, strict=True):
                columns = [at - begin for at in _places(text, needle, place, end)]
                packer.widths.append(len(columns))
                packer.spans.extend(columns)
        self._end_file(file)


def _places(text: bytearray, needle: bytes, first: int, end: int) -> Iterator[int]:
    """Where the needle occurs from its first place on."""
    at = first
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle), end)
