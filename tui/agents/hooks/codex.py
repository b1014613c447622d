"""Codex's apply_patch, as a tool or on a command line: what it is about to do."""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import NamedTuple

from tui.agents.hooks.events import Event, inside
from tui.agents.hooks.planned import Planned
from tui.errors import OutsideWorkspaceError, RedlineError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import incoming
from tui.text import visible
from tui.workspace import Workspace

_PATCH_KEYS = ("command", "input", "patch", "cmd")
_BEGIN = "*** Begin Patch"
_NAMES = ("apply_patch", "applypatch")
_HEREDOC = re.compile(
    r"\s*(?:cd\s+(?P<directory>'[^'\n]+'|\"[^\"\n]+\"|[^\s;&|<>\"'$`]+)\s*&&\s*)?(?:apply_patch|applypatch)\s*"
    r"<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)[ \t]*\n(?P<patch>.*?)\n[ \t]*(?P=end)\s*",
    re.DOTALL,
)
_NAMED = re.compile(r"(?m)^(\*\*\* (?:Add File|Update File|Delete File|Move to): )([^\r\n]+)")


class SplitPatchError(RedlineError):
    """A patch that is ours only in part: what is in the workspace has to be reviewed, the rest cannot be."""

    code = "OUTSIDE_WORKSPACE"


class _Patch(NamedTuple):
    """The text, and the directory that its paths count from, relative to where the agent works."""

    text: str
    directory: str = ""


def planned(workspace: Workspace, event: Event) -> Planned | None:
    """The plan of the patch; None where the event holds none. OutsideWorkspaceError for one that is about
    other places, SplitPatchError for one that is about both, PatchError where it does not fit."""
    patch = _patch(event)
    if patch is None:
        return None
    text = _with_workspace_paths(workspace, event, patch)
    found = incoming(workspace, text.encode(), format=Format.APPLY_PATCH)
    return Planned(found.plan, found.originals, found.notes)


def _patch(event: Event) -> _Patch | None:
    patch = _given(event)
    return patch if patch and _BEGIN in patch.text else None


def _given(event: Event) -> _Patch | None:
    given = next((event.tool_input[key] for key in _PATCH_KEYS if key in event.tool_input), None)
    if event.tool_name == "apply_patch" and isinstance(given, str) and given.lstrip().startswith(_BEGIN):
        return _Patch(given)
    if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
        if given[0] in _NAMES and len(given) == 2:
            return _Patch(given[1])
        given = given[-1]  # bash -lc 'apply_patch ...'
    return _on_command_line(given) if isinstance(given, str) else None


def _on_command_line(command: str) -> _Patch | None:
    """A patch that is all that the command does; whatever else a shell can do is no edit that we know."""
    heredoc = _HEREDOC.fullmatch(command)
    if heredoc and heredoc["end"] not in map(str.strip, heredoc["patch"].split("\n")):
        return _Patch(heredoc["patch"], (heredoc["directory"] or "").strip("'\""))
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return _Patch(words[1]) if len(words) == 2 and words[0] in _NAMES else None


def _with_workspace_paths(workspace: Workspace, event: Event, patch: _Patch) -> str:
    """The patch with its paths as the workspace has them: in Codex they count from where it works."""
    elsewhere: list[str] = []
    ours = 0

    def named(header: re.Match[str]) -> str:
        nonlocal ours
        path = header[2].strip()
        try:
            found = inside(workspace, event, posixpath.join(patch.directory, path))
        except OutsideWorkspaceError:
            elsewhere.append(path)
            return header[0]
        ours += 1
        return header[1] + (found or ".")

    text = _NAMED.sub(named, patch.text)
    if elsewhere and ours:
        raise SplitPatchError(
            f"it is about files of the workspace and about {visible(elsewhere[0])}, which is not in it",
            "make two patches of it",
        )
    return text
