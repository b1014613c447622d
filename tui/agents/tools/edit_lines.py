"""`edit_lines`: insert, delete or replace lines by number."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.files import check_text_only, read_text
from tui.agents.kinds import Content, FilePath
from tui.agents.proposing import EditData, preview, propose, rewritten
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit import lines
from tui.edit.plan import Splice
from tui.search.decoding import split_lines


class EditLinesParameters(Parameters, frozen=True):
    condition = {  # noqa: RUF012 - a constant of the class
        "if": {"properties": {"operation": {"enum": ["insert", "replace"]}}},
        "then": {"required": ["content"], "properties": {"content": {"type": "string"}}},
    }

    path: Annotated[FilePath, Meta(description="File to change, relative to the workspace root.")]
    operation: Annotated[
        Literal["insert", "delete", "replace"],
        Meta(description="Insert after start_line, delete start_line to end_line, or replace these."),
    ]
    start_line: Annotated[
        int, Meta(ge=0, description="First line, counted from 1; insert comes after it, 0 is the top.")
    ]
    end_line: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Last line to delete or replace; without it, start_line alone."),
    ] = None
    content: Annotated[Content | None, Meta(description="The new lines; needed for insert and replace.")] = (
        None
    )
    preview_only: Annotated[bool, Meta(description="Only show the diff; propose nothing.")] = False

    def __post_init__(self) -> None:
        if self.content is None and self.operation != "delete":
            raise ToolError(
                "REQUIRED", f"content is required to {self.operation} lines", "give the new lines", "content"
            )


@tool(
    name="edit_lines",
    title="Edit lines of a file",
    description="Insert, delete or replace lines of a file by number. Answers with the diff and the new"
    " number of lines. The change is proposed, and written when a person has accepted it.",
    category=WRITING,
    permissions=(Permission.READ_FILES, Permission.WRITE_FILES),
    parameters=EditLinesParameters,
    returns=EditData,
    summary="Edit lines of {path}: {operation} at {start_line}",
    ends="Use preview mode first (preview_only true) if the line numbers are not fresh. Use terminate=true"
    " after a successful edit, and terminate=false if it has to be verified, or is still pending.",
    hints="Line numbers are those of read_file and grep, as the file is now: after an edit was applied, read"
    " again. New lines take the file's own line ends. `preview_only` shows the diff and asks no one.",
    examples={
        "Insert after line 10": {
            "path": "src/main.rs",
            "operation": "insert",
            "start_line": 10,
            "content": "use std::fs;",
        },
        "Delete lines 5 to 8": {"path": "src/main.rs", "operation": "delete", "start_line": 5, "end_line": 8},
        "Replace lines 10 to 15": {
            "path": "src/main.rs",
            "operation": "replace",
            "start_line": 10,
            "end_line": 15,
            "content": "fn main() {\n    run();\n}",
        },
    },
    tags=("edit", "lines"),
    seeds=("002", "004"),
)
def edit_lines(desk: Desk, given: EditLinesParameters) -> Answer:
    file = read_text(desk, given.path)
    if given.operation == "replace":
        last = given.start_line if given.end_line is None else given.end_line
        check_text_only(file.path, "\n".join(split_lines(file.text)[max(0, given.start_line - 1) : last]))
    change = rewritten(file, _splices(given, file.data, given.content or ""))
    return preview(change) if given.preview_only else propose(desk, change)


def _splices(given: EditLinesParameters, data: bytes, content: str) -> tuple[Splice, ...]:
    first = given.start_line
    last = first if given.end_line is None else given.end_line
    if given.operation == "insert":
        return lines.insert_after(data, first, content)
    if given.operation == "delete":
        return lines.delete_lines(data, first, last)
    return lines.replace_lines(data, first, last, content)
