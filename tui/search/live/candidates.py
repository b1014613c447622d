"""Lines that may match, from one file after another, matched many at a time.

A call of the regex engine costs as much as matching a dozen lines, so the lines around the needles
are put together, and the pattern's line-safe form is run on all of them at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, groupby

import regex

from tui.search.live.block import Block
from tui.search.live.packed import Packer
from tui.search.live.spotting import Spots
from tui.search.timelimit import TimeLimit

_ENOUGH = 1 << 16


class Candidates:
    """Some lines of some files. Files are added in order, each with all its lines."""

    def __init__(self, block: Block, line_form: regex.Pattern[str]) -> None:
        self._block = block
        self._line_form = line_form
        self._lines: list[bytearray] = []
        self._starts: list[int] = []
        self._size = 0
        self.files: list[int] = []
        """Which file each line belongs to."""

    def add(self, file: int, spots: Spots, at: int) -> int:
        """The file's lines with a needle, the first of which is at `at`. Returns where the first one
        after the file is, or -1."""
        text, floor, end = self._block.text, self._block.starts[file], self._block.starts[file + 1]
        while 0 <= at < end:
            start = text.rfind(b"\n", floor, at) + 1 or floor
            floor = text.find(b"\n", at) + 1
            self._lines.append(text[start:floor])
            self._starts.append(start)
            self._size += floor - start
            self.files.append(file)
            at = spots.next(floor)
        return at

    def add_lines(self, file: int, starts: Iterable[int]) -> None:
        """The file's lines that begin there."""
        text = self._block.text
        for start in starts:
            end = text.find(b"\n", start) + 1
            self._lines.append(text[start:end])
            self._starts.append(start)
            self._size += end - start
            self.files.append(file)

    def are_enough(self) -> bool:
        return self._size > _ENOUGH

    def match(self, time: TimeLimit, packer: Packer) -> None:
        """All lines. Either all matches are packed or, with an error, none."""
        with time:
            text = b"".join(self._lines).decode("utf-8", "surrogateescape")
            matches = self._line_form.finditer(text, timeout=time.engine_timeout)
            spans = [match.span() for match in matches]
        if text.isascii():
            ends = list(accumulate(map(len, self._lines)))
        else:
            ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
        matched: list[int] = []
        start = end = 0
        for first, last in spans:
            if first >= end:
                line = bisect_right(ends, first)
                start, end = ends[line - 1] if line else 0, ends[line]
                matched.append(line)
                packer.widths.append(1)
            else:
                packer.widths[-1] += 1
            packer.spans.append(first - start)
            if not packer.length:
                packer.spans.append(last - start)
        for file, lines in groupby(matched, self.files.__getitem__):
            self._number(file, [self._starts[line] for line in lines], packer)

    def _number(self, file: int, starts: list[int], packer: Packer) -> None:
        """The numbers of a file's matching lines, each counted on from the one before."""
        line_ends = self._block.line_ends
        number, counted = 1, self._block.starts[file]
        for start in starts:
            number += line_ends(counted, start)
            counted = start
            packer.lines.append(number)
            packer.starts.append(start)
        packer.end_file(file, self._block.stamps[file * 4 : file * 4 + 4])
