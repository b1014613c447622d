"""Proposals: plans that wait in the workspace's store until a person has decided.

A proposal keeps the plan, sealed with its digest, and the bytes it was made from, so that it can be
shown as the agent meant it, whatever has become of the files since.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from tui.edit.diff import outline
from tui.edit.plan import EditPlan
from tui.edit.store import Store, StoreError
from tui.errors import NotFoundError
from tui.text import visible, whole_characters
from tui.workspace import Workspace

_POLL_SECONDS = 0.1
_ROWS = "SELECT id, created, agent, title, note, state, files, added, removed FROM proposals "


class State(StrEnum):
    PENDING = "pending"
    APPLIED = "applied"
    PARTIAL = "partial"
    REJECTED = "rejected"
    STALE = "stale"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One line of the inbox. `added` and `removed` count lines."""

    id: int
    when: datetime
    agent: str
    title: str
    note: str
    state: State
    files: int
    added: int
    removed: int


def inbox(workspace: Workspace, *, pending_only: bool = True) -> list[Proposal]:
    """A workspace's proposals, oldest first; where nothing was ever proposed, none."""
    store = Store.existing(workspace)
    if store is None:
        return []
    with store:
        return Inbox(store).proposals(pending_only=pending_only)


class Inbox:
    """The proposals in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, plan: EditPlan, originals: Mapping[str, bytes], *, agent: str, note: str = "") -> Proposal:
        """Keep a plan for review; durable on return. `originals`: the bytes before of every file of the
        plan that was there. StaleError if they are not what the plan was made from."""
        outlines = [outline(edit, originals.get(edit.path, b"")) for edit in plan.files]
        added, removed = sum(file.added for file in outlines), sum(file.removed for file in outlines)
        words = (agent, plan.title, note)
        with self._store.transaction() as database:
            row = database.execute(
                "INSERT INTO proposals (created, agent, title, note, state, files, added, removed, plan)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    time.time(),
                    *map(whole_characters, words),
                    State.PENDING,
                    len(plan.files),
                    added,
                    removed,
                    plan.to_json(),
                ),
            )
            number = int(row.lastrowid or 0)
            database.executemany(
                "INSERT INTO proposal_originals (proposal, path, bytes) VALUES (?, ?, ?)",
                [(number, os.fsencode(path), data) for path, data in originals.items()],
            )
        return self.proposal(number)

    def proposals(self, *, pending_only: bool = True) -> list[Proposal]:
        """Oldest first, the order in which they were made."""
        which = "WHERE state = 'pending' ORDER BY id" if pending_only else "ORDER BY id"
        return [_proposal(row) for row in self._store.rows(_ROWS + which)]

    def proposal(self, number: int) -> Proposal:
        rows = self._store.rows(_ROWS + "WHERE id = ?", (number,))
        if not rows:
            raise NotFoundError(f"there is no proposal {number}", "see `redline inbox`")
        return _proposal(rows[0])

    def plan(self, number: int) -> EditPlan:
        """The plan as proposed. BadPlanError if it was altered since."""
        rows = self._store.rows("SELECT plan FROM proposals WHERE id = ?", (number,))
        if not rows:
            raise NotFoundError(f"there is no proposal {number}", "see `redline inbox`")
        return EditPlan.from_json(bytes(rows[0][0]))

    def originals(self, number: int) -> dict[str, bytes]:
        """The bytes that the plan was made from, by path."""
        rows = self._store.rows("SELECT path, bytes FROM proposal_originals WHERE proposal = ?", (number,))
        return {os.fsdecode(path): bytes(data) for path, data in rows}

    def wait(self, number: int, seconds: float) -> Proposal:
        """The proposal as soon as it is decided, or as it is after so many seconds."""
        ends = time.monotonic() + seconds
        while True:
            proposal = self.proposal(number)
            left = ends - time.monotonic()
            if proposal.state is not State.PENDING or left <= 0:
                return proposal
            time.sleep(min(_POLL_SECONDS, left))


def _proposal(row: tuple[Any, ...]) -> Proposal:
    number, created, agent, title, note, state, files, added, removed = row
    try:
        when = datetime.fromtimestamp(created, UTC)
        return Proposal(number, when, agent, title, note, State(state), files, added, removed)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise StoreError(
            f"proposal {number} is damaged in the store: {visible(str(error))}",
            "move the store away to begin a new one; earlier changes can then not be undone",
        ) from error
