"""What became of a proposal, in words and data for the agent that made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tui.agents.desk import Desk
from tui.agents.room import CHARACTERS, LINE, MOST_RESULTS, fitting
from tui.edit.apply import check
from tui.edit.plan import EditPlan
from tui.edit.store import Store
from tui.errors import NotFoundError
from tui.review.proposals import Inbox, Proposal
from tui.review.receipts import HunkDecision, Receipt, State
from tui.text import counted, cut_around, visible

_TOLD = {
    State.PENDING: "waits for review as proposal {}; nothing is written until a person has accepted it",
    State.APPLIED: "proposal {} was accepted and applied",
    State.PARTIAL: "proposal {} was accepted in part; only that part was applied",
    State.REJECTED: "proposal {} was rejected; nothing was applied",
    State.STALE: "proposal {} is stale, its files changed; nothing was applied",
    State.WITHDRAWN: "proposal {} was withdrawn; nothing was applied",
}


class Outcome(NamedTuple):
    proposal: Proposal
    receipt: Receipt

    @property
    def is_decided(self) -> bool:
        return self.receipt.state is not State.PENDING


class Told(NamedTuple):
    """A receipt for an agent: one sentence, the text about each hunk, and the same as data."""

    message: str
    body: str
    hunks: tuple[HunkDecision, ...]
    applied_diff: str | None
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, outcome: Outcome, *, shown: bool = True) -> Told:
        """`shown`: whether the agent may see what is in the files."""
        proposal, receipt = outcome
        message = _TOLD[receipt.state].format(proposal.id)
        if receipt.reason:
            message += f": {visible(receipt.reason)}"
        diff, warnings = bounded(receipt.applied_diff) if receipt.applied_diff and shown else (None, ())
        hunks = receipt.hunks[:MOST_RESULTS]
        if len(hunks) < len(receipt.hunks):
            warnings += (f"only the first {MOST_RESULTS} of {counted(len(receipt.hunks), 'hunk')} are told",)
        body = "".join(f"{_line(hunk)}\n" for hunk in hunks)
        if diff:
            body += f"applied:\n{diff}"
        return cls(message, body, hunks, diff, warnings)


def have_reviewed(desk: Desk, plan: EditPlan, originals: Mapping[str, bytes], note: str = "") -> Outcome:
    """Have a plan wait in the inbox, up to `desk.wait` seconds. Errors as for `check`: what could not be
    applied now is not proposed."""
    check(desk.workspace, plan, break_links=True)
    with Store.open(desk.workspace) as store:
        inbox = Inbox(store)
        proposal = inbox.add(plan, originals, agent=desk.agent, note=note)
        return _awaited(desk, inbox, proposal.id, desk.wait)


def await_decision(desk: Desk, number: int, seconds: float) -> Outcome:
    """NotFoundError where there is no such proposal."""
    store = Store.existing(desk.workspace)
    if store is None:
        raise NotFoundError(f"there is no proposal {number}: nothing was ever proposed in this workspace")
    with store:
        return _awaited(desk, Inbox(store), number, seconds)


def _awaited(desk: Desk, inbox: Inbox, number: int, seconds: float) -> Outcome:
    return Outcome(inbox.wait(number, seconds, desk.stopped), inbox.receipt(number))


def bounded(diff: str) -> tuple[str, tuple[str, ...]]:
    """As much of a diff as an answer holds."""
    lines = diff.removesuffix("\n").split("\n")
    cut = [cut_around(line, (), LINE)[0] for line in lines]
    shown = fitting(cut, CHARACTERS)
    if cut[:shown] == lines:
        return diff, ()
    missing = f", and {counted(len(lines) - shown, 'line')} of it are missing" if shown < len(lines) else ""
    warning = f"the diff is cut: long lines are shortened{missing}; the inbox shows all of it"
    return "\n".join([*cut[:shown], f"... ({warning})\n"]), (warning,)


def _line(hunk: HunkDecision) -> str:
    where = f"{visible(hunk.path)} {hunk.lines}".rstrip()
    return f"{hunk.decision}: {where}" + (f": {visible(hunk.reason)}" if hunk.reason else "")
