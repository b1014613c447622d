"""`GrepContent`: text by regular expression (seed 000)."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tui.agents.answer import Answer, whole
from tui.agents.desk import Desk
from tui.agents.dialects.errors import plainly
from tui.agents.hits import FileHits, Hit, collect
from tui.agents.kinds import Count, GlobText, PathText, Pattern
from tui.agents.scopes import compiled, scope_of
from tui.agents.tool import DIALECTS, Parameters, tool
from tui.search.globs import split_patterns
from tui.search.grep import Context
from tui.search.query import Case, Query
from tui.text import counted

DEPTH = 10


class GrepContentParameters(Parameters, frozen=True, rename="camel"):
    pattern: Annotated[Pattern, Meta(description="Regex search pattern.")]
    path: Annotated[PathText, Meta(description="Starting directory; the workspace root if not given.")] = "."
    file_pattern: Annotated[GlobText | None, Meta(description="Glob file filter, such as *.cs.")] = None
    ignore_case: Annotated[bool, Meta(description="Case-insensitive match.")] = False
    context_lines: Annotated[Count, Meta(description="Lines before and after each match.")] = 0
    before_lines: Annotated[Count, Meta(description="Lines before each match.")] = 0
    after_lines: Annotated[Count, Meta(description="Lines after each match.")] = 0
    files_only: Annotated[bool, Meta(description="Return only file names, no content.")] = False
    count_only: Annotated[bool, Meta(description="Return only match counts per file.")] = False
    invert_match: Annotated[bool, Meta(description="Show the lines that do not match.")] = False
    max_results: Annotated[int, Meta(ge=1, description="Max match results.")] = 100


class ContentMatch(msgspec.Struct, frozen=True):
    """`context` holds the lines around and the match itself, each behind its number; nothing where
    no lines around were asked for."""

    line: int
    content: str
    context: tuple[str, ...]


class ContentFile(msgspec.Struct, frozen=True, rename="camel"):
    """Without `matches` with filesOnly and countOnly, without `match_count` with filesOnly."""

    file: str
    matches: tuple[ContentMatch, ...] | UnsetType = UNSET
    match_count: int | UnsetType = UNSET


class GrepContentData(msgspec.Struct, frozen=True, rename="camel"):
    """The seed's object. Totals are exact also where the results are cut."""

    pattern: str
    path: str
    file_pattern: str | None
    results: tuple[ContentFile, ...]
    total_matches: int
    files_scanned: int
    truncated: bool


@tool(
    name="GrepContent",
    title="Search file content",
    description="Search content within text files, with full grep functionality.",
    category=DIALECTS,
    parameters=GrepContentParameters,
    returns=GrepContentData,
    summary="Search content for '{pattern}'",
    ends="Use terminate=false if the matches need further processing, terminate=true if they are the answer.",
    hints="`filePattern` without a slash matches at any depth. `filesOnly` and `countOnly` keep the answer"
    " short.",
    examples={
        "Find all TODO": {"pattern": "TODO"},
        "Find class definitions": {"pattern": r"public\s+class"},
        "Search only .cs files": {"pattern": "TODO", "filePattern": "*.cs"},
        "Case-insensitive": {"pattern": "error", "ignoreCase": True},
        "Show 2 lines of context": {"pattern": "function", "contextLines": 2},
        "Only list matching files": {"pattern": "import", "filesOnly": True},
        "Return match counts only": {"pattern": "TODO", "countOnly": True},
        "Find non-empty lines": {"pattern": "^$", "invertMatch": True},
    },
    tags=("search", "content"),
    seeds=("000",),
)
@plainly
def grep_content(desk: Desk, given: GrepContentParameters) -> Answer:
    case = Case.INSENSITIVE if given.ignore_case else Case.SENSITIVE
    matcher = compiled(Query(given.pattern, case=case, invert=given.invert_match))
    scope = scope_of(desk, given.path, split_patterns(given.file_pattern or ""), max_depth=DEPTH)
    desk.workspace.check_directory(scope.path)
    context = Context(given.before_lines or given.context_lines, given.after_lines or given.context_lines)
    only_files = given.files_only or given.count_only
    hits = collect(desk, matcher, scope, given.max_results, context, only_files=only_files)
    data = GrepContentData(
        given.pattern,
        given.path,
        given.file_pattern,
        tuple(_file(file, given, bool(context)) for file in hits.files),
        hits.total_matches,
        hits.scanned,
        hits.truncated,
    )
    message = (
        f"Found {counted(hits.total_matches, 'match', 'matches')} in {counted(hits.total_files, 'file')}"
    )
    return Answer(
        message, json.dumps(whole(msgspec.to_builtins(data)), ensure_ascii=False), data, hits.warnings
    )


def _file(file: FileHits, given: GrepContentParameters, context: bool) -> ContentFile:
    if given.files_only:
        return ContentFile(file.file)
    if given.count_only:
        return ContentFile(file.file, match_count=file.count)
    return ContentFile(file.file, tuple(_match(hit, context) for hit in file.hits), file.count)


def _match(hit: Hit, context: bool) -> ContentMatch:
    rows = enumerate([*hit.before, hit.content, *hit.after], hit.line - len(hit.before))
    return ContentMatch(
        hit.line, hit.content, tuple(f"{number}: {text}" for number, text in rows) if context else ()
    )
