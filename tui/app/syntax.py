"""Which parts of a source text are keywords, strings, comments ...: pygments, cut into lines.

A lexer is code of others run over text of others: what it cannot do is simply not coloured. Large files
and very long lines are left plain, because a lexer's regular expressions cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, _TokenType
from pygments.util import ClassNotFound

LARGEST = 400_000
LONGEST_LINE = 3000

# The first that holds decides.
_KINDS: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword.Type, "type"),
    (Keyword, "keyword"),
    (Name.Function, "function"),
    (Name.Decorator, "function"),
    (Name.Class, "type"),
    (Name.Builtin, "type"),
    (Name.Tag, "keyword"),
    (Name.Attribute, "function"),
    (Operator.Word, "keyword"),
    (Operator, "operator"),
    (Punctuation, "operator"),
)


class Coloured(NamedTuple):
    """Columns of a line, and what kind of thing is there."""

    start: int
    end: int
    kind: str


def lexer_for(path: str) -> Lexer | None:
    """The lexer for a file of that name; None where there is none."""
    try:
        return get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None


def language(path: str) -> str:
    """The language's name for people; `Text` where it is not known."""
    lexer = lexer_for(path)
    return str(lexer.name) if lexer is not None and lexer.name != "Text only" else "Text"


def coloured(
    lines: Sequence[str], lexer: Lexer | None, cancelled: Callable[[], bool] = lambda: False
) -> list[list[Coloured]]:
    """For each line what is where. Empty where nothing is known, or when cancelled."""
    found: list[list[Coloured]] = [[] for _ in lines]
    text = "\n".join(lines)
    if lexer is None or len(text) > LARGEST or any(len(line) > LONGEST_LINE for line in lines):
        return found
    with suppress(Exception):  # whatever a lexer does, the text itself can be shown
        _colour(found, lines, lexer, text, cancelled)
    return found


def _colour(
    found: list[list[Coloured]], lines: Sequence[str], lexer: Lexer, text: str, cancelled: Callable[[], bool]
) -> None:
    line, start = 0, 0
    for index, token, value in lexer.get_tokens_unprocessed(text):
        if cancelled():
            return
        kind = _kind(token)
        if kind is None or not value:
            continue
        while index > start + len(lines[line]):
            start += len(lines[line]) + 1
            line += 1
        _add(found, lines, line, index - start, len(value), kind)


def _add(
    found: list[list[Coloured]], lines: Sequence[str], line: int, column: int, length: int, kind: str
) -> None:
    """A token, which may go on over several lines."""
    while length > 0 and line < len(lines):
        end = min(column + length, len(lines[line]))
        if end > column:
            found[line].append(Coloured(column, end, kind))
        length -= len(lines[line]) - column + 1
        line, column = line + 1, 0


def _kind(token: _TokenType) -> str | None:
    return next((kind for known, kind in _KINDS if token[: len(known)] == known), None)
