"""All tools there are: every `Tool` of every module in `tools/` and `dialects/`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from tui.agents import dialects, tools
from tui.agents.answer import ToolError
from tui.agents.tool import CATEGORIES, Tool
from tui.config import Permission
from tui.text import visible


@cache
def registry() -> dict[str, Tool]:
    """The tools by name, in the order of their categories."""
    found = sorted(_declared(), key=lambda tool: (CATEGORIES.index(tool.category), tool.name))
    return {tool.name: tool for tool in found}


def named(name: str) -> Tool:
    known = registry()
    if name in known:
        return known[name]
    close = get_close_matches(name, known, 1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    raise ToolError("UNKNOWN_TOOL", f"there is no tool '{visible(name)}'", hint)


def allowed(tool: Tool, granted: Collection[Permission]) -> bool:
    return set(tool.permissions) <= set(granted)


def _declared() -> Iterator[Tool]:
    for package in (tools, dialects):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            yield from (
                value for value in vars(import_module(module.name)).values() if isinstance(value, Tool)
            )
