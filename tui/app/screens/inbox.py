"""The inbox: what agents propose, and what became of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.app.cases import Proposed, Written
from tui.app.screens.listing import Item, Items, ListingScreen
from tui.app.screens.review import ReviewScreen
from tui.config import History
from tui.errors import RedlineError
from tui.review.proposals import Proposal, inbox
from tui.review.receipts import State
from tui.text import counted
from tui.workspace import Workspace

_EMPTY = """\
No agent has proposed anything that waits for review.

  redline mcp                connects an agent that speaks MCP
  redline hook claude        sends Claude Code's edits here
  redline review FILE        reviews a patch

Nothing that an agent proposes is written before you accepted it here."""


class Proposals(Items):
    """Rows that say in the footer what enter does."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "review", id="inbox.review")]


class InboxScreen(ListingScreen[None]):
    """Opening a proposal is reviewing it; those that are decided can be read."""

    ITEMS = Proposals
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "all", "decided ones too", id="inbox.all")]

    class Opened(Message):
        """The proposal is read, or cannot be."""

        def __init__(self, made: Proposed | RedlineError) -> None:
            super().__init__()
            self.made = made

    def __init__(self, workspace: Workspace, history: History) -> None:
        super().__init__("Inbox", _EMPTY)
        self._workspace = workspace
        self._history = history
        self._everything = False
        self._proposals: list[Proposal] = []

    def on_mount(self) -> None:
        self.load()

    def load(self) -> None:
        """What is there now; the cursor stays on its proposal."""
        current = self._current
        try:
            self._proposals = inbox(self._workspace, pending_only=not self._everything)
        except RedlineError as error:
            self._proposals = []
            self.say(f"{error.message}; {error.hint}")
        now = datetime.now(UTC)
        items = [_item(proposal, now) for proposal in self._proposals]
        self.show(items, counted(len(items), "proposal"))
        numbers = [proposal.id for proposal in self._proposals]
        if current is not None and current.id in numbers:
            self.items.move_to(numbers.index(current.id))

    @property
    def _current(self) -> Proposal | None:
        return self._proposals[self.items.cursor] if self._proposals else None

    def action_all(self) -> None:
        self._everything = not self._everything
        self.load()

    def open_row(self, row: int) -> None:
        open_it = partial(self._open, self._proposals[row].id)
        self.run_worker(open_it, group="open", thread=True, exclusive=True, exit_on_error=False)

    def _open(self, number: int) -> None:
        try:
            self.post_message(self.Opened(Proposed.open(self._workspace, number, self._history)))
        except RedlineError as error:
            self.post_message(self.Opened(error))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        if isinstance(message.made, RedlineError):
            self.say(f"{message.made.message}; {message.made.hint}".rstrip("; "))
        else:
            self.say("")
            self.app.push_screen(ReviewScreen(message.made), self._reviewed)

    def _reviewed(self, written: Written | None) -> None:
        self.load()
        if written is not None and written.receipt is not None:
            self.say(_outcome(written))


def _outcome(written: Written) -> str:
    edits, files = counted(written.totals.edits, "hunk"), counted(written.outcome.files, "file")
    if written.outcome.batch is None:
        state = written.receipt.state if written.receipt else State.REJECTED
        return f"{state}: nothing was written, and the agent is told"
    return f"applied: {edits} in {files}, as batch {written.outcome.batch}; F3 takes it back"


def _item(proposal: Proposal, now: datetime) -> Item:
    lines = f"+{proposal.added} -{proposal.removed}"
    files = counted(proposal.files, "file")
    columns = f"{proposal.id:>4}  {age(now - proposal.when):>6}  {files:>9}  {lines:>11}  "
    pending = proposal.state is State.PENDING
    remark = "" if pending else str(proposal.state)
    return Item(columns, f"{proposal.agent}: {proposal.title}", remark, strong=pending)


def age(passed: timedelta) -> str:
    """How long ago, in one unit."""
    seconds = max(0, int(passed.total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
