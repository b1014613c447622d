"""A plan under review: what was decided about its files and hunks, before anything is written.

Diffs are made when they are looked at, so that ten thousand files are under review at once. A file
whose hunks are all decided alike needs none; only where they differ the accepted ones are cut out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from tui.edit.choose import choose, reworded
from tui.edit.diff import FileDiff, Hunk, file_diff
from tui.edit.plan import EditPlan, FileEdit
from tui.review.decisions import Decision, Said, Verdict
from tui.review.delicate import delicate

_DIFFS_KEPT = 50

Read = Callable[[FileEdit], bytes]
"""The bytes that an edit starts from: nothing for a new file."""


class Totals(NamedTuple):
    """What would be written, of how much, and what is left to decide. A proposal is counted in hunks, a
    change of one's own in edits."""

    edits: int = 0
    files: int = 0
    all_edits: int = 0
    all_files: int = 0
    undecided: int = 0


_NOTHING = Totals()


@dataclass(slots=True)
class FileReview:
    """One file of the plan. `overall` holds unless its hunks are decided differently: then `hunks` has
    them all. `edits` is how many edits are accepted, of `total`. `delicate` says why the file deserves
    a look of its own; `seen` are the hunks that had one. `counted` is what the totals hold of it."""

    edit: FileEdit
    total: int
    overall: Verdict
    hunks: dict[str, Decision] = field(default_factory=dict)
    edits: int = 0
    delicate: str = ""
    seen: set[str] = field(default_factory=set)
    counted: Totals = _NOTHING

    @property
    def verdict(self) -> Verdict | None:
        """What holds for the whole file; None where its hunks are decided differently."""
        if not self.hunks:
            return self.overall
        verdicts = {decision.verdict for decision in self.hunks.values()}
        partly = any(decision.lines is not None for decision in self.hunks.values())
        return verdicts.pop() if len(verdicts) == 1 and not partly else None

    def verdicts(self) -> list[Verdict]:
        return [decision.verdict for decision in self.hunks.values()] or [self.overall]


class Review:
    """Decisions over a plan. One's own change starts accepted, a proposal undecided."""

    def __init__(self, title: str, read: Read, initial: Verdict = Verdict.ACCEPTED) -> None:
        self.title = title
        self.read = read
        self.files: list[FileReview] = []
        self.dropped: list[FileReview] = []
        self.reason = ""
        self._initial = initial
        self._counts_hunks = initial is Verdict.UNDECIDED
        self._diffs: OrderedDict[int, FileDiff] = OrderedDict()
        self._said: list[Said] = []
        self._totals = Totals()

    @property
    def starts_accepted(self) -> bool:
        return self._initial is Verdict.ACCEPTED

    def add(self, edit: FileEdit, edits: int | None = None) -> None:
        """One file more; a plan over many files comes in as it is made. `edits` is what to count it as."""
        total = edits or len(edit.splices) or 1
        accepted = total if self.starts_accepted else 0
        file = FileReview(edit, total, self._initial, edits=accepted, delicate=delicate(edit))
        self.files.append(file)
        self._count_in(file)

    def drop(self, paths: Iterable[str]) -> None:
        """Leave files out altogether, such as those that turned out to be stale."""
        gone = set(paths)
        dropped = [file for file in self.files if file.edit.path in gone]
        for file in dropped:
            self._replace_count(file, _NOTHING)
        self.dropped += dropped
        self.files = [file for file in self.files if file.edit.path not in gone]
        self._diffs.clear()

    # Looking

    def diff(self, place: int) -> FileDiff:
        """The file's hunks, as they would come with what was reworded. StaleError if the file is no
        longer what the plan was made from; OSError, NotFoundError as they come."""
        diff = self._diffs.get(place)
        if diff is None:
            file = self.files[place]
            texts = {name: said.text for name, said in file.hunks.items() if said.text is not None}
            diff = self._diffs[place] = reworded(file.edit, self.read(file.edit), texts)
            if len(self._diffs) > _DIFFS_KEPT:
                self._diffs.popitem(last=False)
        return diff

    def proposed(self, place: int) -> FileDiff:
        """The file's hunks as they were proposed."""
        edit = self.files[place].edit
        return file_diff(edit, self.read(edit))

    def look(self, place: int, hunk: str) -> None:
        """The hunk was under someone's eyes."""
        self.files[place].seen.add(hunk)

    def decision(self, place: int, hunk: str) -> Decision:
        file = self.files[place]
        return file.hunks.get(hunk) or Decision(file.overall)

    def verdict(self, place: int, hunk: str) -> Verdict:
        return self.decision(place, hunk).verdict

    # Deciding

    def decide_hunk(self, place: int, hunk: str, verdict: Verdict) -> None:
        self.decide(place, hunk, _all_of(self.decision(place, hunk), verdict))

    def decide_lines(self, place: int, hunk: str, lines: Iterable[int]) -> None:
        """Yes to these lines of the hunk only."""
        verdict = Verdict.ACCEPTED if (chosen := tuple(sorted(lines))) else Verdict.REJECTED
        said = self.decision(place, hunk)
        said = msgspec.structs.replace(said, verdict=verdict, lines=chosen or None, text=None)
        self.decide(place, hunk, said)

    def reword(self, place: int, hunk: str, text: str) -> None:
        """Yes, but with this text for the hunk's lines."""
        said = self.decision(place, hunk)
        self.decide(
            place, hunk, msgspec.structs.replace(said, verdict=Verdict.ACCEPTED, text=text, lines=None)
        )

    def give_reason(self, place: int, hunk: str, reason: str) -> None:
        self.decide(place, hunk, msgspec.structs.replace(self.decision(place, hunk), reason=reason))

    def give_reason_for_all(self, reason: str) -> None:
        self.reason = reason
        self._said.append(Said("", "", Decision(reason=reason)))

    def decide(self, place: int, hunk: str, decision: Decision) -> None:
        """One hunk. Errors as for `diff`."""
        self._decide_each(place, {hunk: decision})

    def _decide_each(self, place: int, decisions: Mapping[str, Decision]) -> None:
        file = self.files[place]
        ids = self.diff(place).ids
        if any(said.text != self.decision(place, hunk).text for hunk, said in decisions.items()):
            self._diffs.pop(place, None)
        file.hunks = {**{name: self.decision(place, name) for name in ids}, **decisions}
        self._said += (Said(file.edit.path, hunk, said) for hunk, said in decisions.items())
        first = next(iter(file.hunks.values()))
        if first == Decision(first.verdict) and len(set(file.hunks.values())) == 1:
            self._decide_whole(file, first.verdict)
        else:
            file.edits = self._count(place)
            self._count_in(file)

    def decide_file(self, place: int, verdict: Verdict) -> None:
        """All hunks of a file; reasons that were given stay."""
        file = self.files[place]
        if any(said.reason for said in file.hunks.values()):
            self._decide_each(place, {hunk: _all_of(said, verdict) for hunk, said in file.hunks.items()})
            return
        self._diffs.pop(place, None)
        self._decide_whole(file, verdict)
        self._said.append(Said(file.edit.path, "", Decision(verdict)))

    def decide_all(self, verdict: Verdict) -> int:
        """All that is left to decide, or where nothing was left from the start, everything. Gives the
        number of files that deserve a look of their own and had none: accepting all does not cover them."""
        left = 0
        for place, file in enumerate(self.files):
            if not self.starts_accepted and verdict is Verdict.ACCEPTED and self._unseen(place):
                left += 1
            elif self.starts_accepted or file.verdict is Verdict.UNDECIDED:
                self.decide_file(place, verdict)
            else:
                self._decide_rest(place, verdict)
        return left

    def alike(self, place: int, hunk: str) -> list[tuple[int, str]]:
        """The undecided hunks that do the same as this one, wherever they are; without those that
        deserve a look of their own and had none."""
        model = self._hunk(place, hunk)
        if model is None:
            return []
        return [
            (other, each.id)
            for other, file in enumerate(self.files)
            if Verdict.UNDECIDED in file.verdicts()
            for each in self._hunks(other)
            if each.fingerprint == model.fingerprint
            and (not file.delicate or each.id in file.seen)
            and self.verdict(other, each.id) is Verdict.UNDECIDED
        ]

    def take_said(self) -> list[Said]:
        """What was decided since the last time this was asked."""
        said, self._said = self._said, []
        return said

    def resume(self, said: Iterable[Said]) -> None:
        """Decisions of an earlier sitting. One about a hunk that is not there any more is passed over."""
        places = {file.edit.path: place for place, file in enumerate(self.files)}
        decided: dict[int, dict[str, Decision]] = {}
        for each in said:
            place = places.get(each.path)
            if not each.path:
                self.reason = each.decision.reason
            elif place is not None and not each.hunk:
                decided[place] = {}
                self.decide_file(place, each.decision.verdict)
            elif place is not None:
                decided.setdefault(place, {})[each.hunk] = each.decision
        for place, decisions in decided.items():
            known = set(self.diff(place).ids) if decisions else ()
            if kept := {hunk: each for hunk, each in decisions.items() if hunk in known}:
                self._decide_each(place, kept)
        self._said = []

    def _hunks(self, place: int) -> tuple[Hunk, ...]:
        return self.diff(place).hunks

    def _hunk(self, place: int, name: str) -> Hunk | None:
        return next((hunk for hunk in self._hunks(place) if hunk.id == name), None)

    def _unseen(self, place: int) -> bool:
        """Whether some of a delicate file is still undecided and was never under anyone's eyes."""
        file = self.files[place]
        if not file.delicate or Verdict.UNDECIDED not in file.verdicts():
            return False
        names = [name for name, said in file.hunks.items() if said.verdict is Verdict.UNDECIDED]
        return not file.seen.issuperset(names or self.proposed(place).ids)

    def _decide_rest(self, place: int, verdict: Verdict) -> None:
        hunks = self.files[place].hunks
        rest = {hunk: said for hunk, said in hunks.items() if said.verdict is Verdict.UNDECIDED}
        if rest:
            self._decide_each(place, {hunk: _all_of(said, verdict) for hunk, said in rest.items()})

    def _decide_whole(self, file: FileReview, verdict: Verdict) -> None:
        file.overall = verdict
        file.hunks = {}
        file.edits = file.total if verdict is Verdict.ACCEPTED else 0
        self._count_in(file)

    # What comes of it

    def _count(self, place: int) -> int:
        """How much of a file is accepted: of one's own change each edit counts, of a proposal each hunk."""
        hunks = self.files[place].hunks
        taken = {name for name, said in hunks.items() if said.verdict is Verdict.ACCEPTED}
        if self._counts_hunks:
            return len(taken)
        found = self.diff(place).hunks
        return sum(hunk.splices[1] - hunk.splices[0] for hunk in found if hunk.id in taken)

    def _undecided(self, file: FileReview) -> int:
        if not file.hunks and self._counts_hunks:
            return file.total if file.overall is Verdict.UNDECIDED else 0
        return file.verdicts().count(Verdict.UNDECIDED)

    def totals(self) -> Totals:
        """Kept as files are decided: they are asked for after every step, with thousands of files."""
        return self._totals

    def _count_in(self, file: FileReview) -> None:
        written = Verdict.ACCEPTED in file.verdicts()
        edits = file.edits if written else 0
        self._replace_count(file, Totals(edits, int(written), file.total, 1, self._undecided(file)))

    def _replace_count(self, file: FileReview, now: Totals) -> None:
        pairs = zip(self._totals, file.counted, now, strict=True)
        self._totals = Totals(*(total - before + after for total, before, after in pairs))
        file.counted = now

    def accepted(self) -> EditPlan:
        """The plan of what was accepted, and of nothing else. Errors as for `diff`."""
        return EditPlan(self.title, tuple(self._accepted()))

    def _accepted(self) -> Iterator[FileEdit]:
        for file in self.files:
            if file.hunks:
                edit = self._chosen(file)
                if edit is not None:
                    yield edit
            elif file.overall is Verdict.ACCEPTED:
                yield file.edit

    def _chosen(self, file: FileReview) -> FileEdit | None:
        taken = {name: said for name, said in file.hunks.items() if said.verdict is Verdict.ACCEPTED}
        return choose(
            file.edit,
            self.read(file.edit),
            [name for name, said in taken.items() if said.lines is None and said.text is None],
            {name: said.lines for name, said in taken.items() if said.lines is not None},
            {name: said.text for name, said in taken.items() if said.text is not None},
        )


def _all_of(said: Decision, verdict: Verdict) -> Decision:
    """Yes or no to all of a hunk; a reason and another text stay."""
    return msgspec.structs.replace(said, verdict=verdict, lines=None)
