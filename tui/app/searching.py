"""The session as the main screen uses it: what is asked goes in, snapshots ready to be drawn come out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tui.app.asked import Asked
from tui.app.places import Places
from tui.app.widgets.content_list import Names, Sight
from tui.edit.replace import edit_keys
from tui.errors import RedlineError
from tui.search.files import Limits
from tui.search.live.results import Results, Row
from tui.search.live.session import Session
from tui.search.live.state import Phase, Snapshot
from tui.search.walk import Scope
from tui.workspace import Workspace

_PAUSE = 0.15


@dataclass(frozen=True, slots=True)
class Found:
    """A snapshot, with all that would take the screen's thread too long: its rows laid out and those in
    sight read, the paths in one list, and the names of the occurrences in files of which some are left
    out."""

    snapshot: Snapshot
    places: Places = field(default_factory=Places)
    rows: dict[int, Row] = field(default_factory=dict)
    names: dict[str, Names] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)


class Searching:
    """Everything slow happens in the session's thread: `tell` is called there."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        budget: int,
        limits: Limits,
        sight: Callable[[], Sight],
        touched: Callable[[], Collection[str]],
        tell: Callable[[Found], None],
    ) -> None:
        self._sight = sight
        self._touched = touched
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
        if self._paths[0] is not snapshot.files:
            self._paths = snapshot.files, list(snapshot.files)
        places = Places(snapshot.results)
        names = {
            path: names_in(places, file)
            for path in self._touched()
            if (file := places.find(path)) is not None
        }
        self._tell(Found(snapshot, places, self._rows_in_sight(places), names, self._paths[1]))

    def _rows_in_sight(self, places: Places) -> dict[int, Row]:
        """The rows around the place where the cursor will be."""
        sight = self._sight()
        hit = places.at(max(0, sight.row(places) - sight.above))
        first = max(0, (places.number(hit) if hit is not None else 0) - sight.height)
        return read_rows(places.results, first, 3 * sight.height)


def read_rows(results: Results, first: int, count: int) -> dict[int, Row]:
    """The texts of some consecutive matches, by their number; for a thread that may wait for the disk."""
    return dict(enumerate(results.rows(first, count), first))


def names_in(places: Places, file: int) -> Names:
    """The names of a file's occurrences; the same."""
    rows = places.results.rows(places.before[file], places.matches[file])
    return list(edit_keys(row.match for row in rows))
