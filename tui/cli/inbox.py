"""`redline inbox`: what agents proposed and nobody has decided yet."""

from __future__ import annotations

from typing import Any

import click

from tui.cli.changes import print_diff
from tui.cli.opened import opened
from tui.cli.options import root_option
from tui.cli.output import Output, tell
from tui.edit.store import Store
from tui.review.proposals import Inbox, Proposal, inbox
from tui.review.receipts import State
from tui.text import counted, visible


@click.command("inbox", short_help="Changes that agents propose.")
@click.argument("proposal", type=int, required=False, metavar="[ID]")
@click.option("--all", "everything", is_flag=True, help="Also those that are decided.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@root_option
def inbox_command(proposal: int | None, everything: bool, as_json: bool, root: str) -> int:
    """List the changes that wait for review in this workspace, the oldest first; or show one of them.

    \b
      redline inbox               what agents propose
      redline inbox 12            the diff of proposal 12
      redline inbox --all --json  with what became of earlier ones

    Exit status: 0 there are some, 1 there are none.
    """
    if proposal is not None:
        return _show(root, proposal)
    with opened(root) as workspace:
        proposals = inbox(workspace, pending_only=not everything)
    out = Output()
    for each in proposals:
        if as_json:
            out.json(_to_json(each))
        else:
            out.line(_row(out, each))
    if not proposals:
        tell("nothing waits for review in this workspace")
    return 0 if proposals else 1


def _show(root: str, number: int) -> int:
    with opened(root) as workspace, Store.open(workspace) as store:
        inbox = Inbox(store)
        proposal, plan, originals = inbox.proposal(number), inbox.plan(number), inbox.originals(number)
    tell(visible(f"proposal {number} of {proposal.agent}: {proposal.title} ({proposal.state})"))
    out = Output()
    for edit in plan.files:
        print_diff(out, edit, originals.get(edit.path, b""))
    return 0


def _to_json(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "when": proposal.when.isoformat(),
        "agent": proposal.agent,
        "title": proposal.title,
        "note": proposal.note,
        "state": proposal.state.value,
        "files": proposal.files,
        "added": proposal.added,
        "removed": proposal.removed,
    }


def _row(out: Output, proposal: Proposal) -> bytes:
    when = proposal.when.astimezone().strftime("%Y-%m-%d %H:%M")
    lines = f"+{proposal.added} -{proposal.removed}"
    columns = f"{proposal.id:>4}  {when}  {counted(proposal.files, 'file'):>9}  {lines:>11}  "
    state = "" if proposal.state is State.PENDING else f"  ({proposal.state})"
    return out.number(columns) + out.styled("1", f"{proposal.agent}: {proposal.title}") + out.number(state)
