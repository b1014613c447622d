"""A file as the preview shows it, as it was when it was read: never a stale hit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app.syntax import Coloured
    from tui.edit.replace import Edit
    from tui.search.scan import Span


@dataclass(frozen=True, slots=True)
class Document:
    """`hits` are columns by line, from 0; `edits` say what the replacement would make of a line. `colours`
    are filled in while the document is shown already. `width` is the longest line's, in characters.
    Where the file cannot be shown, `problem` says why and there are no lines."""

    path: str
    lines: list[str] = field(default_factory=list)
    hits: dict[int, list[Span]] = field(default_factory=dict)
    edits: dict[int, list[Edit]] = field(default_factory=dict)
    colours: list[list[Coloured]] = field(default_factory=list, compare=False)
    width: int = 0
    about: str = ""
    problem: str = ""


def size(count: int) -> str:
    """Bytes for people: 61 KB."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")
