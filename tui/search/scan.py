"""One file's bytes to its matches.

The meaning is simple: decode, split into lines, run the pattern on each line. Four roads lead
there, and the tests hold each of them to that meaning:

- a plain string is found in the bytes, and nothing else is looked at;
- where every match must contain a needle, only the lines around the needles are decoded;
- where the pattern has a line-safe form, the whole text is scanned in one call;
- otherwise the pattern is run line by line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import regex

from tui.search.decoding import decode, is_ended, search_form, split_lines
from tui.search.matcher import Matcher

Span = tuple[int, int]

# The only characters outside ASCII that match an ASCII letter when case is ignored: the Kelvin
# sign, the long s, and the Turkish i's.
OTHER_CASES = tuple(character.encode() for character in "\u212a\u017f\u0130\u0131")


@dataclass(frozen=True, slots=True)
class Match:
    """A matching line with all occurrences in it; with multiline, one occurrence and its lines.

    Lines are numbered from 1; spans are columns of `text`, which has no line end of its own but,
    where an occurrence crosses lines, the `\\n` between them.
    """

    line: int
    text: str
    spans: tuple[Span, ...]

    @property
    def last_line(self) -> int:
        return self.line + self.text.count("\n")


def scan(data: bytes, matcher: Matcher, timeout: float | None = None) -> list[Match]:
    """All matches of one file, in order. UndecodableError, TimeoutError as they come."""
    form = search_form(data)
    if form is None:
        return scan_without_form(data, matcher, timeout)
    return scan_form(form, matcher, timeout, is_ended(data))


def scan_without_form(data: bytes, matcher: Matcher, timeout: float | None = None) -> list[Match]:
    """`scan` of the rare bytes that have no search form."""
    text = decode(data).text
    lines = split_lines(text)
    if matcher.query.multiline:
        found: Iterable[Match] = _across_lines(text.replace("\r\n", "\n"), matcher, timeout)
    else:
        found = _line_by_line(lines, matcher, timeout)
    return list(_inverted(lines, found) if matcher.query.invert else found)


def scan_form(
    form: bytes | bytearray, matcher: Matcher, timeout: float | None = None, ended: bool = True
) -> list[Match]:
    """`scan` of a search form that was made earlier; `ended` tells whether the file's own last line
    has a line end, which only a match across lines can see."""
    inverted = matcher.query.invert
    if not _may_match(form, matcher):
        return list(_inverted(_lines_of(form), ())) if inverted else []
    if matcher.query.multiline:
        text = form.decode("utf-8", "surrogateescape")
        found: Iterable[Match] = _across_lines(text if ended else text[:-1], matcher, timeout)
    elif matcher.exact:
        found = _plain_string(form, matcher, timeout)
    elif matcher.needles:
        found = _around_needles(form, matcher, timeout)
    elif matcher.line_form is not None:
        found = _whole_text(form, matcher.line_form, timeout)
    else:
        found = _line_by_line(_lines_of(form), matcher, timeout)
    return list(_inverted(_lines_of(form), found) if inverted else found)


def _lines_of(form: bytes | bytearray) -> list[str]:
    return form.decode("utf-8", "surrogateescape").split("\n")[:-1]


def _may_match(form: bytes | bytearray, matcher: Matcher) -> bool:
    """False only if no line can match."""
    if not matcher.needles:
        return True
    haystack = _haystack(form, matcher)
    return haystack is None or any(needle in haystack for needle in matcher.needles)


def _haystack(form: bytes | bytearray, matcher: Matcher) -> bytes | bytearray | None:
    """The bytes in which to look for the needles; None if a letter's other case may hide one."""
    if not matcher.caseless:
        return form
    if not form.isascii() and any(other in form for other in OTHER_CASES):
        return None
    return form.lower()


def _finditer(
    pattern: regex.Pattern[str], seconds: float | None
) -> Callable[[str], Iterator[regex.Match[str]]]:
    """The pattern run on one line after another, all lines together in so much time. Without a limit
    the engine is not told of one: for a short line that alone takes as long as the match."""
    if seconds is None:
        return pattern.finditer
    ends = time.monotonic() + seconds

    def limited(text: str) -> Iterator[regex.Match[str]]:
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return pattern.finditer(text, timeout=left)

    return limited


def _plain_string(form: bytes | bytearray, matcher: Matcher, timeout: float | None) -> Iterator[Match]:
    haystack, needle = _haystack(form, matcher), matcher.needles[0]
    if haystack is None:
        yield from _around_needles(form, matcher, timeout)
        return
    number, counted = 1, 0
    for start, end in _lines_with(form, needle, haystack):
        number += form.count(b"\n", counted, start)
        counted = start
        line = form[start:end]
        spans = tuple(_occurrences(haystack[start:end], needle))
        text = line.decode("utf-8", "surrogateescape")
        if len(text) != len(line):
            spans = tuple(_in_characters(line, spans))
        yield Match(number, text, spans)


def _in_characters(line: bytes | bytearray, spans: Iterable[Span]) -> Iterator[Span]:
    """Byte offsets as columns, going through the line once."""
    column = at = 0
    for start, end in spans:
        first = column + len(line[at:start].decode("utf-8", "surrogateescape"))
        column = first + len(line[start:end].decode("utf-8", "surrogateescape"))
        at = end
        yield first, column


def _occurrences(line: bytes | bytearray, needle: bytes) -> Iterator[Span]:
    at = line.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = line.find(needle, at + len(needle))


def _lines_with(
    form: bytes | bytearray, needle: bytes, haystack: bytes | bytearray | None = None
) -> Iterator[Span]:
    """Where the lines that hold the needle begin and end. Each ends with a `\\n` in the form."""
    haystack = form if haystack is None else haystack
    at = haystack.find(needle)
    while at >= 0:
        end = form.find(b"\n", at)
        yield form.rfind(b"\n", 0, at) + 1, end
        at = haystack.find(needle, end + 1)


def _around_needles(form: bytes | bytearray, matcher: Matcher, timeout: float | None) -> Iterator[Match]:
    haystack = _haystack(form, matcher)
    if haystack is None:
        if matcher.line_form is not None:
            yield from _whole_text(form, matcher.line_form, timeout)
        else:
            yield from _line_by_line(_lines_of(form), matcher, timeout)
        return
    if len(matcher.needles) == 1:
        candidates: Iterable[Span] = _lines_with(form, matcher.needles[0], haystack)
    else:
        candidates = sorted(
            {line for needle in matcher.needles for line in _lines_with(form, needle, haystack)}
        )
    number, counted = 1, 0
    finditer = _finditer(matcher.pattern, timeout)
    for start, end in candidates:
        text = form[start:end].decode("utf-8", "surrogateescape")
        spans = tuple([found.span() for found in finditer(text)])
        if spans:
            number += form.count(b"\n", counted, start)
            counted = start
            yield Match(number, text, spans)


def _whole_text(
    form: bytes | bytearray, line_form: regex.Pattern[str], timeout: float | None
) -> Iterator[Match]:
    text = form.decode("utf-8", "surrogateescape")
    number, start, end = 1, 0, -1
    spans: list[Span] = []
    for found in line_form.finditer(text, timeout=timeout):
        first, last = found.span()
        if first > end:
            if spans:
                yield Match(number, text[start:end], tuple(spans))
                spans = []
            if first == len(text):  # an empty match after the last line, where no line is
                return
            line_start = text.rfind("\n", 0, first) + 1
            number += text.count("\n", start, line_start)
            start, end = line_start, text.find("\n", first)
        spans.append((first - start, last - start))
    if spans:
        yield Match(number, text[start:end], tuple(spans))


def _line_by_line(lines: list[str], matcher: Matcher, timeout: float | None) -> Iterator[Match]:
    finditer = _finditer(matcher.pattern, timeout)
    for number, text in enumerate(lines, 1):
        spans = [found.span() for found in finditer(text)]
        if spans:
            yield Match(number, text, tuple(sorted(spans)))


def _across_lines(text: str, matcher: Matcher, timeout: float | None) -> Iterator[Match]:
    number, start, end, lines, one_line = 1, 0, -1, "", False
    spans = sorted([found.span() for found in matcher.pattern.finditer(text, timeout=timeout)])
    for first, last in spans:
        if first == len(text) and (not text or text[-1] == "\n"):  # after the last line
            return
        final = max(first, last - 1)
        if final > end or not one_line:  # not on the very line of the match before
            line_start = text.rfind("\n", start, first) + 1 or start
            number += text.count("\n", start, line_start)
            line_end = text.find("\n", final)
            start, end = line_start, len(text) if line_end < 0 else line_end
            lines = text[start:end]
            one_line = "\n" not in lines
        yield Match(number, lines, ((first - start, min(last, end) - start),))


def _inverted(lines: list[str], found: Iterable[Match]) -> Iterator[Match]:
    """The lines that no match touches."""
    touched = {line for match in found for line in range(match.line, match.last_line + 1)}
    for number, text in enumerate(lines, 1):
        if number not in touched:
            yield Match(number, text, ())
