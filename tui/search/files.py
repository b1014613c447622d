"""The text files of a scope, read one after another; what cannot be searched is told of."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tui.errors import TooLargeError
from tui.search.decoding import UndecodableError, is_binary
from tui.search.skipped import Reason, Skipped
from tui.search.timelimit import TimeLimitError
from tui.search.walk import Scope, walk
from tui.text import visible
from tui.workspace import NotRegularFileError, Reader, Workspace

SIZE_LIMIT_FOR_PEOPLE = 16 * 1000 * 1000
SIZE_LIMIT_FOR_TOOLS = 1000 * 1000
SECONDS_PER_FILE = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one search may cost. `matches` bounds what is handed out; totals stay exact."""

    file_size: int | None = SIZE_LIMIT_FOR_PEOPLE
    seconds_per_file: float | None = SECONDS_PER_FILE
    matches: int | None = None
    matches_per_file: int | None = None


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file as it was read, with its permission bits."""

    path: str
    data: bytes
    mode: int


def text_files(
    workspace: Workspace, scope: Scope, limits: Limits, cancelled: Callable[[], bool]
) -> Iterator[TextFile | Skipped]:
    """Every file in scope in path order, or the reason why it is left out. Ends when cancelled."""
    left_out: list[Skipped] = []
    for file in read_each(workspace, walk(workspace, scope, left_out.append), limits):
        yield from left_out
        left_out.clear()
        if cancelled():
            return
        yield file
    yield from left_out


def read_each(workspace: Workspace, paths: Iterable[str], limits: Limits) -> Iterator[TextFile | Skipped]:
    """File after file as it is now, or the reason why it is left out."""
    with Reader(workspace) as reader:
        for path in paths:
            try:
                data, mode = reader.read_with_mode(path, limits.file_size)
            except (OSError, NotRegularFileError, TooLargeError, MemoryError) as error:
                yield skipped_because(path, error, limits)
                continue
            yield Skipped(path, Reason.BINARY) if is_binary(data) else TextFile(path, data, mode)


def skipped_because(path: str, error: Exception, limits: Limits) -> Skipped:
    """The error that one file met, as a reason for having left it out."""
    if isinstance(error, TooLargeError):
        return Skipped(path, Reason.TOO_LARGE, f"over {limits.file_size:,} bytes")
    if isinstance(error, UndecodableError):
        return Skipped(path, Reason.UNDECODABLE, str(error))
    if isinstance(error, TimeLimitError):
        return Skipped(path, Reason.TIMED_OUT, f"took longer than {limits.seconds_per_file:g} s")
    if isinstance(error, MemoryError | RecursionError):
        return Skipped(path, Reason.OUT_OF_MEMORY)
    if isinstance(error, NotRegularFileError):
        return Skipped(path, Reason.SPECIAL)
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Skipped(path, Reason.VANISHED)
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return Skipped(path, Reason.SYMLINK)
    detail = (isinstance(error, OSError) and error.strerror) or str(error)
    return Skipped(path, Reason.UNREADABLE, visible(detail).lower())
