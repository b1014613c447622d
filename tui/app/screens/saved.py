"""Saved searches: enter asks again, x forgets."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.app.asked import Asked
from tui.app.memory import Memory
from tui.app.screens.listing import Item, ListingScreen
from tui.text import counted


class SavedScreen(ListingScreen[Asked]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "forget", "forget", id="saved.forget")]

    def __init__(self, memory: Memory) -> None:
        super().__init__("Saved searches", "nothing is saved yet: ctrl+s on the main screen saves a search")
        self._memory = memory
        self._saved: list[tuple[str, Asked]] = []

    def on_mount(self) -> None:
        self._load()

    def _load(self) -> None:
        self._saved = self._memory.saved()
        width = max([len(name) for name, _ in self._saved], default=0)
        items = [Item("", f"{name:<{width}}", _told(asked)) for name, asked in self._saved]
        self.show(items, counted(len(items), "search", "searches"))

    def open_row(self, row: int) -> None:
        self.dismiss(self._saved[row][1])

    def action_forget(self) -> None:
        if self._saved:
            self._memory.forget(self._saved[self.items.cursor][0])
            self._load()


def _told(asked: Asked) -> str:
    parts = [
        asked.find,
        f"→ {asked.replace}" if asked.replace else "",
        f"in {asked.files}" if asked.files else "",
    ]
    return " ".join(filter(None, parts))
