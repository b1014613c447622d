"""A person at the other end: proposals decided as the app decides them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tui.edit.store import Store
from tui.review.decisions import Decision, Verdict
from tui.review.proposals import Inbox, Opened, Proposal, inbox
from tui.review.receipts import Receipt, State
from tui.review.settling import give_up, review_of, settle
from tui.workspace import Workspace

YES, NO = Decision(Verdict.ACCEPTED), Decision(Verdict.REJECTED)
SECONDS = 30.0


def no(reason: str) -> Decision:
    return Decision(Verdict.REJECTED, reason)


def opened(workspace: Workspace, number: int) -> Opened:
    with Store.open(workspace) as store:
        return Inbox(store).open(number)


def decide(root: Path, number: int, *decisions: Decision, reason: str = "") -> Receipt:
    """Decide the hunks of a proposal, in their order, and settle it."""
    with Workspace(root) as workspace:
        shown = opened(workspace, number)
        review = review_of(shown)
        hunks = [(place, hunk) for place in range(len(review.files)) for hunk in review.proposed(place).ids]
        for (place, hunk), decision in zip(hunks, decisions, strict=True):
            review.decide(place, hunk, decision)
        if reason:
            review.give_reason_for_all(reason)
        return settle(workspace, shown, review).receipt


def end(root: Path, number: int, state: State, reason: str) -> None:
    """Settle a proposal of which nothing is written."""
    with Workspace(root) as workspace:
        shown = opened(workspace, number)
        give_up(workspace, shown, review_of(shown), state, reason)


def pending(root: Path) -> list[Proposal]:
    with Workspace(root) as workspace:
        return inbox(workspace)


def arrived(root: Path, how_many: int = 1) -> list[Proposal]:
    """The proposals that wait, as soon as there are so many."""
    ends = time.monotonic() + SECONDS
    while len(found := pending(root)) < how_many:
        assert time.monotonic() < ends, "nothing was proposed"
        time.sleep(0.02)
    return found


@contextmanager
def meanwhile(root: Path, act: Callable[[int], object]) -> Iterator[None]:
    """Meanwhile, someone who does something with the next proposal that comes."""
    person = threading.Thread(target=lambda: act(arrived(root)[0].id), daemon=True)
    person.start()
    yield
    person.join(SECONDS)
    assert not person.is_alive()


def deciding(root: Path, *decisions: Decision, reason: str = "") -> AbstractContextManager[None]:
    return meanwhile(root, lambda number: decide(root, number, *decisions, reason=reason))
