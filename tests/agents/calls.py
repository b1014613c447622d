"""Tools called as an agent calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tui.agents.answer import to_json
from tui.agents.call import call
from tui.agents.desk import Desk
from tui.workspace import Workspace


def answered(root: Path, name: str, arguments: object = None, /, **given: Any) -> dict[str, Any]:
    """The whole JSON object, in this process. Arguments by keyword, or one value of any kind."""
    with Workspace(root) as workspace:
        return to_json(name, call(Desk(workspace), name, given if arguments is None else arguments))


def done(root: Path, name: str, /, **given: Any) -> dict[str, Any]:
    """The same for a call that must succeed."""
    answer = answered(root, name, given)
    assert answer["ok"], answer
    return answer


def refused(root: Path, name: str, /, **given: Any) -> dict[str, Any]:
    """The error of a call that must fail."""
    answer = answered(root, name, given)
    assert not answer["ok"], answer
    error: dict[str, Any] = answer["error"]
    return error
