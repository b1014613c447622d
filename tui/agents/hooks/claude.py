"""Claude Code's own editing tools: what each is about to do."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.agents.desk import Desk
from tui.agents.files import check_text_only, read_text
from tui.agents.hooks.events import BrokenEventError, Event, inside
from tui.agents.hooks.notebooks import CellEdit, with_cell_edited
from tui.agents.hooks.planned import Planned, created, rewritten
from tui.errors import NotFoundError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import incoming
from tui.text import visible
from tui.workspace import Workspace


class Replacement(msgspec.Struct, frozen=True):
    """One text for another, as Claude writes it."""

    old_string: str
    new_string: str
    replace_all: bool = False


class EditInput(Replacement, frozen=True, kw_only=True):
    file_path: str


class MultiEditInput(msgspec.Struct, frozen=True):
    file_path: str
    edits: tuple[Replacement, ...]


class WriteInput(msgspec.Struct, frozen=True):
    file_path: str
    content: str


class NotebookEditInput(CellEdit, frozen=True, kw_only=True):
    notebook_path: str


def planned(workspace: Workspace, event: Event) -> Planned | None:
    """The plan of what the tool is about to do; None where it would change nothing. PatchError where the old
    text is not there, BinaryFileError and TooLargeError for files that cannot be reviewed, and others."""
    match event.tool_name:
        case "Edit":
            edit = event.given(EditInput)
            return _replaced(workspace, inside(workspace, event, edit.file_path), [edit])
        case "MultiEdit":
            edits = event.given(MultiEditInput)
            return _replaced(workspace, inside(workspace, event, edits.file_path), edits.edits)
        case "Write":
            write = event.given(WriteInput)
            return _written(workspace, inside(workspace, event, write.file_path), write.content)
        case "NotebookEdit":
            cell = event.given(NotebookEditInput)
            return _cell_edited(workspace, inside(workspace, event, cell.notebook_path), cell)
    raise BrokenEventError(f"{visible(event.tool_name)} is no tool that edits")


def _replaced(workspace: Workspace, path: str, edits: Sequence[Replacement]) -> Planned:
    """Each replacement starts from what the one before it left."""
    wanted = [
        {"old_string": edit.old_string, "new_string": edit.new_string, "replace_all": edit.replace_all}
        for edit in edits
    ]
    patch = msgspec.json.encode({"path": path, "edits": wanted})
    found = incoming(workspace, patch, format=Format.JSON_EDITS, title=f"Edit {visible(path)}")
    return Planned(found.plan, found.originals, found.notes)


def _written(workspace: Workspace, path: str, content: str) -> Planned | None:
    try:
        file = read_text(Desk(workspace), path)
    except NotFoundError:
        return created(path, content, f"Create {visible(path)}")
    check_text_only(file.path, file.text)
    return rewritten(file, content, f"Rewrite {visible(path)}")


def _cell_edited(workspace: Workspace, path: str, edit: CellEdit) -> Planned | None:
    file = read_text(Desk(workspace), path)
    check_text_only(file.path, file.text)
    return rewritten(file, with_cell_edited(file.text, edit), f"Edit a cell of {visible(path)}")
