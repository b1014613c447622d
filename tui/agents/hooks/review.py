"""From an agent's edit to the hook's answer: proposed, waited for, and told.

The answer is always that the agent's own tool must not run: what was accepted is on the disk already, by
Redline's hand, and the rest must not get there. Where there is nothing to answer the agent goes on as if
there were no hook.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tui.agents.desk import Desk
from tui.agents.hooks import claude, codex
from tui.agents.hooks.events import BrokenEventError, Event
from tui.agents.hooks.planned import Planned
from tui.agents.outcomes import Outcome, Told, have_reviewed
from tui.agents.room import fitting
from tui.errors import OutsideWorkspaceError, RedlineError
from tui.review.receipts import State
from tui.text import visible, whole_characters
from tui.workspace import Workspace

LONGEST_REASON = 8000
"""Agents cut what a hook says at ten thousand characters."""
LONGEST_SESSION = 100

_PLANNERS = {"claude": claude.planned, "codex": codex.planned}

_HEADS = {
    State.PENDING: "Redline has not applied this edit yet: do not repeat it.",
    State.APPLIED: "Redline applied this edit: do not repeat it.",
    State.PARTIAL: "Redline applied a part of this edit: do not repeat it.",
    State.REJECTED: "Redline did not apply this edit: do not repeat it as it is.",
    State.STALE: "Redline did not apply this edit: read the file again and see whether it is still needed.",
    State.WITHDRAWN: "Redline did not apply this edit: do not repeat it.",
}


class Reply(NamedTuple):
    """What the hook prints, if anything, and a line for the person."""

    output: dict[str, Any] | None
    told: str = ""


def reviewed(agent: str, workspace: Workspace, event: Event, wait: float) -> Reply:
    """Have the edit reviewed. What cannot be reviewed is left to the agent, and said; what is none of ours
    is left alone."""
    try:
        planned = _PLANNERS[agent](workspace, event)
        return (
            Reply(None)
            if planned is None
            else Reply(_denied(_decided(agent, workspace, event, planned, wait)))
        )
    except codex.SplitPatchError as error:
        return Reply(_denied(f"Redline did not apply this patch: {error.message}; {error.hint}."))
    except (BrokenEventError, OutsideWorkspaceError) as error:
        return Reply(None, f"not reviewed: {error.message}")
    except RedlineError as error:
        told = whole_characters(f"not reviewed: {error.message}")
        return Reply({"systemMessage": f"Redline: {told}"}, told)


def _denied(reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": whole_characters(reason),
        }
    }


def _decided(agent: str, workspace: Workspace, event: Event, planned: Planned, wait: float) -> str:
    """The words for the agent. Once a proposal is in the inbox, whatever fails: it waits there, and the agent
    must not write behind the person's back."""
    proposed: list[int] = []
    desk = Desk(workspace, agent, wait=wait, waits_for=proposed.append)
    session = visible(event.session_id[:LONGEST_SESSION])
    note = "\n".join([f"{agent} session {session}" if session else agent, *planned.notes])
    try:
        outcome = have_reviewed(desk, planned.plan, planned.originals, note)
    except Exception:
        if not proposed:
            raise
        return _pending(proposed[0])
    return _pending(outcome.proposal.id) if not outcome.is_decided else _told(outcome)


def _pending(number: int) -> str:
    return (
        f"{_HEADS[State.PENDING]} It waits in the inbox as proposal {number}; nothing was written. Call the"
        f" tool await_review with proposal_id {number}, or ask the person to review it in Redline (F2)."
    )


def _told(outcome: Outcome) -> str:
    told = Told.of(outcome)
    parts = [f"{_HEADS[outcome.receipt.state]} {told.message[:1].upper()}{told.message[1:]}."]
    if told.applied_diff:
        parts.append("Read the file again before you change it further.")
    return "\n".join([" ".join(parts), _bounded(told.body)]).strip()


def _bounded(body: str) -> str:
    lines = body.split("\n")
    shown = fitting(lines, LONGEST_REASON)
    return (
        body
        if shown == len(lines)
        else "\n".join([*lines[:shown], "... (cut; read the file to see all of it)"])
    )
