"""The app on a workspace: what is asked for at the start, the inbox, and the editor outside."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from tui.app.asked import Asked
from tui.app.editor import editor_command
from tui.app.house import House
from tui.app.screens.main import MainScreen
from tui.config import Loaded
from tui.text import visible
from tui.workspace import Workspace

if TYPE_CHECKING:
    from tui.review.proposals import Proposal


class RedlineApp(House[None]):
    """Opened on a workspace, with what is asked for at the start."""

    class InboxChanged(Message):
        """What waits for review is not what it was."""

        def __init__(self, waiting: Sequence[Proposal]) -> None:
            super().__init__()
            self.waiting = waiting

    def __init__(self, workspace: Workspace, asked: Asked, loaded: Loaded) -> None:
        super().__init__(workspace, loaded)
        self._asked = asked
        self._newest_known: int | None = None
        self._ended = Event()

    def open_first_screen(self) -> None:
        self.push_screen(
            MainScreen(
                self.workspace,
                self._asked,
                budget=self.settings.search.budget,
                history=self.settings.history,
                files_as_tree=self.settings.app.files_as_tree,
            )
        )
        self.call_after_refresh(self._watch_inbox)

    @property
    def is_busy(self) -> bool:
        searching = any(isinstance(each, MainScreen) and not each.is_settled for each in self.screen_stack)
        return searching or super().is_busy

    # The inbox

    def _watch_inbox(self) -> None:
        Thread(target=self._follow_inbox, name="inbox", daemon=True).start()

    def _follow_inbox(self) -> None:
        from tui.app.waiting import watch_inbox

        watch_inbox(self.workspace, self._tell_waiting, self._ended.is_set)

    def _tell_waiting(self, waiting: Sequence[Proposal]) -> None:
        self.post_message(self.InboxChanged(waiting))

    @on(InboxChanged)
    def _inbox_changed(self, message: InboxChanged) -> None:
        from tui.app.screens.inbox import InboxScreen

        newest = max((proposal.id for proposal in message.waiting), default=0)
        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                screen.show_waiting(len(message.waiting))
            elif isinstance(screen, InboxScreen):
                screen.load()
        if newest > (newest if self._newest_known is None else self._newest_known):
            proposal = next(each for each in message.waiting if each.id == newest)
            self.notify(
                visible(f"{proposal.title}\nF2 opens the inbox"),
                title=visible(f"{proposal.agent} proposes"),
                markup=False,
            )
        self._newest_known = max(newest, self._newest_known or 0)

    def on_unmount(self) -> None:
        self._ended.set()

    def action_inbox(self) -> None:
        from tui.app.screens.inbox import InboxScreen

        if isinstance(self.screen, MainScreen):
            self.push_screen(InboxScreen(self.workspace, self.settings.history))

    def action_history(self) -> None:
        from tui.app.screens.history import HistoryScreen

        if isinstance(self.screen, MainScreen):
            self.push_screen(HistoryScreen(self.workspace, self.settings.history))

    @on(MainScreen.EditorWanted)
    def _edit_outside(self, message: MainScreen.EditorWanted) -> None:
        """The person's editor on the terminal; the app comes back when it ends."""
        command = editor_command(message.path, message.line)
        if command is None:
            self.notify("set $VISUAL or $EDITOR to your editor", severity="warning")
            return
        try:
            with self.suspend():
                done = subprocess.run(command, check=False)
        except OSError as error:
            self.notify(visible(f"{command[0]}: {error.strerror}"), severity="error", markup=False)
            return
        if done.returncode:
            self.notify(visible(f"{command[0]} ended with status {done.returncode}"), markup=False)
        if isinstance(self.screen, MainScreen):
            self.screen.edited_outside()
