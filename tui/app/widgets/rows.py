"""A list with a cursor: a million rows scroll as ten do."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.app.widgets.lines import Lines


class Rows(Lines, can_focus=True):
    """One line is one row; the cursor is on one of them."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"cursor"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="list.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up"),
        Binding("g,home", "move_first", "First", show=False, id="list.first"),
        Binding("G,end", "move_last", "Last", show=False, id="list.last"),
        Binding("ctrl+d", "move_half(1)", "Half a page down", show=False, id="list.half-down"),
        Binding("ctrl+u", "move_half(-1)", "Half a page up", show=False, id="list.half-up"),
        Binding("pagedown", "move_page(1)", "A page down", show=False, id="list.page-down"),
        Binding("pageup", "move_page(-1)", "A page up", show=False, id="list.page-up"),
        Binding("enter", "choose", "Open", show=False, id="list.open"),
    ]

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, rows: Rows, row: int) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> Rows:
            return self.rows

    class Chosen(Moved):
        """A row was chosen: enter, or a double click."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.cursor = 0

    def renew(self) -> None:
        """The rows are others now. The cursor stays where it is, as far as there are rows."""
        self.cursor = max(0, min(self.cursor, self.line_count - 1))
        super().renew()

    def move_to(self, row: int, *, tell: bool = True) -> None:
        """Put the cursor on a row, and have it seen."""
        row = max(0, min(row, self.line_count - 1))
        before, self.cursor = self.cursor, row
        self.redraw_line(before)
        self.redraw_line(row)
        self.show_line(row)
        if row != before and tell and self.line_count:
            self.post_message(self.Moved(self, row))

    def under(self, line: int) -> Style:
        base = self.base
        return base + self.style_of("cursor") if line == self.cursor else base

    def on_focus(self) -> None:
        self.redraw_line(self.cursor)

    def on_blur(self) -> None:
        self.redraw_line(self.cursor)

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if row < self.line_count:
            self.move_to(row)
            if event.chain > 1:
                self.action_choose()

    def action_move(self, rows: int) -> None:
        self.move_to(self.cursor + rows)

    def action_move_first(self) -> None:
        self.move_to(0)

    def action_move_last(self) -> None:
        self.move_to(self.line_count - 1)

    def action_move_page(self, pages: int) -> None:
        self.move_to(self.cursor + pages * max(1, self.size.height - 1))

    def action_move_half(self, pages: int) -> None:
        self.move_to(self.cursor + pages * max(1, self.size.height // 2))

    def action_choose(self) -> None:
        if self.line_count:
            self.post_message(self.Chosen(self, self.cursor))
