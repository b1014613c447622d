"""What the main screen can change: replacements, lines, and the way back. Each opens a review.

Imported when it is first asked for: the first frame needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.app.asked import Asked
from tui.app.cases import OwnChange, Written
from tui.app.changes import LineEdit, Source, line_edit_review, replacement_review, undo_review
from tui.app.choice import Choice
from tui.app.screens.line_editor import LineEditScreen
from tui.app.screens.review import ReviewScreen
from tui.app.widgets.preview import Preview
from tui.config import History
from tui.edit.replace import Replacement
from tui.errors import RedlineError
from tui.review.review import Review
from tui.search.live.results import Results
from tui.text import counted, visible

if TYPE_CHECKING:
    from tui.app.screens.main import MainScreen


class Changing:
    """Speaks for the main screen; nothing is written but by the review it opens."""

    def __init__(self, screen: MainScreen, history: History) -> None:
        self._screen = screen
        self._workspace = screen.workspace
        self._history = history

    def replace(self, asked: Asked, results: Results, choice: Choice) -> None:
        replacement = asked.replacement()
        if not isinstance(replacement, Replacement):
            why = "nothing is searched for" if replacement is None else str(replacement)
            self._warn("Nothing to review", why)
            return
        paths = [path for path in results.paths() if choice.takes_file(path)]
        self._open(*replacement_review(self._workspace, replacement, asked.replace, paths, choice.takes))

    def undo(self) -> None:
        try:
            review, source, batch = undo_review(self._workspace, None)
        except RedlineError as error:
            self._warn("Undo", error.message)
            return
        self._open(review, source, undoes=batch)

    def insert_lines(self, preview: Preview) -> None:
        """Lines of the person's own after the marked ones."""
        _, last = preview.marked
        document = preview.document
        at = last + 1 if document.lines else 0
        self._edit(LineEdit(document.path, at, at, "", insert=True), "")

    def change_lines(self, preview: Preview) -> None:
        first, last = preview.marked
        text = "\n".join(preview.document.lines[first : last + 1])
        self._edit(LineEdit(preview.document.path, first + 1, last + 1, ""), text)

    def delete_lines(self, preview: Preview) -> None:
        first, last = preview.marked
        if preview.document.lines:
            self._review_lines(LineEdit(preview.document.path, first + 1, last + 1, None))

    def _edit(self, edit: LineEdit, text: str) -> None:
        if not edit.path:
            return
        if not LineEditScreen.can_edit(text):
            self._warn("Not here", "control characters in these lines: use your own editor (e)")
            return

        def edited(content: str | None) -> None:
            if content is not None:
                self._review_lines(edit._replace(content=content))

        self._screen.app.push_screen(LineEditScreen(edit.title, text), edited)

    def _review_lines(self, edit: LineEdit) -> None:
        try:
            self._open(*line_edit_review(self._workspace, edit))
        except RedlineError as error:
            self._warn("Not possible", error.message)

    def _open(self, review: Review, source: Source, undoes: int | None = None) -> None:
        case = OwnChange(self._workspace, review, source, self._history, undoes)
        self._screen.app.push_screen(ReviewScreen(case), self._reviewed)

    def _reviewed(self, written: Written | None) -> None:
        if written is not None:
            edits, files = counted(written.totals.edits, "edit"), counted(written.outcome.files, "file")
            done, way = ("Undone", "F3 brings it back") if written.undo else ("Applied", "u takes it back")
            told = f"batch {written.outcome.batch} · {way}"
            self._screen.notify(told, title=f"{done}: {edits} in {files}", markup=False)
            self._screen.changed()

    def _warn(self, title: str, text: str) -> None:
        self._screen.notify(visible(text), title=title, severity="warning", markup=False)
