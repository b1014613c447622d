"""What was not searched, and why; one key includes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.app.screens.listing import Item, ListingScreen
from tui.search.skipped import Reason, Skipped
from tui.text import counted

_MOST = 100_000


class SkippedScreen(ListingScreen[str]):
    """Dismissed with the name of what is to be included, or with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus", "include('size')", "raise the size limit", key_display="+", id="skipped.size"),
        Binding("h", "include('hidden')", "hidden files", id="skipped.hidden"),
        Binding("i", "include('ignore')", "ignored files", id="skipped.ignore"),
        Binding("x", "include('excluded')", "excluded directories", id="skipped.excluded"),
    ]

    def __init__(self, skipped: Sequence[Skipped], limit: str) -> None:
        super().__init__("Skipped", "everything in scope was searched")
        self._skipped = skipped
        self._limit = limit

    def on_mount(self) -> None:
        width = max((len(reason) for reason in Reason), default=0)
        items = [
            Item(f"{skipped.reason:<{width}}  ", skipped.path, skipped.detail)
            for skipped in self._skipped[:_MOST]
        ]
        self.show(items, f"{counted(len(self._skipped), 'file')} · size limit {self._limit}")

    def action_include(self, what: str) -> None:
        self.dismiss(what)
