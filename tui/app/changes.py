"""From what a person asks for to a review of it: replacements over many files, edits of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tui.edit import lines
from tui.edit.plan import FileEdit, Splice, modify
from tui.edit.replace import Edit, Replacement
from tui.edit.replace_all import PlannedFile, replace_in
from tui.edit.undo import plan_undo
from tui.errors import BinaryFileError
from tui.review.review import Read, Review
from tui.search.decoding import is_binary
from tui.search.skipped import Skipped
from tui.text import visible
from tui.workspace import Reader, Workspace, explain

Source = Iterable[PlannedFile | Skipped]


class LineEdit(NamedTuple):
    """Lines `first` to `last` of a file, from 1, become the content; with `insert`, it follows them.
    Without a content they go."""

    path: str
    first: int
    last: int
    content: str | None
    insert: bool = False

    @property
    def title(self) -> str:
        where = f"line {self.first}" if self.first == self.last else f"lines {self.first} to {self.last}"
        if self.insert:
            return f"insert after line {self.last} of {visible(self.path)}"
        return f"{'delete' if self.content is None else 'change'} {where} of {visible(self.path)}"

    def splices(self, data: bytes) -> tuple[Splice, ...]:
        if self.insert:
            return lines.insert_after(data, self.last, self.content or "\n")
        if self.content is None:
            return lines.delete_lines(data, self.first, self.last)
        return lines.replace_lines(data, self.first, self.last, self.content or "\n")


def replacement_review(
    workspace: Workspace,
    replacement: Replacement,
    written: str,
    paths: Iterable[str],
    takes: Callable[[str, Edit], bool],
) -> tuple[Review, Source]:
    """The plan is made while it is reviewed: file by file, as they are now."""
    find = replacement.matcher.query.pattern
    review = Review(f"replace {visible(find)} by {visible(written)}", reader(workspace))
    return review, replace_in(workspace, replacement, paths, takes)


def line_edit_review(workspace: Workspace, edit: LineEdit) -> tuple[Review, Source]:
    """RedlineError where the file cannot be read or has no such lines."""
    try:
        with Reader(workspace) as open_reader:
            data, mode = open_reader.read_with_mode(edit.path)
    except OSError as error:
        raise explain(error, edit.path) from error
    if is_binary(data):
        raise BinaryFileError(f"{visible(edit.path)}: a binary file, which has no lines")
    change = modify(edit.path, data, mode, edit.splices(data))
    planned: Iterator[PlannedFile] = iter([PlannedFile(change, 1, data)] if change else [])
    return Review(edit.title, reader(workspace)), planned


def undo_review(workspace: Workspace, batch: int | None) -> tuple[Review, Source, int]:
    """The way back from a batch, or from the last one that stands, and the batch's number.
    RedlineError where there is none."""
    undo = plan_undo(workspace, batch)
    source = [PlannedFile(edit, max(1, len(edit.splices)), b"") for edit in undo.plan.files]
    return Review(undo.plan.title, reader(workspace)), source, undo.batch.id


def reader(workspace: Workspace) -> Read:
    """The bytes that an edit starts from, as the file is now."""

    def read(edit: FileEdit) -> bytes:
        return b"" if edit.before is None else workspace.read(edit.path)

    return read
