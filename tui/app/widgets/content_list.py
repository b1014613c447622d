"""The Content pane: matches grouped by file, folded or not, each with what it would become."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from tui.app.choice import Choice
from tui.app.render import Mark, segments
from tui.app.widgets.rows import Rows
from tui.text import cut_around, visible

if TYPE_CHECKING:
    from tui.edit.replace import EditKey, Replacement
    from tui.search.live.results import Results, Row

_KEPT = 2000
_LONGEST = 400


class Hit(NamedTuple):
    """A row of the pane: a file's heading (`number` None), or one of its matches."""

    file: int
    number: int | None


class ContentList(Rows):
    """Rows come from the results when they are drawn; only their places are kept."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"match", "old", "new", "left-out", "heading"}

    def __init__(self, choice: Choice, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._results: Results | None = None
        self.replacement: Replacement | None = None
        self._choice = choice
        self._folded: set[str] = set()
        self._all_folded = False
        self._matches: list[int] = []
        self._starts: list[int] = [0]
        self._hits_before: list[int] = [0]
        self._texts: dict[int, Row] = {}
        self._names: dict[str, list[tuple[EditKey, ...]]] = {}

    # What it shows

    @property
    def results(self) -> Results:
        if self._results is None:
            from tui.search.live.results import Results  # not needed for the first frame

            self._results = Results()
        return self._results

    def show(
        self,
        results: Results,
        replacement: Replacement | None,
        texts: dict[int, Row],
        matches: list[int],
        before: list[int],
    ) -> None:
        """Other results. `texts` are rows read in advance, by their number; `matches` is how many each
        file has, `before` how many come before it. The cursor stays on the same line of the same file
        where that is still there."""
        held = self._place()
        self._results = results
        self.replacement = replacement
        self._texts = texts
        self._names = {}
        self._matches, self._hits_before = matches, before
        self._lay_out()
        if held is not None:
            self.move_to(self._nearest(*held), tell=False)

    def replace_with(self, replacement: Replacement | None) -> None:
        self.replacement = replacement
        self.renew()

    def _lay_out(self) -> None:
        if self._folded or self._all_folded:
            folded = self._folded_places()
            rows = [1 if place in folded else 1 + count for place, count in enumerate(self._matches)]
            self._starts = list(accumulate(rows, initial=0))
        else:  # each file has a heading
            self._starts = list(map(add, self._hits_before, range(len(self._hits_before))))
        self.renew()

    def _folded_places(self) -> set[int]:
        if self._all_folded:
            return {place for place in range(len(self._matches)) if self.path(place) not in self._folded}
        return {place for path in self._folded if (place := self._find(path)) is not None}

    def _find(self, path: str) -> int | None:
        """The place of a file among those with matches, which are in path order."""
        low, high = 0, len(self._matches)
        while low < high:
            middle = (low + high) // 2
            if self.path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._matches) and self.path(low) == path else None

    # Where things are

    @property
    def line_count(self) -> int:
        return self._starts[-1]

    def path(self, file: int) -> str:
        return self.results.path(file)

    def at(self, row: int) -> Hit | None:
        if not 0 <= row < self.line_count:
            return None
        file = bisect_right(self._starts, row) - 1
        inside = row - self._starts[file]
        return Hit(file, inside - 1 if inside else None)

    @property
    def current(self) -> Hit | None:
        return self.at(self.cursor)

    def text(self, hit: Hit) -> Row | None:
        """The match as it is drawn."""
        if hit.number is None:
            return None
        number = self._hits_before[hit.file] + hit.number
        row = self._texts.get(number)
        if row is None:
            if len(self._texts) > _KEPT:
                self._texts.clear()
            (row,) = self.results.rows(number, 1)
            self._texts[number] = row
        return row

    def line(self, hit: Hit) -> int:
        """The line of a match; of a heading, that of the file's first one."""
        (line,) = self.results.line_numbers(self._hits_before[hit.file] + (hit.number or 0), 1)
        return line

    def visible_hits(self) -> tuple[int, int]:
        """Which matches are on the screen: the first and how many. May be asked from any thread."""
        top = self.at(self.scroll_offset.y)
        if top is None:
            return 0, self.size.height
        return self._hits_before[top.file] + (top.number or 0), self.size.height

    def first_hit(self, file: int) -> int:
        """The row of a file's first match, or of its heading where it is folded."""
        start = self._starts[file]
        return min(start + 1, self._starts[file + 1] - 1)

    def _place(self) -> tuple[str, int] | None:
        """What the cursor is on: the path, and the line or 0."""
        hit = self.current
        if hit is None:
            return None
        return self.path(hit.file), self.line(hit) if hit.number is not None else 0

    def _nearest(self, path: str, line: int) -> int:
        file = self._find(path)
        if file is None:
            return min(self.cursor, max(0, self.line_count - 1))
        if not line or self._starts[file + 1] - self._starts[file] == 1:
            return self._starts[file]
        lines = self.results.line_numbers(self._hits_before[file], self._matches[file])
        return self._starts[file] + max(1, bisect_right(lines, line))

    # Choosing

    def keys(self, file: int) -> list[tuple[EditKey, ...]]:
        """The names of a file's occurrences, match by match."""
        from tui.edit.replace import edit_keys  # not needed for the first frame

        path = self.path(file)
        if path not in self._names:
            first, count = self._hits_before[file], self._matches[file]
            rows = self.results.rows(first, count)
            self._names[path] = list(edit_keys(row.match for row in rows))
        return self._names[path]

    def switch_hit(self, hit: Hit) -> None:
        path = self.path(hit.file)
        if hit.number is None:
            self._choice.switch_file(path)
        else:
            names = self.keys(hit.file)
            self._choice.switch_hit(path, names[hit.number], [key for keys in names for key in keys])
        self.renew()

    def takes(self, hit: Hit) -> bool:
        path = self.path(hit.file)
        if hit.number is None or path not in self._choice.touched:
            return self._choice.takes_file(path)
        return self._choice.takes_hit(path, self.keys(hit.file)[hit.number])

    def left_out(self) -> int:
        """How many matches are left out of what is shown."""
        whole = [place for path in self._choice.files if (place := self._find(path)) is not None]
        partly = [place for path in self._choice.touched if (place := self._find(path)) is not None]
        return sum(self._matches[place] for place in whole) + sum(
            not self._choice.takes_hit(self.path(place), keys)
            for place in partly
            for keys in self.keys(place)
        )

    # Folding

    def fold(self, *, folded: bool) -> None:
        hit = self.current
        if hit is None:
            return
        path = self.path(hit.file)
        (self._folded.add if folded != self._all_folded else self._folded.discard)(path)
        self._lay_out()
        self.move_to(self._starts[hit.file])

    def fold_all(self) -> None:
        hit = self.current
        self._all_folded = not self._all_folded
        self._folded.clear()
        self._lay_out()
        if hit is not None:
            self.move_to(self._starts[hit.file])

    def is_folded(self, file: int) -> bool:
        return self._starts[file + 1] - self._starts[file] == 1

    def is_open_heading(self, row: int) -> bool:
        hit = self.at(row)
        return hit is not None and hit.number is None and not self.is_folded(hit.file)

    # Drawing

    def draw(self, line: int, width: int) -> Strip:
        hit = self.at(line)
        if hit is None:
            return Strip.blank(width)
        return self._heading(hit, width) if hit.number is None else self._match(hit, width)

    def _heading(self, hit: Hit, width: int) -> Strip:
        path = visible(self.path(hit.file))
        count = f"{self._matches[hit.file]:,}"
        mark = "▸ " if self.is_folded(hit.file) else "▾ "
        room = max(1, width - len(count) - 5)
        shown = path if len(path) <= room else f"…{path[-room + 1 :]}"
        directory, slash, name = shown.rpartition("/")
        strong = "heading" if self.takes(hit) or self.replacement is None else "left-out"
        left = Strip(
            [
                Segment(f" {mark}", self.style_of("quiet")),
                *segments(directory + slash, self.style_of("quiet")),
                *segments(name, self.style_of(strong)),
            ]
        )
        return Strip.join(
            [
                left.adjust_cell_length(width - len(count) - 1),
                Strip([Segment(f"{count} ", self.style_of("quiet"))]),
            ]
        )

    def _match(self, hit: Hit, width: int) -> Strip:
        row = self.text(hit)
        if row is None or row.stale:
            return Strip([Segment("   changed; searching it again", self.style_of("quiet"))])
        taken = self.takes(hit)
        sign = "   " if self.replacement is None else f" {'✓' if taken else '·'} "
        number = f"{row.line:>5}  "
        body = self._old_and_new(row) if self.replacement is not None and taken else self._found(row)
        return Strip(
            [
                Segment(sign, self.style_of("accent" if taken else "quiet")),
                Segment(number, self.style_of("quiet")),
                *body,
            ]
        ).crop(0, width)

    def _found(self, row: Row) -> list[Segment]:
        text, spans = _trimmed(row.text, row.spans)
        marks = [Mark(start, end, self.style_of("match")) for start, end in spans]
        return segments(text, marks=marks, escaped=self.style_of("escaped"))

    def _old_and_new(self, row: Row) -> list[Segment]:
        """The line with each occurrence struck out and its replacement behind it."""
        if self.replacement is None or "\n" in row.text:
            return self._found(row)
        text, spans = _trimmed(row.text, row.spans)
        shift = (spans[0][0] - row.spans[0][0]) if spans else 0
        drawn: list[Segment] = []
        at = 0
        escaped = self.style_of("escaped")
        for (start, end), new in _new_texts(row, self.replacement):
            first, last = start + shift, end + shift
            if first < at or last > len(text):
                break
            drawn += segments(text[at:first], escaped=escaped)
            drawn += segments(text[first:last], self.style_of("old"), escaped=escaped)
            drawn += segments(new, self.style_of("new"), escaped=escaped)
            at = last
        return drawn + segments(text[at:], escaped=escaped)


def _new_texts(row: Row, replacement: Replacement) -> Sequence[tuple[tuple[int, int], str]]:
    from tui.edit.replace import in_line
    from tui.search.scan import Match

    if replacement.matcher.query.multiline:
        return ()
    try:
        return in_line(Match(row.line, row.text, row.spans), replacement, timeout=0.05)
    except TimeoutError:
        return ()


def _trimmed(text: str, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Without the indentation, and of a long line only what is around its first match."""
    indent = len(text) - len(text.lstrip(" \t"))
    if spans:
        indent = min(indent, spans[0][0])
        start = spans[0][0]
        if start - indent > 60:
            indent = start - 40
    cut = indent > 0 and text[:indent].strip() != ""
    kept = tuple((max(0, first - indent), last - indent) for first, last in spans if last > indent)
    shown, kept = cut_around(text[indent:], kept, _LONGEST)
    if cut:
        return f"…{shown}", tuple((first + 1, last + 1) for first, last in kept)
    return shown, kept
