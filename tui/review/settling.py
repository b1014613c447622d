"""From a review of a proposal to the disk, and to the receipt: what was accepted is applied, by the same
road as everything else, and the proposal is settled with it.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tui.edit.apply import Outcome, Progress, apply
from tui.edit.diff import outline
from tui.edit.journal import Retention
from tui.edit.store import Store
from tui.review.decisions import Verdict
from tui.review.proposals import Inbox, Opened, answers_to
from tui.review.receipts import Receipt, State, receipt
from tui.review.review import Read, Review
from tui.workspace import Workspace


class Settled(NamedTuple):
    """How a review ended: what the proposer is told, and what was written."""

    receipt: Receipt
    outcome: Outcome


def review_of(opened: Opened) -> Review:
    """The proposal with what was said about it so far; nothing else is decided."""
    review = Review(opened.plan.title, reader(opened), Verdict.UNDECIDED)
    for edit in opened.plan.files:
        review.add(edit, len(outline(edit, review.read(edit)).ids))
    review.resume(opened.said)
    return review


def reader(opened: Opened) -> Read:
    """The bytes that the proposal was made from, as it kept them: what is shown is what was meant."""
    return lambda edit: b"" if edit.before is None else opened.originals.get(edit.path, b"")


def settle(
    workspace: Workspace,
    opened: Opened,
    review: Review,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    retention: Retention | None = None,
) -> Settled:
    """Write what was accepted, or settle that nothing is. Errors as for `apply`: then nothing is
    changed, and the proposal waits as before."""
    accepted = review.accepted()
    told = receipt(review, accepted, person())
    if not accepted.files:
        _end(workspace, opened, told)
        return Settled(told, Outcome(None, 0))
    outcome = apply(
        workspace,
        accepted,
        who=opened.proposal.agent,
        progress=progress,
        cancelled=cancelled,
        retention=retention,
        answers=answers_to(opened, told),
    )
    if outcome.batch is None:  # what was accepted changes nothing
        _end(workspace, opened, told)
    return Settled(told, outcome)


def give_up(workspace: Workspace, opened: Opened, review: Review, state: State, reason: str) -> Receipt:
    """Settle a proposal of which nothing is written: it went stale, or was withdrawn."""
    told = receipt(review, msgspec.structs.replace(opened.plan, files=()), person())
    told = msgspec.structs.replace(told, state=state, reason=reason)
    _end(workspace, opened, told)
    return told


def person() -> str:
    """Who decides here, by their login name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "person"


def _end(workspace: Workspace, opened: Opened, told: Receipt) -> None:
    with Store.open(workspace) as store:
        Inbox(store).settle(opened, told)
