"""A file's text as a multiline pattern sees it, with the way back to the file as it is.

The pattern sees every line end as `\\n`, as in the search. The places it finds are carried back to
the text with the file's own line ends.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

import regex

from tui.search.decoding import decode

_CRLF = regex.compile(r"\r\n")


class JoinedText:
    def __init__(self, data: bytes) -> None:
        """UndecodableError if a byte order mark promises what the bytes do not keep."""
        decoded = decode(data)
        self.encoding = decoded.encoding
        self.original = decoded.text
        self.text = decoded.text.replace("\r\n", "\n")
        # Where in `text` the line ends are that have two characters in the original.
        self._wide_ends = [found.start() - nth for nth, found in enumerate(_CRLF.finditer(decoded.text))]
        self._last_lines = (-1, -1, "")

    def in_original(self, place: int) -> int:
        return place + bisect_left(self._wide_ends, place)

    def group(self, found: regex.Match[str], group: int) -> str:
        """What a group matched, with the line ends it has in the file; empty if it matched nothing."""
        start, end = found.span(group)
        return self.original[self.in_original(start) : self.in_original(end)] if start >= 0 else ""

    def lines_of(self, first: int, last: int) -> tuple[int, int, str]:
        """The lines that a stretch is on: the number of the first, where it begins, and their text."""
        line = bisect_left(self._ends, first)
        start = self._ends[line - 1] + 1 if line else 0
        end = self._line_end(max(first, last - 1))
        if self._last_lines[:2] != (start, end):  # many occurrences on one long line share its text
            self._last_lines = start, end, self.text[start:end]
        return line + 1, start, self._last_lines[2]

    def eol_from(self, place: int) -> str:
        """The next line end; past the last one the file's most frequent; `\\n` if it has none."""
        at = self._line_end(place)
        if at == len(self.text):
            return "\r\n" if 2 * len(self._wide_ends) > len(self._ends) else "\n"
        nth = bisect_left(self._wide_ends, at)
        return "\r\n" if self._wide_ends[nth : nth + 1] == [at] else "\n"

    def _line_end(self, place: int) -> int:
        line = bisect_left(self._ends, place)
        return self._ends[line] if line < len(self._ends) else len(self.text)

    @cached_property
    def _ends(self) -> list[int]:
        """Where the line ends are in `text`."""
        sizes = [len(line) + 1 for line in self.text.split("\n")]
        return list(accumulate(sizes, initial=-1))[1:-1]
