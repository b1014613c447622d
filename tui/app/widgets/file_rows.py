"""The files of a plan under review, each with its verdict and how many of its edits are accepted."""

from __future__ import annotations

from collections.abc import Collection

from rich.segment import Segment
from textual.strip import Strip

from tui.app.render import segments
from tui.app.widgets.diff_view import MARKS
from tui.app.widgets.rows import Rows
from tui.review.decisions import Verdict
from tui.review.review import FileReview, Review
from tui.text import visible
from tui.workspace import split

_MIXED = "±"


class FileRows(Rows):
    """Names come before their directories: of a long path the name is what one looks for."""

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._review = review
        self.at_fault: Collection[str] = ()

    def show(self, review: Review) -> None:
        """Another review, from its first file on."""
        self._review = review
        self.move_to(0, tell=False)
        self.renew()

    @property
    def line_count(self) -> int:
        return len(self._review.files)

    def draw(self, line: int, width: int) -> Strip:
        file = self._review.files[line]
        count = "refused" if file.edit.path in self.at_fault else _count(file)
        warning = Strip([Segment("! ", self.style_of("warning"))] if file.delicate else [])
        room = max(1, width - len(count) - 5 - warning.cell_length)
        directory, name = split(visible(file.edit.new_path or file.edit.path))
        name_part = Strip(segments(name, self.style_of("strong" if file.edits else "quiet"))).crop(0, room)
        directory_part = Strip(segments(f"  {directory}", self.style_of("quiet")))
        middle = Strip.join([name_part, directory_part]).adjust_cell_length(room)
        mark = Strip([Segment(f" {_mark(file)} ", self.style_of(_mark_style(file)))])
        end = Strip([Segment(f" {count} ", self.style_of("quiet"))])
        return Strip.join([mark, warning, middle, end])


def _mark(file: FileReview) -> str:
    return MARKS[file.verdict] if file.verdict is not None else _MIXED


def _mark_style(file: FileReview) -> str:
    if file.verdict is None or file.verdict is Verdict.UNDECIDED:
        return "accent"
    return "strong" if file.verdict is Verdict.ACCEPTED else "quiet"


def _count(file: FileReview) -> str:
    return str(file.total) if file.edits == file.total else f"{file.edits}/{file.total}"
