"""`redline mcp`: the tools for an agent's client, over the Model Context Protocol."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import click

from tui.agents.desk import Desk
from tui.cli.opened import opened
from tui.cli.options import Seconds, root_option
from tui.cli.output import as_typed, tell
from tui.cli.tools import allow_option, granted_by
from tui.errors import RedlineError


@click.command("mcp", short_help="An MCP server with the tools, for agents.")
@root_option
@click.option(
    "--wait",
    type=Seconds(min=0),
    default=45.0,
    metavar="S",
    help="A tool that writes waits up to S seconds for the review, then answers `pending` (default: 45).",
)
@click.option(
    "--agent",
    default=lambda: os.environ.get("REDLINE_AGENT", ""),
    metavar="NAME",
    help="Who proposes (default: $REDLINE_AGENT, or the client's own name).",
)
@allow_option
def mcp_command(root: str, wait: float, agent: str, allow: tuple[str, ...]) -> int:
    """Serve the tools over MCP, on stdin and stdout, to the agent's client that starts this.

    \b
      redline mcp                                for the workspace in this directory
      redline mcp --root ~/src/site --wait 20
      redline mcp --allow ReadFiles              search and read, nothing else
      claude mcp add redline -- redline mcp      have Claude Code start it

    A tool that writes only proposes: the change waits in the inbox until a person has reviewed it in the
    app (F2). It needs the extra: pip install 'redline-tui[mcp]'
    """
    if sys.stdin is None or sys.stdout is None:
        raise RedlineError("an MCP server speaks on stdin and stdout, and one of them is closed")
    settings, granted = granted_by(allow)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing here is lost by ending at once
    with opened(root) as workspace:
        serve = _server()
        if sys.stdin.isatty():
            tell("waiting for an MCP client on stdin; agents start this themselves (see redline mcp --help)")
        serve(Desk(workspace, as_typed(agent).strip(), granted, settings.max_file_bytes, wait))
    return 0


def _server() -> Callable[[Desk], None]:
    """Loaded by this command alone: it takes a second, and not everyone has it."""
    try:
        from tui.agents.mcp import serve
    except ModuleNotFoundError as error:
        if str(error.name).startswith("tui"):
            raise
        raise RedlineError("the MCP server needs the extra: pip install 'redline-tui[mcp]'") from error
    return serve
