"""What every writing tool does with its change: show it, or have it wait for a person.

Nothing here writes into the workspace, and nothing here approves: the answer is `pending` until a
person has decided in Redline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET, UnsetType

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.files import TextFile
from tui.agents.outcomes import Outcome, Told, bounded, have_reviewed
from tui.config import Permission
from tui.edit.difftext import diff_text
from tui.edit.layout import Layout
from tui.edit.plan import EditPlan, FileEdit, Splice, modify, spliced
from tui.review.receipts import HunkDecision
from tui.text import counted, number, visible

_HIDDEN = "the diff is not shown: ReadFiles is not granted"

PREVIEW = "preview"
UNCHANGED = "unchanged"


class EditData(msgspec.Struct, frozen=True):
    """`replacements` is told by replace_in_file, `total_lines` (as they would be) by the others;
    `applied_diff` is what was written, where anything was, and `reason` what the person said of it all."""

    status: str
    path: str
    diff: str
    proposal_id: int | None
    hunks: tuple[HunkDecision, ...]
    applied_diff: str | None
    reason: str | None = None
    replacements: int | UnsetType = UNSET
    total_lines: int | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Change:
    """A file's change as a tool worked it out; `edit` is None where nothing changes. `said` tells it
    in words: `2 replacements in src/a.py`."""

    path: str
    edit: FileEdit | None
    old: bytes
    said: str
    replacements: int | UnsetType = UNSET
    total_lines: int | UnsetType = UNSET


def rewritten(file: TextFile, splices: Sequence[Splice]) -> Change:
    """The change that splices make in a file, told by the lines it has before and afterwards."""
    before, total = Layout(file.data).count, Layout(spliced(file.data, splices)).count
    edit = modify(file.path, file.data, file.mode, splices)
    said = f"{visible(file.path)}, {number(before)} -> {counted(total, 'line')}"
    return Change(file.path, edit, file.data, said, total_lines=total)


def preview(change: Change) -> Answer:
    """The diff. Nothing is kept, and nobody is asked."""
    if change.edit is None:
        return _unchanged(change)
    return _answer(change, PREVIEW, f"{change.said}: a preview, nothing was proposed or written")


def propose(desk: Desk, change: Change) -> Answer:
    """Have the change wait for review, up to `desk.wait` seconds, and tell what became of it."""
    if change.edit is None:
        return _unchanged(change)
    originals = {} if change.edit.before is None else {change.path: change.old}
    outcome = have_reviewed(desk, EditPlan(desk.task, (change.edit,)), originals)
    shown = change.edit.before is None or Permission.READ_FILES in desk.granted
    return _answer(change, str(outcome.receipt.state), change.said, outcome, shown=shown)


def _unchanged(change: Change) -> Answer:
    message = f"{change.said}: nothing to change, nobody needs to approve it"
    data = EditData(UNCHANGED, change.path, "", None, (), None, None, change.replacements, change.total_lines)
    return Answer(message, message, data)


def _answer(
    change: Change, status: str, said: str, outcome: Outcome | None = None, *, shown: bool = True
) -> Answer:
    assert change.edit is not None  # noqa: S101 - for the type checker
    text, warnings = bounded(diff_text(change.edit, change.old)) if shown else ("", (_HIDDEN,))
    told = Told.of(outcome, shown=shown) if outcome else Told(said, "", (), None, ())
    message = f"{said}: {told.message}" if outcome else said
    data = EditData(
        status,
        change.path,
        text,
        outcome.proposal.id if outcome else None,
        told.hunks,
        told.applied_diff,
        outcome.receipt.reason or None if outcome else None,
        change.replacements,
        change.total_lines,
    )
    body = told.body if outcome and outcome.is_decided else text
    return Answer(message, f"{message}\n{body}", data, (*warnings, *told.warnings))
