"""What was searched for before in this workspace, and searches saved under a name."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from tui.app.asked import Asked
from tui.edit.store import Store
from tui.errors import RedlineError
from tui.workspace import Workspace

_KEPT = 200


class Memory:
    """Kept in the workspace's store. A store that cannot be used makes it forgetful, nothing worse."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def recent(self) -> list[Asked]:
        """Earlier searches, the latest last."""
        return [asked for name, asked in self._all() if not name]

    def saved(self) -> list[tuple[str, Asked]]:
        """Searches with a name, in the order they were saved."""
        return [(name, asked) for name, asked in self._all() if name]

    def remember(self, asked: Asked, name: str = "") -> None:
        """Without a name it is the latest of the recent ones; with one it replaces what had that name."""
        try:
            with Store.open(self._workspace) as store, store.transaction() as database:
                if name:
                    database.execute("DELETE FROM searches WHERE name = ?", (name,))
                database.execute(
                    "INSERT OR REPLACE INTO searches (name, asked) VALUES (?, ?)",
                    (name, msgspec.json.encode(asked).decode()),
                )
                database.execute(
                    "DELETE FROM searches WHERE name = '' AND id NOT IN"
                    " (SELECT id FROM searches WHERE name = '' ORDER BY id DESC LIMIT ?)",
                    (_KEPT,),
                )
        except (RedlineError, UnicodeEncodeError):
            return

    def forget(self, name: str) -> None:
        try:
            with Store.open(self._workspace) as store, store.transaction() as database:
                database.execute("DELETE FROM searches WHERE name = ?", (name,))
        except RedlineError:
            return

    def _all(self) -> list[tuple[str, Asked]]:
        try:
            store = Store.existing(self._workspace)
            if store is None:
                return []
            with store:
                rows = store.rows("SELECT name, asked FROM searches ORDER BY id")
        except RedlineError:
            return []
        found = []
        for name, packed in rows:
            with suppress(msgspec.MsgspecError):  # of another version
                found.append((name, msgspec.json.decode(packed, type=Asked)))
        return found
