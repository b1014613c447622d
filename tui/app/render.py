"""Foreign text as segments of the screen: the only place where it becomes styled text.

Whatever a terminal might obey or hide is written out (see `tui.text`) and drawn in a style of its own,
so that it is seen for what it is. Tabs become blanks, so that columns line up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui.text import is_plain_ascii, pieces

TAB = 4
LONGEST = 4000
"""Characters of a line that are drawn; nobody scrolls further to the right."""

PLAIN = Style.null()


class Mark(NamedTuple):
    """Columns of a text, and the style to lay over them."""

    start: int
    end: int
    style: Style


def segments(
    text: str, style: Style = PLAIN, marks: Sequence[Mark] = (), *, escaped: Style = PLAIN
) -> list[Segment]:
    """The text in segments, marks laid over it in their order; characters that had to be written out
    also get the style `escaped`."""
    cut = len(text) > LONGEST
    harmless = is_plain_ascii(text)
    drawn: list[Segment] = []
    column = 0
    for start, end, own in _stretches(min(len(text), LONGEST), style, marks):
        part = text[start:end]
        for piece, plain in ((part, True),) if harmless and part else pieces(part):
            shown = _untabbed(piece, column) if plain else piece
            column += len(shown) if harmless else cell_len(shown)
            drawn.append(Segment(shown, own if plain else own + escaped))
    if cut:
        drawn.append(Segment(f" … {len(text):,} characters", style + escaped))
    return drawn


def _stretches(length: int, style: Style, marks: Sequence[Mark]) -> Iterator[tuple[int, int, Style]]:
    """The text cut where a mark begins or ends, each stretch with what lies over it."""
    if not marks:
        if length:
            yield 0, length, style
        return
    edges = {0, length}
    for mark in marks:
        edges.update((min(mark.start, length), min(mark.end, length)))
    waiting = sorted(range(len(marks)), key=lambda place: -marks[place].start)
    over: list[int] = []
    for start, end in pairwise(sorted(edges)):
        while waiting and marks[waiting[-1]].start <= start:
            over.append(waiting.pop())
        over = [place for place in over if marks[place].end > start]
        yield start, end, sum((marks[place].style for place in sorted(over)), style)


def _untabbed(text: str, column: int) -> str:
    if "\t" not in text:
        return text
    shown = ""
    for part in text.split("\t")[:-1]:
        shown += part
        shown += " " * (TAB - (column + cell_len(shown)) % TAB)
    return shown + text[text.rfind("\t") + 1 :]
