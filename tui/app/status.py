"""What the status line and the titles of the panes say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.app.asked import Asked
from tui.search.query import Case
from tui.text import counted, number

if TYPE_CHECKING:
    from tui.search.live.state import Snapshot

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def outcome(snapshot: Snapshot, asked: Asked, beat: int) -> str:
    """How the search stands: `750 matches · 427 files · 0.11 s · 3 skipped`."""
    running = snapshot.is_running or not snapshot.loading.all_listed
    parts = [f"{SPINNER[beat % len(SPINNER)]} "] if running else [""]
    if snapshot.query is None:
        parts.append(counted(len(snapshot.files), "file"))
    elif snapshot.matches or running:
        over = "over " if snapshot.cut else ""
        matches = f"{over}{counted(snapshot.matches, 'match', 'matches')}"
        parts.append(f"{matches} · {counted(snapshot.results.files, 'file')}")
    else:
        parts.append(f"no matches{_loosen(asked)}")
    if snapshot.cut:
        parts.append(" · not all: say more of what is looked for")
    elif snapshot.is_complete and snapshot.matches:
        parts.append(f" · {snapshot.seconds:.2f} s")
    if snapshot.is_cancelled:
        parts.append(" · stopped")
    if snapshot.skipped:
        parts.append(f" · {number(snapshot.skipped)} skipped F4")
    return "".join(parts)


def header(snapshot: Snapshot, waiting: int) -> str:
    """The header's right end: the files, and what waits in the inbox."""
    inbox = f" · {counted(waiting, 'proposal')} F2" if waiting else ""
    return f"{_loading(snapshot)}{inbox}"


def _loading(snapshot: Snapshot) -> str:
    """What there is to say of the files while they are read."""
    now = snapshot.loading
    if not now.all_listed:
        return f"{number(now.listed)} files …"
    if not now.complete:
        return f"reading {number(now.files)} of {counted(now.listed, 'file')} …"
    return counted(now.listed, "file")


def nothing_found(asked: Asked) -> str:
    """What stands in the place of a preview where a search finds nothing."""
    ways = [f"  {key:<8} {what}" for key, what in _ways_to_loosen(asked)]
    return "\n".join(["Nothing found. What could be loosened:", "", *ways])


def _loosen(asked: Asked) -> str:
    """What could be loosened, where a search finds nothing."""
    ways = [what if key == "Files" else f"{what} ({key})" for key, what in _ways_to_loosen(asked)]
    return f" · try {', '.join(ways[:3])}" if ways else ""


def _ways_to_loosen(asked: Asked) -> Iterator[tuple[str, str]]:
    """Keys, and what they would change."""
    if asked.files:
        yield "Files", "empty Files"
    if asked.word:
        yield "alt+w", "whole words off"
    if asked.case is Case.SENSITIVE:
        yield "alt+c", "case off"
    if not asked.hidden:
        yield "alt+h", "hidden files"
    if asked.ignore:
        yield "alt+i", "ignored files"
    if asked.excluded:
        yield "alt+x", "build directories and the like"
    if asked.regex:
        yield "alt+r", "plain text instead of a regular expression"
