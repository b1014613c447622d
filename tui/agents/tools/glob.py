"""`glob`: files by pattern."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.kinds import Exclusions, GlobText, PathText
from tui.agents.listing import listed
from tui.agents.room import MOST_RESULTS, fitting
from tui.agents.scopes import scope_of
from tui.agents.tool import SEARCH, Parameters, tool
from tui.search.globs import Reading, compile_name_regex, split_patterns
from tui.text import counted, visible
from tui.workspace import Workspace


class GlobParameters(Parameters, frozen=True):
    pattern: Annotated[
        GlobText,
        Meta(
            description="Glob such as **/*.tsx; *.py is this directory only. A list, separated by spaces or"
            " commas, may hold !patterns to leave out. With mode regex, a regular expression for the name.",
        ),
    ]
    path: Annotated[
        PathText, Meta(description="Directory to start from, relative to the workspace root.")
    ] = "."
    exclude: Annotated[
        Exclusions, Meta(description="Leave these out: globs; a bare name counts at any depth.")
    ] = ()
    mode: Annotated[Literal["glob", "regex"], Meta(description="How the pattern is read.")] = "glob"
    include_hidden: Annotated[bool, Meta(description="Also files whose names begin with a dot.")] = False
    sort: Annotated[
        Literal["path", "mtime"], Meta(description="Alphabetically, or the last changed first.")
    ] = "path"
    max_results: Annotated[
        int, Meta(ge=1, description=f"At most so many files; {MOST_RESULTS} is the most.")
    ] = 100
    max_depth: Annotated[int, Meta(ge=0, description="Directories deep; 0 for all of them.")] = 10


class GlobData(msgspec.Struct, frozen=True):
    """`count` is how many are in `files`, `total_files` how many there are."""

    pattern: str
    mode: str
    path: str
    files: tuple[str, ...]
    count: int
    total_files: int
    truncated: bool
    suggestion: str | None


@tool(
    name="glob",
    title="Find files by pattern",
    description="Find files by glob pattern or by a regular expression for their names. Answers with paths"
    " relative to the workspace root, sorted.",
    category=SEARCH,
    parameters=GlobParameters,
    returns=GlobData,
    summary="Find files that match '{pattern}' in {path}",
    ends="Use terminate=false if the files need further processing, such as reading or searching them."
    " Use terminate=true if the list is what the user asked for.",
    hints="`*.py` matches in `path` only, `**/*.py` at any depth; {a,b} and [abc] work. node_modules, dist,"
    " build and the like are always left out, and so is what git ignores; `exclude` leaves out more.",
    examples={
        "All TypeScript React files": {"pattern": "**/*.tsx"},
        "Test files below src": {"pattern": "src/**/*.test.ts"},
        "Without some directories": {"pattern": "**/*.js", "exclude": ["vendor", "fixtures"]},
        "By regular expression": {"pattern": "(?i)^readme", "mode": "regex"},
        "What changed last": {"pattern": "**/*", "sort": "mtime", "max_results": 10},
    },
    tags=("search", "files", "glob"),
    seeds=("002", "004"),
)
def glob(desk: Desk, given: GlobParameters) -> Answer:
    as_regex = given.mode == "regex"
    scope = scope_of(
        desk,
        given.path,
        [] if as_regex else split_patterns(given.pattern),
        reading=Reading.ANCHORED,
        exclude=given.exclude,
        hidden=given.include_hidden,
        max_depth=given.max_depth,
    )
    test = compile_name_regex(given.pattern) if as_regex else None
    desk.workspace.check_directory(scope.path)
    listing = listed(desk, scope, test)
    found = listing.files
    if given.sort == "mtime":
        found.sort(key=lambda path: -_changed(desk.workspace, path))
    files = tuple(found[: min(given.max_results, MOST_RESULTS)])
    files = files[: fitting(files)]
    truncated = len(files) < len(found) or listing.stopped
    data = GlobData(
        given.pattern,
        given.mode,
        scope.path or ".",
        files,
        len(files),
        len(found),
        truncated,
        _suggestion(given, len(found), len(files)),
    )
    warnings = listing.warnings
    message = _message(given, len(found), len(files))
    output = "\n".join([*(files or [message]), *filter(None, [data.suggestion]), *warnings])
    return Answer(message, output, data, warnings)


def _changed(workspace: Workspace, path: str) -> int:
    """When the file was last changed; long ago if it is gone by now."""
    try:
        return workspace.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _message(given: GlobParameters, total: int, shown: int) -> str:
    if not total:
        return f"No files match '{visible(given.pattern)}'"
    return f"Found {counted(total, 'file')}{f', showing the first {shown}' if shown < total else ''}"


def _suggestion(given: GlobParameters, total: int, shown: int) -> str | None:
    if shown < total:
        found = f"{counted(total, 'file')} match, {shown} shown"
        return f"{found}; narrow the pattern, or start further down with path"
    if total:
        return None
    if "/" not in given.pattern and given.mode == "glob":
        return f"try **/{visible(given.pattern)}, which looks at any depth"
    return None if given.include_hidden else "try include_hidden true, or a wider pattern"
