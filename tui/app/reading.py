"""Reading a file for the preview: decoded, searched and coloured as it is at this very moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tui.app.document import Document, size
from tui.app.syntax import language, lexer_for, uncoloured
from tui.edit.notes import line_ends
from tui.edit.replace import Edit, Replacement, edits
from tui.errors import RedlineError
from tui.search.decoding import UndecodableError, decode, is_binary, split_lines
from tui.search.files import SIZE_LIMIT_FOR_PEOPLE
from tui.search.matcher import Matcher
from tui.search.scan import Span, scan
from tui.workspace import Workspace, explain

_SECONDS = 5.0


class Sought(NamedTuple):
    """What is to be marked in a file: matches, and what the ones that are taken become."""

    matcher: Matcher | None
    replacement: Replacement | None
    takes: Callable[[str, Edit], bool]


def read_document(workspace: Workspace, path: str, sought: Sought) -> Document:
    """Reads and searches one file, for a thread of its own; its colours are still to be filled in."""
    try:
        data = workspace.read(path, SIZE_LIMIT_FOR_PEOPLE)
    except OSError as error:
        return Document(path, problem=explain(error, path).message)
    except RedlineError as error:
        return Document(path, problem=error.message)
    if is_binary(data):
        return Document(path, about=f"binary · {size(len(data))}", problem="a binary file")
    try:
        decoded = decode(data)
    except UndecodableError as error:
        return Document(path, problem=str(error))
    lines = split_lines(decoded.text)
    about = " · ".join(filter(None, [language(path), decoded.label, line_ends(data), size(len(data))]))
    try:
        found, changed = _found(path, data, sought)
    except (TimeoutError, RedlineError):
        found, changed = {}, {}
        about += " · hits are not marked, it takes too long"
    width = max(map(len, lines), default=0)
    return Document(path, lines, found, changed, uncoloured(lines, lexer_for(path)), width, about)


def _found(path: str, data: bytes, sought: Sought) -> tuple[dict[int, list[Span]], dict[int, list[Edit]]]:
    hits: dict[int, list[Span]] = {}
    changed: dict[int, list[Edit]] = {}
    if sought.matcher is not None:
        for match in scan(data, sought.matcher, _SECONDS):
            _spread(hits, match.line - 1, match.text, match.spans)
    if sought.replacement is not None:
        for edit in edits(data, sought.replacement, _SECONDS):
            if sought.takes(path, edit):
                changed.setdefault(edit.line - 1, []).append(edit)
    return hits, changed


def _spread(hits: dict[int, list[Span]], line: int, text: str, spans: tuple[Span, ...]) -> None:
    """An occurrence that crosses lines is marked on each of them."""
    start = 0
    for offset, part in enumerate(text.split("\n")):
        end = start + len(part)
        for first, last in spans:
            if first <= end and last >= start and (last > first or first >= start):
                hits.setdefault(line + offset, []).append((max(first - start, 0), min(last, end) - start))
        start = end + 1
