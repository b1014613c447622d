"""`redline review`: a patch is decided hunk by hunk, and what was accepted is applied."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from tui.cli.opened import opened
from tui.cli.options import root_option
from tui.cli.output import Output, as_typed, tell
from tui.cli.terminal import on_the_terminal
from tui.config import load
from tui.edit.store import Store
from tui.errors import RedlineError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import incoming
from tui.review.proposals import Inbox, Proposal
from tui.review.receipts import HunkDecision, State
from tui.text import visible
from tui.workspace import Workspace, explain

if TYPE_CHECKING:
    from tui.app.cases import Proposed

LARGEST = 64 << 20


@click.command("review", short_help="Review a patch and apply what you accept.")
@click.argument("patch", metavar="FILE|-", type=click.Path(allow_dash=True))
@click.option("--title", default="", help="What the patch is for.")
@click.option("--agent", default="patch", show_default=True, metavar="NAME", help="Who proposes it.")
@click.option(
    "--format",
    "kind",
    type=click.Choice([str(kind) for kind in Format]),
    default=str(Format.AUTO),
    show_default=True,
    help="What the patch is written in.",
)
@click.option("--fuzz", is_flag=True, help="Also place what is not exactly there: look closely.")
@click.option("--json", "as_json", is_flag=True, help="Print the receipt as JSON.")
@root_option
def review_command(
    patch: str, title: str, agent: str, kind: str, fuzz: bool, as_json: bool, root: str
) -> int:
    """Look at a patch hunk by hunk, and apply what you accept.

    FILE may be a unified or git diff, a Codex patch, aider's SEARCH/REPLACE blocks, JSON edits or a plan
    of Redline's: it is recognised by itself. With - it is read from a pipe.

    \b
      redline review fix.patch              decide, then w writes
      git diff main feature | redline review -
      redline review --json fix.patch       ... with a receipt for scripts

    Exit status: 0 all of it was applied, 1 nothing was decided, 2 it cannot be read or placed, 3 some or
    all of it was rejected.
    """
    data = _read(patch)
    loaded = load()
    with opened(root) as workspace:
        came = incoming(workspace, data, format=Format(kind), title=as_typed(title), fuzz=fuzz)
        with Store.open(workspace) as store:
            note = "; ".join(came.notes)
            proposal = Inbox(store).add(came.plan, came.originals, agent=as_typed(agent), note=note)
        from tui.app.cases import Proposed
        from tui.app.review_app import ReviewApp

        case = Proposed.open(workspace, proposal.id, loaded.settings.history)
        with on_the_terminal():
            app = ReviewApp(workspace, case, loaded)
            app.run()
        if app.return_code:  # ended from outside: nobody said that it is not wanted
            tell(f"it waits in the inbox as proposal {proposal.id}")
            return app.return_code
        return _ended(workspace, case, proposal, as_json)


def _read(patch: str) -> bytes:
    if patch == "-" and sys.stdin.isatty():
        raise RedlineError("there is no patch on the standard input", "pipe one in, or name a file")
    try:
        with click.open_file(patch, "rb") as file:
            data: bytes = file.read(LARGEST + 1)
    except OSError as error:
        raise explain(error, patch) from error
    if len(data) > LARGEST:
        raise RedlineError(f"{visible(patch)}: a patch of more than {LARGEST >> 20} MB", "divide it up")
    return data


def _ended(workspace: Workspace, case: Proposed, proposal: Proposal, as_json: bool) -> int:
    with Store.open(workspace) as store:
        receipt = Inbox(store).receipt(proposal.id)
    if receipt.state is State.PENDING:
        receipt = case.withdraw()
    out = Output()
    if as_json:
        out.json({"proposal": proposal.id, **msgspec.to_builtins(receipt)})
    else:
        for hunk in receipt.hunks:
            out.line(_row(out, hunk))
    tell(_TOLD[receipt.state])
    return 0 if receipt.state is State.APPLIED else 1 if receipt.state is State.WITHDRAWN else 3


_TOLD = {
    State.APPLIED: "all of it was applied; `redline undo` takes it back",
    State.PARTIAL: "only what was accepted was applied; `redline undo` takes it back",
    State.REJECTED: "rejected: nothing was written",
    State.STALE: "its files changed meanwhile: nothing was written",
    State.WITHDRAWN: "nothing was decided, and nothing was written",
}


def _row(out: Output, hunk: HunkDecision) -> bytes:
    reason = f"  {hunk.reason}" if hunk.reason else ""
    return (
        out.number(f"{hunk.decision:<16}  ")
        + out.styled("1", f"{hunk.path} {hunk.lines}")
        + out.number(reason)
    )
