"""`delete_file`: a file removed."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.files import read_any
from tui.agents.kinds import FilePath
from tui.agents.proposing import Change, EditData, propose
from tui.agents.tool import MANAGEMENT, Parameters, tool
from tui.config import Permission
from tui.edit.plan import delete
from tui.text import visible


class DeleteFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to delete, relative to the workspace root.")]


@tool(
    name="delete_file",
    title="Delete a file",
    description="Delete a file. It stays until a person has agreed, and the person can bring it back"
    " afterwards.",
    category=MANAGEMENT,
    permissions=(Permission.DELETE_FILES,),
    parameters=DeleteFileParameters,
    returns=EditData,
    summary="Delete {path}",
    ends="Use terminate=true after the file was deleted, and terminate=false if the proposal is still"
    " pending.",
    hints="Files only, one at a time. See with grep that nothing refers to it any more.",
    examples={"A file that is no longer used": {"path": "src/legacy/old_parser.py"}},
    tags=("delete",),
    seeds=("002", "004"),
)
def delete_file(desk: Desk, given: DeleteFileParameters) -> Answer:
    file = read_any(desk, given.path)
    edit = delete(file.path, file.data, file.mode)
    return propose(desk, Change(file.path, edit, file.data, f"{visible(file.path)}, to be deleted"))
