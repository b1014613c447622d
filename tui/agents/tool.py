"""What a tool is: a function with typed parameters and everything an agent should know about it.

A tool is declared in one place, by `@tool(...)` over the function that does the work. Validation,
JSON schema, documentation, prompt and the wiring to the command line all come from that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.config import Permission
from tui.text import visible

SUMMARY_LENGTH = 30


class Category(NamedTuple):
    """Tools that belong together, as a system prompt presents them."""

    title: str
    about: str


SEARCH = Category(
    "Search & Discovery",
    "Find files by name and text by regular expression, and see what a directory holds. Read-only: these"
    " answer at once. What git ignores, hidden files and build directories are left out unless asked for.",
)
READING = Category(
    "File Reading",
    "Read files with line numbers. Read-only access: nothing is changed and nobody is asked.",
)
WRITING = Category(
    "File Writing",
    "Propose changes to files. Every change requires approval: it waits in the inbox until a person has"
    " reviewed it hunk by hunk, and only what was accepted is written.",
)
MANAGEMENT = Category(
    "File Management",
    "Remove files. Destructive operations: each requires approval, and the file stays until a person agrees.",
)
REVIEW = Category(
    "Review",
    "Follow what became of proposed changes. Read-only: nothing here approves anything.",
)
DIALECTS = Category(
    "Search Dialects",
    "The same search under names and parameters that other agents know. Prefer grep and glob.",
)
CATEGORIES = (SEARCH, READING, WRITING, MANAGEMENT, REVIEW, DIALECTS)


class Risk(StrEnum):
    """How much a call could harm if it were carried out unseen."""

    SAFE = "Safe"
    MODERATE = "Moderate"
    HIGH = "High"


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every tool's parameters: named, typed, and none but these."""

    condition: ClassVar[Mapping[str, Any]] = {}
    """What the schema must say besides, where one parameter depends on another."""


Given = TypeVar("Given", bound=Parameters)


class Example(NamedTuple):
    """A use of the tool, and the arguments that serve it."""

    use: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        return f"- {self.use}: `{json.dumps(self.arguments, ensure_ascii=False)}`"


@dataclass(frozen=True)
class Tool:
    """One tool. `summary` is a sentence about a call with parameters in braces; `seeds` are the
    founding documents whose tool this is; `hints` are what matters most among the options."""

    name: str
    title: str
    description: str
    category: Category
    permissions: Collection[Permission]
    parameters: type[Parameters]
    returns: type[msgspec.Struct]
    summary: str
    termination_behavior_doc: str
    hints: str
    examples: tuple[Example, ...]
    tags: tuple[str, ...]
    seeds: tuple[str, ...]
    run: Callable[[Desk, Any], Answer] = field(repr=False)

    @property
    def requires_approval(self) -> bool:
        return any(permission is not Permission.READ_FILES for permission in self.permissions)

    @property
    def risk(self) -> Risk:
        if Permission.DELETE_FILES in self.permissions:
            return Risk.HIGH
        return Risk.MODERATE if self.requires_approval else Risk.SAFE

    @property
    def custom_prompt(self) -> str:
        """What a model should know to use it well: the options that matter, and examples."""
        return "\n".join([self.hints, "Examples:", *map(str, self.examples)])

    def execution_summary(self, given: Parameters) -> str:
        """One line about a call, for people: what is about to be done."""
        values = msgspec.to_builtins(given)
        return self.summary.format_map({name: _short(name, value) for name, value in values.items()})


def tool(
    *,
    name: str,
    title: str,
    description: str,
    category: Category,
    parameters: type[Given],
    returns: type[msgspec.Struct],
    summary: str,
    ends: str,
    hints: str,
    examples: Mapping[str, Mapping[str, Any]],
    permissions: Collection[Permission] = (Permission.READ_FILES,),
    tags: tuple[str, ...] = (),
    seeds: tuple[str, ...] = (),
) -> Callable[[Callable[[Desk, Given], Answer]], Tool]:
    """Declare the tool that the function below carries out. `ends` is its termination_behavior_doc:
    whether the agent's turn should end with the call."""

    def declared(run: Callable[[Desk, Given], Answer]) -> Tool:
        return Tool(
            name=name,
            title=title,
            description=description,
            category=category,
            permissions=tuple(permissions),
            parameters=parameters,
            returns=returns,
            summary=summary,
            termination_behavior_doc=ends,
            hints=hints,
            examples=tuple(Example(use, arguments) for use, arguments in examples.items()),
            tags=tags,
            seeds=seeds,
            run=run,
        )

    return declared


def _short(name: str, value: object) -> str:
    """The beginning of a long value; of a path the end, which tells more."""
    text = visible(str(value))
    if len(text) <= SUMMARY_LENGTH:
        return text
    kept = SUMMARY_LENGTH - 3
    return f"...{text[-kept:]}" if name == "path" else f"{text[:kept]}..."
