"""Which matches a replacement leaves out. A choice outlives another replacement and another search:
it is kept by what the match is (see `EditKey`), not by where it happened to be in a list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.edit.replace import Edit, EditKey


class Choice:
    """Everything is taken but what was left out."""

    def __init__(self) -> None:
        self._hits: dict[str, set[EditKey]] = {}
        self._files: set[str] = set()

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self._hits or self._files)

    def takes(self, path: str, edit: Edit) -> bool:
        return path not in self._files and edit.key not in self._hits.get(path, ())

    def takes_file(self, path: str) -> bool:
        return path not in self._files

    def takes_hit(self, path: str, keys: Iterable[EditKey]) -> bool:
        """Whether any occurrence of a match is taken."""
        left = self._hits.get(path, set())
        return path not in self._files and any(key not in left for key in keys)

    def switch_hit(self, path: str, keys: Iterable[EditKey], others: Iterable[EditKey] = ()) -> None:
        """`others` are the file's other occurrences: taking one of a file left out leaves them out."""
        keys = set(keys)
        if path in self._files:
            self._files.discard(path)
            self._hits[path] = set(others) - keys
        elif keys <= self._hits.get(path, set()):
            self._hits[path] -= keys
        else:
            self._hits.setdefault(path, set()).update(keys)
        if not self._hits.get(path):
            self._hits.pop(path, None)

    def switch_file(self, path: str) -> None:
        """Leave the file out, or take all of it."""
        if path in self._files or path in self._hits:
            self._files.discard(path)
            self._hits.pop(path, None)
        else:
            self._files.add(path)

    def take_all(self) -> None:
        self._hits.clear()
        self._files.clear()

    def leave_files(self, paths: Iterable[str]) -> None:
        self._hits.clear()
        self._files.update(paths)

    @property
    def files(self) -> frozenset[str]:
        """The files left out as a whole."""
        return frozenset(self._files)

    @property
    def touched(self) -> frozenset[str]:
        """The files of which some hits are left out."""
        return frozenset(self._hits)
