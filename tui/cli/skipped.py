"""Telling on stderr what a search left out."""

from __future__ import annotations

from collections import Counter

from tui.cli.output import tell
from tui.search.skipped import Reason, Skipped
from tui.text import visible

_TOLD_ONE_BY_ONE = (Reason.UNREADABLE, Reason.TIMED_OUT, Reason.UNDECODABLE, Reason.VANISHED)
_WAY_OUT = {
    Reason.TOO_LARGE: " (--max-filesize raises the limit)",
    Reason.TOO_DEEP: " (--max-depth goes deeper)",
}


def tell_skipped(skipped: Skipped) -> None:
    if skipped.reason in _TOLD_ONE_BY_ONE:
        detail = f" ({skipped.detail})" if skipped.detail else ""
        tell(f"{visible(skipped.path)}: {skipped.reason}{detail}, not searched")


def tell_summary(skipped: Counter[Reason]) -> None:
    rest = [
        f"{count:,} {reason}{_WAY_OUT.get(reason, '')}"
        for reason, count in sorted(skipped.items())
        if reason not in _TOLD_ONE_BY_ONE
    ]
    if rest:
        tell("not searched: " + ", ".join(rest))
