"""A question that is answered with y, by someone who has read it."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.styles import style
from tui.app.widgets.words import Words

READING_SECONDS = 0.25
"""Nobody has read and answered a question faster; a key that comes earlier was meant for something else."""


class ConfirmScreen(ModalScreen[bool]):
    """Yes only by y, typed after the question was on the screen. Enter, pastes and keys typed ahead
    answer nothing; n and esc say no."""

    CSS_PATH = style("confirm")

    def __init__(self, question: str, detail: str = "") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._readable_from = float("inf")

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Words(self._question, id="question")
            if self._detail:
                yield Words(self._detail, id="detail")
            yield Static("[b]y[/b] yes   [b]n[/b] no", id="answers")

    def on_mount(self) -> None:
        self.call_after_refresh(self._shown)

    def _shown(self) -> None:
        self._readable_from = Message().time + READING_SECONDS

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key in ("n", "escape", "q"):
            self.dismiss(False)
        elif event.key == "y" and event.time >= self._readable_from:
            self.dismiss(True)
