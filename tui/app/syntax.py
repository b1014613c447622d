"""Which parts of a source text are keywords, strings, comments ...: pygments, cut into lines.

A lexer is code of others run over text of others: what it cannot do is simply not coloured. Large files
and very long lines are left plain, because a lexer's regular expressions cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

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


Coloured = tuple[int, int, str]
"""Columns of a line, and what kind of thing is there. There are thousands of these, and plain tuples of
numbers and words are nothing that a search for garbage has to look into."""


def lexer_for(path: str) -> Lexer | None:
    """The lexer for a file of that name; None where there is none."""
    return _lexer_for(path.rpartition("/")[2])


@lru_cache(1000)
def _lexer_for(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None


def language(path: str) -> str:
    """The language's name for people; `Text` where it is not known."""
    lexer = lexer_for(path)
    return str(lexer.name) if lexer is not None and lexer.name != "Text only" else "Text"


Colours = list[list[Coloured]]
"""For each line what is where; no lines where nothing is known."""


def coloured(lines: Sequence[str], lexer: Lexer | None) -> Colours:
    """All of a text. Takes a while: two seconds for a megabyte."""
    found = uncoloured(lines, lexer)
    for _ in colouring(found, lines, lexer):
        pass
    return found


def uncoloured(lines: Sequence[str], lexer: Lexer | None) -> Colours:
    """For `colouring` to fill in; of a text that is to stay plain, nothing."""
    size = sum(map(len, lines)) + len(lines)
    if lexer is None or size > LARGEST or max(map(len, lines), default=0) > LONGEST_LINE:
        return []
    return [[] for _ in lines]


def colouring(found: Colours, lines: Sequence[str], lexer: Lexer | None) -> Iterator[int]:
    """Fills in what is where, from the top, and yields the line it has come to now and then."""
    if lexer is None or not found:
        return
    line, start = 0, 0
    tokens = lexer.get_tokens_unprocessed("\n".join(lines))
    while True:
        try:
            index, token, value = next(tokens)
        except Exception:  # the end, or whatever a lexer does: the text itself can be shown
            return
        kind = _kind(token)
        if kind is None or not value:
            continue
        if index > start + len(lines[line]):
            while index > start + len(lines[line]):
                start += len(lines[line]) + 1
                line += 1
            yield line
        _add(found, lines, line, index - start, len(value), kind)


def _add(
    found: list[list[Coloured]], lines: Sequence[str], line: int, column: int, length: int, kind: str
) -> None:
    """A token, which may go on over several lines."""
    while length > 0 and line < len(lines):
        end = min(column + length, len(lines[line]))
        if end > column:
            found[line].append((column, end, kind))
        length -= len(lines[line]) - column + 1
        line, column = line + 1, 0


@lru_cache(2000)
def _kind(token: _TokenType) -> str | None:
    return next((kind for known, kind in _KINDS if token[: len(known)] == known), None)
