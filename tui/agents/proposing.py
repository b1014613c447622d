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
from tui.agents.files import LARGEST, TextFile
from tui.agents.room import CHARACTERS, LINE, MOST_RESULTS, fitting
from tui.config import Permission
from tui.edit.apply import check
from tui.edit.diff import outline
from tui.edit.difftext import diff_text
from tui.edit.layout import Layout
from tui.edit.plan import EditPlan, FileEdit, Splice, modify, spliced
from tui.edit.store import Store
from tui.review.proposals import Inbox, Proposal, State
from tui.text import counted, cut_around, number, visible
from tui.workspace import too_large

_HIDDEN = "the diff is not shown: ReadFiles is not granted"

PREVIEW = "preview"
UNCHANGED = "unchanged"

_TOLD = {
    State.PENDING: "waits for review as proposal {}; nothing is written until a person has accepted it",
    State.APPLIED: "proposal {} was accepted and applied",
    State.PARTIAL: "proposal {} was accepted in part; only that part was applied",
    State.REJECTED: "proposal {} was rejected; nothing was applied",
    State.STALE: "proposal {} is stale, its files changed; nothing was applied",
    State.WITHDRAWN: "proposal {} was withdrawn; nothing was applied",
}


class HunkDecision(msgspec.Struct, frozen=True):
    """What the person said about one hunk."""

    id: str
    decision: str
    reason: str | None


class EditData(msgspec.Struct, frozen=True):
    """`replacements` is told by replace_in_file, `total_lines` (as they would be) by the others;
    `applied_diff` is what was written, where anything was."""

    status: str
    path: str
    diff: str
    proposal_id: int | None
    hunks: tuple[HunkDecision, ...]
    applied_diff: str | None
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
    _check_size(change)
    plan = EditPlan(desk.task, (change.edit,))
    check(desk.workspace, plan, break_links=True)
    originals = {} if change.edit.before is None else {change.path: change.old}
    with Store.open(desk.workspace) as store:
        inbox = Inbox(store)
        proposal = inbox.wait(inbox.add(plan, originals, agent=desk.agent).id, desk.wait)
    message = f"{change.said}: {_TOLD[proposal.state].format(proposal.id)}"
    shown = change.edit.before is None or Permission.READ_FILES in desk.granted
    return _answer(change, str(proposal.state), message, proposal, shown=shown)


def _check_size(change: Change) -> None:
    after = change.edit.after if change.edit else None
    if after is not None and after.size > LARGEST:
        raise too_large(change.path, after.size, LARGEST)


def _unchanged(change: Change) -> Answer:
    message = f"{change.said}: nothing to change, nobody needs to approve it"
    data = EditData(UNCHANGED, change.path, "", None, (), None, change.replacements, change.total_lines)
    return Answer(message, message, data)


def _answer(
    change: Change, status: str, message: str, proposal: Proposal | None = None, *, shown: bool = True
) -> Answer:
    assert change.edit is not None  # noqa: S101 - for the type checker
    text, warnings = _bounded(diff_text(change.edit, change.old)) if shown else ("", (_HIDDEN,))
    ids = outline(change.edit, change.old).ids[:MOST_RESULTS] if proposal else ()
    hunks = tuple(HunkDecision(name, "undecided", None) for name in ids)
    data = EditData(
        status,
        change.path,
        text,
        proposal.id if proposal else None,
        hunks,
        None,
        change.replacements,
        change.total_lines,
    )
    return Answer(message, f"{message}\n{text}", data, warnings)


def _bounded(diff: str) -> tuple[str, tuple[str, ...]]:
    """As much of a diff as an answer holds."""
    lines = diff.removesuffix("\n").split("\n")
    cut = [cut_around(line, (), LINE)[0] for line in lines]
    shown = fitting(cut, CHARACTERS)
    if cut[:shown] == lines:
        return diff, ()
    missing = f", and {counted(len(lines) - shown, 'line')} of it are missing" if shown < len(lines) else ""
    warning = f"the diff is cut: long lines are shortened{missing}; the inbox shows all of it"
    return "\n".join([*cut[:shown], f"... ({warning})\n"]), (warning,)
