"""Lines drawn when they are seen: what every list and every text on the screen is made of."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, ClassVar

from rich.segment import Segments
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip

_KEPT = 500


class _Thumb(ScrollBarRender):
    """Nothing where all is in sight. The bar's column is always there: if it came and went, the whole
    screen would have to be laid out anew, and what is beside it would jump."""

    @classmethod
    def render_bar(
        cls, size: int = 25, virtual_size: float = 50, window_size: float = 20, *rest: Any, **more: Any
    ) -> Segments:
        return super().render_bar(
            size, virtual_size if virtual_size > window_size else 0, window_size, *rest, **more
        )


class Lines(ScrollView):
    """Subclasses say how many lines there are, how wide they are, and draw one.

    A line has no background but where something is marked, so that one can be laid under it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"quiet", "strong", "escaped", "accent", "warning"}

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._strips: OrderedDict[tuple[int, int, int], Strip] = OrderedDict()
        self._base: Style | None = None

    # What subclasses say

    @property
    def line_count(self) -> int:
        return 0

    @property
    def line_width(self) -> int:
        """Cells of the widest line; 0 where every line is fitted into the width there is."""
        return 0

    def draw(self, line: int, width: int) -> Strip:
        """One line, as wide as that, from `scroll_offset.x` on."""
        return Strip.blank(width)

    def under(self, line: int) -> Style:
        """What lies under a line: the widget's own style, unless it stands out as a whole."""
        return self.base

    # What the owner calls

    def renew(self) -> None:
        """The lines are others now."""
        self._strips.clear()
        self._measure()
        self.refresh()

    def redraw(self) -> None:
        """The same lines look otherwise now."""
        self._strips.clear()
        self.refresh()

    def redraw_line(self, line: int) -> None:
        self.refresh_line(line - self.scroll_offset.y)

    def show_line(self, line: int) -> None:
        """Scroll just as far as it takes to see the line."""
        region = Region(self.scroll_offset.x, line, 1, 1)
        self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def show_line_with_others(self, line: int) -> None:
        """Leave the line where it is if it is well in sight; else bring it to the upper third."""
        height = self.scrollable_content_region.height
        inside = line - self.scroll_offset.y
        if not min(2, height // 4) <= inside < height - min(2, height // 4):
            self.scroll_to(y=max(0, line - height // 3), animate=False, force=True, immediate=True)

    # Drawing

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if line >= self.line_count:
            return Strip.blank(width, self.base)
        key = line, width, self.scroll_offset.x
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self.draw(line, width).adjust_cell_length(width)
            if len(self._strips) > _KEPT:
                self._strips.popitem(last=False)
        return strip.apply_style(self.under(line))

    @property
    def base(self) -> Style:
        """The widget's own style, kept: working it out walks up to the screen, and every line needs it."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def style_of(self, name: str) -> Style:
        """A component class as it is laid over a line: its own colours only."""
        return self.get_component_rich_style(name, partial=True)

    def notify_style_update(self) -> None:
        self._strips.clear()
        self._base = None
        super().notify_style_update()

    def on_mount(self) -> None:
        self.vertical_scrollbar.renderer = _Thumb  # type: ignore[misc]

    def on_resize(self) -> None:
        self._measure()

    def _measure(self) -> None:
        """How much there is to scroll. No line is laid out, so the screen is laid out anew only when a
        scroll bar comes or goes: while results come in, this happens many times a second."""
        size = Size(self.line_width or self.scrollable_content_region.width, self.line_count)
        if size != self.virtual_size:
            self.set_reactive(Lines.virtual_size, size)
            self._scroll_update(size)
