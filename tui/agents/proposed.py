"""A proposal as the tools tell of it that are about proposals rather than about one file."""

from __future__ import annotations

import msgspec

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.outcomes import Outcome, Told, as_proposed, bounded
from tui.agents.room import CHARACTERS, MOST_RESULTS, fitting
from tui.edit.difftext import diff_text
from tui.edit.plan import FileEdit
from tui.review.proposals import Opened
from tui.review.receipts import HunkDecision
from tui.text import counted, visible

_GONE = "the diff as proposed is no longer kept: the proposal was decided long ago"


class ProposalData(msgspec.Struct, frozen=True):
    """`status` is pending, applied, partial, rejected, stale or withdrawn; `diff` is what was proposed,
    `applied_diff` what was written of it, where anything was; `reason` what the person said of it all."""

    status: str
    proposal_id: int
    title: str
    note: str
    agent: str
    files: tuple[str, ...]
    diff: str
    hunks: tuple[HunkDecision, ...]
    applied_diff: str | None
    reason: str | None


def told(desk: Desk, outcome: Outcome, warnings: tuple[str, ...] = (), *, anew: bool = False) -> Answer:
    """What became of a proposal so far. `anew`: it was made by this call, so the text shows its diff."""
    opened = as_proposed(desk, outcome.proposal.id)
    told = Told.of(outcome)
    files, missing = _files(opened)
    diff, cut = _diff(opened)
    proposal, receipt = outcome
    data = ProposalData(
        str(receipt.state),
        proposal.id,
        proposal.title,
        proposal.note,
        proposal.agent,
        files,
        diff,
        told.hunks,
        told.applied_diff,
        receipt.reason or None,
    )
    message = f"{visible(proposal.title)}: {told.message}"
    warnings = (*warnings, *missing, *cut, *told.warnings)
    body = told.body if outcome.is_decided else diff if anew else ""
    besides = [warning for warning in warnings if warning not in body]
    return Answer(message, "\n".join([message, *besides, body]), data, warnings)


def _files(opened: Opened) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of the plan, a moved file by the one it moves to, as many as an answer holds."""
    paths = [edit.new_path or edit.path for edit in opened.plan.files]
    shown = paths[: min(fitting(paths), MOST_RESULTS)]
    if len(shown) == len(paths):
        return tuple(paths), ()
    return tuple(shown), (f"only the first {len(shown)} of {counted(len(paths), 'file')} are named",)


def _diff(opened: Opened) -> tuple[str, tuple[str, ...]]:
    """The diff as proposed, made only as far as an answer could hold it."""
    text = ""
    for edit in opened.plan.files:
        if not _is_kept(opened, edit):
            return "", (_GONE,)
        text += diff_text(edit, opened.originals.get(edit.path, b""))
        if len(text) > 2 * CHARACTERS:
            break
    return bounded(text)


def _is_kept(opened: Opened, edit: FileEdit) -> bool:
    return edit.before is None or edit.path in opened.originals
