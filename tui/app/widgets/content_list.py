"""The Content pane: hits grouped by file, folded or not, each with what it would become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip

from tui.app.choice import Choice
from tui.app.places import Hit, Places
from tui.app.render import Mark, segments
from tui.app.widgets.rows import Rows
from tui.text import cut_around, visible

if TYPE_CHECKING:
    from tui.edit.replace import EditKey, Replacement
    from tui.search.live.results import Results, Row

_LONGEST = 400


class Sight(NamedTuple):
    """What is in sight: the place of the cursor, how far from the top that is, and how many rows there
    are. No place at the very top: there it stays, whatever comes before what was the first."""

    place: tuple[str, int] | None
    above: int
    height: int

    def row(self, places: Places) -> int:
        """Where the cursor belongs in other results: at the same place, or at the top."""
        row = places.nearest(*self.place) if self.place is not None else None
        return 0 if row is None else row


Names = list[tuple["EditKey", ...]]
"""The names of a file's occurrences, match by match."""


class ContentList(Rows):
    """Rows come from the results when they are drawn, and nothing is read from disk for that: where a
    text is not there yet, it is asked for and drawn when it comes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"match", "old", "new", "left-out", "heading"}

    class RowsWanted(Message):
        """The texts of some consecutive matches are to be drawn, and are not there."""

        def __init__(self, first: int, count: int) -> None:
            super().__init__()
            self.first = first
            self.count = count

    def __init__(self, choice: Choice, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.places = Places()
        self.replacement: Replacement | None = None
        self._choice = choice
        self._whole = self.places
        self._folded: set[str] = set()
        self._all_folded = False
        self._texts: dict[int, Row] = {}
        self._wanted = range(0)
        self._names: dict[str, Names] = {}

    # What it shows

    @property
    def results(self) -> Results:
        return self.places.results

    def show(
        self,
        places: Places,
        replacement: Replacement | None,
        texts: dict[int, Row],
        names: dict[str, Names],
    ) -> None:
        """Other results. `texts` are rows read in advance, by their number; `names` those of the files
        of which some hits are left out. The cursor stays on the same line of the same file where that
        is still there."""
        held = self.sight()
        self._whole = places
        self.replacement = replacement
        self._texts, self._wanted = texts, range(0)
        self._names = names
        self._lay_out()
        self.move_to(held.row(self.places), tell=False)

    def add_texts(self, results: Results, texts: dict[int, Row]) -> None:
        """What was wanted; too late if other results are shown by now."""
        if results is self.results:
            self._texts = texts
            self._wanted = range(0)
            self.redraw()

    def add_names(self, results: Results, path: str, names: Names) -> None:
        if results is self.results:
            self._names[path] = names

    def replace_with(self, replacement: Replacement | None) -> None:
        self.replacement = replacement
        self.redraw()

    def _lay_out(self) -> None:
        plain = not (self._folded or self._all_folded)
        self.places = self._whole if plain else self._whole.folded(self._folded, others=self._all_folded)
        self.renew()

    # Where things are

    @property
    def line_count(self) -> int:
        return self.places.rows

    def path(self, file: int) -> str:
        return self.places.path(file)

    @property
    def current(self) -> Hit | None:
        return self.places.at(self.cursor)

    def sight(self) -> Sight:
        """May be asked from any thread."""
        places, cursor = self.places, self.cursor
        above = cursor - self.scroll_offset.y
        hit = places.at(cursor) if cursor else None
        if hit is None:
            return Sight(None, 0, self.size.height)
        line = 0 if hit.number is None else places.line(hit)
        return Sight((places.path(hit.file), line), above, self.size.height)

    def text(self, hit: Hit) -> Row | None:
        """The match as it is drawn, if it is there; else it will be."""
        number = self.places.number(hit)
        row = self._texts.get(number)
        if row is None and number not in self._wanted:
            height = max(1, self.size.height)
            self._wanted = range(max(0, number - height), number + 2 * height)
            self.post_message(self.RowsWanted(self._wanted.start, len(self._wanted)))
        return row

    def next_hit(self, step: int) -> None:
        """To the next match, over the headings of files that are not folded."""
        row = self.cursor + step
        while (
            (hit := self.places.at(row)) is not None
            and hit.number is None
            and not self.places.is_folded(hit.file)
        ):
            row += step
        if hit is not None:
            self.move_to(row)

    def next_file(self, step: int) -> None:
        hit = self.current
        if hit is not None and hit.file + step in range(self.places.files):
            self.move_to(self.places.first_hit(hit.file + step))

    # Choosing

    def knows(self, file: int) -> bool:
        """Whether the names of a file's occurrences are known, as they must be to leave one out."""
        return self.path(file) in self._names

    def switch_hit(self, hit: Hit) -> None:
        path = self.path(hit.file)
        if hit.number is None:
            self._choice.switch_file(path)
        else:
            names = self._names[path]
            self._choice.switch_hit(path, names[hit.number], [key for keys in names for key in keys])
        self.redraw()

    def takes(self, hit: Hit) -> bool:
        path = self.path(hit.file)
        if hit.number is None or path not in self._choice.touched or path not in self._names:
            return self._choice.takes_file(path)
        return self._choice.takes_hit(path, self._names[path][hit.number])

    def left_out(self) -> int:
        """How many matches are left out of what is shown."""
        places = self.places
        whole = [file for path in self._choice.files if (file := places.find(path)) is not None]
        return sum(places.matches[file] for file in whole) + sum(
            not self._choice.takes_hit(path, keys)
            for path in self._choice.touched
            for keys in self._names.get(path, ())
        )

    # Folding

    def fold(self, *, folded: bool) -> None:
        hit = self.current
        if hit is None:
            return
        path = self.path(hit.file)
        (self._folded.add if folded != self._all_folded else self._folded.discard)(path)
        self._lay_out()
        self.move_to(self.places.heading(hit.file))

    def fold_all(self) -> None:
        hit = self.current
        self._all_folded = not self._all_folded
        self._folded.clear()
        self._lay_out()
        if hit is not None:
            self.move_to(self.places.heading(hit.file))

    # Drawing

    def draw(self, line: int, width: int) -> Strip:
        hit = self.places.at(line)
        if hit is None:
            return Strip.blank(width)
        return self._heading(hit, width) if hit.number is None else self._match(hit, width)

    def _heading(self, hit: Hit, width: int) -> Strip:
        path = visible(self.path(hit.file))
        count = f"{self.places.matches[hit.file]:,}"
        mark = "▸ " if self.places.is_folded(hit.file) else "▾ "
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
        taken = self.takes(hit)
        sign = "   " if self.replacement is None else f" {'✓' if taken else '·'} "
        number = f"{self.places.line(hit):>5}  "
        if row is None or row.stale:
            body = [Segment("changed; searching it again" if row else "…", self.style_of("quiet"))]
        else:
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
