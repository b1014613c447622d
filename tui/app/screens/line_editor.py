"""A small editor for a few lines; what it gives goes through the review like everything else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer

from tui.app.screens.confirm import ConfirmScreen
from tui.app.styles import style
from tui.app.widgets.safe_input import SafeTextArea
from tui.app.widgets.words import Words
from tui.text import is_plain


class LineEditScreen(ModalScreen[str | None]):
    """Dismissed with the new lines, or with nothing. Text that a terminal might obey cannot be edited
    here: the editor would hand it on."""

    CSS_PATH = style("line_editor")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "done", "review", id="lines.review", priority=True, key_display="ctrl+r"),
        Binding("escape", "leave", "leave", id="lines.leave", priority=True),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._editor = SafeTextArea(text, tab_behavior="indent", show_line_numbers=False, id="lines")

    def compose(self) -> ComposeResult:
        with Vertical(id="line-editor"):
            yield Words(self._title, id="title")
            yield self._editor
            yield Footer(compact=True, show_command_palette=False)

    @staticmethod
    def can_edit(text: str) -> bool:
        return all(map(is_plain, text.split("\n")))

    def on_mount(self) -> None:
        self.set_focus(self._editor)
        self._editor.move_cursor(self._editor.document.end)

    def action_done(self) -> None:
        """Keys that were typed before this one wait in the editor; they come first."""
        self._editor.call_later(self._done)

    def action_leave(self) -> None:
        self._editor.call_later(self._leave)

    def _done(self) -> None:
        self.dismiss(self._editor.text)

    def _leave(self) -> None:
        if self._editor.text == self._text:
            self.dismiss(None)
        else:
            self.app.push_screen(ConfirmScreen("Leave without these lines?"), self._left)

    def _left(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(None)


class RewordScreen(LineEditScreen):
    """The same for the text of a hunk under review."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "done", "take it", id="lines.take", priority=True, key_display="ctrl+r")
    ]
