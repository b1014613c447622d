"""A question for one line of text, such as the name of a saved search."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.app.styles import style
from tui.app.widgets.safe_input import SafeInput
from tui.app.widgets.words import Words


class AskNameScreen(ModalScreen[str | None]):
    CSS_PATH = style("confirm")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", id="ask.leave")]

    def __init__(self, question: str, suggestion: str) -> None:
        super().__init__()
        self._question = question
        self._suggestion = suggestion

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Words(self._question, id="question")
            yield SafeInput(self._suggestion, compact=True, id="answer")

    @on(Input.Submitted)
    def _answered(self, message: Input.Submitted) -> None:
        self.dismiss(message.value.strip() or None)

    def action_leave(self) -> None:
        self.dismiss(None)
