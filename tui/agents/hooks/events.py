"""The events that agents tell their hooks: a tool is about to be used.

Claude Code and Codex write them alike: one JSON object with the tool's name, its input, the directory that
the agent works in and its session. Nothing in an event decides anything.
"""

from __future__ import annotations

import os
import posixpath
from typing import Any, TypeVar

import msgspec

from tui.errors import OutsideWorkspaceError, RedlineError
from tui.search.gitfiles import directories_above
from tui.text import visible
from tui.workspace import Workspace

EDITING = {
    "claude": frozenset(["Edit", "Write", "MultiEdit", "NotebookEdit"]),
    "codex": frozenset(["apply_patch"]),
}
"""The tools of each agent that change files."""

_SHELLS = frozenset(["Bash", "shell", "local_shell", "exec_command"])
_PATCHING = ("apply_patch", "applypatch")
_BEFORE_USE = "PreToolUse"

Input = TypeVar("Input", bound=msgspec.Struct)


class BrokenEventError(RedlineError):
    """An event that says nothing that could be understood. It is the agent's business, not ours."""

    code = "INVALID_ARGUMENT"


class Event(msgspec.Struct, frozen=True):
    """A tool that is about to be used. `tool_input` has the tool's own parameters."""

    hook_event_name: str
    tool_name: str
    tool_input: dict[str, Any]
    cwd: str = ""
    session_id: str = ""

    def given(self, kind: type[Input]) -> Input:
        """The tool's input as it should be; BrokenEventError where it is not."""
        return _converted(self.tool_input, kind, f"the input of {visible(self.tool_name)}")

    @property
    def directory(self) -> str:
        """Where the agent works, as an absolute path."""
        return os.path.abspath(self.cwd or ".")

    @property
    def root(self) -> str:
        """The workspace: the repository that the agent works in, or just its directory."""
        above = directories_above(self.directory)
        return above[0] if above else self.directory


def read(raw: bytes) -> Event | None:
    """The tool that is about to be used; None for an event of another kind."""
    try:
        value = msgspec.json.decode(raw)
    except msgspec.MsgspecError as error:
        raise BrokenEventError(f"the event is not JSON: {visible(str(error))}") from error
    except RecursionError as error:
        raise BrokenEventError("the event is nested too deeply") from error
    if isinstance(value, dict) and value.get("hook_event_name", _BEFORE_USE) != _BEFORE_USE:
        return None
    return _converted(value, Event, "the event")


def may_edit(agent: str, event: Event) -> bool:
    """Whether to look closer. Codex also patches by way of a shell."""
    if event.tool_name in EDITING[agent]:
        return True
    if agent != "codex" or event.tool_name not in _SHELLS:
        return False
    command = str(event.tool_input)
    return any(name in command for name in _PATCHING)


def inside(workspace: Workspace, event: Event, path: str) -> str:
    """The workspace path of a file that the agent names; OutsideWorkspaceError for one elsewhere. A name that
    leads here by way of links counts as what it leads to."""
    named = posixpath.join(event.directory, path)
    try:
        return workspace.relative(named)
    except OutsideWorkspaceError:
        directory, name = posixpath.split(named)
        return workspace.relative(posixpath.join(os.path.realpath(directory), name))


def _converted(value: Any, kind: type[Input], what: str) -> Input:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BrokenEventError(f"{what} is not as expected: {visible(str(error))}") from error
