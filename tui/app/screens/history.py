"""The history: every batch, its diff, undo and redo."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.app.cases import OwnChange, Written
from tui.app.changes import undo_review
from tui.app.screens.listing import Item, ListingScreen
from tui.app.screens.review import ReviewScreen
from tui.config import History
from tui.edit.journal import Batch, State, history
from tui.errors import RedlineError
from tui.text import counted
from tui.workspace import Workspace


class HistoryScreen(ListingScreen[None]):
    """Undo of a batch, or of its undo (redo), opens the same review as every change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,enter", "undo", "undo or redo", id="history.undo", key_display="u")
    ]

    def __init__(self, workspace: Workspace, settings: History) -> None:
        super().__init__("History", "nothing was applied in this workspace yet")
        self._workspace = workspace
        self._settings = settings
        self._batches: list[Batch] = []

    def on_mount(self) -> None:
        self._load()

    def _load(self) -> None:
        try:
            self._batches = history(self._workspace)
        except RedlineError as error:
            self._batches = []
            self.say(f"{error.message}; {error.hint}")
        self.show([_item(batch) for batch in self._batches], counted(len(self._batches), "batch", "batches"))

    def open_row(self, row: int) -> None:
        self.action_undo()

    def action_undo(self) -> None:
        if not self._batches:
            return
        try:
            review, source, batch = undo_review(self._workspace, self._batches[self.items.cursor].id)
        except RedlineError as error:
            self.say(f"{error.message}; u on that batch brings it back")
            return
        case = OwnChange(self._workspace, review, source, self._settings, undoes=batch)
        self.app.push_screen(ReviewScreen(case), self._undone)

    def _undone(self, written: Written | None) -> None:
        if written is not None:
            self.say(
                f"{counted(written.outcome.files, 'file')} changed back, as batch {written.outcome.batch}"
            )
        self._load()


def _item(batch: Batch) -> Item:
    when = batch.when.astimezone().strftime("%Y-%m-%d %H:%M")
    who = "" if batch.who == "person" else f"{batch.who}: "
    stands = batch.state is State.COMMITTED and batch.undone_by is None
    remark = f"undone by {batch.undone_by}" if batch.undone_by else ""
    if batch.state is not State.COMMITTED:
        remark = batch.state.replace("_", " ")
    columns = f"{batch.id:>4}  {when}  {counted(batch.files, 'file'):>11}  "
    return Item(columns, f"{who}{batch.title}", remark, strong=stands)
