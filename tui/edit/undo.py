"""Undo: a plan in the other direction, down the same road.

Such a plan is like any other: it can be looked at before it is applied, it refuses files that
changed since, and it becomes a batch of its own. So redo is the undo of an undo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tui.edit.apply import Outcome, Progress, apply
from tui.edit.journal import Batch, BatchFile, Journal, State
from tui.edit.plan import EditPlan, FileEdit, Splice
from tui.edit.store import Store
from tui.errors import InvalidArgumentError, NotFoundError
from tui.workspace import Workspace


class Undo(NamedTuple):
    """The batch to be taken back, and the plan that does it."""

    batch: Batch
    plan: EditPlan


def plan_undo(workspace: Workspace, batch: int | None = None) -> Undo:
    """The way back from a batch; without a number, from the last one that still stands.

    Apply it with `undoes=undo.batch.id`. NotFoundError if there is no such batch.
    """
    store = Store.existing(workspace)
    if store is None:
        raise NotFoundError("nothing to undo: nothing was ever applied in this workspace")
    with store:
        journal = Journal(store)
        chosen = _last_standing(journal) if batch is None else _undoable(journal.batch(batch))
        files = tuple(_back(file, splices) for file, splices in journal.reversed_splices(chosen))
        return Undo(chosen, EditPlan(_title(chosen), files))


def undo(
    workspace: Workspace,
    batch: int | None = None,
    *,
    who: str = "person",
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    break_links: bool = False,
) -> Outcome:
    """Take a batch back at once. StaleError names the files that changed since; nothing is written."""
    chosen, plan = plan_undo(workspace, batch)
    return apply(
        workspace,
        plan,
        who=who,
        undoes=chosen.id,
        progress=progress,
        cancelled=cancelled,
        break_links=break_links,
    )


def _last_standing(journal: Journal) -> Batch:
    """An undo is never chosen by itself: to undo twice goes two batches back, not forth again. A redo
    is: it made the change anew."""
    batches = journal.history()
    undoes = {batch.id: batch.undoes for batch in batches}
    for batch in batches:
        if batch.state == State.COMMITTED and batch.undone_by is None and not _is_undo(batch, undoes):
            return batch
    last = next((batch for batch in batches if batch.state == State.COMMITTED), None)
    hint = f"to bring the change back: redline undo {last.id}" if last else "see `redline history`"
    raise NotFoundError("nothing to undo: no batch in the history still stands", hint)


def _is_undo(batch: Batch, undoes: Mapping[int, int | None]) -> bool:
    """Whether it takes a change back rather than making it: an undo does, the undo of an undo not."""
    steps = 0
    undone = batch.undoes
    while undone is not None:
        steps += 1
        undone = undoes.get(undone)
    return steps % 2 == 1


def _undoable(batch: Batch) -> Batch:
    if batch.undone_by is not None:
        raise InvalidArgumentError(
            f"batch {batch.id} was undone already, by batch {batch.undone_by}",
            f"to bring it back: redline undo {batch.undone_by}",
        )
    if batch.state == State.ROLLED_BACK:
        raise InvalidArgumentError(f"batch {batch.id} was rolled back: there is nothing to undo")
    if batch.state != State.COMMITTED:
        raise InvalidArgumentError(f"batch {batch.id} is not finished: another Redline is at work on it")
    return batch


def _back(file: BatchFile, splices: tuple[Splice, ...]) -> FileEdit:
    back_to = None if file.new_path is None else file.path
    return FileEdit(file.target, file.after, file.before, splices, back_to)


def _title(batch: Batch) -> str:
    plain = batch.title.removeprefix("Undo: ").removeprefix("Redo: ")
    return f"Undo: {plain}" if batch.undoes is None or batch.title.startswith("Redo: ") else f"Redo: {plain}"
