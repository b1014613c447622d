"""Lines that are searched for runs of lines while they change, thousands of times over.

Most runs hold a line that the text has once: then there is one place to look at, usually near the last one.
For the others the lines are kept joined, and changed together with the list. A stretch of text that is not of
whole lines is looked for in the same way by a word that the text has once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

_WORD = regex.compile(rb"\w+", regex.ASCII)
_WORD_INSIDE = regex.compile(rb"(?<=\W)\w+(?=\W)", regex.ASCII)
_SEARCHES_WORTH_COUNTING = 50
_BYTES_WORTH_COUNTING = 100_000


class Lines:
    """Lines without their line ends. Only `replace` may change them."""

    __slots__ = ("_counts", "_joined", "_line", "_near", "_offset", "_searches", "_words", "texts")

    def __init__(self, texts: list[bytes]) -> None:
        self.texts = texts
        self._counts: Counter[bytes] | None = None
        self._joined: bytes | None = None
        self._line, self._offset = 0, 1  # a line, and where it begins in the joined text
        self._near = 0
        self._words: Counter[bytes] | None = None
        self._searches = 0

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

    def offsets(self, text: bytes) -> Iterator[int]:
        """Every place in the joined text where this text, which is not empty, begins; in order."""
        joined = self.joined
        if self._times_at_most(text) == 1:
            at = joined.find(text, self._offset)
            at = at if at >= 0 else joined.find(text, 1, self._offset + len(text))
            if at >= 0:
                yield at
            return
        at = 0
        while (at := joined.find(text, at + 1)) >= 0:
            yield at

    def _times_at_most(self, text: bytes) -> int | None:
        """How often the rarest of the words inside the text is there, once so much was looked for that it is
        worth knowing."""
        self._searches += 1
        if self._searches < _SEARCHES_WORTH_COUNTING:
            return None
        if self._words is None:
            self._words = Counter(_WORD.findall(self.joined))
        return min((self._words[word] for word in _WORD_INSIDE.findall(text)), default=None)

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
        if self._words is not None:
            self._count_words(old, new)
        if self._joined is not None:
            begin = self.offset_of(start)
            end = begin + sum(map(len, old)) + len(old)
            self._joined = b"".join(
                [self._joined[:begin], *[line + b"\n" for line in new], self._joined[end:]]
            )
        self.texts[start:stop] = new
        self._near = start

    def _count_words(self, old: list[bytes], new: list[bytes]) -> None:
        before, after = b"\n".join(old), b"\n".join(new)
        if self._words is None or len(before) + len(after) > _BYTES_WORTH_COUNTING:
            self._words, self._searches = None, 0
        else:
            self._words.subtract(_WORD.findall(before))
            self._words.update(_WORD.findall(after))

    def _only(self, text: bytes) -> int:
        """The place of a line that is there once; looked for from the last such place on."""
        try:
            self._near = self.texts.index(text, self._near)
        except ValueError:
            self._near = self.texts.index(text, 0, self._near)
        return self._near
