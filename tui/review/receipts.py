"""Receipts: what became of a proposal, hunk by hunk, told to whoever proposed it.

A receipt is made from the decisions and from the plan that is written, before it is written, and
settled with it; so it says neither more nor less than what is on the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from tui.edit.difftext import diff_text
from tui.edit.plan import EditPlan
from tui.review.decisions import Decision, Verdict
from tui.review.review import FileReview, Review
from tui.text import whole_characters

_LONGEST_DIFF = 4 << 20
_STALE = "stale"


class State(StrEnum):
    PENDING = "pending"
    APPLIED = "applied"
    PARTIAL = "partial"
    REJECTED = "rejected"
    STALE = "stale"
    WITHDRAWN = "withdrawn"


class HunkDecision(msgspec.Struct, frozen=True):
    """What the person said about one hunk: `accepted`, `edited`, `accepted in part`, `rejected`,
    `undecided` (nothing was said, so it was not applied), or `stale` (its file had changed)."""

    id: str
    decision: str
    reason: str | None
    path: str
    lines: str
    """Where: the header of the hunk in the proposal's diff, empty for what is no hunk of lines."""


class Receipt(msgspec.Struct, frozen=True):
    """`reason` is for the proposal as a whole; `applied_diff` is what was written, if anything was."""

    state: State
    by: str
    reason: str
    hunks: tuple[HunkDecision, ...]
    applied_diff: str | None


def receipt(review: Review, accepted: EditPlan, by: str) -> Receipt:
    """What to tell about a review that ends with writing the accepted plan."""
    hunks = [
        *(hunk for place in range(len(review.files)) for hunk in _decided(review, place)),
        *(HunkDecision("", _STALE, None, _path(file), "") for file in review.dropped),
    ]
    return Receipt(_state(hunks, accepted), by, review.reason, tuple(hunks), _applied(review, accepted))


def _state(hunks: Sequence[HunkDecision], accepted: EditPlan) -> State:
    if accepted.files:
        whole = all(hunk.decision == Verdict.ACCEPTED for hunk in hunks)
        return State.APPLIED if whole else State.PARTIAL
    return State.STALE if all(hunk.decision == _STALE for hunk in hunks) else State.REJECTED


def _decided(review: Review, place: int) -> list[HunkDecision]:
    """A file that was decided as a whole and never looked at is told hunk by hunk all the same."""
    file, diff = review.files[place], review.proposed(place)
    headers = {hunk.id: hunk.header for hunk in diff.hunks}
    return [_told(file, name, review.decision(place, name), headers.get(name, "")) for name in diff.ids]


def _told(file: FileReview, name: str, decision: Decision, header: str) -> HunkDecision:
    reason = whole_characters(decision.reason) or None
    return HunkDecision(name, decision.word, reason, _path(file), header)


def _path(file: FileReview) -> str:
    return whole_characters(file.edit.path)


def _applied(review: Review, accepted: EditPlan) -> str | None:
    if not accepted.files:
        return None
    text = ""
    for edit in accepted.files:
        text += whole_characters(diff_text(edit, review.read(edit)))
        if len(text) > _LONGEST_DIFF:
            return f"{text[:_LONGEST_DIFF]}\n... (the diff is longer; `redline history` has all of it)\n"
    return text
