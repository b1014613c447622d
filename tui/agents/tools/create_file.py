"""`create_file`: a new file."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.kinds import Content, FilePath
from tui.agents.proposing import Change, EditData, propose
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit.layout import Layout
from tui.edit.places import Places
from tui.edit.plan import create
from tui.edit.verify import missing_directories
from tui.text import counted, visible
from tui.workspace import explain


class CreateFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to create, relative to the workspace root.")]
    content: Annotated[Content, Meta(description="Its whole content.")]


@tool(
    name="create_file",
    title="Create a file",
    description="Create a new file, with the directories it needs. It is proposed, and written when a person"
    " has accepted it.",
    category=WRITING,
    permissions=(Permission.CREATE_FILES,),
    parameters=CreateFileParameters,
    returns=EditData,
    summary="Create {path}",
    ends="Use terminate=true after the file was created, and terminate=false if it has to be verified, or is"
    " still pending.",
    hints="For a file that is not there yet; use update_file, replace_in_file or edit_lines for one that is.",
    examples={"A new module": {"path": "src/retry.py", "content": "ATTEMPTS = 3\n"}},
    tags=("edit", "create"),
    seeds=("002", "004"),
)
def create_file(desk: Desk, given: CreateFileParameters) -> Answer:
    path = desk.workspace.relative(given.path)
    if not path or given.path.endswith("/"):
        raise ToolError("INVALID_ARGUMENT", f"{visible(given.path)} names no file", "name the file", "path")
    _check_free(desk, path)
    data = given.content.encode()
    total = Layout(data).count
    said = f"{visible(path)}, new, with {counted(total, 'line')}"
    return propose(desk, Change(path, create(path, data), b"", said, total_lines=total))


def _check_free(desk: Desk, path: str) -> None:
    with Places(desk.workspace) as places:
        if (there := places.look(path)) is not None:
            raise ToolError(
                "INVALID_ARGUMENT",
                f"{visible(path)}: {there.described} is there already",
                "change it with update_file, replace_in_file or edit_lines, or choose another name",
                "path",
            )
        try:
            missing_directories(places, path)
        except OSError as error:
            explained = explain(error, path)
            explained.hint = "choose another directory"
            raise explained from error
