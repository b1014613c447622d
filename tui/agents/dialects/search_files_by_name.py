"""`search-files`: files by glob pattern (seed 001)."""

from __future__ import annotations

import posixpath
from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.kinds import Exclusions, GlobText, PathText
from tui.agents.listing import listed
from tui.agents.room import CHARACTERS as ROOM
from tui.agents.room import fitting
from tui.agents.scopes import scope_of
from tui.agents.tool import DIALECTS, Parameters, tool
from tui.errors import NotADirectoryInWorkspaceError, NotFoundError
from tui.search.globs import Reading
from tui.text import visible

MOST_FILES = 1000
CHARACTERS = 2 * ROOM
"""Room for that many paths of common length, for those who ask for them."""


class SearchFilesParameters(Parameters, frozen=True):
    pattern: Annotated[GlobText, Meta(description="Glob pattern to match (e.g., '**/*.cs').")]
    path: Annotated[PathText, Meta(description="Starting directory (default: workspace root).")] = "."
    exclude: Annotated[
        Exclusions | None,
        Meta(description="Patterns to exclude (e.g., ['**/tests/**']), besides the default ones."),
    ] = None
    max_results: Annotated[
        int, Meta(ge=1, le=MOST_FILES, description="Maximum results to return (default: 100).")
    ] = 100
    include_hidden: Annotated[bool, Meta(description="Include hidden files (default: false).")] = False


class SearchedFile(msgspec.Struct, frozen=True):
    """`stem` is the name without its extension, `extension` has the dot."""

    path: str
    stem: str
    file_name: str
    extension: str
    directory: str


class SearchFilesData(msgspec.Struct, frozen=True):
    pattern: str
    path: str
    match_count: int
    total_matches: int
    was_truncated: bool
    percentage_returned: float
    files: tuple[SearchedFile, ...]


@tool(
    name="search-files",
    title="Search Files",
    description="Search for files by name pattern in the workspace. Supports glob patterns for flexible"
    " matching: *.cs (in this directory), **/*.cs (recursively), src/**/*.ts (under src/), **/test*.js.",
    category=DIALECTS,
    parameters=SearchFilesParameters,
    returns=SearchFilesData,
    summary="Search for files: {pattern}",
    ends="Use terminate=false if the files need further processing, terminate=true if the list is the"
    " answer.",
    hints="node_modules, bin, obj, .git, dist, build, .vs and __pycache__ are always left out; `exclude`"
    " adds to these. Paths are relative to the workspace root.",
    examples={
        "All C# files": {"pattern": "**/*.cs"},
        "TypeScript below src, no tests": {"pattern": "src/**/*.ts", "exclude": ["**/tests/**"]},
        "Hidden files too": {"pattern": "*", "include_hidden": True},
    },
    tags=("search", "files", "find", "glob"),
    seeds=("001",),
)
def search_files_by_name(desk: Desk, given: SearchFilesParameters) -> Answer:
    scope = scope_of(
        desk,
        given.path,
        [given.pattern],
        reading=Reading.ANCHORED,
        exclude=given.exclude or (),
        hidden=given.include_hidden,
    )
    try:
        desk.workspace.check_directory(scope.path)
    except (NotFoundError, NotADirectoryInWorkspaceError) as error:
        raise ToolError(
            error.code, f"Directory not found: {visible(given.path)}", error.hint, "path"
        ) from error
    listing = listed(desk, scope)
    found = listing.files
    shown = found[: given.max_results]
    shown = shown[: fitting(shown, CHARACTERS)]
    return Answer(
        _message(given, len(shown), len(found)),
        "\n".join(shown) or "(no files found)",
        _data(given, shown, len(found)),
        listing.warnings,
    )


def _message(given: SearchFilesParameters, shown: int, total: int) -> str:
    if shown < total:
        return f"Found {shown}+ files matching '{given.pattern}' (showing first {shown})"
    return f"Found {shown} files matching '{given.pattern}'"


def _data(given: SearchFilesParameters, shown: list[str], total: int) -> SearchFilesData:
    return SearchFilesData(
        given.pattern,
        given.path,
        len(shown),
        total,
        len(shown) < total,
        round(100 * len(shown) / total, 1) if total else 100.0,
        tuple(map(_file, shown)),
    )


def _file(path: str) -> SearchedFile:
    directory, name = posixpath.split(path)
    stem, dot, extension = name.rpartition(".")
    return SearchedFile(path, stem if dot else name, name, f".{extension}" if dot else "", directory)
