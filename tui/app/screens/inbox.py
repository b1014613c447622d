"""The inbox: what agents propose. Here it is listed and read; nothing is decided yet."""

from __future__ import annotations

from tui.app.screens.listing import Item, ListingScreen
from tui.errors import RedlineError
from tui.review.proposals import Proposal, inbox
from tui.text import counted
from tui.workspace import Workspace


class InboxScreen(ListingScreen[None]):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__("Inbox", "no agent has proposed anything that waits for review")
        self._workspace = workspace

    def on_mount(self) -> None:
        try:
            waiting = inbox(self._workspace)
        except RedlineError as error:
            waiting = []
            self.say(f"{error.message}; {error.hint}")
        self.show([_item(proposal) for proposal in waiting], counted(len(waiting), "proposal"))
        if waiting:
            self.say("`redline inbox ID` prints the diff of a proposal")


def _item(proposal: Proposal) -> Item:
    when = proposal.when.astimezone().strftime("%Y-%m-%d %H:%M")
    lines = f"+{proposal.added} -{proposal.removed}"
    columns = f"{proposal.id:>4}  {when}  {counted(proposal.files, 'file'):>9}  {lines:>11}  "
    return Item(columns, f"{proposal.agent}: {proposal.title}")
