"""What a search has found so far: rows by their number, files with their counts, text when it is drawn.

Nothing here grows with the number of matches but the packed arrays themselves. Text is not kept: it
is read from the file when a row is asked for, and shown only if the file is still the one that was
searched.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from threading import Lock

from tui.errors import TooLargeError
from tui.search.decoding import UndecodableError, decode, split_lines
from tui.search.live.block import Stamp, stamp_of
from tui.search.live.packed import BlockHits, numbers, spans_of
from tui.search.live.shelf import Shelf
from tui.search.scan import Match, Span
from tui.search.skipped import Skipped
from tui.workspace import NotRegularFileError, Reader, Workspace

TEXTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A match as it is drawn. Of a file that has changed since the search, the text is not told."""

    path: str
    line: int
    text: str
    spans: tuple[Span, ...]
    stale: bool = False

    @property
    def match(self) -> Match:
        return Match(self.line, self.text, self.spans)


class Texts:
    """The lines of the files drawn last, each as it was when it had a certain stamp."""

    def __init__(self, workspace: Workspace, changed: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._changed = changed
        self._kept: OrderedDict[str, tuple[Stamp, list[str]]] = OrderedDict()
        self._lock = Lock()

    def lines(self, path: str, stamp: Stamp) -> list[str] | None:
        """The file's lines if it still is the one with that stamp; else None, and the session learns
        of the change."""
        with self._lock:
            found = self._read(path, stamp) if any(stamp) else None
        if found is None:
            self._changed(path)
        return found

    def _read(self, path: str, stamp: Stamp) -> list[str] | None:
        kept = self._kept.pop(path, None)
        try:
            with Reader(self._workspace) as reader:
                if stamp_of(reader.status(path)) != stamp:
                    return None
                if kept is None or kept[0] != stamp:
                    data, status = reader.read_with_status(path, stamp[1])
                    kept = stamp_of(status), split_lines(decode(data).text)
        except (OSError, NotRegularFileError, TooLargeError, UndecodableError):
            return None
        self._kept[path] = kept
        if len(self._kept) > TEXTS_KEPT:
            self._kept.popitem(last=False)
        return kept[1] if kept[0] == stamp else None

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


class Results:
    """The matches of one moment of a search, in path order."""

    def __init__(self, found: Sequence[tuple[Shelf, BlockHits]] = (), texts: Texts | None = None) -> None:
        self._found = [pair for pair in found if pair[1].lines]
        self._texts = texts
        self._rows_before = list(accumulate((hits.matches for _, hits in self._found), initial=0))
        self._files_before = list(accumulate((len(hits.files) // 4 for _, hits in self._found), initial=0))

    @property
    def matches(self) -> int:
        return self._rows_before[-1]

    @property
    def files(self) -> int:
        return self._files_before[-1]

    def counts(self) -> list[int]:
        """How many matches each file has, in order."""
        return [count for _, hits in self._found for count in numbers(hits.counts)]

    def path(self, index: int) -> str:
        """Of one file with matches, by its place among them."""
        place, inside = self._placed(index)
        shelf, hits = self._found[place]
        return shelf.paths[numbers(hits.files)[inside]]

    def size(self, index: int) -> int:
        """Bytes of a file with matches, as it was when it was searched."""
        place, inside = self._placed(index)
        return numbers(self._found[place][1].stamps, "q")[inside * 4 + 1]

    def _placed(self, index: int) -> tuple[int, int]:
        place = bisect_right(self._files_before, index) - 1
        return place, index - self._files_before[place]

    def paths(self) -> Iterator[str]:
        """Of all files with matches, in order."""
        for shelf, hits in self._found:
            for file in numbers(hits.files):
                yield shelf.paths[file]

    def line_numbers(self, first: int, count: int) -> list[int]:
        """Of some consecutive rows."""
        return [
            line
            for _, hits, start, length in self._stretches(first, count)
            for line in numbers(hits.lines)[start : start + length]
        ]

    def rows(self, first: int, count: int) -> list[Row]:
        """Some consecutive rows with their text. Reads the files they lie in, so a screenful at a
        time; thread-safe."""
        return [row for stretch in self._stretches(first, count) for row in self._drawn(*stretch)]

    def _stretches(self, first: int, count: int) -> Iterator[tuple[Shelf, BlockHits, int, int]]:
        last = min(first + count, self.matches)
        index = bisect_right(self._rows_before, first) - 1
        while first < last:
            shelf, hits = self._found[index]
            start = first - self._rows_before[index]
            length = min(last - first, hits.matches - start)
            yield shelf, hits, start, length
            first += length
            index += 1

    def _drawn(self, shelf: Shelf, hits: BlockHits, first: int, count: int) -> Iterator[Row]:
        ends = list(accumulate(numbers(hits.counts)))
        files, stamps, lines = numbers(hits.files), numbers(hits.stamps, "q"), numbers(hits.lines)
        for index, spans in enumerate(spans_of(hits, first, count), first):
            place = bisect_right(ends, index)
            inode, size, content, changed = stamps[place * 4 : place * 4 + 4]
            path = shelf.paths[files[place]]
            yield self._row(path, (inode, size, content, changed), lines[index], spans)

    def _row(self, path: str, stamp: Stamp, line: int, spans: tuple[Span, ...]) -> Row:
        text = self._texts.lines(path, stamp) if self._texts is not None else None
        if text is None or line > len(text):
            return Row(path, line, "", (), stale=True)
        shown = text[line - 1]
        end = spans[-1][1] if spans else 0
        following = islice(text, line, None)
        while len(shown) < end:
            shown += "\n" + next(following)
        return Row(path, line, shown, spans)


def count_left_out(shelf: Shelf, hits: BlockHits | None, wanted: frozenset[int] | None) -> int:
    if wanted is None:
        return len(shelf.skipped) + (len(hits.left) if hits is not None else 0)
    return sum(1 for _ in left_out(shelf, hits, wanted))


def left_out(shelf: Shelf, hits: BlockHits | None, wanted: frozenset[int] | None) -> Iterator[Skipped]:
    """What of the wanted files of a shelf could not be searched."""
    for left in (*shelf.skipped, *(hits.left if hits is not None else ())):
        if wanted is None or left.file in wanted:
            yield Skipped(shelf.paths[left.file], left.reason, left.detail)
