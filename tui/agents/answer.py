"""What an agent gets back: an answer or a failure, as one JSON object.

`output` is the text that a model reads, `data` the same as a structure. Both are bounded, so that no
call floods a context window, and both are whole characters, whatever bytes the files hold.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tui.errors import OutsideWorkspaceError, RedlineError
from tui.text import whole_characters


class Answer(msgspec.Struct, frozen=True):
    """A call that did what it says. `warnings` tell what was left out of it, and why."""

    message: str
    output: str
    data: msgspec.Struct
    warnings: tuple[str, ...] = ()


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that could not be carried out: what is wrong, with which parameter, and the way out."""

    code: str
    message: str
    suggestion: str
    parameter: str | None = None


class ToolError(RedlineError):
    """A failure that is about the call itself rather than about a file."""

    def __init__(self, code: str, message: str, hint: str, parameter: str | None = None) -> None:
        super().__init__(message, hint)
        self.code = code
        self.parameter = parameter


_WAYS_OUT = {
    "OUTSIDE_WORKSPACE": "give a path below the workspace root, such as src/main.py",
    "NOT_FOUND": "find it with glob or list_directory",
    "NOT_A_DIRECTORY": "give the directory that it is in",
    "INVALID_ARGUMENT": "name a regular file of the workspace",
}


def failure(error: RedlineError) -> Failure:
    """Hints for people name commands that an agent cannot use; it gets a way out of its own."""
    parameter = error.parameter if isinstance(error, ToolError) else None
    hint = "" if isinstance(error, OutsideWorkspaceError) else error.hint
    return Failure(error.code, error.message, hint or _WAYS_OUT.get(error.code, ""), parameter)


def to_json(name: str, result: Answer | Failure) -> dict[str, Any]:
    """The object that every way of calling a tool hands out."""
    body = whole(msgspec.to_builtins(result))
    if isinstance(result, Failure):
        return {"ok": False, "tool": whole_characters(name), "error": body}
    return {"ok": True, "tool": name, **body}


def whole(value: Any) -> Any:
    """The value with every text in it as JSON can hold it."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, dict):
        return {whole_characters(key): whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list | tuple) else value
