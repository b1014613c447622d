"""One call: an agent's words to a tool's answer. No call ends in an exception of ours."""

from __future__ import annotations

import time
from dataclasses import replace

from tui.agents.answer import Answer, Failure, ToolError, failure
from tui.agents.desk import SECONDS, Desk
from tui.agents.parameters import decoded
from tui.agents.registry import allowed, named
from tui.agents.tool import Tool
from tui.errors import RedlineError
from tui.text import visible


def call(desk: Desk, name: str, arguments: object) -> Answer | Failure:
    """`arguments` are what JSON gives; whatever they are, the answer says what was done or what is wrong."""
    try:
        tool = named(name)
        _check_granted(desk, tool)
        given = decoded(tool.parameters, arguments)
        task = tool.execution_summary(given)
        return tool.run(replace(desk, task=task, ends=time.monotonic() + SECONDS), given)
    except RedlineError as error:
        return failure(error)
    except OSError as error:
        what = f"{error.filename or ''}: {error.strerror or error}".lstrip(": ")
        return Failure("IO_ERROR", visible(what).lower(), "see that it can be read, and call again")
    except (MemoryError, RecursionError):
        return Failure("IO_ERROR", "that took more memory than there is", "ask for less at once")


def _check_granted(desk: Desk, tool: Tool) -> None:
    if not allowed(tool, desk.granted):
        granted = ", ".join(sorted(desk.granted)) or "nothing"
        raise ToolError(
            "PERMISSION_DENIED",
            f"{tool.name} needs {' and '.join(tool.permissions)}; granted here is {granted}",
            "do without it, or ask the person to grant it (allow in the [agents] settings, or --allow)",
        )
