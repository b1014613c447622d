"""A content search over a workspace: files in order, each read, scanned and told of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tui.search.decoding import UndecodableError, decode, split_lines
from tui.search.files import Limits, TextFile, skipped_because, text_files
from tui.search.matcher import Matcher
from tui.search.scan import Match, scan
from tui.search.skipped import Skipped
from tui.search.timelimit import TimeLimit, TimeLimitError
from tui.search.walk import Scope
from tui.workspace import Workspace


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
    began = time.perf_counter()
    count = _Count()
    search = _FileSearch(matcher, limits or Limits(), context or Context())
    with search.time.installed():
        for file in text_files(workspace, scope, search.limits, cancelled):
            found = search.file(file) if isinstance(file, TextFile) else file
            if found is not None:
                count.add(found)
                yield found
    yield Summary(
        matches=count.matches,
        files=count.files,
        scanned=search.scanned,
        bytes=search.bytes,
        skipped=count.skipped,
        seconds=time.perf_counter() - began,
        truncated=count.handed_out < count.matches,
        cancelled=cancelled(),
    )


class _Count:
    """Totals of what a search has told so far."""

    def __init__(self) -> None:
        self.matches = self.handed_out = self.files = self.skipped = 0

    def add(self, found: FileMatches | Skipped) -> None:
        if isinstance(found, Skipped):
            self.skipped += 1
            return
        self.files += 1
        self.matches += found.count
        self.handed_out += len(found.matches)


class _FileSearch:
    """Searches file after file; the limit on matches counts over all of them."""

    def __init__(self, matcher: Matcher, limits: Limits, context: Context) -> None:
        self.limits = limits
        self.time = TimeLimit(limits.seconds_per_file)
        self.scanned = self.bytes = 0
        self._matcher = matcher
        self._context = context
        self._left = limits.matches

    def file(self, file: TextFile) -> FileMatches | Skipped | None:
        try:
            with self.time:
                found = scan(file.data, self._matcher, self.time.engine_timeout)
        except (UndecodableError, TimeLimitError, MemoryError, RecursionError) as error:
            return skipped_because(file.path, error, self.limits)
        self.scanned += 1
        self.bytes += len(file.data)
        return self._within_limits(file, found) if found else None

    def _within_limits(self, file: TextFile, found: list[Match]) -> FileMatches:
        found = found[: self.limits.matches_per_file]
        count = len(found)
        if self._left is not None:
            found = found[: self._left]
            self._left -= len(found)
        lines = _context_lines(file.data, found, self._context) if self._context and found else {}
        return FileMatches(file.path, count, tuple(found), lines)


def _context_lines(data: bytes, found: list[Match], context: Context) -> dict[int, str]:
    lines = split_lines(decode(data).text)
    wanted: set[int] = set()
    taken: set[int] = set()
    told = 0  # every line up to this one was looked at
    for match in found:
        taken.update(range(match.line, match.last_line + 1))
        last = min(len(lines), match.last_line + context.after)
        wanted.update(range(max(told + 1, match.line - context.before), last + 1))
        told = max(told, last)
    return {number: lines[number - 1] for number in sorted(wanted - taken)}
