"""What a review has before it, and how it ends: a change of one's own, or what an agent proposes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

from tui.app.changes import Source
from tui.config import History
from tui.edit.apply import Outcome, Progress, apply, check
from tui.edit.journal import Retention
from tui.edit.plan import EditPlan
from tui.edit.store import Store
from tui.errors import RedlineError
from tui.review.proposals import Inbox, Opened, Proposal
from tui.review.rebase import Conflict, rebase
from tui.review.receipts import Receipt, State
from tui.review.review import Review, Totals
from tui.review.settling import give_up, person, review_of, settle
from tui.text import counted
from tui.workspace import Workspace

ProgressTold = Callable[[Progress], None]
Cancelled = Callable[[], bool]


class Written(NamedTuple):
    """What a review ended with: the batch, what is in it, and what the proposer is told."""

    outcome: Outcome
    totals: Totals
    undo: bool = False
    receipt: Receipt | None = None


class Question(NamedTuple):
    """To be answered with y before anything is written; `detail` says what is left out."""

    words: str
    detail: str


class ConflictError(RedlineError):
    """A proposal that cannot be carried over to the files as they are now."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        told = "\n".join(map(str, conflicts[:4])) + (
            f"\nand {len(conflicts) - 4:,} more" if len(conflicts) > 4 else ""
        )
        super().__init__(f"nothing was rebased, because it does not merge:\n{told}")
        self.paths = tuple((conflict.path, conflict.why) for conflict in conflicts)


class Case(Protocol):
    """`about` is a line on where it comes from; `whole`: it is taken or left as a whole, as an undo
    is; `proposed`: somebody waits for an answer."""

    review: Review
    source: Source
    about: str
    whole: bool
    proposed: bool

    def check(self) -> None:
        """Whether it could be written now: errors as for `apply`."""

    def keep(self) -> None:
        """Make what was decided so far outlast the program."""

    def question(self, totals: Totals) -> Question | str:
        """What to ask before writing, or why there is nothing to write."""

    def write(self, progress: ProgressTold, cancelled: Cancelled) -> Written:
        """What was accepted, and nothing else. Errors as for `apply`."""


class OwnChange:
    """A replacement or an edit of lines; or, with `undoes`, the way back from a batch."""

    about = ""
    proposed = False

    def __init__(
        self,
        workspace: Workspace,
        review: Review,
        source: Source,
        history: History,
        undoes: int | None = None,
    ) -> None:
        self.review = review
        self.source = source
        self.whole = undoes is not None
        self._workspace = workspace
        self._history = history
        self._undoes = undoes

    def check(self) -> None:
        """It is made from the files as they are."""

    def keep(self) -> None:
        self.review.take_said()

    def question(self, totals: Totals) -> Question | str:
        if not totals.edits:
            return "nothing is accepted, so there is nothing to write"
        what = f"{counted(totals.edits, 'edit')} in {counted(totals.files, 'file')}"
        left = counted(totals.undecided, "hunk") + " undecided: not written" if totals.undecided else ""
        return Question(f"{'Undo' if self.whole else 'Apply'} {what}?", left)

    def write(self, progress: ProgressTold, cancelled: Cancelled) -> Written:
        totals = self.review.totals()
        outcome = apply(
            self._workspace,
            self.review.accepted(),
            progress=progress,
            cancelled=cancelled,
            retention=_retention(self._history),
            undoes=self._undoes,
        )
        return Written(outcome, totals, self.whole)


class Proposed:
    """A proposal from the inbox. Opening one takes a while for a large one: do it in a thread."""

    source: Source = ()
    proposed = True

    def __init__(self, workspace: Workspace, opened: Opened, history: History) -> None:
        self.review = review_of(opened)
        self.whole = opened.proposal.state is not State.PENDING
        self._workspace = workspace
        self._opened = opened
        self._history = history
        self._keeping = Lock()
        self.about = _about(opened.proposal)

    @classmethod
    def open(cls, workspace: Workspace, number: int, history: History) -> Proposed:
        with Store.open(workspace) as store:
            return cls(workspace, Inbox(store).open(number), history)

    def check(self) -> None:
        """Whether the files are still what it was made from."""
        if not self.whole:
            check(self._workspace, self._opened.plan, break_links=True)

    def keep(self) -> None:
        with self._keeping:
            said = self.review.take_said()
            if said and not self.whole:
                with Store.open(self._workspace) as store:
                    Inbox(store).keep(self._opened, said, person())

    def question(self, totals: Totals) -> Question | str:
        if self.whole:
            return f"this proposal was settled: {self._opened.proposal.state}"
        undecided = f"{counted(totals.undecided, 'hunk')} undecided: not written" if totals.undecided else ""
        if totals.edits:
            what = f"{counted(totals.edits, 'hunk')} in {counted(totals.files, 'file')}"
            return Question(f"Apply {what}?", undecided)
        if not self.review.files:
            return Question("Tell the agent that the proposal is stale?", "nothing is written")
        if totals.undecided == totals.all_edits:
            return "nothing is decided yet: a accepts a hunk, r rejects it; A and R all that is left"
        return Question("Reject the proposal?", undecided or "nothing is written")

    def write(self, progress: ProgressTold, cancelled: Cancelled) -> Written:
        self.keep()
        totals = self.review.totals()
        settled = settle(
            self._workspace,
            self._opened,
            self.review,
            progress=progress,
            cancelled=cancelled,
            retention=_retention(self._history),
        )
        return Written(settled.outcome, totals, receipt=settled.receipt)

    def withdraw(self) -> Receipt:
        """Nobody is to decide it any more."""
        reason = "the review was left without a decision"
        return give_up(self._workspace, self._opened, self.review, State.WITHDRAWN, reason)

    def rebased(self) -> Proposed | None:
        """The same proposal over the files as they are now, to be reviewed again; None if all of it is
        there already, which settles it. ConflictError if it does not merge: then nothing is changed."""
        files = tuple(file.edit for file in self.review.files)
        plan = EditPlan(self._opened.plan.title, files)
        merged = rebase(self._workspace, plan, self._opened.originals)
        if merged.conflicts:
            raise ConflictError(merged.conflicts)
        if not merged.plan.files:
            give_up(self._workspace, self._opened, self.review, State.STALE, "all of it is there already")
            return None
        with Store.open(self._workspace) as store:
            opened = Inbox(store).replan(self._opened, merged.plan, merged.originals)
        return Proposed(self._workspace, opened, self._history)


def _about(proposal: Proposal) -> str:
    state = "" if proposal.state is State.PENDING else f" · {proposal.state}"
    rebased = " · rebased" if proposal.revision else ""
    note = f" · {proposal.note}" if proposal.note else ""
    return f"{proposal.agent} proposes{state}{rebased}{note}"


def _retention(history: History) -> Retention:
    return Retention(history.batches, history.megabytes << 20)
