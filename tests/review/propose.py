"""Proposals for tests: real files, the real store, decided as a person would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tui.edit.plan import EditPlan, FileEdit, Splice, create, modify
from tui.edit.store import Store
from tui.review.proposals import Inbox, Opened, Proposal
from tui.review.receipts import Receipt
from tui.review.review import Review
from tui.review.settling import Settled, review_of, settle
from tui.workspace import Workspace


def change(root: Path, path: str, new: str | bytes) -> FileEdit:
    """The edit that makes a file's contents these, whatever they are now."""
    data = new if isinstance(new, bytes) else new.encode()
    file = root / path
    if not file.exists():
        return create(path, data)
    old = file.read_bytes()
    edit = modify(path, old, file.stat().st_mode & 0o7777, [Splice(0, len(old), data)])
    assert edit is not None
    return edit


def proposed(root: Path, new: Mapping[str, str | bytes], title: str = "a change") -> Proposal:
    """These contents for these files, waiting in the inbox."""
    edits = tuple(change(root, path, text) for path, text in new.items())
    originals = {path: (root / path).read_bytes() for path in new if (root / path).exists()}
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return Inbox(store).add(EditPlan(title, edits), originals, agent="robot", note="because")


def opened(root: Path, number: int) -> Opened:
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return Inbox(store).open(number)


def receipt(root: Path, number: int) -> Receipt:
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return Inbox(store).receipt(number)


def proposal(root: Path, number: int) -> Proposal:
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return Inbox(store).proposal(number)


def decided(root: Path, number: int, decide: Callable[[Review], None]) -> Settled:
    """The proposal reviewed in one sitting."""
    case = opened(root, number)
    review = review_of(case)
    decide(review)
    with Workspace(root) as workspace:
        return settle(workspace, case, review)
