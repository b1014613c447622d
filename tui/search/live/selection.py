"""Which files of the shelves a scope's path filter accepts; each shelf is looked at once."""

from __future__ import annotations

from tui.search.globs import PathFilter
from tui.search.live.shelf import Shelf
from tui.search.live.state import Wanted
from tui.search.skipped import Reason, Skipped


class Selection:
    """RedlineError from any of these means that the filter takes too long for a path."""

    def __init__(self, files: PathFilter) -> None:
        self.files = files
        self._known: dict[Shelf, Wanted] = {}

    def on(self, shelf: Shelf) -> Wanted:
        """The files of a shelf that are accepted."""
        if self.files == PathFilter():
            return None
        if shelf not in self._known:
            accepts = self.files.accepts
            accepted = frozenset(index for index, path in enumerate(shelf.paths) if accepts(path))
            self._known[shelf] = None if len(accepted) == len(shelf.paths) else accepted
        return self._known[shelf]

    def forget(self, shelf: Shelf) -> None:
        self._known.pop(shelf, None)

    def concerns(self, skipped: Skipped) -> bool:
        """Whether a walk with this filter would have met what a walk without it left out."""
        if skipped.reason in (Reason.SYMLINK, Reason.SPECIAL):
            return self.files.accepts(skipped.path)
        parts = skipped.path.split("/")
        return not any(self.files.prunes("/".join(parts[: end + 1])) for end in range(len(parts)))
