"""`await_review`: what became of a proposal, as soon as it is decided."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.outcomes import await_decision
from tui.agents.proposed import ProposalData, told
from tui.agents.tool import REVIEW, Parameters, tool

LONGEST_WAIT = 300


class AwaitReviewParameters(Parameters, frozen=True):
    proposal_id: Annotated[int, Meta(ge=1, description="The number that the proposing tool answered.")]
    wait_seconds: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description=f"Wait up to so many seconds for the decision; {LONGEST_WAIT} is the most, 0 only"
            " looks. Without it, as long as a proposing tool waits.",
        ),
    ] = None


@tool(
    name="await_review",
    title="Wait for a review",
    description="Wait until a person has decided about a proposal, and tell the decision and the reason for"
    " each hunk, and the diff as it was applied. Answers `pending` if nobody has decided in time.",
    category=REVIEW,
    parameters=AwaitReviewParameters,
    returns=ProposalData,
    summary="Wait for the review of proposal {proposal_id}",
    ends="Use terminate=false to go on with what was decided. Use terminate=true if it is still pending after"
    " some waiting, and say which proposal waits for the person.",
    hints="Read the reasons: they say what to do otherwise. What was rejected or left undecided was not"
    " written. It decides nothing itself, and calling it again does no harm.",
    examples={
        "Wait a minute for proposal 12": {"proposal_id": 12, "wait_seconds": 60},
        "Only look": {"proposal_id": 12, "wait_seconds": 0},
    },
    tags=("review", "proposals"),
)
def await_review(desk: Desk, given: AwaitReviewParameters) -> Answer:
    asked = desk.wait if given.wait_seconds is None else given.wait_seconds
    return told(desk, await_decision(desk, given.proposal_id, min(asked, LONGEST_WAIT)))
