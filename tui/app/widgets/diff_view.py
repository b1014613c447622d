"""A file's diff, unified or side by side, with its hunks to be switched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from tui.app.kinds import KINDS
from tui.app.render import PLAIN, Mark, segments
from tui.app.syntax import Coloured, coloured, lexer_for
from tui.app.widgets.lines import Lines
from tui.edit.diff import FileDiff, Hunk
from tui.edit.difflines import DiffLine, LineKind
from tui.review.decisions import Verdict

_SIGNS = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
MARKS = {Verdict.ACCEPTED: "✓", Verdict.REJECTED: "✗", Verdict.UNDECIDED: "?"}
_ENDS = {"\r\n": "␍␊", "\n": "␊", "": "no line end"}
_BAR = "▌"
_WIDEST = 1000


class _Row(NamedTuple):
    """A row of the diff: the header of something to decide (no lines), a line, or two side by side."""

    hunk: int
    left: int | None = None
    right: int | None = None


Colours = dict[str, list[list[Coloured]]]
"""For each hunk by its id, for each of its lines, what is where."""


def colours_of(diff: FileDiff) -> Colours:
    """The hunks' lines coloured as the two texts that they are of. Takes a while for many lines."""
    lexer = lexer_for(diff.new_path or diff.path)
    found: Colours = {}
    for hunk in diff.hunks:
        known: list[list[Coloured]] = [[] for _ in hunk.lines]
        for other in (LineKind.ADDED, LineKind.REMOVED):
            side = [number for number, line in enumerate(hunk.lines) if line.kind is not other]
            coloured_side = coloured([hunk.lines[number].text for number in side], lexer)
            for number, colours in zip(side, coloured_side, strict=True):
                known[number] = colours
        found[hunk.id] = known
    return found


class DiffView(Lines, can_focus=True):
    """One file's hunks; the one under the cursor has a bar at its side."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "added",
        "added-line",
        "added-word",
        "removed",
        "removed-line",
        "removed-word",
        "bar",
        *(f"syntax-{kind}" for kind in KINDS),
    }

    class HunkClicked(Message):
        """Someone pointed at a hunk."""

        def __init__(self, hunk: int) -> None:
            super().__init__()
            self.hunk = hunk

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.diff: FileDiff | None = None
        self.hunk = 0
        self.side_by_side = False
        self._verdict: Callable[[str], Verdict] = lambda hunk: Verdict.ACCEPTED
        self._colours: Colours = {}
        self._decided: list[tuple[str, Hunk | None]] = []
        self._rows: list[_Row] = []
        self._digits = 1

    def show(self, diff: FileDiff | None, verdict: Callable[[str], Verdict], colours: Colours) -> None:
        """Another file, from its first hunk on."""
        self.diff = diff
        self.hunk = 0
        self._verdict = verdict
        self._colours = colours
        hunks: dict[str, Hunk | None] = {hunk.id: hunk for hunk in diff.hunks} if diff else {}
        self._decided = [(name, hunks.get(name)) for name in diff.ids] if diff else []
        self._digits = max([_digits(hunk) for hunk in diff.hunks], default=1) if diff else 1
        self._lay_out()
        self.scroll_to(0, 0, animate=False, immediate=True)

    def turn(self, *, side_by_side: bool) -> None:
        """The same hunks, unified or side by side."""
        self.side_by_side = side_by_side
        self._lay_out()
        self.move_to(self.hunk)

    @property
    def current(self) -> str | None:
        """The id of the hunk under the cursor."""
        return self._decided[self.hunk][0] if self._decided else None

    def move_to(self, hunk: int) -> None:
        self.hunk = max(0, min(hunk, len(self._decided) - 1))
        rows = [place for place, row in enumerate(self._rows) if row.hunk == self.hunk]
        if rows:
            self.show_line(min(rows[-1], rows[0] + max(1, self.size.height - 2)))
            self.show_line(rows[0])
        self.renew()

    # Layout

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def line_width(self) -> int:
        if self.diff is None:
            return 0
        widest = max((len(line.text) for hunk in self.diff.hunks for line in hunk.lines), default=0)
        return max(self.scrollable_content_region.width, min(widest, _WIDEST) + self._gutter + 4)

    @property
    def _gutter(self) -> int:
        """Cells of the bar, both line numbers and the sign, which stay when the text is scrolled."""
        return 2 * self._digits + 5

    def _lay_out(self) -> None:
        self._rows = list(self._laid_out())
        self.renew()

    def _laid_out(self) -> Iterator[_Row]:
        for place, (_, hunk) in enumerate(self._decided):
            yield _Row(place)
            if hunk is None:
                continue
            if self.side_by_side:
                yield from (_Row(place, left, right) for left, right in _pairs(hunk.lines))
            else:
                yield from (_Row(place, number) for number in range(len(hunk.lines)))

    # Drawing

    def draw(self, line: int, width: int) -> Strip:
        row = self._rows[line]
        name, hunk = self._decided[row.hunk]
        bar = Strip([Segment(_BAR if row.hunk == self.hunk else " ", self.style_of("bar"))])
        if hunk is None or (row.left is None and row.right is None):
            return Strip.join([bar, Strip(self._header(name, hunk))])
        if self.side_by_side:
            half = (width - 2) // 2
            left = self._side(hunk, row.left, half, old=True)
            right = self._side(hunk, row.right, width - 2 - half, old=False)
            return Strip.join([bar, left, Strip([Segment("│", self.style_of("quiet"))]), right])
        return Strip.join([bar, self._unified(hunk, row.left or 0, width - 1)])

    def _header(self, name: str, hunk: Hunk | None) -> Iterator[Segment]:
        verdict = self._verdict(name)
        mark = {Verdict.ACCEPTED: "added", Verdict.REJECTED: "removed"}.get(verdict, "accent")
        yield Segment(f"{MARKS[verdict]} ", self.style_of(mark))
        quiet = self.style_of("quiet")
        if hunk is not None:
            yield Segment(hunk.header, quiet)
        elif self.diff is not None:
            yield from segments(", ".join([str(self.diff.kind), *self.diff.notes]), quiet)

    def _unified(self, hunk: Hunk, number: int, width: int) -> Strip:
        line = hunk.lines[number]
        old = "" if line.old is None else str(line.old)
        new = "" if line.new is None else str(line.new)
        under = self._under(hunk, line)
        numbers = Segment(f"{old:>{self._digits}} {new:>{self._digits}} ", self.style_of("quiet"))
        gutter = Strip([numbers, self._sign(line, under)])
        return Strip.join([gutter, self._scrolled(hunk, number, under, width - gutter.cell_length)])

    def _scrolled(self, hunk: Hunk, number: int, under: Style, room: int) -> Strip:
        """A line's text as far as it is in sight: gutters stay when it is scrolled sideways."""
        x = self.scroll_offset.x
        return Strip(self._text(hunk, number, under)).crop(x, x + room).extend_cell_length(room, under)

    def _side(self, hunk: Hunk, number: int | None, width: int, *, old: bool) -> Strip:
        if number is None:
            return Strip.blank(width)
        line = hunk.lines[number]
        shown = line.old if old else line.new
        under = self._under(hunk, line)
        gutter = Strip(
            [Segment(f"{shown or '':>{self._digits}} ", self.style_of("quiet")), self._sign(line, under)]
        )
        return Strip.join([gutter, self._scrolled(hunk, number, under, width - gutter.cell_length)])

    def _sign(self, line: DiffLine, under: Style) -> Segment:
        kind = {LineKind.ADDED: "added", LineKind.REMOVED: "removed"}.get(line.kind, "quiet")
        return Segment(f"{_SIGNS[line.kind]} ", under + self.style_of(kind))

    def _left_out(self, hunk: Hunk, line: DiffLine) -> bool:
        return line.kind is not LineKind.CONTEXT and self._verdict(hunk.id) is Verdict.REJECTED

    def _under(self, hunk: Hunk, line: DiffLine) -> Style:
        if line.kind is LineKind.CONTEXT or self._left_out(hunk, line):
            return PLAIN
        return self.style_of("added-line" if line.kind is LineKind.ADDED else "removed-line")

    def _text(self, hunk: Hunk, number: int, under: Style) -> list[Segment]:
        line = hunk.lines[number]
        escaped = self.style_of("escaped")
        if self._left_out(hunk, line):
            drawn = segments(line.text, self.style_of("quiet"), escaped=escaped)
        else:
            word = self.style_of("added-word" if line.kind is LineKind.ADDED else "removed-word")
            colours = self._colours[hunk.id][number] if hunk.id in self._colours else []
            marks = [Mark(start, end, self.style_of(f"syntax-{kind}")) for start, end, kind in colours]
            marks += [Mark(start, end, word) for start, end in line.spans]
            drawn = segments(line.text, under, marks, escaped=escaped)
        if line.eol_changed or line.no_newline:
            drawn.append(Segment(f" {_ENDS[line.eol]}", under + escaped))
        return drawn

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if row < len(self._rows):
            self.post_message(self.HunkClicked(self._rows[row].hunk))


def _digits(hunk: Hunk) -> int:
    return len(str(max(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count)))


def _pairs(lines: Sequence[DiffLine]) -> Iterator[tuple[int | None, int | None]]:
    """Lines side by side: what stays twice, what goes beside what comes in its place."""
    removed: list[int] = []
    added: list[int] = []
    for number, line in enumerate(lines):
        if line.kind is LineKind.CONTEXT:
            yield from zip_longest(removed, added)
            removed, added = [], []
            yield number, number
        elif line.kind is LineKind.REMOVED:
            removed.append(number)
        else:
            added.append(number)
    yield from zip_longest(removed, added)
