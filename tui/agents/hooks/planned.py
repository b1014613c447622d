"""What an agent is about to do, as a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tui.agents.files import TextFile
from tui.edit import lines
from tui.edit.plan import EditPlan, create, modify


class Planned(NamedTuple):
    """The plan, the bytes that it starts from, and what the person should know of it."""

    plan: EditPlan
    originals: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


def rewritten(file: TextFile, content: str, title: str) -> Planned | None:
    """A whole new content for a file; None where it is the old one."""
    edit = modify(file.path, file.data, file.mode, lines.update(file.data, content))
    return None if edit is None else Planned(EditPlan(title, (edit,)), {file.path: file.data})


def created(path: str, content: str, title: str) -> Planned:
    return Planned(EditPlan(title, (create(path, content.encode()),)), {})
