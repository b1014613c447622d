"""`grep`: text by regular expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.hits import FileHits, Hit, Hits, collect
from tui.agents.kinds import Count, Exclusions, FileType, Globs, PathText, Pattern
from tui.agents.leftout import LeftOutFile
from tui.agents.room import MOST_RESULTS
from tui.agents.scopes import compiled, scope_of
from tui.agents.tool import SEARCH, Parameters, tool
from tui.search.grep import Context
from tui.search.query import Case, Query
from tui.search.walk import Scope
from tui.text import counted, visible


class GrepParameters(Parameters, frozen=True):
    pattern: Annotated[
        Pattern,
        Meta(description=r"What to find: a regular expression such as async fn.*execute or \bTODO\b."),
    ]
    path: Annotated[
        PathText, Meta(description="Directory or file to search, relative to the workspace root.")
    ] = "."
    case_sensitive: Annotated[bool, Meta(description="Whether upper and lower case differ.")] = True
    file_type: Annotated[
        FileType | None,
        Meta(description="Only files of this extension or type: rs, ts, py, rust, markdown ..."),
    ] = None
    include: Annotated[
        Globs, Meta(description="Only files that match one of these globs, at any depth.")
    ] = ()
    exclude: Annotated[
        Exclusions, Meta(description="Leave these out: globs; a bare name counts at any depth.")
    ] = ()
    literal: Annotated[bool, Meta(description="The pattern is plain text, not a regular expression.")] = False
    whole_word: Annotated[bool, Meta(description="Only whole words.")] = False
    multiline: Annotated[bool, Meta(description=r"The pattern may cross lines (\n matches a line end).")] = (
        False
    )
    before: Annotated[Count, Meta(description="Lines of context before each match.")] = 0
    after: Annotated[Count, Meta(description="Lines of context after each match.")] = 0
    context: Annotated[Count, Meta(description="Lines of context before and after each match.")] = 0
    files_only: Annotated[bool, Meta(description="Only the names of files with matches.")] = False
    count_only: Annotated[bool, Meta(description="Only the number of matches of each file.")] = False
    invert_match: Annotated[bool, Meta(description="The lines that do not match.")] = False
    include_hidden: Annotated[bool, Meta(description="Also files whose names begin with a dot.")] = False
    max_results: Annotated[
        int, Meta(ge=1, description=f"At most so many matches (or files); {MOST_RESULTS} is the most.")
    ] = 50
    max_depth: Annotated[int, Meta(ge=0, description="Directories deep; 0 for all of them.")] = 10


class GrepMatch(msgspec.Struct, frozen=True):
    """`line` and `column` count from 1; `spans` are columns of `content`, from 0."""

    line: int
    column: int
    content: str
    spans: tuple[tuple[int, int], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


class GrepFile(msgspec.Struct, frozen=True):
    file: str
    match_count: int
    matches: tuple[GrepMatch, ...]


class GrepData(msgspec.Struct, frozen=True):
    """Totals are exact also where the results are cut."""

    pattern: str
    path: str
    results: tuple[GrepFile, ...]
    total_matches: int
    total_files: int
    files_scanned: int
    truncated: bool
    skipped: tuple[LeftOutFile, ...]
    suggestion: str | None


@tool(
    name="grep",
    title="Search file contents",
    description="Search file contents with a regular expression. Answers with files, line numbers, matching"
    " lines and, if asked, the lines around them, sorted by path.",
    category=SEARCH,
    parameters=GrepParameters,
    returns=GrepData,
    summary="Search for '{pattern}' in {path}",
    ends="Use terminate=false if the matches need further processing: reading the files, or editing them."
    r" Use terminate=true if they are what the user asked for. Common patterns: \bname\b for a word,"
    r" ^import for the start of a line, TODO|FIXME for either, def\s+\w+_test for a kind of name.",
    hints="Searches regular expressions of Python's regex module, line by line. `literal` takes the pattern"
    " as plain text; `context` shows lines around; `file_type` and `include` narrow the files; `files_only`"
    " and `count_only` keep the answer short when there may be many matches. Totals are always exact.",
    examples={
        "Find where something is defined": {"pattern": r"async fn.*execute", "file_type": "rs"},
        "In any case, with the lines around": {"pattern": "todo", "case_sensitive": False, "context": 2},
        "Plain text below one directory": {"pattern": "foo(bar[0])", "literal": True, "path": "src"},
        "Which files import a module": {"pattern": r"^import os\b", "include": ["*.py"], "files_only": True},
    },
    tags=("search", "content", "regex"),
    seeds=("002", "004"),
)
def grep(desk: Desk, given: GrepParameters) -> Answer:
    query = Query(
        given.pattern,
        given.literal,
        Case.SENSITIVE if given.case_sensitive else Case.INSENSITIVE,
        given.whole_word,
        given.invert_match,
        given.multiline,
    )
    only_files = given.files_only or given.count_only
    context = Context(given.before or given.context, given.after or given.context)
    most = min(given.max_results, MOST_RESULTS)
    scope = _scope(desk, given)
    hits = collect(desk, compiled(query), scope, most, context, only_files=only_files)
    data = GrepData(
        given.pattern,
        scope.path or ".",
        tuple(GrepFile(file.file, file.count, tuple(map(_match, file.hits))) for file in hits.files),
        hits.total_matches,
        hits.total_files,
        hits.scanned,
        hits.truncated,
        hits.left_out.listed(),
        _suggestion(given, hits),
    )
    message = _message(given, hits, only_files)
    rows = list(_rows(given, hits)) or [message]
    output = "\n".join([*rows, *filter(None, [data.suggestion]), *hits.warnings])
    return Answer(message, output, data, hits.warnings)


def _scope(desk: Desk, given: GrepParameters) -> Scope:
    return scope_of(
        desk,
        given.path,
        given.include,
        file_type=given.file_type,
        exclude=given.exclude,
        hidden=given.include_hidden,
        max_depth=given.max_depth,
    )


def _match(hit: Hit) -> GrepMatch:
    return GrepMatch(hit.line, hit.column, hit.content, hit.spans, hit.before, hit.after)


def _message(given: GrepParameters, hits: Hits, only_files: bool) -> str:
    if not hits.total_matches:
        return f"No matches found for '{visible(given.pattern)}'"
    shown = counted(hits.shown, "file") if only_files else counted(hits.shown, "match", "matches")
    return f"Found {_totals(hits)}{f', showing the first {shown}' if hits.truncated else ''}"


def _totals(hits: Hits) -> str:
    return f"{counted(hits.total_matches, 'match', 'matches')} in {counted(hits.total_files, 'file')}"


def _suggestion(given: GrepParameters, hits: Hits) -> str | None:
    if not hits.total_matches:
        return _how_to_loosen(given)
    if not hits.truncated:
        return None
    narrow = [
        "file_type" if given.file_type is None else "",
        "a path" if given.path in ("", ".") else "a deeper path",
        "" if given.files_only or given.count_only else "files_only",
    ]
    return f"{_totals(hits)}, {hits.shown} shown; narrow with {' or '.join(filter(None, narrow))}"


def _how_to_loosen(given: GrepParameters) -> str | None:
    ways = [
        "case_sensitive false" if given.case_sensitive else "",
        "no whole_word" if given.whole_word else "",
        "no file_type" if given.file_type is not None else "",
        "no include" if given.include else "",
        "" if given.include_hidden else "include_hidden true",
    ]
    return f"try {', or '.join(filter(None, ways))}" if any(ways) else None


def _rows(given: GrepParameters, hits: Hits) -> Iterator[str]:
    """The results as a model reads them: a path, then its lines by number."""
    for file in hits.files:
        if given.files_only or given.count_only:
            yield f"{file.file}: {file.count}" if given.count_only else file.file
        else:
            yield file.file
            yield from _numbered(file)
            yield ""


def _numbered(file: FileHits) -> Iterator[str]:
    """Each line once: `12: ` matches, `13- ` is context."""
    matching = {hit.line + i for hit in file.hits for i in range(hit.content.count("\n") + 1)}
    told = 0
    for hit in file.hits:
        first = hit.line - len(hit.before)
        if told and first > told + 1:
            yield "--"
        rows = [*hit.before, *hit.content.split("\n"), *hit.after]
        for number, text in enumerate(rows, first):
            if number > told:
                yield f"{number}{':' if number in matching else '-'} {text}"
                told = number
