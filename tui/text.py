"""Foreign text made safe and visible: the one door to the screen.

File contents, paths, error texts and agents' words may hold terminal control codes, characters
that reverse or hide their neighbours, and bytes that are no text at all. `visible` writes each of
them out, so that the terminal never acts on one and the reader never misses one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

import regex

# Control, format (bidi, zero-width, tags), surrogate and line-separator characters, and all that
# Unicode lets be drawn as nothing. A tab is harmless and keeps its meaning.
_UNSAFE = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}--\t]", regex.V1)
_SHORT = {"\n": "\\n", "\r": "\\r", "\0": "\\0"}


_HALF = regex.compile(r"\p{Cs}")


def number(value: int) -> str:
    """With separators above 9,999."""
    return f"{value:,}" if value > 9999 else str(value)


def counted(how_many: int, one: str, many: str = "") -> str:
    """`1 file`, `14 files`, `12,000 files`; `many` is for words that take more than an s."""
    return f"{how_many} {one}" if how_many == 1 else f"{number(how_many)} {many or f'{one}s'}"


def _written_out(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded
        return f"\\x{code - 0xDC00:02x}"
    if short := _SHORT.get(character):
        return short
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _replace(match: regex.Match[str]) -> str:
    return _written_out(match[0])


def is_plain(text: str) -> bool:
    """Whether the text can go to a terminal as it is."""
    return is_plain_ascii(text) or _UNSAFE.search(text) is None


def is_plain_ascii(text: str) -> bool:
    """What most lines are, told at a small part of the cost: no control character but the tab."""
    return text.isascii() and (text.isprintable() or text.replace("\t", "").isprintable())


def visible(text: str) -> str:
    """The text with everything a terminal might obey or hide written out: ESC as `\\x1b`, a
    character of code U+202E as `\\u202e`, an undecodable byte FF as `\\xff`."""
    return text if is_plain_ascii(text) else _UNSAFE.sub(_replace, text)


def signs(text: str) -> str:
    """The text with a sign for each unsafe character, one for one: for fields in which one types."""
    return _UNSAFE.sub(lambda match: _sign(ord(match[0])), text)


def _sign(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text made visible, in pieces: each with whether it stands as it was or was written out."""
    at = 0
    for found in _UNSAFE.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], True
        yield _written_out(found[0]), False
        at = found.end()
    if at < len(text):
        yield text[at:], True


def whole_characters(text: str) -> str:
    """The text as JSON can hold it: bytes that are no text written out as `\\xff`, the rest as it is."""
    return _HALF.sub(_replace, text)


def holds_bytes(text: str) -> bool:
    """Whether it holds bytes that are no text, or halves of characters."""
    return not text.isascii() and _HALF.search(text) is not None


def escaped_for_json(text: str) -> str:
    """JSON with everything unsafe in its strings as escapes: the same value, harmless to look at."""

    def escaped(match: regex.Match[str]) -> str:
        code = ord(match[0])
        if code < 0x10000:
            return f"\\u{code:04x}"
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"

    return _UNSAFE.sub(escaped, text)


def visible_with_spans(
    text: str, spans: Iterable[tuple[int, int]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """`visible`, with columns of the text carried over to columns of what is shown."""
    spans = tuple(spans)
    found = list(_UNSAFE.finditer(text))
    if not found:
        return text, spans
    starts = [match.start() for match in found]
    growth = list(accumulate((len(_written_out(match[0])) - 1 for match in found), initial=0))

    def carried(column: int) -> int:
        return column + growth[bisect_left(starts, column)]

    return visible(text), tuple((carried(start), carried(end)) for start, end in spans)


def cut_around(
    text: str, spans: tuple[tuple[int, int], ...], limit: int
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A line over the limit, cut around its first span; it says so, and keeps the spans left in it."""
    if len(text) <= limit:
        return text, spans
    first = max(0, spans[0][0] - limit // 4) if spans else 0
    last = first + limit
    before = "… " if first else ""
    shift = len(before) - first
    kept = tuple((start + shift, min(end, last) + shift) for start, end in spans if first <= start < last)
    return f"{before}{text[first:last]} … ({len(text):,} characters)", kept
