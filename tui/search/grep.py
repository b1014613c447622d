"""A content search over a workspace: files in order, each read, scanned and told of."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tui.errors import TooLargeError
from tui.search.decoding import UndecodableError, decode, is_binary, split_lines
from tui.search.query import Matcher
from tui.search.scan import Match, scan
from tui.search.skipped import Reason, Skipped
from tui.search.timelimit import TimeLimit, TimeLimitError
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
class FileMatches:
    """One file's matches. `count` is how many there are, `matches` those within the limits,
    `context` the lines around them by number."""

    path: str
    count: int
    matches: tuple[Match, ...]
    context: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summary:
    """The exact totals of a search, told at its end."""

    matches: int
    files: int
    scanned: int
    bytes: int
    skipped: int
    seconds: float
    truncated: bool
    cancelled: bool


Event = FileMatches | Skipped | Summary


@dataclass(frozen=True, slots=True)
class Context:
    """How many lines around a match come with it."""

    before: int = 0
    after: int = 0

    def __bool__(self) -> bool:
        return self.before > 0 or self.after > 0


def grep(
    workspace: Workspace,
    matcher: Matcher,
    scope: Scope,
    limits: Limits | None = None,
    context: Context | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Event]:
    """Files with matches in path order, what was skipped as it is met, and at the end the totals."""
    return _Grep(workspace, matcher, limits or Limits(), context or Context(), cancelled).run(scope)


class _Grep:
    def __init__(
        self,
        workspace: Workspace,
        matcher: Matcher,
        limits: Limits,
        context: Context,
        cancelled: Callable[[], bool],
    ) -> None:
        self._workspace = workspace
        self._matcher = matcher
        self._limits = limits
        self._context = context
        self._cancelled = cancelled
        self._time = TimeLimit(limits.seconds_per_file)
        self._left = limits.matches
        self._pending: list[Skipped] = []
        self._matches = self._files = self._scanned = self._bytes = self._skipped = 0
        self._truncated = False

    def run(self, scope: Scope) -> Iterator[Event]:
        began = time.perf_counter()
        stopped = False
        with self._time.installed(), Reader(self._workspace) as reader:
            for path in walk(self._workspace, scope, self._pending.append):
                if self._cancelled():
                    stopped = True
                    break
                found = self._search_file(reader, path)
                if self._pending:
                    yield from self._told()
                if found is not None:
                    yield found
        yield from self._told()
        yield Summary(
            self._matches,
            self._files,
            self._scanned,
            self._bytes,
            self._skipped,
            time.perf_counter() - began,
            self._truncated,
            stopped,
        )

    def _told(self) -> Iterable[Skipped]:
        told, self._pending[:] = list(self._pending), []
        self._skipped += len(told)
        return told

    def _search_file(self, reader: Reader, path: str) -> FileMatches | None:
        """The file's matches, or None, with the reason among the pending where it was skipped."""
        try:
            data = reader.read(path, self._limits.file_size)
            if is_binary(data):
                self._pending.append(Skipped(path, Reason.BINARY))
                return None
            with self._time.armed():
                found = scan(data, self._matcher, self._time.engine_timeout)
        except (OSError, NotRegularFileError, TooLargeError, UndecodableError, TimeLimitError) as error:
            self._pending.append(_skipped(path, error, self._limits))
            return None
        self._scanned += 1
        self._bytes += len(data)
        return self._within_limits(path, data, found) if found else None

    def _within_limits(self, path: str, data: bytes, found: list[Match]) -> FileMatches:
        count = len(found)
        self._files += 1
        if self._limits.matches_per_file is not None:
            found = found[: self._limits.matches_per_file]
            count = len(found)
        self._matches += count
        if self._left is not None:
            found = found[: self._left]
            self._left -= len(found)
            self._truncated = self._truncated or len(found) < count
        lines = _context_lines(data, found, self._context) if self._context and found else {}
        return FileMatches(path, count, tuple(found), lines)


def _context_lines(data: bytes, found: list[Match], context: Context) -> dict[int, str]:
    lines = split_lines(decode(data).text)
    wanted: dict[int, str] = {}
    taken = {number for match in found for number in range(match.line, match.last_line + 1)}
    for match in found:
        first = max(1, match.line - context.before)
        last = min(len(lines), match.last_line + context.after)
        for number in range(first, last + 1):
            if number not in taken:
                wanted[number] = lines[number - 1]
    return wanted


def _skipped(path: str, error: Exception, limits: Limits) -> Skipped:
    if isinstance(error, TooLargeError):
        return Skipped(path, Reason.TOO_LARGE, f"over {limits.file_size:,} bytes")
    if isinstance(error, UndecodableError):
        return Skipped(path, Reason.UNDECODABLE, str(error))
    if isinstance(error, TimeLimitError):
        return Skipped(path, Reason.TIMED_OUT, f"took longer than {limits.seconds_per_file:g} s")
    if isinstance(error, NotRegularFileError):
        return Skipped(path, Reason.SPECIAL)
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Skipped(path, Reason.VANISHED)
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return Skipped(path, Reason.SYMLINK)
    detail = (isinstance(error, OSError) and error.strerror) or str(error)
    return Skipped(path, Reason.UNREADABLE, visible(detail).lower())
