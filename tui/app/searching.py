"""The session as the main screen uses it: what is asked goes in, snapshots ready to be drawn come out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate

from tui.app.asked import Asked
from tui.errors import RedlineError
from tui.search.files import Limits
from tui.search.live.results import Row
from tui.search.live.session import Session
from tui.search.live.state import Phase, Snapshot
from tui.search.walk import Scope
from tui.workspace import Workspace

_PAUSE = 0.15


@dataclass(frozen=True, slots=True)
class Found:
    """A snapshot, with all that would take the screen's thread too long: the rows in sight read, the
    paths in one list, how many matches each file has and how many come before it."""

    snapshot: Snapshot
    rows: dict[int, Row] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    matches: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)


class Searching:
    """Everything slow happens in the session's thread: `tell` is called there."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        budget: int,
        limits: Limits,
        on_screen: Callable[[], tuple[int, int]],
        tell: Callable[[Found], None],
    ) -> None:
        self._on_screen = on_screen
        self._tell = tell
        self._paths: tuple[object, list[str]] = (None, [])
        self.generation = 0
        self._told: tuple[float, int, Phase, bool] = (0.0, -1, Phase.IDLE, False)
        self._session = Session(workspace, budget=budget, limits=limits, on_update=self._update)

    def ask(self, asked: Asked) -> RedlineError | None:
        """Search for that from now on; or why its files cannot be."""
        try:
            scope: Scope = asked.scope()
        except RedlineError as error:
            return error
        self.generation = self._session.submit(asked.query, scope)
        return None

    def cancel(self) -> None:
        self._session.cancel()

    def refresh(self) -> None:
        self._session.refresh()

    def close(self) -> None:
        self._session.close()

    def _update(self, snapshot: Snapshot) -> None:
        """Not more often than eyes can follow, but the first hits and the last word at once."""
        now = time.monotonic()
        told = self._told
        same = (snapshot.generation, snapshot.phase) == told[1:3] and (snapshot.matches > 0) == told[3]
        if snapshot.phase is Phase.RUNNING and same and now - told[0] < _PAUSE:
            return
        self._told = now, snapshot.generation, snapshot.phase, snapshot.matches > 0
        first, count = self._on_screen()
        first = max(0, first - count)
        rows = snapshot.results.rows(first, 3 * count)  # none while nothing is found
        if self._paths[0] is not snapshot.files:
            self._paths = snapshot.files, list(snapshot.files)
        matches = snapshot.results.counts()
        before = list(accumulate(matches, initial=0))
        self._tell(Found(snapshot, dict(enumerate(rows, first)), self._paths[1], matches, before))
