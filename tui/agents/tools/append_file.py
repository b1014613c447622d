"""`append_file`: lines at the end of a file."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.files import read_text
from tui.agents.kinds import Content, FilePath
from tui.agents.proposing import EditData, propose, rewritten
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit import lines


class AppendFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to change, relative to the workspace root.")]
    content: Annotated[Content, Meta(description="The lines to add at its end.")]


@tool(
    name="append_file",
    title="Append to a file",
    description="Add lines at the end of a file. It is proposed, and written when a person has accepted it.",
    category=WRITING,
    permissions=(Permission.READ_FILES, Permission.WRITE_FILES),
    parameters=AppendFileParameters,
    returns=EditData,
    summary="Append to {path}",
    ends="Use terminate=true after a successful edit, and terminate=false if it has to be verified, or is"
    " still pending.",
    hints="The content begins on a line of its own and takes the file's own line ends.",
    examples={"An entry more": {"path": "CHANGELOG.md", "content": "- Fixed the retry delay.\n"}},
    tags=("edit", "append"),
    seeds=("002", "004"),
)
def append_file(desk: Desk, given: AppendFileParameters) -> Answer:
    file = read_text(desk, given.path)
    return propose(desk, rewritten(file, lines.append(file.data, given.content)))
