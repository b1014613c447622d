"""Lines that are searched for runs of lines while they change, thousands of times over.

Most runs hold a line that the text has once: then there is one place to look at, usually near the last one.
For the others the lines are kept joined, and changed together with the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator


class Lines:
    """Lines without their line ends. Only `replace` may change them."""

    __slots__ = ("_counts", "_joined", "_line", "_near", "_offset", "texts")

    def __init__(self, texts: list[bytes]) -> None:
        self.texts = texts
        self._counts: Counter[bytes] | None = None
        self._joined: bytes | None = None
        self._line, self._offset = 0, 1  # a line, and where it begins in the joined text
        self._near = 0

    @property
    def joined(self) -> bytes:
        """All lines, with a `\\n` before the first and after each."""
        if self._joined is None:
            self._joined = b"\n".join([b"", *self.texts, b""])
            self._line, self._offset = 0, 1
        return self._joined

    def stand_at(self, old: list[bytes], line: int) -> bool:
        return line >= 0 and self.texts[line : line + len(old)] == old

    def places(self, old: list[bytes], start: int = 0) -> Iterator[int]:
        """Every place at or after `start` where these lines, at least one, stand; in order."""
        if self._counts is None:
            self._counts = Counter(self.texts)
        rarest = min(old, key=self._counts.__getitem__)
        if not self._counts[rarest]:
            return
        if self._counts[rarest] == 1:
            line = self._only(rarest) - old.index(rarest)
            if line >= start and self.stand_at(old, line):
                yield line
            return
        wanted = b"\n".join([b"", *old, b""])
        at = self.offset_of(start) - 1
        while (at := self.joined.find(wanted, at)) >= 0:
            yield self.line_at(at + 1)
            at += 1

    def offset_of(self, line: int) -> int:
        """Where the line begins in the joined text; one past the last line is its end."""
        _ = self.joined
        if line >= self._line:
            self._offset += sum(map(len, self.texts[self._line : line])) + line - self._line
        else:
            self._offset -= sum(map(len, self.texts[line : self._line])) + self._line - line
        self._line = line
        return self._offset

    def line_at(self, offset: int) -> int:
        """The line that holds this offset of the joined text."""
        joined = self.joined
        if offset >= self._offset:
            line = self._line + joined.count(b"\n", self._offset, offset)
        else:
            line = self._line - joined.count(b"\n", offset, self._offset)
        self._line, self._offset = line, joined.rfind(b"\n", 0, offset) + 1
        return line

    def replace(self, start: int, stop: int, new: list[bytes]) -> None:
        old = self.texts[start:stop]
        if self._counts is not None:
            self._counts.subtract(old)
            self._counts.update(new)
        if self._joined is not None:
            begin = self.offset_of(start)
            end = begin + sum(map(len, old)) + len(old)
            self._joined = b"".join(
                [self._joined[:begin], *[line + b"\n" for line in new], self._joined[end:]]
            )
        self.texts[start:stop] = new
        self._near = start

    def _only(self, text: bytes) -> int:
        """The place of a line that is there once; looked for from the last such place on."""
        try:
            self._near = self.texts.index(text, self._near)
        except ValueError:
            self._near = self.texts.index(text, 0, self._near)
        return self._near
