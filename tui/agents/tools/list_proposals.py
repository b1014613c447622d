"""`list_proposals`: what was proposed in the workspace, and what became of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.room import LINE, MOST_RESULTS, fitting
from tui.agents.tool import REVIEW, Parameters, tool
from tui.review.proposals import Proposal, inbox
from tui.text import counted, cut_around, number, visible

Status = Literal["pending", "applied", "partial", "rejected", "stale", "withdrawn", "all"]


class ListProposalsParameters(Parameters, frozen=True):
    status: Annotated[Status, Meta(description="Only those in this state, or all of them.")] = "pending"


class ListedProposal(msgspec.Struct, frozen=True):
    """`added` and `removed` count lines; `when` is in ISO 8601."""

    proposal_id: int
    status: str
    agent: str
    title: str
    note: str
    files: int
    added: int
    removed: int
    when: str


class ListProposalsData(msgspec.Struct, frozen=True):
    """The newest first. `count` is how many are listed here, `total` how many there are."""

    status: str
    proposals: tuple[ListedProposal, ...]
    count: int
    total: int
    truncated: bool


@tool(
    name="list_proposals",
    title="List proposals",
    description="List the changes that were proposed in this workspace, the newest first, with what became of"
    " each: by default those that wait for a person.",
    category=REVIEW,
    parameters=ListProposalsParameters,
    returns=ListProposalsData,
    summary="List proposals ({status})",
    ends="Use terminate=false to go on with one of them. Use terminate=true if the list is what the user"
    " asked for.",
    hints="await_review with the number of one tells the decisions and reasons, hunk by hunk.",
    examples={"What waits for review": {}, "Everything so far": {"status": "all"}},
    tags=("review", "proposals"),
)
def list_proposals(desk: Desk, given: ListProposalsParameters) -> Answer:
    every = inbox(desk.workspace, pending_only=given.status == "pending")
    found = [each for each in reversed(every) if given.status in ("all", each.state)]
    listed = [_listed(each) for each in found[:MOST_RESULTS]]
    rows = [_row(each) for each in listed]
    shown = fitting([row + each.note for row, each in zip(rows, listed, strict=True)])
    truncated = shown < len(found)
    data = ListProposalsData(given.status, tuple(listed[:shown]), shown, len(found), truncated)
    message = _message(given.status, len(found), shown)
    return Answer(message, "\n".join([message, *rows[:shown]]), data)


def _listed(proposal: Proposal) -> ListedProposal:
    return ListedProposal(
        proposal.id,
        str(proposal.state),
        _cut(proposal.agent),
        _cut(proposal.title),
        _cut(proposal.note),
        proposal.files,
        proposal.added,
        proposal.removed,
        proposal.when.isoformat(timespec="seconds"),
    )


def _cut(text: str) -> str:
    return cut_around(text, (), LINE)[0]


def _row(each: ListedProposal) -> str:
    size = f"{counted(each.files, 'file')}, +{each.added} -{each.removed}"
    return f"{each.proposal_id}  {each.status}  {visible(each.agent)}: {visible(each.title)} ({size})"


def _message(status: str, total: int, shown: int) -> str:
    which = "" if status == "all" else f" {status}"
    if not total:
        return f"No{which} proposals"
    some = f", showing the newest {number(shown)}" if shown < total else ""
    return f"{number(total)}{which} {'proposal' if total == 1 else 'proposals'}{some}"
