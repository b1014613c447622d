"""Telling on stderr what a search left out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tui.cli.output import json_text, tell
from tui.search.skipped import Reason, Skipped
from tui.text import visible

TOLD_ONE_BY_ONE = (
    Reason.UNREADABLE,
    Reason.TIMED_OUT,
    Reason.UNDECODABLE,
    Reason.VANISHED,
    Reason.OUT_OF_MEMORY,
)
_WAY_OUT = {
    Reason.TOO_LARGE: " (--max-filesize raises the limit)",
    Reason.TOO_DEEP: " (--max-depth goes deeper)",
}


def tell_skipped(skipped: Skipped, not_done: str = "not searched") -> None:
    if skipped.reason in TOLD_ONE_BY_ONE:
        detail = f" ({skipped.detail})" if skipped.detail else ""
        tell(f"{visible(skipped.path)}: {skipped.reason}{detail}, {not_done}")


def tell_summary(skipped: Counter[Reason], not_done: str = "not searched") -> None:
    rest = [
        f"{count:,} {reason}{_WAY_OUT.get(reason, '')}"
        for reason, count in sorted(skipped.items())
        if reason not in TOLD_ONE_BY_ONE
    ]
    if rest:
        tell(f"{not_done}: {', '.join(rest)}")


def skipped_to_json(skipped: Skipped) -> dict[str, Any]:
    """The event that every command's --json prints for it."""
    data = {"path": json_text(skipped.path), "reason": skipped.reason.value, "detail": skipped.detail}
    return {"type": "skipped", "data": data}
