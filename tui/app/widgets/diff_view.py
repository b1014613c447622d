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
from tui.app.syntax import Colours, coloured, lexer_for
from tui.app.widgets.lines import Lines
from tui.edit.diff import FileDiff, Hunk
from tui.edit.difflines import DiffLine, LineKind
from tui.review.decisions import Decision, Verdict

_SIGNS = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
MARKS = {Verdict.ACCEPTED: "✓", Verdict.REJECTED: "✗", Verdict.UNDECIDED: "?"}
_ENDS = {"\r\n": "␍␊", "\n": "␊", "": "no line end"}
_BAR = "▌"
_HERE = "▶"
_NOT_TAKEN = "·"
_PARTLY = "±"
_WIDEST = 1000


class _Row(NamedTuple):
    """A row of the diff: the header of something to decide (no lines), a line, or two side by side."""

    hunk: int
    left: int | None = None
    right: int | None = None


HunkColours = dict[str, Colours]
"""For each hunk by its id, for each of its lines, what is where."""


def colours_of(diff: FileDiff) -> HunkColours:
    """The hunks' lines coloured as the two texts that they are of. Takes a while for many lines."""
    lexer = lexer_for(diff.new_path or diff.path)
    found: HunkColours = {}
    for hunk in diff.hunks:
        known: Colours = [[] for _ in hunk.lines]
        for other in (LineKind.ADDED, LineKind.REMOVED):
            side = [number for number, line in enumerate(hunk.lines) if line.kind is not other]
            coloured_side = coloured([hunk.lines[number].text for number in side], lexer)
            for number, colours in zip(side, coloured_side, strict=False):  # none where it stays plain
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
        "warning",
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
        self.line: int | None = None
        self._decision: Callable[[str], Decision] = lambda hunk: Decision(Verdict.ACCEPTED)
        self._warning = ""
        self._colours: HunkColours = {}
        self._decided: list[tuple[str, Hunk | None]] = []
        self._rows: list[_Row] = []
        self._digits = 1

    def show(
        self,
        diff: FileDiff | None,
        decision: Callable[[str], Decision],
        colours: HunkColours,
        warning: str = "",
        hunk: int = 0,
    ) -> None:
        """Another file, from its first hunk on, or from the one given. `warning`: why it deserves a
        look of its own."""
        self.diff = diff
        self.line = None
        self._decision = decision
        self._colours = colours
        self._warning = warning
        hunks: dict[str, Hunk | None] = {hunk.id: hunk for hunk in diff.hunks} if diff else {}
        self._decided = [(name, hunks.get(name)) for name in diff.ids] if diff else []
        self._digits = max([_digits(hunk) for hunk in diff.hunks], default=1) if diff else 1
        self._lay_out()
        self.hunk = max(0, min(hunk, len(self._decided) - 1))
        if self.hunk:
            self.move_to(self.hunk)
        else:
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

    @property
    def current_hunk(self) -> Hunk | None:
        """The same with its lines, where it is a hunk of lines."""
        return self._decided[self.hunk][1] if self._decided else None

    def enter_lines(self) -> bool:
        """A cursor in the current hunk, on its first line that changes; False where there is none."""
        changed = self._changed_lines()
        self.line = changed[0] if changed else None
        self.renew()
        return self.line is not None

    def leave_lines(self) -> None:
        self.line = None
        self.renew()

    def move_line(self, step: int) -> None:
        """To the next line that changes, as far as there are some."""
        changed = self._changed_lines()
        if self.line in changed:
            place = max(0, min(changed.index(self.line) + step, len(changed) - 1))
            self.line = changed[place]
            rows = [
                row
                for row, (hunk, left, right) in enumerate(self._rows)
                if hunk == self.hunk and self.line in (left, right)
            ]
            self.show_line(rows[0])
            self.renew()

    def _changed_lines(self) -> list[int]:
        hunk = self.current_hunk
        lines = hunk.lines if hunk is not None else ()
        return [number for number, line in enumerate(lines) if line.kind is not LineKind.CONTEXT]

    def move_to(self, hunk: int) -> None:
        self.line = None
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
        at_line = self.line is not None and row.hunk == self.hunk and self.line in (row.left, row.right)
        sign = _HERE if at_line else _BAR if row.hunk == self.hunk else " "
        bar = Strip([Segment(sign, self.style_of("bar"))])
        if hunk is None or (row.left is None and row.right is None):
            return Strip.join([bar, Strip(self._header(name, hunk))])
        if self.side_by_side:
            half = (width - 2) // 2
            left = self._side(hunk, row.left, half, old=True)
            right = self._side(hunk, row.right, width - 2 - half, old=False)
            return Strip.join([bar, left, Strip([Segment("│", self.style_of("quiet"))]), right])
        return Strip.join([bar, self._unified(hunk, row.left or 0, width - 1)])

    def _header(self, name: str, hunk: Hunk | None) -> Iterator[Segment]:
        said = self._decision(name)
        verdict = said.verdict
        mark = {Verdict.ACCEPTED: "added", Verdict.REJECTED: "removed"}.get(verdict, "accent")
        partly = verdict is Verdict.ACCEPTED and said.lines is not None
        yield Segment(f"{_PARTLY if partly else MARKS[verdict]} ", self.style_of(mark))
        quiet = self.style_of("quiet")
        if hunk is not None:
            yield Segment(hunk.header, quiet)
        elif self.diff is not None:
            yield from segments(", ".join([str(self.diff.kind), *self.diff.notes]), quiet)
        if self._warning:
            yield Segment(f"  ! {self._warning}", self.style_of("warning"))
        if said.text is not None:
            yield Segment("  edited", self.style_of("accent"))
        if said.reason:
            yield from segments(f"  {said.reason}", self.style_of("strong"), escaped=self.style_of("escaped"))

    def _unified(self, hunk: Hunk, number: int, width: int) -> Strip:
        line = hunk.lines[number]
        old = "" if line.old is None else str(line.old)
        new = "" if line.new is None else str(line.new)
        under = self._under(hunk, number)
        numbers = Segment(f"{old:>{self._digits}} {new:>{self._digits}} ", self.style_of("quiet"))
        gutter = Strip([numbers, self._sign(hunk, number, under)])
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
        under = self._under(hunk, number)
        gutter = Strip(
            [
                Segment(f"{shown or '':>{self._digits}} ", self.style_of("quiet")),
                self._sign(hunk, number, under),
            ]
        )
        return Strip.join([gutter, self._scrolled(hunk, number, under, width - gutter.cell_length)])

    def _sign(self, hunk: Hunk, number: int, under: Style) -> Segment:
        line = hunk.lines[number]
        kind = {LineKind.ADDED: "added", LineKind.REMOVED: "removed"}.get(line.kind, "quiet")
        partly = self._decision(hunk.id).lines is not None and self._left_out(hunk, number)
        return Segment(f"{_NOT_TAKEN if partly else _SIGNS[line.kind]} ", under + self.style_of(kind))

    def _left_out(self, hunk: Hunk, number: int) -> bool:
        if hunk.lines[number].kind is LineKind.CONTEXT:
            return False
        said = self._decision(hunk.id)
        return said.verdict is Verdict.REJECTED or (said.lines is not None and number not in said.lines)

    def _under(self, hunk: Hunk, number: int) -> Style:
        line = hunk.lines[number]
        if line.kind is LineKind.CONTEXT or self._left_out(hunk, number):
            return PLAIN
        return self.style_of("added-line" if line.kind is LineKind.ADDED else "removed-line")

    def _text(self, hunk: Hunk, number: int, under: Style) -> list[Segment]:
        line = hunk.lines[number]
        escaped = self.style_of("escaped")
        if self._left_out(hunk, number):
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
