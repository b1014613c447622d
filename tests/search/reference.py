"""The meaning of a content search, written to be read, not to be fast.

Decode the file; split it on `\\n` only, a `\\r` before it not being part of the line; run the
pattern on each line. With multiline, run it on the whole text, `\\r\\n` counting as one `\\n`.
"""

from __future__ import annotations

from tui.search.decoding import decode
from tui.search.matcher import Matcher
from tui.search.scan import Match


def reference_lines(text: str) -> list[str]:
    pieces = text.split("\n")
    last = pieces.pop()
    lines = [piece.removesuffix("\r") for piece in pieces]
    return [*lines, last] if last else lines


def reference_scan(data: bytes, matcher: Matcher) -> list[Match]:
    text = decode(data).text
    if matcher.query.multiline:
        return _multiline(text, matcher)
    found = []
    for number, line in enumerate(reference_lines(text), 1):
        spans = tuple(sorted(match.span() for match in matcher.pattern.finditer(line)))
        if bool(spans) != matcher.query.invert:
            found.append(Match(number, line, spans))
    return found


def _multiline(text: str, matcher: Matcher) -> list[Match]:
    lines = reference_lines(text)
    joined = text.replace("\r\n", "\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    touched = set()
    for first, last in sorted(match.span() for match in matcher.pattern.finditer(joined)):
        covered = [
            index
            for index in range(len(lines))
            if (starts[index] < last and first < starts[index + 1])
            or starts[index] <= first < starts[index + 1]
        ]
        if not covered:  # past the last line
            continue
        touched.update(covered)
        shown = "\n".join(lines[covered[0] : covered[-1] + 1])
        start = starts[covered[0]]
        found.append(Match(covered[0] + 1, shown, ((first - start, min(last - start, len(shown))),)))
    if matcher.query.invert:
        return [Match(index + 1, line, ()) for index, line in enumerate(lines) if index not in touched]
    return found
