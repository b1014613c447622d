"""What every way of opening Redline shares: themes, keys, palette, help, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, TypeVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from tui.app.actions import EVERYWHERE, Action, Group, bindings, remapped
from tui.app.styles import style
from tui.app.themes import DEFAULT, THEMES
from tui.config import Loaded
from tui.text import visible
from tui.workspace import Workspace

Result = TypeVar("Result")

_SECONDS_BETWEEN_SWEEPS = 10.0
_SECONDS_OF_IDLENESS = 3.0


class House(App[Result]):
    """A workspace and the person's settings; subclasses say what is on the screen."""

    TITLE = "redline"
    CSS_PATH = style("app")
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]

    def __init__(self, workspace: Workspace, loaded: Loaded) -> None:
        super().__init__()
        self.workspace = workspace
        self.settings = loaded.settings
        self._problem = loaded.problem
        self._last_input = 0.0
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[self.settings.app.theme].name  # before any style is read, so that it is read once

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return THEMES[DEFAULT].variables

    def on_mount(self) -> None:
        keys, problems = remapped(self.settings.keys)
        self.set_keymap(keys)
        self.open_first_screen()
        self._sweep_when_idle()
        for problem in filter(None, [self._problem, *problems]):
            self.notify(visible(problem), title="Settings", severity="warning", markup=False, timeout=15)
        self._name_terminal()
        self._end_with_signals()

    def open_first_screen(self) -> None:
        raise NotImplementedError

    def _sweep_when_idle(self) -> None:
        """Looking for garbage among everything that was ever made takes as long as several frames, at
        the worst moments: while much is being made. It can wait until nobody types and nothing is done."""
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, 1_000_000)
        self.call_after_refresh(gc.freeze)
        self.set_interval(_SECONDS_BETWEEN_SWEEPS, self._sweep)

    def _sweep(self) -> None:
        idle = time.monotonic() - self._last_input > _SECONDS_OF_IDLENESS
        if idle and not self.is_busy:
            gc.collect()
            gc.freeze()

    @property
    def is_busy(self) -> bool:
        """Whether anything is done behind the screen."""
        return any(worker.is_running for worker in self.workers)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent):
            self._last_input = time.monotonic()
        await super().on_event(event)

    def _end_with_signals(self) -> None:
        """Whoever ends the app from outside gets an orderly end: what is being written is taken back,
        and the terminal is as it was."""
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.exit, None, 128 + number)

    def _name_terminal(self) -> None:
        """The terminal's title, for as long as the app runs: the old one waits on the terminal's stack."""
        if self._driver is not None and not self.is_headless:
            title = visible(f"redline {os.path.basename(self.workspace.root)}")
            self._driver.write(f"\x1b[22;2t\x1b]2;{title}\x1b\\")

    def on_unmount(self) -> None:
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

    def action_next_theme(self) -> None:
        names = [theme.name for theme in THEMES.values()]
        place = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(place + 1) % len(names)]
