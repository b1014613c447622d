"""A plan under review: which of its files and hunks are accepted, before anything is written.

Diffs are made when they are looked at, so that ten thousand files are under review at once. A file
whose hunks are all decided alike needs none; only where they differ the accepted ones are cut out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from tui.edit.choose import choose
from tui.edit.diff import FileDiff, file_diff
from tui.edit.plan import EditPlan, FileEdit

_DIFFS_KEPT = 50

Read = Callable[[FileEdit], bytes]
"""The bytes that an edit starts from: nothing for a new file."""


class Verdict(StrEnum):
    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(slots=True)
class FileReview:
    """One file of the plan. `overall` holds unless its hunks are decided differently: then `hunks` has
    them all. `edits` is how many edits are accepted, of `total`."""

    edit: FileEdit
    total: int
    overall: Verdict
    hunks: dict[str, Verdict] = field(default_factory=dict)
    edits: int = 0

    @property
    def verdict(self) -> Verdict | None:
        """What holds for the whole file; None where its hunks are decided differently."""
        return None if self.hunks else self.overall


class Totals(NamedTuple):
    """What would be written, of how much, and what is left to decide (in hunks, as far as looked at)."""

    edits: int
    files: int
    all_edits: int
    all_files: int
    undecided: int


class Review:
    """Decisions over a plan. One's own change starts accepted, a proposal undecided."""

    def __init__(self, title: str, read: Read, initial: Verdict = Verdict.ACCEPTED) -> None:
        self.title = title
        self.files: list[FileReview] = []
        self._read = read
        self._initial = initial
        self._diffs: OrderedDict[int, FileDiff] = OrderedDict()

    def add(self, edit: FileEdit, edits: int | None = None) -> None:
        """One file more; a plan over many files comes in as it is made."""
        total = edits or len(edit.splices) or 1
        accepted = total if self._initial is Verdict.ACCEPTED else 0
        self.files.append(FileReview(edit, total, self._initial, edits=accepted))

    def drop(self, paths: Iterable[str]) -> None:
        """Leave files out altogether, such as those that turned out to be stale."""
        gone = set(paths)
        self.files = [file for file in self.files if file.edit.path not in gone]
        self._diffs.clear()

    def diff(self, place: int) -> FileDiff:
        """The file's hunks. StaleError if the file is no longer what the plan was made from; OSError,
        NotFoundError as they come."""
        diff = self._diffs.get(place)
        if diff is None:
            edit = self.files[place].edit
            diff = self._diffs[place] = file_diff(edit, self._read(edit))
            if len(self._diffs) > _DIFFS_KEPT:
                self._diffs.popitem(last=False)
        return diff

    def verdict(self, place: int, hunk: str) -> Verdict:
        file = self.files[place]
        return file.hunks.get(hunk, file.overall)

    def decide_hunk(self, place: int, hunk: str, verdict: Verdict) -> None:
        file = self.files[place]
        diff = self.diff(place)
        file.hunks = {name: file.hunks.get(name, file.overall) for name in diff.ids}
        file.hunks[hunk] = verdict
        if len(set(file.hunks.values())) == 1:
            self.decide_file(place, verdict)
        else:
            file.edits = sum(
                hunk.splices[1] - hunk.splices[0]
                for hunk in diff.hunks
                if file.hunks[hunk.id] is Verdict.ACCEPTED
            )

    def decide_file(self, place: int, verdict: Verdict) -> None:
        file = self.files[place]
        file.overall = verdict
        file.hunks = {}
        file.edits = file.total if verdict is Verdict.ACCEPTED else 0

    def decide_all(self, verdict: Verdict, *, only_undecided: bool = False) -> None:
        for place, file in enumerate(self.files):
            if not only_undecided or file.verdict is Verdict.UNDECIDED:
                self.decide_file(place, verdict)
            elif file.verdict is None:
                for hunk, decided in list(file.hunks.items()):
                    if decided is Verdict.UNDECIDED:
                        self.decide_hunk(place, hunk, verdict)

    def totals(self) -> Totals:
        written = [file for file in self.files if self._is_written(file)]
        undecided = 0
        for file in self.files:
            verdicts = list(file.hunks.values()) or [file.overall]
            undecided += verdicts.count(Verdict.UNDECIDED)
        return Totals(
            sum(file.edits for file in written),
            len(written),
            sum(file.total for file in self.files),
            len(self.files),
            undecided,
        )

    def accepted(self) -> EditPlan:
        """The plan of what was accepted, and of nothing else. Errors as for `diff`."""
        edits = [self._accepted(file) for file in self.files if self._is_written(file)]
        return EditPlan(self.title, tuple(edit for edit in edits if edit is not None))

    def _is_written(self, file: FileReview) -> bool:
        return Verdict.ACCEPTED in (file.hunks.values() or (file.overall,))

    def _accepted(self, file: FileReview) -> FileEdit | None:
        if file.verdict is Verdict.ACCEPTED:
            return file.edit
        hunks = [hunk for hunk, verdict in file.hunks.items() if verdict is Verdict.ACCEPTED]
        return choose(file.edit, self._read(file.edit), hunks)
