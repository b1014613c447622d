"""Where a file's lines begin and how they end, in bytes, whatever the encoding."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate

from tui.search.decoding import Encoding, UndecodableError, encoding_of

RAW = Encoding("utf-8")
"""Lines that end at the byte `\\n`, no byte order mark known: what patch programs see."""


class Layout:
    """A file's lines as stretches of its bytes.

    Lines are numbered from 0 here. A line ends after its `\\n`; a `\\r` before that belongs to the
    line end, alone it is text. The byte order mark belongs to no line. Line `i` is
    `data[starts[i]:starts[i + 1]]`, and the last entry of `starts` is the end of the file.
    """

    __slots__ = ("_crlf", "_lf", "data", "encoding", "starts")

    def __init__(self, data: bytes, encoding: Encoding | None = None) -> None:
        """UndecodableError if a byte order mark promises what the bytes do not keep."""
        self.data = data
        self.encoding = encoding_of(data) if encoding is None else encoding
        self._lf = self.encoding.encode_part("\n")
        self._crlf = self.encoding.encode_part("\r\n")
        self.starts = self._found_starts()

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def unterminated(self) -> bool:
        """Whether the last line has no line end."""
        return self.count > 0 and not self.data.endswith(self._lf, self.starts[-2])

    def raw(self, line: int) -> bytes:
        return self.data[self.starts[line] : self.starts[line + 1]]

    def text_end(self, line: int) -> int:
        """Where the line's text ends and its line end begins."""
        start, end = self.starts[line], self.starts[line + 1]
        if self.data.endswith(self._crlf, start, end):
            return end - len(self._crlf)
        return end - len(self._lf) if self.data.endswith(self._lf, start, end) else end

    def eol(self, line: int) -> str:
        """The line's own end: `\\n`, `\\r\\n`, or nothing."""
        start, end = self.starts[line], self.starts[line + 1]
        if self.data.endswith(self._crlf, start, end):
            return "\r\n"
        return "\n" if self.data.endswith(self._lf, start, end) else ""

    def usual_eol(self) -> str:
        """The file's most frequent line end; empty if it has none."""
        ends = Counter(map(self.eol, range(self.count)))
        del ends[""]
        return max(sorted(ends), key=ends.__getitem__, default="")

    def line_at(self, offset: int) -> int:
        """The line that a change at this offset begins on; `count` past the last line end."""
        line = bisect_right(self.starts, offset) - 1
        return line - 1 if line == self.count and self.unterminated else max(line, 0)

    def line_after(self, offset: int) -> int:
        """The first line that begins at this offset or later."""
        return bisect_left(self.starts, offset)

    def _found_starts(self) -> list[int]:
        first = len(self.encoding.bom)
        if self.encoding.codec == "utf-8":
            sizes = [len(line) + 1 for line in self.data[first:].split(b"\n")]
        else:
            encode = self.encoding.encode_part
            sizes = [len(encode(line)) + len(self._lf) for line in self._wide_text().split("\n")]
        sizes[-1] -= len(self._lf)
        if not sizes[-1]:
            sizes.pop()
        return list(accumulate(sizes, initial=first))

    def _wide_text(self) -> str:
        try:
            return self.data[len(self.encoding.bom) :].decode(self.encoding.codec, self.encoding.errors)
        except UnicodeDecodeError as error:
            raise UndecodableError(f"not valid {self.encoding.codec.upper()}: {error.reason}") from error


def raw_lines(data: bytes, encoding: Encoding) -> list[bytes]:
    """A stretch of a file cut after each line end."""
    layout = Layout(data, Encoding(encoding.codec))
    return [data[start:end] for start, end in zip(layout.starts, layout.starts[1:], strict=False)]
