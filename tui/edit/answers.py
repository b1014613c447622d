"""How a proposal is settled: with the batch that carries it out, in one transaction.

So after a crash at any moment its receipt says what is on the disk. Nothing here decides anything;
it keeps two windows, or a plan altered in between, from settling a proposal that was not the one shown.
"""

from __future__ import annotations

import sqlite3
import time
from typing import NamedTuple

from tui.edit.plan import StaleError, digest

PENDING = "pending"


class Answers(NamedTuple):
    """The proposal that a review settles: its number, the digest of its plan as it was shown, what
    becomes of it, and the receipt for whoever proposed it."""

    proposal: int
    shown: str
    outcome: str
    receipt: bytes


def check_open(database: sqlite3.Connection, answers: Answers) -> None:
    """StaleError unless the proposal still waits, and is still what was shown."""
    row = database.execute("SELECT state, plan FROM proposals WHERE id = ?", (answers.proposal,)).fetchone()
    name = f"proposal {answers.proposal}"
    hint = "leave the review and open it again from the inbox"
    if row is None or row[0] != PENDING:
        raise StaleError([(name, "it was decided meanwhile" if row else "it is gone from the store")], hint)
    if not isinstance(row[1], bytes) or digest(row[1]) != answers.shown:
        raise StaleError([(name, "it is no longer what was shown")], hint)


def settle(database: sqlite3.Connection, answers: Answers, batch: int | None = None) -> None:
    """Inside the transaction that `check_open` was called in, or that commits the batch."""
    database.execute(
        "UPDATE proposals SET state = ?, receipt = ?, decided = ?, batch = ? WHERE id = ? AND state = ?",
        (answers.outcome, answers.receipt, time.time(), batch, answers.proposal, PENDING),
    )


def settle_with(database: sqlite3.Connection, batch: int) -> None:
    """Settle what a batch carries out, now that it is committed."""
    row = database.execute("SELECT proposal, outcome, receipt FROM batches WHERE id = ?", (batch,)).fetchone()
    if row is not None and row[0] is not None:
        settle(database, Answers(row[0], "", row[1], row[2]), batch)
