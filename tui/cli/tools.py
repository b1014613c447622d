"""`redline tools` and `redline tool`: what agents can call, and calling it."""

from __future__ import annotations

import os
import sys

import click

from tui.agents.answer import Answer, Failure, failure, to_json
from tui.agents.call import call
from tui.agents.catalogue import prompt
from tui.agents.catalogue import to_json as tool_to_json
from tui.agents.desk import Desk
from tui.agents.parameters import parse
from tui.agents.registry import allowed, named, registry
from tui.agents.tool import Tool
from tui.cli.opened import opened
from tui.cli.options import Seconds, root_option
from tui.cli.output import Output, as_typed, tell, to_bytes
from tui.config import Agents, Permission, load
from tui.errors import RedlineError
from tui.text import whole_characters
from tui.workspace import explain

allow_option = click.option(
    "--allow",
    multiple=True,
    type=click.Choice([permission.value for permission in Permission]),
    metavar="PERMISSION",
    help="Grant only this: ReadFiles, WriteFiles, CreateFiles, DeleteFiles. Repeatable; what the settings"
    " do not grant stays denied.",
)


@click.command("tools", short_help="The tools that agents can call.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list with everything about each tool.")
@click.option("--prompt", "as_prompt", is_flag=True, help="A text for a system prompt.")
@allow_option
def tools_command(as_json: bool, as_prompt: bool, allow: tuple[str, ...]) -> int:
    """List the tools that agents can call.

    \b
      redline tools                            a line for each
      redline tools --json                     with their JSON schemas
      redline tools --prompt                   for a system prompt
      redline tools --prompt --allow ReadFiles     only those that need no more than that
    """
    _, granted = granted_by(allow)
    out = Output()
    if as_json:
        out.json([tool_to_json(tool, granted) for tool in registry().values()])
    elif as_prompt:
        out.write(prompt(granted).encode())
    else:
        for tool in registry().values():
            if allowed(tool, granted):
                out.line(_row(out, tool))
    return 0


def _row(out: Output, tool: Tool) -> bytes:
    approval = "approval" if tool.requires_approval else ""
    return out.path(f"{tool.name:<16}") + out.number(f"{approval:<10}") + f"{tool.title}".encode()


@click.command("tool", short_help="Call a tool as an agent does.")
@click.argument("name")
@click.argument("arguments", required=False, metavar="[JSON | -]")
@root_option
@click.option(
    "--wait",
    type=Seconds(min=0),
    default=0.0,
    metavar="S",
    help="Wait up to S seconds for the review of a proposed change (default: 0).",
)
@click.option("--text", "as_text", is_flag=True, help="Only the text that a model would read.")
@click.option(
    "--agent",
    default=lambda: os.environ.get("REDLINE_AGENT", "agent"),
    metavar="NAME",
    help="Who proposes (default: $REDLINE_AGENT, or agent).",
)
@allow_option
def tool_command(
    name: str,
    arguments: str | None,
    root: str,
    wait: float,
    as_text: bool,
    agent: str,
    allow: tuple[str, ...],
) -> int:
    """Call the tool NAME with arguments as a JSON object, - for stdin, and print its answer.

    \b
      redline tool grep '{"pattern": "TODO", "file_type": "py"}'
      redline tool glob '{"pattern": "**/*.tsx"}' --text
      redline tool replace_in_file - --wait 60 < arguments.json
      redline tools --prompt                   what there is to call

    Prints one JSON object: {"ok": true, "tool", "message", "output", "data", "warnings"}, or
    {"ok": false, "tool", "error": {"code", "message", "suggestion"}}. A tool that writes only
    proposes: the change waits in the inbox for a person.
    Exit status: 0 done, 2 error, 3 the change was rejected, stale, or applied only in part.
    """
    result = _called(name, arguments, root, wait, agent, allow)
    _print(name, result, as_text)
    return _status(result)


def _called(
    name: str, arguments: str | None, root: str, wait: float, agent: str, allow: tuple[str, ...]
) -> Answer | Failure:
    settings, granted = granted_by(allow)
    try:
        named(name)
        given = parse(_text(arguments))
        with opened(root) as workspace:
            desk = Desk(workspace, as_typed(agent), granted, settings.max_file_bytes, wait)
            return call(desk, name, given)
    except RedlineError as error:
        return failure(error)
    except OSError as error:  # such as a current directory that is gone
        return failure(explain(error, root))


def granted_by(allow: tuple[str, ...]) -> tuple[Agents, frozenset[Permission]]:
    """What the settings grant, cut down to what --allow names. Settings that cannot be read may have
    meant to deny something: then only reading is granted."""
    settings, problem = load()
    granted = frozenset(settings.agents.allow)
    if problem:
        tell(f"{problem}, and agents may only read")
        granted = frozenset([Permission.READ_FILES])
    if allow:
        granted &= {Permission(name) for name in allow}
    return settings.agents, granted


def _text(arguments: str | None) -> str | bytes:
    if arguments is None:
        return "{}"
    if arguments != "-":
        return as_typed(arguments)
    return sys.stdin.buffer.read() if sys.stdin is not None else ""


def _print(name: str, result: Answer | Failure, as_text: bool) -> None:
    out = Output()
    if not as_text:
        out.json(to_json(as_typed(name), result))
    elif isinstance(result, Failure):
        tell(f"{result.message}; {result.suggestion}" if result.suggestion else result.message)
    elif out.is_terminal:
        for line in result.output.split("\n"):
            out.line(out.styled("", line))
    else:
        out.line(to_bytes(whole_characters(result.output)))


def _status(result: Answer | Failure) -> int:
    if isinstance(result, Failure):
        return 2
    return 3 if getattr(result.data, "status", "") in ("partial", "rejected", "stale") else 0
