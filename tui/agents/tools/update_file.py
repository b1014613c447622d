"""`update_file`: a file's whole content anew."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.files import check_text_only, read_text
from tui.agents.kinds import Content, FilePath
from tui.agents.proposing import EditData, propose, rewritten
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit import lines


class UpdateFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to change, relative to the workspace root.")]
    content: Annotated[Content, Meta(description="Its whole new content.")]


@tool(
    name="update_file",
    title="Rewrite a file",
    description="Give a file a whole new content. Lines that stay the same keep their bytes, so the diff"
    " shows only what differs. It is proposed, and written when a person has accepted it.",
    category=WRITING,
    permissions=(Permission.READ_FILES, Permission.WRITE_FILES),
    parameters=UpdateFileParameters,
    returns=EditData,
    summary="Rewrite {path}",
    ends="Use terminate=true after a successful edit, and terminate=false if it has to be verified, or is"
    " still pending.",
    hints="Needs the complete content: what is missing from it is deleted. For small changes use"
    " replace_in_file or edit_lines. Encoding and line ends of the file are kept.",
    examples={"A short file anew": {"path": ".editorconfig", "content": "root = true\n"}},
    tags=("edit", "update"),
    seeds=("002", "004"),
)
def update_file(desk: Desk, given: UpdateFileParameters) -> Answer:
    file = read_text(desk, given.path)
    check_text_only(file.path, file.text)
    return propose(desk, rewritten(file, lines.update(file.data, given.content)))
