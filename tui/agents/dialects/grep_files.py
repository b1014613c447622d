"""`GrepFiles`: file names by glob or regular expression (seed 000)."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tui.agents.answer import Answer, whole
from tui.agents.desk import Desk
from tui.agents.dialects.errors import plainly
from tui.agents.kinds import GlobText, PathText
from tui.agents.listing import listed
from tui.agents.room import fitting
from tui.agents.scopes import scope_of
from tui.agents.tool import DIALECTS, Parameters, tool
from tui.search.globs import Reading, compile_name_regex
from tui.text import counted

MOST_FILES = 1000


class GrepFilesParameters(Parameters, frozen=True):
    pattern: Annotated[GlobText, Meta(description="Search pattern, such as *.cs or **/test*.py.")]
    mode: Annotated[Literal["glob", "regex"], Meta(description="How the pattern is read.")] = "glob"
    path: Annotated[PathText, Meta(description="Starting directory; the workspace root if not given.")] = "."
    max_depth: Annotated[int, Meta(ge=0, description="Directories deep; 0 for all of them.")] = msgspec.field(
        default=10, name="maxDepth"
    )


class GrepFilesData(msgspec.Struct, frozen=True):
    """The seed's object; the last two are there only where the list was cut, and `count` is then the
    number of all files."""

    pattern: str
    mode: str
    path: str
    files: tuple[str, ...]
    count: int
    truncated: bool | UnsetType = UNSET
    suggestion: str | UnsetType = UNSET


@tool(
    name="GrepFiles",
    title="Search file names",
    description="Search for files by glob pattern or regular expression in the workspace. A pattern without"
    " a slash matches at any depth.",
    category=DIALECTS,
    parameters=GrepFilesParameters,
    returns=GrepFilesData,
    summary="Search file names for '{pattern}'",
    ends="Use terminate=false if the files need further processing, terminate=true if the list is the"
    " answer.",
    hints="`mode` regex matches the file's name, or its path if the pattern has a slash in it.",
    examples={
        "Find all .cs files": {"pattern": "*.cs"},
        "Find all .py files starting with test": {"pattern": "**/test*.py"},
        "Case-insensitive match": {"pattern": "(?i)^readme", "mode": "regex"},
    },
    tags=("search", "files"),
    seeds=("000",),
)
@plainly
def grep_files(desk: Desk, given: GrepFilesParameters) -> Answer:
    as_regex = given.mode == "regex"
    anywhere = given.pattern if "/" in given.pattern else f"**/{given.pattern}"
    scope = scope_of(
        desk,
        given.path,
        [] if as_regex else [anywhere],
        reading=Reading.ANCHORED,
        hidden=not as_regex and _asks_for_hidden(given.pattern),
        max_depth=given.max_depth,
    )
    test = compile_name_regex(given.pattern) if as_regex else None
    desk.workspace.check_directory(scope.path)
    listing = listed(desk, scope, test)
    found = listing.files
    files = tuple(found[:MOST_FILES])
    data = _data(given, files[: fitting(files)], len(found))
    message = f"Found {counted(len(found), 'file')}"
    return Answer(
        message, json.dumps(whole(msgspec.to_builtins(data)), ensure_ascii=False), data, listing.warnings
    )


def _asks_for_hidden(pattern: str) -> bool:
    """As in a shell: a dot at the start of a name is matched when it is written out."""
    return any(part.startswith(".") and part not in (".", "..") for part in pattern.split("/"))


def _data(given: GrepFilesParameters, files: tuple[str, ...], total: int) -> GrepFilesData:
    data = GrepFilesData(given.pattern, given.mode, given.path, files, total)
    if len(files) == total:
        return data
    suggestion = f"{counted(total, 'file')} match, {len(files)} shown; narrow the pattern or the path"
    return msgspec.structs.replace(data, truncated=True, suggestion=suggestion)
