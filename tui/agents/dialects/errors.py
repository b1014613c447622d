"""Errors in the words of seed 000."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.tool import Parameters
from tui.errors import (
    InvalidRegexError,
    NotADirectoryInWorkspaceError,
    NotFoundError,
    OutsideWorkspaceError,
    RedlineError,
)

Given = TypeVar("Given", bound=Parameters)


def plainly(run: Callable[[Desk, Given], Answer]) -> Callable[[Desk, Given], Answer]:
    """Errors that begin with `Error: `, three of them in set words."""

    @wraps(run)
    def told(desk: Desk, given: Given) -> Answer:
        try:
            return run(desk, given)
        except ToolError as error:
            raise ToolError(error.code, f"Error: {error.message}", error.hint, error.parameter) from error
        except RedlineError as error:
            raise ToolError(error.code, _words(error), error.hint) from error

    return told


def _words(error: RedlineError) -> str:
    if isinstance(error, InvalidRegexError):
        return f"Error: Invalid regex pattern: {error.message.removeprefix('invalid regex').lstrip(': ')}"
    if isinstance(error, NotFoundError | NotADirectoryInWorkspaceError):
        return "Error: Directory not found."
    if isinstance(error, OutsideWorkspaceError):
        return "Error: path must be under the workspace."
    return f"Error: {error.message}"
