"""The preview: a file in its colours, every hit marked, an overview of where the hits lie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from tui.app.document import Document
from tui.app.kinds import KINDS
from tui.app.render import PLAIN, Mark, segments
from tui.app.widgets.lines import Lines

_WIDEST = 1000
WHOLE_FILE = -1
"""Instead of a number of context lines."""


# A row is a number: three times the line (from 0), and what it shows of it. So rows are in order, and
# those of a whole file need not be made.
_GAP, _LINE, _NEW = 0, 1, 2


class Preview(Lines, can_focus=True):
    """`line` is the one it is about; marking begins there."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "match",
        "match-line",
        "marked",
        "added",
        "added-line",
        "added-word",
        "removed",
        "removed-line",
        "removed-word",
        "overview",
        *(f"syntax-{kind}" for kind in KINDS),
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="preview.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="preview.up"),
        Binding("g,home", "move_to(0)", "First line", show=False, id="preview.first"),
        Binding("G,end", "move_to(10000000000)", "Last line", show=False, id="preview.last"),
        Binding("ctrl+d", "half_page(1)", "Half a page down", show=False, id="preview.half-down"),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", show=False, id="preview.half-up"),
        Binding("pagedown", "half_page(2)", "A page down", show=False, id="preview.page-down"),
        Binding("pageup", "half_page(-2)", "A page up", show=False, id="preview.page-up"),
    ]

    class LineChanged(Message):
        """The preview is about another line."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.document = Document("")
        self.line = 0
        self.mark: int | None = None
        self.context = WHOLE_FILE
        self._rows: Sequence[int] = ()
        self._cells: tuple[int, frozenset[int]] = (0, frozenset())

    # What it shows

    def show(self, document: Document, line: int | None) -> None:
        """Another document, or the same anew; `line` from 0, None to stay."""
        same = document.path == self.document.path
        self.document = document
        self.mark = self.mark if same else None
        self._lay_out()
        if line is not None or not same:
            self.go_to(line or 0)
        else:
            self.line = min(self.line, max(0, len(document.lines) - 1))

    def go_to(self, line: int, *, tell: bool = False) -> None:
        before = self.line
        self.line = max(0, min(line, len(self.document.lines) - 1))
        if self._rows:
            self.show_line_with_others(self._row_of(self.line))
        self.refresh()
        if tell and self.line != before:
            self.post_message(self.LineChanged())

    def surround(self, context: int) -> None:
        """So many lines around each hit, or the whole file."""
        self.context = context
        self._lay_out()
        self.go_to(self.line)

    def switch_mark(self) -> None:
        """Begin to mark lines at the current one, or forget the mark."""
        self.mark = None if self.mark is not None else self.line
        self.refresh()

    @property
    def marked(self) -> tuple[int, int]:
        """The first and the last marked line, from 0; the current one where none is marked."""
        other = self.line if self.mark is None else self.mark
        return min(self.line, other), max(self.line, other)

    # Layout

    def _lay_out(self) -> None:
        self._cells = 0, frozenset()
        self._rows = self._laid_out()
        self.renew()

    def _laid_out(self) -> Sequence[int]:
        """Lines, what becomes of them, and a gap where lines are left out."""
        document = self.document
        count = len(document.lines)
        new = [3 * line + _NEW for line in document.edits]
        if self.context == WHOLE_FILE or not document.hits:
            whole = range(_LINE, 3 * count, 3)
            return sorted([*whole, *new]) if new else whole
        near = {
            line
            for hit in document.hits
            for line in range(max(0, hit - self.context), min(count, hit + self.context + 1))
        }
        gaps = [3 * line + _GAP for line in near if line and line - 1 not in near]
        return sorted([*gaps, *(3 * line + _LINE for line in near), *new])

    def _row_of(self, line: int) -> int:
        """The row of a line, or of the next one that is shown."""
        return min(bisect_left(self._rows, 3 * line + _LINE), len(self._rows) - 1)

    def _line_at(self, row: int) -> int | None:
        """The line that a row shows; None for a gap, and below the last row."""
        line, what = divmod(self._rows[row], 3) if row < len(self._rows) else (0, _GAP)
        return None if what == _GAP else line

    @property
    def line_count(self) -> int:
        return len(self._rows) or 1

    @property
    def line_width(self) -> int:
        width = min(self.document.width, _WIDEST) + self._digits + 6
        return max(self.scrollable_content_region.width, width)

    @property
    def _digits(self) -> int:
        return max(3, len(str(len(self.document.lines))))

    # Drawing

    def draw(self, line: int, width: int) -> Strip:
        if not self._rows:
            return Strip([Segment(" "), *segments(self._nothing(), self.style_of("quiet"))])
        place, what = divmod(self._rows[line], 3)
        if what == _GAP:
            return Strip([Segment(f" {'⋯':>{self._digits}}", self.style_of("quiet"))])
        under, sign = self._under(place, what)
        number = "" if what == _NEW else str(place + 1)
        gutter = Strip(
            [
                Segment(f" {number:>{self._digits}} ", self.style_of("quiet")),
                Segment(f"{sign} ", under + self.style_of({"+": "added", "-": "removed"}.get(sign, "quiet"))),
            ]
        )
        room = max(1, width - gutter.cell_length - 1)
        x = self.scroll_offset.x
        drawn = self._new_text(place, under) if what == _NEW else self._text(place, under)
        text = Strip(drawn).crop(x, x + room).extend_cell_length(room, under)
        return Strip.join([gutter, text])

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        width = self.scrollable_content_region.width
        return Strip.join([strip.crop(0, width - 1), self._overview(y)])

    def under(self, line: int) -> Style:
        base = self.base
        place = self._line_at(line)
        if place is None:
            return base
        first, last = self.marked
        if self.mark is not None and first <= place <= last:
            return base + self.style_of("marked")
        return base + self.style_of("match-line") if place == self.line else base

    def _nothing(self) -> str:
        if self.document.problem:
            return self.document.problem
        return "an empty file" if self.document.path else ""

    def _under(self, line: int, what: int) -> tuple[Style, str]:
        if what == _NEW:
            return self.style_of("added-line"), "+"
        return (self.style_of("removed-line"), "-") if line in self.document.edits else (PLAIN, " ")

    def _text(self, line: int, under: Style) -> list[Segment]:
        colours = self.document.colours[line] if line < len(self.document.colours) else []
        marks = [Mark(start, end, self.style_of(f"syntax-{kind}")) for start, end, kind in colours]
        removed = line in self.document.edits
        hit = self.style_of("removed-word" if removed else "match")
        marks += [Mark(start, end, hit) for start, end in self.document.hits.get(line, ())]
        return segments(self.document.lines[line], under, marks, escaped=self.style_of("escaped"))

    def _new_text(self, line: int, under: Style) -> list[Segment]:
        """The line as it would be; what follows on further lines is told by a sign."""
        text, escaped = self.document.lines[line], self.style_of("escaped")
        drawn: list[Segment] = []
        at = 0
        for edit in self.document.edits[line]:
            start, end = edit.span
            drawn += segments(text[at:start], under, escaped=escaped)
            drawn += segments(edit.new, under + self.style_of("added-word"), escaped=escaped)
            at = min(end, len(text))
        return drawn + segments(text[at:], under, escaped=escaped)

    def _overview(self, y: int) -> Strip:
        """One cell at the edge: whether hits lie in that part of the file."""
        height = max(1, self.size.height)
        if self._cells[0] != height:
            count = max(1, len(self.document.lines))
            self._cells = height, frozenset(line * height // count for line in self.document.hits)
        sign = "▐" if y in self._cells[1] else " "
        return Strip([Segment(sign, self.base + self.style_of("overview"))])

    # Keys and mouse

    def action_move(self, lines: int) -> None:
        self.go_to(self.line + lines, tell=True)

    def action_move_to(self, line: int) -> None:
        self.go_to(line, tell=True)

    def action_half_page(self, halves: int) -> None:
        self.go_to(self.line + halves * max(1, self.size.height // 2), tell=True)

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if (line := self._line_at(row)) is not None:
            if event.shift and self.mark is None:
                self.mark = self.line
            self.go_to(line, tell=True)
