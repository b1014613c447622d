"""The text of some consecutive files, joined in one buffer: what is kept in memory.

Every file is there in its search form, so it ends with a line end, and no line belongs to two files.
"""

from __future__ import annotations

import os
import sys
import time
from array import array
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate

from tui.errors import TooLargeError
from tui.search.decoding import UndecodableError, is_binary, is_ended, search_form
from tui.search.files import Limits, skipped_because
from tui.search.live.packed import Left
from tui.search.scan import OTHER_CASES
from tui.search.skipped import Reason, Skipped
from tui.workspace import NotRegularFileError, Reader

Stamp = tuple[int, int, int, int]
"""Inode, size, and the times of the last changes of content and of inode: a file that has the same
is taken for unchanged."""

LARGE = 4 << 20
"""Files from this size on stand in a block of their own: reading one anew for a query costs little, so
they are the first to go where memory is short."""

_STEP = 512
FAR = 2 * _STEP
_TOO_FRESH = 20_000_000
_NO_STAMP: Stamp = (0, 0, 0, 0)

ASCII = 1  # columns are bytes
ODD_CASES = 2  # holds a letter outside ASCII that is the other case of one in it
UNENDED = 4  # its last line end is not its own
ZEROS = 8  # holds zero bytes


def stamp_of(status: os.stat_result) -> Stamp:
    """A file changed this very moment may change again without its times telling; it gets a stamp
    that no file has, and so counts as changed at the next look."""
    if 0 <= time.time_ns() - status.st_ctime_ns < _TOO_FRESH:
        return _NO_STAMP
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class Block:
    """Consecutive files. What could not be read stands in `skipped`, by its index; the few that
    have no search form stand in `raw`, as they are on disk."""

    __slots__ = ("_marks", "kinds", "paths", "raw", "skipped", "stamps", "starts", "text", "traits")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.text = bytearray()
        self.starts = array("Q", (0,))
        self.kinds = bytearray()
        self.traits = 0  # of any of the files
        self.stamps = array("q")
        self._marks: array[int] | None = None
        self.skipped: dict[int, Skipped] = {}
        self.raw: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self.paths)

    def stamp(self, index: int) -> Stamp:
        inode, size, content, changed = self.stamps[index * 4 : index * 4 + 4]
        return inode, size, content, changed

    def form(self, index: int) -> bytes:
        with memoryview(self.text) as text:
            return bytes(text[self.starts[index] : self.starts[index + 1]])

    def mark_lines(self) -> None:
        """Count the line ends before every so many bytes, once the text is complete: counting them is
        half the work of telling the lines of a search."""
        count = self.text.count
        steps = (count(b"\n", at, at + _STEP) for at in range(0, len(self.text), _STEP))
        self._marks = array("I", accumulate(steps, initial=0))

    def line_ends(self, start: int, end: int) -> int:
        """How many there are between the two places."""
        count, marks = self.text.count, self._marks
        if marks is None or end - start < FAR:
            return count(b"\n", start, end)
        first, last = -(-start // _STEP), end // _STEP
        around = count(b"\n", start, first * _STEP) + count(b"\n", last * _STEP, end)
        return around + marks[last] - marks[first]

    def unread(self, wanted: Set[int] | None = None) -> tuple[Left, ...]:
        """What of the wanted files (None: of all) could not be read."""
        return tuple(
            Left(index, skipped.reason, skipped.detail)
            for index, skipped in self.skipped.items()
            if wanted is None or index in wanted
        )

    def read(self, reader: Reader, path: str, limits: Limits, most: int | None = None) -> bool:
        """One file more, from disk. False if it could be read, but is larger than `most`."""
        largest = limits.file_size
        try:
            if most is not None and (largest is None or most < largest):
                largest = most
            data, status = reader.read_with_status(path, largest)
            if data.endswith(b"\n") and b"\r" not in data and b"\0" not in data and data.isascii():
                self._add(path, stamp_of(status), data)  # nearly every file: its own search form
                return True
            if is_binary(data):
                self._add(path, stamp_of(status), skipped=Skipped(path, Reason.BINARY))
                return True
            form = search_form(data)
        except (OSError, NotRegularFileError, TooLargeError, MemoryError, UndecodableError) as error:
            now = _now(reader, path)
            fits = limits.file_size is None or now[1] <= limits.file_size
            if most is not None and isinstance(error, TooLargeError) and fits:
                return False
            self._add(path, now, skipped=skipped_because(path, error, limits))
            return True
        if form is None:
            self._add(path, stamp_of(status), raw=data)
        else:
            self._add(path, stamp_of(status), form, _kind(form, is_ended(data)))
        return True

    def pass_over(self, path: str) -> None:
        """One file more, which nobody will look at."""
        self._add(path, _NO_STAMP)

    def take(self, other: Block, index: int) -> None:
        """One file more, as another block has it."""
        self._add(
            other.paths[index],
            other.stamp(index),
            other.form(index),
            other.kinds[index],
            other.skipped.get(index),
            other.raw.get(index),
        )

    def _add(
        self,
        path: str,
        stamp: Stamp,
        form: bytes | bytearray = b"",
        kind: int = ASCII,
        skipped: Skipped | None = None,
        raw: bytes | None = None,
    ) -> None:
        if skipped is not None:
            self.skipped[len(self.paths)] = skipped
        if raw is not None:
            self.raw[len(self.paths)] = raw
        self.paths.append(path)
        self.stamps.extend(stamp)
        self.text += form
        self.starts.append(len(self.text))
        self.kinds.append(kind)
        self.traits |= kind


def _kind(form: bytes, ended: bool) -> int:
    kind = (0 if ended else UNENDED) | (ZEROS if b"\0" in form else 0)
    if form.isascii():
        return kind | ASCII
    # The first byte alone is looked for much faster than the whole character.
    if any(other[:1] in form and other in form for other in OTHER_CASES):
        return kind | ODD_CASES
    return kind


def read_block(reader: Reader, paths: Iterable[str], limits: Limits, most: int = sys.maxsize) -> Block:
    """The first of the files, as many as fit into so many bytes. A large one is alone."""
    block = Block()
    for path in paths:
        room = most - len(block.text)
        if not block.read(reader, path, limits, min(room, LARGE - 1) if len(block) else room):
            break
        if len(block) == 1 and len(block.text) >= LARGE:
            break
    return block


def read_for_once(
    reader: Reader, paths: Iterable[str], limits: Limits, wanted: Set[int] | None = None
) -> Block:
    """A block of these files, of which only the wanted ones are read (None: all)."""
    block = Block()
    for index, path in enumerate(paths):
        if wanted is None or index in wanted:
            block.read(reader, path, limits)
        else:
            block.pass_over(path)
    return block


def renewed(
    old: Sequence[Block], reader: Reader, paths: Iterable[str], stale: Set[str], limits: Limits
) -> Block:
    """A block of these files, read from disk only where they are stale or in none of the old ones."""
    known = {path: (block, index) for block in old for index, path in enumerate(block.paths)}
    block = Block()
    for path in paths:
        if path in known and path not in stale:
            block.take(*known[path])
        else:
            block.read(reader, path, limits)
    return block


def stale_in(block: Block, reader: Reader) -> list[str]:
    """The files that are no longer what was read; also those that could not be read and now might."""
    return [
        path
        for index, path in enumerate(block.paths)
        if (now := _now(reader, path)) == _NO_STAMP or now != block.stamp(index)
    ]


def _now(reader: Reader, path: str) -> Stamp:
    try:
        return stamp_of(reader.status(path))
    except OSError:
        return _NO_STAMP
