"""One line with something at its left and something at its right end."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tui.app.render import segments


class TwoEnds(Widget):
    """Drawn as a line, not laid out: it may say something else many times a second. Where both do not
    fit, the right end is cut to a third, then the left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"left", "right"}
    DEFAULT_CSS = "TwoEnds { height: 1; width: 1fr; }"

    def __init__(self, left: str = "", right: str = "", *, id: str | None = None, classes: str = "") -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._ends = left, right

    def say(self, left: str | None = None, right: str | None = None) -> None:
        ends = self._ends[0] if left is None else left, self._ends[1] if right is None else right
        if ends != self._ends:
            self._ends = ends
            self.refresh()

    def render_line(self, y: int) -> Strip:
        left = Strip(segments(self._ends[0], self.get_component_rich_style("left", partial=True)))
        right = Strip(segments(self._ends[1], self.get_component_rich_style("right", partial=True)))
        most = max(self.size.width - left.cell_length - 2, self.size.width // 3)
        if right.cell_length > most:
            right = Strip.join([right.crop(0, max(0, most - 1)), Strip([Segment("…")])])
        room = max(0, self.size.width - right.cell_length - (2 if right.cell_length else 0))
        if left.cell_length > room:
            left = Strip.join([left.crop(0, max(0, room - 1)), Strip([Segment("…")])])
        line = Strip.join([left.adjust_cell_length(self.size.width - right.cell_length), right])
        return line.adjust_cell_length(self.size.width).apply_style(self.rich_style)
