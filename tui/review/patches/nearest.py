"""The place in a file that is most like lines which are not there: to tell the person where to look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

_OFTEN = 50
_LINES_COMPARED = 2000
_LONGEST = 300


def nearest(texts: Sequence[bytes], old: Sequence[bytes], hint: int) -> int | None:
    """The line where it begins, counted from 0: where most of the lines stand, whitespace aside; else where
    one stands that is like the first of them. Of several that are as good, the one nearest to `hint`."""
    wanted = {line.strip(): place for place, line in reversed(list(enumerate(old))) if line.strip()}
    votes: dict[bytes, list[int]] = {line: [] for line in wanted}
    for place, text in enumerate(texts):
        line = text.strip()
        if line in votes:
            votes[line].append(place - wanted[line])
    starts = Counter(max(0, start) for found in votes.values() if len(found) <= _OFTEN for start in found)
    if starts:
        return min(starts, key=lambda start: (-starts[start], abs(start - hint)))
    return _like(texts, next(iter(reversed(wanted)), b""), hint)


def _like(texts: Sequence[bytes], line: bytes, hint: int) -> int | None:
    first = max(0, hint - _LINES_COMPARED // 2)
    window = [text.strip()[:_LONGEST].decode("latin-1") for text in texts[first : first + _LINES_COMPARED]]
    close = get_close_matches(line[:_LONGEST].decode("latin-1"), window, 1) if line else []
    return first + window.index(close[0]) if close else None
