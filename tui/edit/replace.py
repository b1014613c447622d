"""Replacement over one file: every occurrence that the search finds becomes an edit of its own.

The pattern is the search's own, run over the same lines (or, with multiline, the same whole text),
so lookaround sees what it saw there. Nothing outside an occurrence is touched: the new text is
written in the file's encoding, and its line ends as those of the lines it comes to stand among.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import msgspec
import regex

from tui.edit.joined import JoinedText
from tui.edit.layout import Layout
from tui.edit.letters import in_case_of
from tui.edit.plan import FileEdit, Splice, modify
from tui.edit.template import BadReplacement, Template, read_template
from tui.errors import InvalidArgumentError, InvalidRegexError, TooLargeError
from tui.search.decoding import Encoding
from tui.search.matcher import Matcher
from tui.search.scan import Match, Span, scan


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is replaced by what. Search and replacement are one thing here, because the replacement
    was checked against the groups of this very pattern."""

    matcher: Matcher
    template: Template
    keep_case: bool = False

    def new_text(self, old: str, group: Callable[[int], str], eol: str) -> str:
        """What takes the place of one occurrence."""
        new = self.template.expanded(group, eol)
        return in_case_of(old, new) if self.keep_case else new


def compile_replacement(
    text: str, matcher: Matcher, *, dollar: bool = True, keep_case: bool = False
) -> Replacement | BadReplacement:
    """`dollar`: whether `$1` and `${name}` are references, as people are used to; agents say `\\1`."""
    if matcher.query.invert:
        return BadReplacement("lines that do not match hold nothing to replace", "switch invert off")
    template = read_template(text, matcher.pattern, literal=matcher.query.literal, dollar=dollar)
    if isinstance(template, BadReplacement):
        return template
    return Replacement(matcher, template, keep_case)


class EditKey(NamedTuple):
    """Which occurrence an edit is, whatever is to take its place.

    It is named by the text of the line it is on, which of the file's matching lines with that text
    this is, and the columns. So a choice outlives another replacement, another search that finds the
    same stretch, and lines that come or go elsewhere in the file; a byte offset would not. It does not
    outlive a change of the line itself: that is another text, and asks for another look.
    """

    line: str
    nth: int
    start: int
    end: int


class Edit(msgspec.Struct, frozen=True):
    """One occurrence and what takes its place. `line`, `text` and `span` are as in `scan.Match`."""

    key: EditKey
    line: int
    text: str
    span: Span
    old: str
    new: str
    splice: Splice


def plan_file(
    path: str,
    data: bytes,
    mode: int,
    replacement: Replacement,
    chosen: Callable[[Edit], bool] = lambda edit: True,
    timeout: float | None = None,
) -> FileEdit | None:
    """The file's change with the chosen edits; None if nothing changes. Errors as for `edits`."""
    found = edits(data, replacement, timeout)
    return modify(path, data, mode, [edit.splice for edit in found if chosen(edit)])


def edits(
    data: bytes, replacement: Replacement, timeout: float | None = None, most: int | None = None
) -> list[Edit]:
    """Every occurrence in a file, in order. UndecodableError and TimeoutError as in `scan`;
    TooLargeError where the new texts together have more than `most` bytes;
    InvalidArgumentError for a replacement that this file's encoding cannot hold,
    InvalidRegexError for matches that overlap (which takes a `\\K` inside a lookaround)."""
    if replacement.matcher.query.multiline:
        return _within(most, _across_lines(data, replacement, timeout))
    return _within(most, _line_by_line(data, replacement, timeout))


def _within(most: int | None, found: Iterator[Edit]) -> list[Edit]:
    if most is None:
        return list(found)
    kept: list[Edit] = []
    size = 0
    for edit in found:
        size += len(edit.splice.new)
        if size > most:
            raise TooLargeError(f"the replacements have more than {most:,} bytes", "find less at once")
        kept.append(edit)
    return kept


def edit_keys(matches: Iterable[Match]) -> Iterator[tuple[EditKey, ...]]:
    """For each match of a file, as the search tells them, the keys of its occurrences."""
    names = _LineNames()
    for match in matches:
        line, nth = names.of(match.line, match.text)
        yield tuple([EditKey(line, nth, start, end) for start, end in match.spans])


def in_line(
    match: Match, replacement: Replacement, eol: str = "\n", timeout: float | None = None
) -> list[tuple[Span, str]]:
    """The occurrences on one matching line with their new texts, from the left. Not for multiline,
    where a line does not tell what was matched."""
    if replacement.template.constant:
        found = [
            (span, replacement.new_text(match.text[slice(*span)], _no_group, eol)) for span in match.spans
        ]
    else:
        found = [
            (occurrence.span(), replacement.new_text(occurrence[0], _groups_of(occurrence), eol))
            for occurrence in replacement.matcher.pattern.finditer(match.text, timeout=timeout)
        ]
    return _in_order(found)


def _line_by_line(data: bytes, replacement: Replacement, timeout: float | None) -> Iterator[Edit]:
    matches = scan(data, replacement.matcher, timeout)
    if not matches:
        return
    layout = Layout(data)
    encoding = layout.encoding
    _check_writable(replacement, encoding)
    names = _LineNames()
    for match in matches:
        line = match.line - 1
        ends = replacement.template.holds_line_ends
        eol = (layout.eol(line) or layout.usual_eol() or "\n") if ends else "\n"
        found = in_line(match, replacement, eol, timeout)
        start, end = layout.starts[line], layout.text_end(line)
        size = end - start if encoding.codec == "utf-8" else -1
        places = _offsets(match.text, encoding, [span for span, _ in found], start, size)
        name = names.of(match.line, match.text)
        for (span, new), (first, last) in zip(found, places, strict=True):
            splice = Splice(first, last, encoding.encode_part(new))
            old = match.text[span[0] : span[1]]
            yield Edit(EditKey(*name, *span), match.line, match.text, span, old, new, splice)


def _across_lines(data: bytes, replacement: Replacement, timeout: float | None) -> Iterator[Edit]:
    joined = JoinedText(data)
    found = _found_across_lines(joined, replacement, timeout)
    if not found:
        return
    encoding = joined.encoding
    _check_writable(replacement, encoding)
    spans = [(joined.in_original(first), joined.in_original(last)) for (first, last), _ in found]
    size = len(data) - len(encoding.bom) if encoding.codec == "utf-8" else -1
    places = _offsets(joined.original, encoding, spans, len(encoding.bom), size)
    names = _LineNames()
    for ((first, last), new), (start, end), (from_byte, to_byte) in zip(found, spans, places, strict=True):
        number, begin, text = joined.lines_of(first, last)
        span = first - begin, min(last - begin, len(text))
        splice = Splice(from_byte, to_byte, encoding.encode_part(new))
        key = EditKey(*names.of(number, text), *span)
        yield Edit(key, number, text, span, joined.original[start:end], new, splice)


def _found_across_lines(
    joined: JoinedText, replacement: Replacement, timeout: float | None
) -> list[tuple[Span, str]]:
    text = joined.text
    found: list[tuple[Span, str]] = []
    for occurrence in replacement.matcher.pattern.finditer(text, timeout=timeout):
        first, last = occurrence.span()
        if first == len(text) and (not text or text[-1] == "\n"):  # after the last line, where no line is
            continue
        eol = joined.eol_from(first) if replacement.template.holds_line_ends else "\n"
        new = replacement.new_text(joined.group(occurrence, 0), partial(joined.group, occurrence), eol)
        found.append(((first, last), new))
    return _in_order(found)


def _in_order(found: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """From the left, also where the pattern searches backwards."""
    if any(later[0] < earlier[0] for earlier, later in pairwise(found)):
        found.sort(key=itemgetter(0))
    at = 0
    for (first, last), _ in found:
        if not at <= first <= last:
            raise InvalidRegexError("its matches overlap, so they cannot be replaced", r"leave out the \K")
        at = last
    return found


def _offsets(text: str, encoding: Encoding, spans: Iterable[Span], start: int, size: int) -> Iterator[Span]:
    """Columns of a text as offsets of the bytes it is written in, which begin at `start`. If there
    are as many bytes (`size`) as characters, the two are the same."""
    if size == len(text):
        for first, last in spans:
            yield start + first, start + last
        return
    encode = encoding.encode_part
    column = 0
    for first, last in spans:
        from_byte = start + len(encode(text[column:first]))
        start = from_byte + len(encode(text[first:last]))
        column = last
        yield from_byte, start


def _check_writable(replacement: Replacement, encoding: Encoding) -> None:
    if replacement.template.holds_bytes and encoding.codec != "utf-8":
        raise InvalidArgumentError(
            f"the replacement holds a byte that is no text, and the file is {encoding.codec.upper()}",
            "write it as text, or leave this file out",
        )


def _groups_of(occurrence: regex.Match[str]) -> Callable[[int], str]:
    return lambda group: occurrence[group] or ""


def _no_group(group: int) -> str:
    return ""


class _LineNames:
    """Names for lines by their text: its digest, and which of the matching lines with it this is."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, int, int]] = {}

    def of(self, number: int, text: str) -> tuple[str, int]:
        digest, nth, last = self._seen.get(text) or (_digest(text), -1, 0)
        if number != last:  # with multiline, several matches may be on one line
            nth += 1
            self._seen[text] = digest, nth, number
        return digest, nth


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
