"""A screen with one list, a title above it and keys below: history, what was skipped, saved searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Footer

from tui.app.render import segments
from tui.app.styles import style
from tui.app.widgets.rows import Rows
from tui.app.widgets.two_ends import TwoEnds
from tui.app.widgets.words import Words

Result = TypeVar("Result")


class Item(NamedTuple):
    """A row: columns at the left in quiet, then the words that matter, then a remark."""

    columns: str
    words: str
    remark: str = ""
    strong: bool = True


class Items(Rows):
    """Rows of words."""

    def __init__(self, items: Sequence[Item] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items = items

    def show(self, items: Sequence[Item]) -> None:
        self._items = items
        self.renew()

    @property
    def line_count(self) -> int:
        return len(self._items)

    def draw(self, line: int, width: int) -> Strip:
        item = self._items[line]
        quiet = self.style_of("quiet")
        return Strip(
            [
                *segments(f" {item.columns}", quiet),
                *segments(
                    item.words,
                    self.style_of("strong") if item.strong else quiet,
                    escaped=self.style_of("escaped"),
                ),
                *segments(f"  {item.remark}" if item.remark else "", quiet),
            ]
        ).crop(0, width)


class ListingScreen(ModalScreen[Result], Generic[Result]):
    """Subclasses fill it with `show`, and say what its keys do."""

    CSS_PATH = style("listing")
    ITEMS: ClassVar[type[Items]] = Items
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "leave", id="listing.leave")]

    def __init__(self, title: str, empty: str) -> None:
        super().__init__()
        self.items = self.ITEMS(id="items")
        self._heading = TwoEnds(title, id="heading")
        self._empty = Words(empty, id="empty")
        self._said = Words(id="said")

    def compose(self) -> ComposeResult:
        with Vertical(id="listing"):
            yield self._heading
            yield self.items
            yield self._empty
            yield self._said
            yield Footer(compact=True, show_command_palette=False)

    def show(self, items: Sequence[Item], right: str = "") -> None:
        self.items.show(items)
        self.items.display = bool(items)
        self._empty.display = not items
        self._heading.say(right=right)
        if items:
            self.set_focus(self.items)

    def say(self, text: str) -> None:
        self._said.display = bool(text)
        self._said.say(text)

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(Rows.Chosen)
    def _chosen(self, message: Rows.Chosen) -> None:
        message.stop()
        self.open_row(message.row)

    def open_row(self, row: int) -> None:
        """What enter does; nothing unless a subclass says so."""
