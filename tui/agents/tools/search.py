"""`search`: plain text over names and contents, the most relevant first."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.kinds import Exclusions, FileType, SearchText
from tui.agents.leftout import LeftOut
from tui.agents.listing import listed
from tui.agents.room import LINE, MOST_RESULTS, Room
from tui.agents.scopes import compiled, scope_of
from tui.agents.tool import SEARCH, Parameters, tool
from tui.search.files import Limits
from tui.search.grep import FileMatches, grep
from tui.search.query import Case, Query
from tui.search.scan import Match
from tui.search.skipped import Skipped
from tui.search.walk import Scope
from tui.text import counted, cut_around, visible
from tui.workspace import split

DEPTH = 10
_LINES_A_FILE = 3


class SearchParameters(Parameters, frozen=True):
    query: Annotated[SearchText, Meta(description="Plain text to look for, in any case.")]
    file_type: Annotated[
        FileType | None,
        Meta(description="Only files of this extension or type: rs, ts, py, rust, markdown ..."),
    ] = None
    exclude_dirs: Annotated[
        Exclusions, Meta(description="Directories to leave out, at any depth, by name or glob.")
    ] = ()
    max_results: Annotated[
        int, Meta(ge=1, description=f"At most so many files; {MOST_RESULTS} is the most.")
    ] = 50


class SearchLine(msgspec.Struct, frozen=True):
    line: int
    content: str


class SearchResult(msgspec.Struct, frozen=True):
    """One file: whether its name has the text, how many lines do, and the first of these."""

    file: str
    name_matches: bool
    match_count: int
    whole_word_count: int
    lines: tuple[SearchLine, ...]


class SearchData(msgspec.Struct, frozen=True):
    query: str
    results: tuple[SearchResult, ...]
    total_files: int
    total_matches: int
    truncated: bool
    suggestion: str | None


@tool(
    name="search",
    title="Search names and contents",
    description="Look for plain text in file names and contents at once, in any case. The most relevant"
    " files come first: those whose names have it, then those with it as a whole word, then those with more"
    " of it.",
    category=SEARCH,
    parameters=SearchParameters,
    returns=SearchData,
    summary="Search names and contents for '{query}'",
    ends="Use terminate=false to go on with the files it finds. Use terminate=true if the list is the"
    " answer.",
    hints="A first look when neither the name nor the exact spelling is known; then use grep or read_file."
    " `file_type` and `exclude_dirs` narrow it.",
    examples={
        "Where is something dealt with": {"query": "retry policy"},
        "Only in Rust files": {"query": "approval", "file_type": "rs"},
        "Without some directories": {"query": "config", "exclude_dirs": ["tests", "docs"], "max_results": 10},
    },
    tags=("search", "files", "content"),
    seeds=("002", "004"),
)
def search(desk: Desk, given: SearchParameters) -> Answer:
    scope = scope_of(
        desk,
        ".",
        file_type=given.file_type,
        exclude=[f"{name.rstrip('/') or name}/" for name in given.exclude_dirs],
        max_depth=DEPTH,
    )
    left_out = LeftOut()
    found = _found(desk, scope, given.query, left_out)
    found.sort(key=lambda result: _place(result, given.query.lower()))
    shown = _with_room(found[: min(given.max_results, MOST_RESULTS)])
    total = len(found)
    data = SearchData(
        given.query,
        shown,
        total,
        sum(result.match_count for result in found),
        len(shown) < total or desk.is_out_of_time(),
        _suggestion(given, total, len(shown)),
    )
    warnings = left_out.warnings() + desk.lateness()
    cut = f", showing the {len(shown)} most relevant" if data.truncated else ""
    message = (
        f"Found '{visible(given.query)}' in {counted(total, 'file')}{cut}"
        if total
        else f"No file has '{visible(given.query)}' in its name or contents"
    )
    output = "\n".join([message, *map(_told, shown), *filter(None, [data.suggestion]), *warnings])
    return Answer(message, output, data, warnings)


def _found(desk: Desk, scope: Scope, query: str, left_out: LeftOut) -> list[SearchResult]:
    word = compiled(Query(query, literal=True, case=Case.INSENSITIVE, whole_word=True)).pattern
    matcher = compiled(Query(query, literal=True, case=Case.INSENSITIVE))
    results = {}
    limits = Limits(file_size=desk.largest_file)
    for event in grep(desk.workspace, matcher, scope, limits, cancelled=desk.is_out_of_time):
        if isinstance(event, Skipped):
            left_out.add(event)
        elif isinstance(event, FileMatches):
            whole = [match for match in event.matches if word.search(match.text)]
            first = sorted((whole or event.matches)[:_LINES_A_FILE], key=lambda match: match.line)
            named = matcher.pattern.search(event.path) is not None
            lines = tuple(map(_line, first))
            results[event.path] = SearchResult(event.path, named, event.count, len(whole), lines)
    for path in listed(desk, scope).files:
        if path not in results and matcher.pattern.search(path):
            results[path] = SearchResult(path, True, 0, 0, ())
    return list(results.values())


def _line(match: Match) -> SearchLine:
    return SearchLine(match.line, cut_around(match.text, match.spans, LINE)[0].strip())


def _place(result: SearchResult, query: str) -> tuple[int, int, int, str]:
    """The more relevant, the smaller."""
    return -_name_rank(result.file, query), -result.whole_word_count, -result.match_count, result.file


def _name_rank(path: str, query: str) -> int:
    """The whole name, its beginning, a part of it, a directory above it, or nothing."""
    name = split(path)[1].lower()
    if query in (name, name.rpartition(".")[0]):
        return 4
    if name.startswith(query):
        return 3
    return 2 if query in name else int(query in path.lower())


def _with_room(results: list[SearchResult]) -> tuple[SearchResult, ...]:
    room = Room()
    shown = []
    for result in results:
        if not room.takes(result.file, *(line.content for line in result.lines)):
            break
        shown.append(result)
    return tuple(shown)


def _told(result: SearchResult) -> str:
    named = ["in its name"] if result.name_matches else []
    lines = [counted(result.match_count, "line")] if result.match_count else []
    rows = [f"  {line.line}: {line.content}" for line in result.lines]
    return "\n".join([f"{result.file} ({', '.join(named + lines)})", *rows])


def _suggestion(given: SearchParameters, total: int, shown: int) -> str | None:
    if shown < total:
        narrow = "a longer query" if given.file_type else "file_type, exclude_dirs or a longer query"
        return f"{counted(total, 'file')} have it, {shown} shown; narrow with {narrow}"
    return None if total else "try fewer or other words, or grep with a regular expression"
