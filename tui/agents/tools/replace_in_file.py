"""`replace_in_file`: find and replace in one file."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.files import LARGEST, TextFile, read_text
from tui.agents.kinds import FilePath, Pattern
from tui.agents.kinds import Replacement as ReplacementText
from tui.agents.proposing import Change, EditData, preview, propose
from tui.agents.scopes import compiled
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit.plan import modify
from tui.edit.replace import Edit, Replacement, compile_replacement, edits
from tui.edit.template import BadReplacement
from tui.errors import InvalidRegexError, TooLargeError
from tui.search.files import SECONDS_PER_FILE
from tui.search.query import Case, Query
from tui.search.timelimit import TimeLimit, TimeLimitError
from tui.text import counted, visible


class ReplaceInFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to change, relative to the workspace root.")]
    find: Annotated[
        Pattern,
        Meta(
            description="What to find: plain text, which may span lines, or a regular expression.",
        ),
    ]
    replace: Annotated[
        ReplacementText,
        Meta(description=r"What takes its place; with is_regex, \1 \g<name> $1 ${name} stand for groups."),
    ]
    is_regex: Annotated[bool, Meta(description="Whether find is a regular expression.")] = False
    case_sensitive: Annotated[bool, Meta(description="Whether upper and lower case differ.")] = True
    preview_only: Annotated[bool, Meta(description="Only show the diff; propose nothing.")] = False


@tool(
    name="replace_in_file",
    title="Replace text in a file",
    description="Replace all occurrences of a text or regular expression in one file. The change is proposed,"
    " with its diff, and written when a person has accepted it.",
    category=WRITING,
    permissions=(Permission.READ_FILES, Permission.WRITE_FILES),
    parameters=ReplaceInFileParameters,
    returns=EditData,
    summary="Replace '{find}' by '{replace}' in {path}",
    ends="Use preview mode first (preview_only true) to see that the diff is what you mean. Use"
    " terminate=true after a successful edit, and terminate=false if it has to be verified, or is still"
    " pending.",
    hints="All occurrences are replaced, so give enough of the text around to mean just the ones you want."
    " `preview_only` shows the diff and asks no one. `is_regex` takes a regular expression, line by line"
    r" unless it has a \n in it; a dollar is written $$ in its replacement. No occurrence is no error: 0"
    r" replacements.",
    examples={
        "See what would change": {
            "path": "src/app.ts",
            "find": "oldText",
            "replace": "newText",
            "preview_only": True,
        },
        "Propose it": {"path": "src/app.ts", "find": "oldText", "replace": "newText"},
        "With capture groups": {
            "path": "src/app.ts",
            "find": r"get(\w+)\(\)",
            "replace": r"fetch\1()",
            "is_regex": True,
        },
    },
    tags=("edit", "replace", "regex"),
    seeds=("002", "004"),
)
def replace_in_file(desk: Desk, given: ReplaceInFileParameters) -> Answer:
    replacement = _replacement(given)
    file = read_text(desk, given.path)
    found = [edit for edit in _edits(file, replacement) if edit.old != edit.new]
    edit = modify(file.path, file.data, file.mode, [edit.splice for edit in found])
    count = len(found)
    said = f"{counted(count, 'replacement')} in {visible(file.path)}"
    change = Change(file.path, edit, file.data, said, replacements=count)
    return preview(change) if given.preview_only else propose(desk, change)


def _replacement(given: ReplaceInFileParameters) -> Replacement:
    across_lines = "\n" in given.find or (given.is_regex and r"\n" in given.find)
    query = Query(
        given.find,
        literal=not given.is_regex,
        case=Case.SENSITIVE if given.case_sensitive else Case.INSENSITIVE,
        multiline=across_lines,
    )
    replacement = compile_replacement(given.replace, compiled(query))
    if isinstance(replacement, BadReplacement):
        where = "" if replacement.position is None else f" at position {replacement.position}"
        raise ToolError(
            "INVALID_ARGUMENT", f"replace{where}: {replacement.message}", replacement.hint, "replace"
        )
    return replacement


def _edits(file: TextFile, replacement: Replacement) -> list[Edit]:
    limit = TimeLimit(SECONDS_PER_FILE)
    try:
        with limit.installed(), limit:
            return edits(file.data, replacement, limit.engine_timeout, LARGEST)
    except TimeLimitError:
        told = f"the replacement took longer than {SECONDS_PER_FILE:g} s on {visible(file.path)}"
        if replacement.matcher.query.literal:
            raise TooLargeError(
                told, "replace fewer occurrences, by finding more of the text around"
            ) from None
        raise InvalidRegexError(told, "simplify the pattern, or find the text literally") from None
