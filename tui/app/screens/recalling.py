"""Searches of earlier days on the main screen: stepped through with up and down, saved, asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.app.asked import Asked
from tui.app.memory import Memory
from tui.app.screens.ask_name import AskNameScreen
from tui.app.screens.saved import SavedScreen
from tui.text import visible

if TYPE_CHECKING:
    from tui.app.screens.main import MainScreen


class Recalling:
    """Speaks for the main screen; what is kept is in the workspace's store."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._memory = Memory(screen.workspace)
        self._searches: list[Asked] = []
        self._at = 0

    def remember(self, asked: Asked, name: str = "") -> None:
        self._searches = []
        if asked.find:
            keep = self._memory.remember
            self._screen.run_worker(lambda: keep(asked, name), thread=True, exit_on_error=False)

    def step(self, asked: Asked, step: int) -> Asked | None:
        """The search before or after; past the latest is what was in the bar at first."""
        if not self._searches:
            self._searches = [*(search for search in self._memory.recent() if search != asked), asked]
            self._at = len(self._searches) - 1
        if self._at + step not in range(len(self._searches)):
            return None
        self._at += step
        return self._searches[self._at]

    def save(self, asked: Asked) -> None:
        if not asked.find:
            self._screen.notify("there is no search to save yet", severity="warning")
        else:
            named = AskNameScreen("Save this search as", asked.find)
            self._screen.app.push_screen(named, lambda name: self._save(asked, name))

    def _save(self, asked: Asked, name: str | None) -> None:
        if name:
            self.remember(asked, name)
            self._screen.notify(visible(name), title="Saved · ctrl+o asks it again", markup=False)

    def choose(self) -> None:
        self._screen.app.push_screen(SavedScreen(self._memory), self._chosen)

    def _chosen(self, asked: Asked | None) -> None:
        if asked is not None:
            self._screen.query_bar.ask(asked)
