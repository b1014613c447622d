"""The app: the workspace, the themes, the keys, and what is the same on every screen."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from tui.app.actions import EVERYWHERE, Action, Group, bindings, remapped
from tui.app.asked import Asked
from tui.app.editor import editor_command
from tui.app.screens.main import MainScreen
from tui.app.styles import style
from tui.app.themes import DEFAULT, THEMES
from tui.config import Loaded
from tui.text import visible
from tui.workspace import Workspace

if TYPE_CHECKING:
    from tui.review.proposals import Proposal


class RedlineApp(App[None]):
    """Opened on a workspace, with what is asked for at the start."""

    TITLE = "redline"
    CSS_PATH = style("app")
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]

    class InboxChanged(Message):
        """What waits for review is not what it was."""

        def __init__(self, waiting: Sequence[Proposal]) -> None:
            super().__init__()
            self.waiting = waiting

    def __init__(self, workspace: Workspace, asked: Asked, loaded: Loaded) -> None:
        super().__init__()
        self._newest_known: int | None = None
        self._ended = Event()
        self.workspace = workspace
        self._asked = asked
        self._settings = loaded.settings
        self._problem = loaded.problem

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return THEMES[DEFAULT].variables

    def on_mount(self) -> None:
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[self._settings.app.theme].name
        keys, problems = remapped(self._settings.keys)
        self.set_keymap(keys)
        self.push_screen(self._main_screen())
        for problem in filter(None, [self._problem, *problems]):
            self.notify(visible(problem), title="Settings", severity="warning", markup=False, timeout=15)
        self._name_terminal()
        self._end_with_signals()
        self.call_after_refresh(self._watch_inbox)

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

    def _end_with_signals(self) -> None:
        """Whoever ends the app from outside gets an orderly end: what is being written is taken back,
        and the terminal is as it was."""
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.exit, None, 128 + number)

    def _main_screen(self) -> MainScreen:
        return MainScreen(
            self.workspace,
            self._asked,
            budget=self._settings.search.budget,
            history=self._settings.history,
            files_as_tree=self._settings.app.files_as_tree,
        )

    def _name_terminal(self) -> None:
        """The terminal's title, for as long as the app runs: the old one waits on the terminal's stack."""
        if self._driver is not None and not self.is_headless:
            title = visible(f"redline {os.path.basename(self.workspace.root)}")
            self._driver.write(f"\x1b[22;2t\x1b]2;{title}\x1b\\")

    def on_unmount(self) -> None:
        self._ended.set()
        if self._driver is not None and not self.is_headless:
            self._driver.write("\x1b[23;2t")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every action of the table that the screen has, by name."""
        groups: tuple[Group, ...] = getattr(screen, "ACTIONS", ())
        for group in (EVERYWHERE, *groups):
            for action in group.actions:
                if action.id != "app.palette":
                    about = f"{group.title} · {action.shown_keys}"
                    yield SystemCommand(action.title, about, self._doing(action))
        for name, theme in THEMES.items():
            yield SystemCommand(f"Theme: {name}", "Colours", partial(setattr, self, "theme", theme.name))

    def _doing(self, action: Action) -> Callable[[], None]:
        method = action.method if action.method.startswith("app.") else f"screen.{action.method}"

        def do() -> None:
            self.call_later(self.run_action, method)

        return do

    def action_help(self) -> None:
        from tui.app.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def action_inbox(self) -> None:
        from tui.app.screens.inbox import InboxScreen

        if isinstance(self.screen, MainScreen):
            self.push_screen(InboxScreen(self.workspace, self._settings.history))

    def action_history(self) -> None:
        from tui.app.screens.history import HistoryScreen

        if isinstance(self.screen, MainScreen):
            self.push_screen(HistoryScreen(self.workspace, self._settings.history))

    def action_next_theme(self) -> None:
        names = [theme.name for theme in THEMES.values()]
        place = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(place + 1) % len(names)]

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
