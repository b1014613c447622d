"""The tools presented: as JSON for programs, and as a text for a system prompt."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Any

from tui.agents.parameters import schema
from tui.agents.registry import allowed, registry
from tui.agents.tool import Category, Tool
from tui.config import Permission


def to_json(tool: Tool, granted: Collection[Permission]) -> dict[str, Any]:
    """All there is to know of a tool. `parameters` and `returns` are JSON schemas."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "category": tool.category.title,
        "parameters": schema(tool.parameters),
        "returns": schema(tool.returns),
        "required_permissions": list(tool.permissions),
        "granted": allowed(tool, granted),
        "requires_approval": tool.requires_approval,
        "risk_level": tool.risk.value,
        "tags": list(tool.tags),
        "termination_behavior_doc": tool.termination_behavior_doc,
        "custom_prompt": tool.custom_prompt,
        "seeds": list(tool.seeds),
    }


def prompt(granted: Collection[Permission]) -> str:
    """The tools that are granted, by category, ready for a system prompt."""
    usable = [tool for tool in registry().values() if allowed(tool, granted)]
    parts = [
        "# Tools",
        "All paths are relative to the workspace root and use `/`. Arguments are JSON objects.",
    ]
    for category, tools in groupby(usable, key=lambda tool: tool.category):
        parts.append(_category(category, list(tools)))
    return "\n\n".join(parts) + "\n"


def _category(category: Category, tools: list[Tool]) -> str:
    return "\n\n".join([f"## {category.title}\n\n{category.about}", *map(_tool, tools)])


def _tool(tool: Tool) -> str:
    approval = "requires approval" if tool.requires_approval else "no approval needed"
    return "\n".join(
        [
            f"### {tool.name}",
            tool.description,
            f"Permissions: {', '.join(tool.permissions)}; {approval}.",
            "Parameters:",
            *_parameters(schema(tool.parameters)),
            tool.custom_prompt,
            f"Ending the turn: {tool.termination_behavior_doc}",
        ]
    )


def _parameters(rules: dict[str, Any]) -> Iterator[str]:
    for name, rule in rules["properties"].items():
        needed = (
            "required"
            if name in rules.get("required", ())
            else f"default {json.dumps(rule.get('default'), ensure_ascii=False)}"
        )
        yield f"- {name} ({_type(rule)}, {needed}): {rule['description']}"


def _type(rule: dict[str, Any]) -> str:
    if "anyOf" in rule:
        return " or ".join(_type(choice) for choice in rule["anyOf"] if choice.get("type") != "null")
    if "enum" in rule:
        return "|".join(map(str, rule["enum"]))
    return f"list of {rule['items']['type']}" if rule["type"] == "array" else str(rule["type"])
