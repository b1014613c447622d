"""The matches of a content search, as many as an answer can hold; the totals stay exact."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.agents.desk import Desk
from tui.agents.leftout import LeftOut, unnameable
from tui.agents.room import LINE, Room
from tui.search.files import Limits
from tui.search.grep import Context, FileMatches, Summary, grep
from tui.search.matcher import Matcher
from tui.search.scan import Match, Span
from tui.search.skipped import Skipped
from tui.search.walk import Scope
from tui.text import cut_around


@dataclass(frozen=True, slots=True)
class Hit:
    """One match. `content` may be cut around the match; `spans` are columns of it, from 0, while
    `column` is where the match begins in the file's line, from 1."""

    line: int
    column: int
    content: str
    spans: tuple[Span, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileHits:
    """A file with matches: how many there are, and those that found room."""

    file: str
    count: int
    hits: tuple[Hit, ...]


@dataclass(slots=True)
class Hits:
    """What a search found. `shown` counts matches, or files where only files were asked for."""

    files: list[FileHits] = field(default_factory=list)
    shown: int = 0
    total_matches: int = 0
    total_files: int = 0
    scanned: int = 0
    truncated: bool = False
    late: tuple[str, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.left_out.warnings(), *unnameable(file.file for file in self.files), *self.late)


def collect(
    desk: Desk,
    matcher: Matcher,
    scope: Scope,
    most: int,
    context: Context | None = None,
    *,
    only_files: bool = False,
) -> Hits:
    """Search, and keep up to `most` matches (files with `only_files`)."""
    hits = Hits()
    room = Room()
    context = context or Context()
    limits = Limits(file_size=desk.largest_file)
    for event in grep(desk.workspace, matcher, scope, limits, context, desk.is_out_of_time):
        if isinstance(event, Skipped):
            hits.left_out.add(event)
        elif isinstance(event, Summary):
            _finish(hits, event, desk)
        elif only_files:
            _take_file(hits, event, most, room)
        else:
            _take_matches(hits, event, most, room, context)
    return hits


def _take_file(hits: Hits, file: FileMatches, most: int, room: Room) -> None:
    if hits.truncated or hits.shown >= most or not room.takes(file.path):
        hits.truncated = True
        return
    hits.files.append(FileHits(file.path, file.count, ()))
    hits.shown += 1


def _take_matches(hits: Hits, file: FileMatches, most: int, room: Room, context: Context) -> None:
    if hits.truncated or not room.takes(file.path):
        hits.truncated = True
        return
    taken: list[Hit] = []
    around = _Around(file, context)
    for match in file.matches[: most - hits.shown]:
        hit = _hit(match, around)
        if not room.takes(hit.content, *hit.before, *hit.after, numbers=2 * len(hit.spans) + 2):
            break
        taken.append(hit)
    if taken:
        hits.files.append(FileHits(file.path, file.count, tuple(taken)))
        hits.shown += len(taken)
    hits.truncated = len(taken) < file.count


def _finish(hits: Hits, summary: Summary, desk: Desk) -> None:
    hits.total_matches, hits.total_files, hits.scanned = summary.matches, summary.files, summary.scanned
    hits.late = desk.lateness()
    hits.truncated = hits.truncated or bool(hits.late)


def _hit(match: Match, around: _Around) -> Hit:
    content, spans = cut_around(match.text, match.spans, LINE)
    column = match.spans[0][0] + 1 if match.spans else 1
    return Hit(match.line, column, content, spans, around.before(match), around.after(match))


class _Around:
    """The lines around a file's matches, those that match themselves among them."""

    def __init__(self, file: FileMatches, context: Context) -> None:
        self._context = context
        self._lines = dict(file.context)
        if context:
            for match in file.matches:
                self._lines.update(enumerate(match.text.split("\n"), match.line))

    def before(self, match: Match) -> tuple[str, ...]:
        return self._some(match.line - self._context.before, match.line)

    def after(self, match: Match) -> tuple[str, ...]:
        return self._some(match.last_line + 1, match.last_line + 1 + self._context.after)

    def _some(self, first: int, last: int) -> tuple[str, ...]:
        """Lines outside the file are simply not there."""
        found = []
        for number in range(max(first, 1), last):
            if number not in self._lines:
                break
            found.append(cut_around(self._lines[number], (), LINE)[0])
        return tuple(found)
