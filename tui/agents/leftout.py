"""What a search of an agent's left out: counted in warnings, and listed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tui.search.skipped import Reason, Skipped
from tui.text import counted, visible, whole_characters

LISTED = 50
_NAMED = 3
_LONGEST_NAME = 200
_WAY_OUT = {
    Reason.TOO_DEEP: "; raise max_depth, or start further down with path",
    Reason.TOO_LARGE: "; read_file shows parts of large files",
    Reason.TIMED_OUT: "; simplify the pattern",
}
_DIRECTORIES = (Reason.TOO_DEEP,)


class LeftOutFile(msgspec.Struct, frozen=True):
    """A path that was not searched."""

    file: str
    reason: str


class LeftOut:
    """Nothing is left out silently: every path is counted, the first ones are named."""

    def __init__(self) -> None:
        self._by_reason: dict[Reason, list[Skipped]] = {}

    def add(self, skipped: Skipped) -> None:
        self._by_reason.setdefault(skipped.reason, []).append(skipped)

    def forget(self, reason: Reason) -> None:
        """Leave a reason untold that is no news to whoever asked."""
        self._by_reason.pop(reason, None)

    def listed(self) -> tuple[LeftOutFile, ...]:
        every = [skipped for some in self._by_reason.values() for skipped in some]
        return tuple(LeftOutFile(_cut(skipped.path), _why(skipped)) for skipped in every[:LISTED])

    def warnings(self) -> tuple[str, ...]:
        return tuple(map(_warning, self._by_reason.items()))


def unnameable(paths: Iterable[str]) -> tuple[str, ...]:
    """Files that no call can name, because JSON has no bytes: told once for all of them."""
    count = sum(whole_characters(path) != path for path in paths)
    if not count:
        return ()
    what = "1 name is" if count == 1 else f"{counted(count, 'name')} are"
    return (f"{what} not UTF-8 and shown with \\xNN; such a file cannot be named in a call",)


def _cut(path: str) -> str:
    """The end of a path is what tells it apart."""
    return path if len(path) <= _LONGEST_NAME else f"…{path[-_LONGEST_NAME:]}"


def _why(skipped: Skipped) -> str:
    return f"{skipped.reason} ({skipped.detail})" if skipped.detail else str(skipped.reason)


def _warning(item: tuple[Reason, list[Skipped]]) -> str:
    reason, some = item
    what = ("directory", "directories") if reason in _DIRECTORIES else ("file", "files")
    names = ", ".join(_cut(visible(skipped.path)) for skipped in some[:_NAMED])
    more = f" and {len(some) - _NAMED:,} more" if len(some) > _NAMED else ""
    return (
        f"{counted(len(some), *what)} not searched, {_why(some[0])}: {names}{more}{_WAY_OUT.get(reason, '')}"
    )
