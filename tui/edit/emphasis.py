"""Which parts of a line differ from the line it replaces: what a diff shows in a stronger colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

import regex

from tui.edit.linediff import changed
from tui.search.decoding import Encoding

Span = tuple[int, int]

_WORDS = regex.compile(r"\w+|\s+|[^\w\s]")
_EFFORT = 10_000


def differing_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The columns of the words that only one of the two lines has."""
    if old == new:
        return (), ()
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    ranges = changed(left, right, _EFFORT)
    return (
        _columns(left, [(a, b) for a, b, _, _ in ranges]),
        _columns(right, [(c, d) for _, _, c, d in ranges]),
    )


def spans_by_line(lines: Sequence[bytes], stretches: Iterable[Span]) -> list[list[Span]]:
    """Stretches of the joined lines, in order, as stretches of each line."""
    starts = list(accumulate(map(len, lines), initial=0))
    spans: list[list[Span]] = [[] for _ in lines]
    line = 0
    for start, end in stretches:
        while line < len(lines) and starts[line + 1] <= start:
            line += 1
        at = line
        while at < len(lines) and starts[at] < end:
            spans[at].append((max(start, starts[at]) - starts[at], min(end, starts[at + 1]) - starts[at]))
            at += 1
    return spans


def columns_of(raw: bytes, text: str, encoding: Encoding, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Stretches of a line's bytes as columns of its text, which leaves out the line end."""
    if not spans:
        return ()
    if encoding.codec == "utf-8" and raw.isascii():
        columns = list(spans)
    else:
        columns = _decoded_columns(raw, encoding, spans)
    size = len(text)
    return tuple([(start, min(end, size)) for start, end in columns if start < min(end, size)])


def _decoded_columns(raw: bytes, encoding: Encoding, spans: Sequence[Span]) -> list[Span]:
    """One walk along the line; bytes between two known places are decoded once."""
    unit = len(encoding.encode_part("\n"))
    errors = encoding.errors
    columns: list[Span] = []
    at = column = 0
    for start, end in spans:
        start, end = start - start % unit, end - end % unit
        first = column + len(raw[at:start].decode(encoding.codec, errors))
        column = first + len(raw[start:end].decode(encoding.codec, errors))
        at = end
        columns.append((first, column))
    return columns


def _columns(words: Sequence[str], ranges: Iterable[Span]) -> tuple[Span, ...]:
    starts = list(accumulate(map(len, words), initial=0))
    return tuple([(starts[a], starts[b]) for a, b in ranges if a < b])
