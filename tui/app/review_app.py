"""The app for one review: a patch is decided, and it ends."""

from __future__ import annotations

from tui.app.cases import Proposed, Written
from tui.app.house import House
from tui.app.screens.review import ReviewScreen
from tui.config import Loaded
from tui.workspace import Workspace


class ReviewApp(House[Written | None]):
    """Ends with what was written, or with nothing."""

    def __init__(self, workspace: Workspace, case: Proposed, loaded: Loaded) -> None:
        super().__init__(workspace, loaded)
        self._case = case

    def open_first_screen(self) -> None:
        self.push_screen(ReviewScreen(self._case), self._reviewed)

    def _reviewed(self, written: Written | None) -> None:
        self.exit(written)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing here but the review."""
        return action not in ("inbox", "history")
