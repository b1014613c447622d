"""From what happened on disk to what has to be read again.

Changes are collected until it has been quiet for a moment, so that ten thousand files of a checkout
are one refresh, and then looked at: a file that is still there was edited, one that came or went
means a new listing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.search.live.shelf import Catalogue
from tui.search.live.watch import Changes, Watch
from tui.workspace import Workspace, split

QUIET = 0.06
LONGEST_WAIT = 2.0
_TOO_MANY_TO_LOOK_AT = 2000
_IGNORE_FILES = frozenset((".gitignore", ".ignore", ".git", "exclude"))


@dataclass(frozen=True, slots=True)
class Task:
    """What the changes call for: these files read again, a new listing, everything compared."""

    stale: frozenset[str] = frozenset()
    relist: bool = False
    compare: bool = False


@dataclass(slots=True)
class Freshness:
    workspace: Workspace
    watch: Watch
    _files: set[str] = field(default_factory=set)
    _relist: bool = False
    _compare: bool = False
    _first: float = 0.0
    _due: float | None = None

    def look(self) -> None:
        """Takes what the kernel has told."""
        changes = self.watch.changes()
        if changes.files or changes.directories or changes.everything:
            self.note(changes)

    def note(self, changes: Changes, at_once: bool = False) -> None:
        now = time.monotonic()
        if self._due is None:
            self._first = now
        self._files |= changes.files
        self._relist = self._relist or changes.directories or changes.everything
        self._compare = self._compare or changes.everything
        self._due = now if at_once else min(now + QUIET, self._first + LONGEST_WAIT)

    def waiting(self) -> float | None:
        """Seconds until something is due, or None."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def task(self, catalogue: Catalogue, hidden: bool) -> Task:
        """What is to be done about everything noted so far, which is then forgotten."""
        files, self._files = self._files, set()
        relist, self._relist = self._relist, False
        compare, self._compare = self._compare, False
        self._due = None
        known = {path for paths in catalogue.holding(files).values() for path in paths}
        unknown = files - known
        if not relist:
            relist = self._came_or_went(known, unknown, hidden)
        return Task(frozenset(known), relist, compare)

    def _came_or_went(self, known: set[str], unknown: set[str], hidden: bool) -> bool:
        if len(known) + len(unknown) > _TOO_MANY_TO_LOOK_AT:
            return True
        if any(split(path)[1] in _IGNORE_FILES for path in (*known, *unknown)):
            return True
        came = (path for path in unknown if hidden or not split(path)[1].startswith("."))
        return any(map(self._is_there, came)) or not all(map(self._is_there, known))

    def _is_there(self, path: str) -> bool:
        try:
            self.workspace.lstat(path)
        except OSError:
            return False
        return True


def edited(paths: Iterable[str]) -> Changes:
    return Changes(set(paths))
