"""What became of a proposal, in words and data for the agent that made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from tui.agents.desk import Desk
from tui.agents.files import LARGEST
from tui.agents.kinds import LONGEST_PATH
from tui.agents.room import CHARACTERS, LINE, MOST_RESULTS, fitting
from tui.edit.apply import check
from tui.edit.plan import EditPlan
from tui.edit.store import Store
from tui.errors import NotFoundError, TooLargeError
from tui.review.proposals import Inbox, Opened, Proposal
from tui.review.receipts import HunkDecision, Receipt, State
from tui.text import counted, cut_around, visible
from tui.workspace import too_large

_MOST_PROPOSALS = 2**63 - 1
"""No store numbers further."""

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
    applied now is not proposed. TooLargeError for a file that would become so."""
    _check_sizes(plan)
    check(desk.workspace, plan, break_links=True)
    with Store.open(desk.workspace) as store:
        inbox = Inbox(store)
        proposal = inbox.add(plan, originals, agent=desk.agent, note=note)
        return _awaited(desk, inbox, proposal.id, desk.wait)


def await_decision(desk: Desk, number: int, seconds: float) -> Outcome:
    """NotFoundError where there is no such proposal."""
    with _inbox_with(desk, number) as inbox:
        return _awaited(desk, inbox, number, seconds)


def as_proposed(desk: Desk, number: int) -> Opened:
    """The proposal with its plan and the bytes it was made from. Errors as for `await_decision` and
    `Inbox.open`."""
    with _inbox_with(desk, number) as inbox:
        return inbox.open(number)


@contextmanager
def _inbox_with(desk: Desk, number: int) -> Iterator[Inbox]:
    store = Store.existing(desk.workspace) if number <= _MOST_PROPOSALS else None
    if store is None:
        raise _unknown(number)
    with store:
        inbox = Inbox(store)
        try:
            inbox.proposal(number)
        except NotFoundError as error:
            raise _unknown(number) from error
        yield inbox


def _unknown(number: int) -> NotFoundError:
    which = f"proposal {number}" if number <= _MOST_PROPOSALS else "proposal with so high a number"
    return NotFoundError(f"there is no {which}", "list_proposals with status all tells which there are")


def _check_sizes(plan: EditPlan) -> None:
    for edit in plan.files:
        if len(edit.new_path or edit.path) > LONGEST_PATH:
            raise TooLargeError(f"a path of more than {LONGEST_PATH} characters", "choose a shorter one")
        if edit.after is not None and edit.after.size > LARGEST:
            raise too_large(edit.new_path or edit.path, edit.after.size, LARGEST)


def _awaited(desk: Desk, inbox: Inbox, number: int, seconds: float) -> Outcome:
    desk.waits_for(number)
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
