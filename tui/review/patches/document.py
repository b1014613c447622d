"""A file's text on its way from the old to the new: lines that are found by their text and replaced.

Text is compared as UTF-8, without line ends and byte order mark, whatever the file is written in. Each line
remembers which line of the file it is, so that in the end the bytes of all that stayed are untouched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui.edit.layout import Layout
from tui.edit.linediff import changed
from tui.edit.plan import Splice
from tui.errors import BinaryFileError
from tui.review.patches.filepatch import PatchError
from tui.review.patches.linesearch import Lines
from tui.search.decoding import UndecodableError, is_binary
from tui.text import visible

Way = Callable[[bytes], bytes]
"""What of a line counts when it is compared."""

_NEW = -1


class NewLine(NamedTuple):
    """A line's text, and its line end or nothing."""

    text: bytes
    end: bytes


def parted(raw: bytes) -> NewLine:
    if raw.endswith(b"\r\n"):
        return NewLine(raw[:-2], b"\r\n")
    return NewLine(raw[:-1], b"\n") if raw.endswith(b"\n") else NewLine(raw, b"")


def parted_lines(text: bytes) -> list[NewLine]:
    """A stretch of text as lines."""
    *whole, last = text.split(b"\n")
    lines = [parted(line + b"\n") for line in whole]
    return [*lines, NewLine(last, b"")] if last else lines


class Document:
    """The lines of one file. `marked` says whether it begins with a byte order mark."""

    def __init__(self, path: str, data: bytes) -> None:
        """BinaryFileError for what is no text."""
        self.path = path
        self.original = data
        try:
            if is_binary(data):
                raise UndecodableError("a binary file, which has no lines")
            self._layout = Layout(data)
        except UndecodableError as error:
            raise BinaryFileError(f"{visible(path)}: {error}", "leave it out of the patch") from error
        self.marked = bool(self._layout.encoding.bom)
        lines = [parted(self._utf8(line)) for line in range(self._layout.count)]
        self.lines = Lines([line.text for line in lines])
        self._ends = [line.end for line in lines]
        self._origins = list(range(len(lines)))
        self._views: dict[Way, Lines] = {}

    @property
    def count(self) -> int:
        return len(self._ends)

    @property
    def ended(self) -> bool:
        """Whether the last line has a line end; so if there is no line."""
        return not self._ends or bool(self._ends[-1])

    def raw(self, line: int) -> bytes:
        return self.lines.texts[line] + self._ends[line]

    def view(self, way: Way) -> Lines:
        """The lines as they look in this way; they change with the document."""
        if way not in self._views:
            self._views[way] = Lines([way(text) for text in self.lines.texts])
        return self._views[way]

    def own_end(self, start: int, stop: int, nth: int = 0) -> bytes:
        """The line end that the file itself would give the `nth` line in place of these: that of the line it
        replaces, of another one there, of a neighbour, or the most frequent; nothing if it has none."""
        near = [min(start + nth, stop - 1)] if stop > start else []
        near += [*range(start, min(stop, start + 100)), start - 1, stop]
        for line in near:
            if 0 <= line < self.count and self._ends[line]:
                return self._ends[line]
        usual = Counter(end for end in self._ends if end)
        return max(sorted(usual), key=usual.__getitem__, default=b"")

    def put(self, start: int, stop: int, new: Sequence[NewLine]) -> None:
        """Other lines in place of these. A line end is added where one is needed to keep lines apart."""
        lines = list(new)
        usual = b""
        for nth in range(len(lines) - (stop == self.count)):
            if not lines[nth].end:
                usual = usual or self.own_end(start, stop) or b"\n"
                lines[nth] = NewLine(lines[nth].text, usual)
        if start == self.count and lines and not self.ended:
            self._set_end(self.own_end(start, stop) or b"\n")
        texts = [line.text for line in lines]
        self.lines.replace(start, stop, texts)
        for way, view in self._views.items():
            view.replace(start, stop, [way(text) for text in texts])
        self._ends[start:stop] = [line.end for line in lines]
        self._origins[start:stop] = [_NEW] * len(lines)

    def end(self, ended: bool) -> None:
        """The last line with a line end, or without one."""
        if self.count and ended != self.ended:
            self._set_end((self.own_end(self.count, self.count) or b"\n") if ended else b"")

    def rewrite(self, start: int, stop: int, new: Sequence[NewLine], *, verbatim: bool) -> None:
        """These lines anew; those that stay the same are left alone. Unless the line ends are to be taken as
        they come, the file's own are put in their place."""
        old = [parted(self.raw(line)) for line in range(start, stop)]
        if verbatim:
            ranges = changed(old, new)
        else:
            ranges = changed(
                [(text, bool(end)) for text, end in old], [(text, bool(end)) for text, end in new]
            )
        for a, b, c, d in reversed(ranges):
            lines = new[c:d] if verbatim else self._in_own_ends(start + a, start + b, new[c:d])
            self.put(start + a, start + b, lines)

    def splices(self) -> tuple[Splice, ...]:
        """What of the file's bytes became what. PatchError for text that the file's encoding cannot hold."""
        starts = self._layout.starts
        splices = [] if self.marked or not starts[0] else [Splice(0, starts[0], b"")]
        first = kept = 0  # where the changed lines begin, in the document and in the file
        for line, origin in enumerate([*self._origins, len(starts) - 1]):
            if origin == _NEW:
                continue
            if first < line or kept < origin:
                new = self._encoded(b"".join(map(self.raw, range(first, line))))
                if new != self.original[starts[kept] : starts[origin]]:
                    splices.append(Splice(starts[kept], starts[origin], new))
            first, kept = line + 1, origin + 1
        return tuple(splices)

    def _in_own_ends(self, start: int, stop: int, new: Sequence[NewLine]) -> list[NewLine]:
        own = [self.own_end(start, stop, nth) or line.end for nth, line in enumerate(new)]
        return [NewLine(line.text, end if line.end else b"") for line, end in zip(new, own, strict=True)]

    def _set_end(self, end: bytes) -> None:
        self._ends[-1] = end
        self._origins[-1] = _NEW

    def _utf8(self, line: int) -> bytes:
        raw, encoding = self._layout.raw(line), self._layout.encoding
        if encoding.codec == "utf-8":
            return raw
        return raw.decode(encoding.codec, encoding.errors).encode("utf-8", "surrogatepass")

    def _encoded(self, text: bytes) -> bytes:
        encoding = self._layout.encoding
        if encoding.codec == "utf-8":
            return text
        try:
            return encoding.encode_part(text.decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError as error:
            raise PatchError(
                f"{visible(self.path)}: new text that is not UTF-8 cannot become {encoding.codec.upper()}"
            ) from error
