"""Proposals: plans that wait in the workspace's store until a person has decided.

A proposal keeps the plan, sealed with its digest, and the bytes it was made from, so that it can be
shown as the agent meant it, whatever has become of the files since. What is said about it in a review
is kept as it is said; it is settled together with what is written of it (`edit.answers`), or not at all.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from tui.edit.answers import Answers, check_open, settle
from tui.edit.diff import outline
from tui.edit.plan import EditPlan, digest
from tui.edit.store import Store, StoreError
from tui.errors import NotFoundError
from tui.review.decisions import Decision, Said
from tui.review.receipts import HunkDecision, Receipt, State
from tui.text import visible, whole_characters
from tui.workspace import Workspace

_POLL_SECONDS = 0.1
_CONTENTS_KEPT = 200
"""So many decided proposals can still be looked at; of older ones the line and the receipt are kept."""

_ROWS = (
    "SELECT id, created, agent, title, note, state, files, added, removed, revision, batch FROM proposals "
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One line of the inbox. `added` and `removed` count lines; `revision` how often it was rebased;
    `batch` is what was written of it."""

    id: int
    when: datetime
    agent: str
    title: str
    note: str
    state: State
    files: int
    added: int
    removed: int
    revision: int = 0
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A proposal to be reviewed: its plan, the digest of that plan as it is stored, the bytes it was
    made from, and what was said about it in earlier sittings."""

    proposal: Proposal
    plan: EditPlan
    shown: str
    originals: Mapping[str, bytes]
    said: tuple[Said, ...]


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
        added, removed = _lines(plan, originals)
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
            _keep_originals(database, number, originals)
        return self.proposal(number)

    def replan(self, opened: Opened, plan: EditPlan, originals: Mapping[str, bytes]) -> Opened:
        """The proposal rebased: another plan under the same number, about which nothing was said yet.
        StaleError if it is no longer what was shown."""
        number = opened.proposal.id
        added, removed = _lines(plan, originals)
        with self._store.transaction() as database:
            check_open(database, Answers(number, opened.shown, "", b""))
            database.execute(
                "UPDATE proposals SET plan = ?, files = ?, added = ?, removed = ?, revision = revision + 1"
                " WHERE id = ?",
                (plan.to_json(), len(plan.files), added, removed, number),
            )
            database.execute("DELETE FROM proposal_originals WHERE proposal = ?", (number,))
            _keep_originals(database, number, originals)
        return self.open(number)

    def open(self, number: int) -> Opened:
        """All of a proposal, as of one moment. BadPlanError if its plan was altered."""
        with self._store.transaction():
            proposal = self.proposal(number)
            ((plan,),) = self._store.rows("SELECT plan FROM proposals WHERE id = ?", (number,))
            said = self._store.rows(
                "SELECT path, hunk, decision FROM decisions WHERE proposal = ? AND revision = ? ORDER BY id",
                (number, proposal.revision),
            )
            originals = self.originals(number)
        stored = _blob(number, plan)
        return Opened(
            proposal,
            EditPlan.from_json(stored),
            digest(stored),
            originals,
            tuple(_said(*row) for row in said),
        )

    def keep(self, opened: Opened, said: Iterable[Said], who: str) -> None:
        """Every decision is kept: who made it, when, and what it was."""
        now = time.time()
        number, revision = opened.proposal.id, opened.proposal.revision
        with self._store.transaction() as database:
            database.executemany(
                "INSERT INTO decisions (proposal, revision, made, who, path, hunk, decision)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (number, revision, now, who, os.fsencode(each.path), each.hunk, _encoded(each.decision))
                    for each in said
                ],
            )

    def settle(self, opened: Opened, receipt: Receipt) -> None:
        """End a proposal of which nothing is written. StaleError if it was decided or altered meanwhile."""
        answers = answers_to(opened, receipt)
        with self._store.transaction() as database:
            check_open(database, answers)
            settle(database, answers)
        self.prune()

    def receipt(self, number: int) -> Receipt:
        """What became of it; while it waits, that nothing is decided."""
        proposal = self.proposal(number)
        ((stored,),) = self._store.rows("SELECT receipt FROM proposals WHERE id = ?", (number,))
        if stored is not None:
            return _receipt(number, stored)
        return Receipt(proposal.state, "", "", self._undecided(number), None)

    def _undecided(self, number: int) -> tuple[HunkDecision, ...]:
        originals = self.originals(number)
        return tuple(
            HunkDecision(name, "undecided", None, whole_characters(edit.path), "")
            for edit in self.plan(number).files
            for name in outline(edit, originals.get(edit.path, b"")).ids
        )

    def prune(self) -> None:
        """Let go of the contents of what was decided long ago."""
        with self._store.transaction() as database:
            database.execute(
                "DELETE FROM proposal_originals WHERE proposal IN (SELECT id FROM proposals"
                " WHERE state != 'pending' ORDER BY id DESC LIMIT -1 OFFSET ?)",
                (_CONTENTS_KEPT,),
            )

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
        return EditPlan.from_json(_blob(number, rows[0][0]))

    def originals(self, number: int) -> dict[str, bytes]:
        """The bytes that the plan was made from, by path."""
        rows = self._store.rows("SELECT path, bytes FROM proposal_originals WHERE proposal = ?", (number,))
        return {os.fsdecode(path): bytes(data) for path, data in rows}

    def wait(self, number: int, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Proposal:
        """The proposal as soon as it is decided, or as it is after so many seconds."""
        ends = time.monotonic() + seconds
        while True:
            proposal = self.proposal(number)
            left = ends - time.monotonic()
            if proposal.state is not State.PENDING or left <= 0 or stopped():
                return proposal
            time.sleep(min(_POLL_SECONDS, left))


def answers_to(opened: Opened, receipt: Receipt) -> Answers:
    """How a review settles its proposal."""
    return Answers(opened.proposal.id, opened.shown, receipt.state, msgspec.json.encode(receipt))


def _lines(plan: EditPlan, originals: Mapping[str, bytes]) -> tuple[int, int]:
    """How many lines come and go."""
    outlines = [outline(edit, originals.get(edit.path, b"")) for edit in plan.files]
    return sum(file.added for file in outlines), sum(file.removed for file in outlines)


def _keep_originals(database: sqlite3.Connection, number: int, originals: Mapping[str, bytes]) -> None:
    database.executemany(
        "INSERT INTO proposal_originals (proposal, path, bytes) VALUES (?, ?, ?)",
        [(number, os.fsencode(path), data) for path, data in originals.items()],
    )


def _encoded(decision: Decision) -> bytes:
    """With the halves of characters that a text of ours may hold, unlike JSON."""
    return msgspec.msgpack.encode(
        msgspec.structs.replace(
            decision,
            reason=whole_characters(decision.reason),
            text=None if decision.text is None else whole_characters(decision.text),
        )
    )


def _said(path: bytes, hunk: str, decision: bytes) -> Said:
    try:
        return Said(os.fsdecode(path), hunk, msgspec.msgpack.decode(decision, type=Decision))
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise _damaged("a decision", error) from error


def _receipt(number: int, stored: bytes) -> Receipt:
    try:
        return msgspec.json.decode(stored, type=Receipt)
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise _damaged(f"the receipt of proposal {number}", error) from error


def _blob(number: int, stored: object) -> bytes:
    if isinstance(stored, bytes):
        return stored
    raise _damaged(f"the plan of proposal {number}", TypeError("it is not what Redline wrote"))


def _proposal(row: tuple[Any, ...]) -> Proposal:
    number, created, agent, title, note, state, files, added, removed, revision, batch = row
    try:
        when = datetime.fromtimestamp(created, UTC)
        return Proposal(
            number, when, agent, title, note, State(state), files, added, removed, revision, batch
        )
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise _damaged(f"proposal {number}", error) from error


def _damaged(what: str, error: Exception) -> StoreError:
    return StoreError(
        f"{what} is damaged in the store: {visible(str(error))}",
        "move the store away to begin a new one; earlier changes can then not be undone",
    )
