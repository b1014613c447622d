"""`search_files`: text across files of a single-level glob (seed 003)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.hits import Hits, collect
from tui.agents.kinds import GlobText, Pattern
from tui.agents.room import fitting
from tui.agents.scopes import compiled, scope_of
from tui.agents.tool import DIALECTS, Parameters, tool
from tui.errors import InvalidRegexError, NotADirectoryInWorkspaceError, NotFoundError
from tui.search.globs import Reading
from tui.search.query import Case, Query
from tui.search.skipped import Reason
from tui.text import counted, visible
from tui.workspace import join

_SPECIAL = set("*?[]{}!\\")


class SearchFilesParameters(Parameters, frozen=True):
    query: Annotated[Pattern, Meta(description="Text or regex to search for.")]
    pattern: Annotated[
        GlobText,
        Meta(
            description='Single-level glob (no "**") that limits the files, such as "src/*.rs" or "*.toml".'
            ' "*" is all files directly in the workspace root.',
        ),
    ] = "*"
    regex: Annotated[bool, Meta(description="Treat query as a regular expression.")] = False
    case_insensitive: Annotated[
        bool, Meta(description="Plain-text search only; ignored when regex is true.")
    ] = False
    max_results: Annotated[int, Meta(ge=1, description="Maximum number of matches to return.")] = 100


class SearchFilesData(msgspec.Struct, frozen=True):
    """`omitted` is how many matches more there are."""

    pattern: str
    query: str
    matches: tuple[str, ...]
    total_matches: int
    omitted: int


@tool(
    name="search_files",
    title="Search text in files",
    description="Search for a string or regular expression across files matching a glob pattern. Returns"
    " lines of the form path:line: text.",
    category=DIALECTS,
    parameters=SearchFilesParameters,
    returns=SearchFilesData,
    summary="Search for '{query}' in {pattern}",
    ends="Use terminate=false if the matches need further processing, terminate=true if they are the answer.",
    hints="The glob is single-level: src/*.rs looks into src, not below it. Answers `No matches found.` if"
    " there are none, and tells how many were omitted.",
    examples={
        "In any case, in the Rust files of src": {
            "query": "Result",
            "pattern": "src/*.rs",
            "case_insensitive": True,
        },
        "A regular expression": {"query": r"unsafe\s*\{", "pattern": "src/*.rs", "regex": True},
    },
    tags=("search", "content"),
    seeds=("003",),
)
def search_files_by_text(desk: Desk, given: SearchFilesParameters) -> Answer:
    if "**" in given.pattern:
        raise ToolError(
            "INVALID_GLOB",
            'Recursive patterns (**) are not allowed. Use a single‑level pattern like "src/*".',
            "use grep to search at any depth",
            "pattern",
        )
    hits = _searched(desk, given)
    rows = tuple(_rows(hits))
    rows = rows[: fitting(rows)]
    omitted = hits.total_matches - len(rows)
    data = SearchFilesData(given.pattern, given.query, rows, hits.total_matches, omitted)
    cut = [f"... (truncated, {omitted} more matches omitted)"] if omitted else []
    output = "\n".join([*rows, *cut]) or "No matches found."
    warnings = hits.warnings
    if not rows and given.pattern == "*":
        warnings += (
            'pattern "*" is the files directly in the workspace root; name a directory, as in "src/*"',
        )
    found = counted(hits.total_matches, "match", "matches")
    return Answer(f"Found {found}" if rows else "No matches found.", output, data, warnings)


def _searched(desk: Desk, given: SearchFilesParameters) -> Hits:
    ignores_case = given.case_insensitive and not given.regex
    query = Query(given.query, not given.regex, Case.INSENSITIVE if ignores_case else Case.SENSITIVE)
    try:
        matcher = compiled(query)
    except InvalidRegexError as error:
        raise ToolError(
            error.code,
            f"Invalid regex pattern: {visible(given.query)}",
            f"{error.message}; {error.hint}",
            "query",
        ) from error
    start, rest = _start(given.pattern)
    scope = scope_of(desk, start, [rest], reading=Reading.ANCHORED, max_depth=rest.count("/") + 1)
    try:
        hits = collect(desk, matcher, scope, given.max_results)
    except (NotFoundError, NotADirectoryInWorkspaceError):
        return Hits()
    hits.left_out.forget(Reason.TOO_DEEP)  # a single-level glob asks for no more
    return hits


def _start(pattern: str) -> tuple[str, str]:
    """The directory that the pattern names outright, and what is to be matched in it."""
    *parts, last = pattern.split("/")
    start = ""
    while parts and not _SPECIAL & set(parts[0]):
        start = join(start, parts.pop(0))
    return start or ".", "/".join([*parts, last])


def _rows(hits: Hits) -> Iterator[str]:
    for file in hits.files:
        for hit in file.hits:
            yield f"{file.file}:{hit.line}: {hit.content.rstrip()}"
