"""`redline hook`: an agent's own edits, caught before it makes them."""

from __future__ import annotations

import sys

import click

from tui.agents.hooks.events import EDITING, may_edit, read
from tui.cli.opened import opened
from tui.cli.options import Seconds
from tui.cli.output import Output, tell
from tui.errors import RedlineError
from tui.text import visible


@click.command("hook", short_help="Review the edits that an agent is about to make.")
@click.argument("agent", type=click.Choice(list(EDITING)))
@click.option(
    "--root",
    default="",
    metavar="DIR",
    help="The workspace (default: the repository that the agent works in, or its directory).",
)
@click.option(
    "--wait",
    type=Seconds(min=0),
    default=600.0,
    metavar="S",
    help="Wait up to S seconds for the review (default: 600). The agent's own time limit for the hook must be"
    " longer: past it the agent would write unreviewed.",
)
def hook_command(agent: str, root: str, wait: float) -> int:
    """Answer an agent's PreToolUse event, from stdin, once a person has reviewed the edit.

    \b
      redline hook claude      in Claude Code's settings, for Edit|Write|MultiEdit|NotebookEdit
      redline hook codex       in Codex's hooks, for apply_patch
      redline hook claude --wait 120 < event.json

    The edit waits in the inbox; what is accepted there is written by Redline. The agent's own tool is then
    refused, with a reason that tells the agent what was applied, what was not, and why.

    What is no edit, or lies outside the workspace, passes at once; so does what cannot be reviewed (a
    binary or very large file, an event that makes no sense), with a line on stderr.

    Exit status: always 0, so that no mishap here stops the agent.
    """
    try:
        _answer(agent, root, wait)
    except RedlineError as error:
        tell(f"not reviewed: {error.message}")
    except Exception as error:  # whatever it is, the agent's work is not ours to stop
        tell(f"not reviewed: {visible(f'{type(error).__name__}: {error}')}")
    return 0


def _answer(agent: str, root: str, wait: float) -> None:
    event = read(sys.stdin.buffer.read() if sys.stdin is not None else b"")
    if event is None or not may_edit(agent, event):
        return
    from tui.agents.hooks.review import reviewed  # most events are no edits, and need none of it

    with opened(root or event.root) as workspace:
        reply = reviewed(agent, workspace, event, wait)
    if reply.told:
        tell(reply.told)
    if reply.output is not None:
        Output().json(reply.output)
