"""The replacement as it is written: text with references to what the pattern's groups matched.

A literal search inserts its text as it stands. In the replacement of a regex,

- `\\1`, `\\g<1>`, `\\g<name>` stand for a group, `\\0` or `\\g<0>` for the whole match;
- `\\n`, `\\r`, `\\t` and `\\\\` stand for a line end, a carriage return, a tab and a backslash;
- with `dollar`, also `$1`, `${1}`, `${name}` and `$0`, and `$$` or `\\$` for a dollar.

Of two digits both count if there is such a group, else the first. A dollar before anything else is
a dollar. Whatever looks like a reference but is none is refused before anything is planned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import regex

from tui.errors import TooLargeError
from tui.text import visible

LONGEST_TEXT = 16_000_000
_SIMPLE_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
_NO_CHARACTER = regex.compile(r"[\ud800-\udc7f\udd00-\udfff]")
_BYTE = regex.compile(r"[\udc80-\udcff]")
_WORD = regex.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class BadReplacement:
    """Why a replacement cannot be used; half-typed, it is one of these and not an exception."""

    message: str
    hint: str
    position: int | None = None

    def __str__(self) -> str:
        where = "" if self.position is None else f" at position {self.position}"
        return f"invalid replacement{where}: {self.message}; {self.hint}"


@dataclass(frozen=True)
class Template:
    """A replacement read: text and group numbers in turn. `\\n` in the text stands for a line end."""

    parts: tuple[str | int, ...]

    @cached_property
    def constant(self) -> bool:
        """Whether every match is replaced by the same text."""
        return all(isinstance(part, str) for part in self.parts)

    @cached_property
    def holds_bytes(self) -> bool:
        """Whether it holds bytes that are no text, as they come from a command line."""
        return any(isinstance(part, str) and _BYTE.search(part) for part in self.parts)

    @cached_property
    def holds_line_ends(self) -> bool:
        return any(isinstance(part, str) and "\n" in part for part in self.parts)

    def expanded(self, group: Callable[[int], str], eol: str) -> str:
        """The text for one match. Its line ends are written as `eol`; groups come as they are.
        TooLargeError for a text that nobody can mean, made of one group many times over."""
        texts = [group(part) if isinstance(part, int) else part.replace("\n", eol) for part in self.parts]
        size = sum(map(len, texts))
        if size > LONGEST_TEXT:
            raise TooLargeError(f"one replacement would have {size:,} characters", "use shorter groups")
        return "".join(texts)


def read_template(
    text: str, pattern: regex.Pattern[str], *, literal: bool, dollar: bool
) -> Template | BadReplacement:
    if bad := _NO_CHARACTER.search(text):
        return BadReplacement(
            f"{visible(bad[0])} is half a character and cannot be written", "leave it out", bad.start()
        )
    try:
        parts: list[str | int] = [text] if literal else _Reader(text, pattern, dollar).parts()
    except _BadError as error:
        return error.bad
    return Template(tuple(_tidied(parts)))


def _tidied(parts: list[str | int]) -> list[str | int]:
    """Neighbouring texts joined, every kind of line end as `\\n`."""
    tidy: list[str | int] = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            tidy[-1] += part
        elif part != "":
            tidy.append(part)
    return [part.replace("\r\n", "\n") if isinstance(part, str) else part for part in tidy]


class _BadError(Exception):
    def __init__(self, message: str, hint: str, position: int) -> None:
        self.bad = BadReplacement(message, hint, position)


class _Reader:
    def __init__(self, text: str, pattern: regex.Pattern[str], dollar: bool) -> None:
        self._text = text
        self._groups = pattern.groups
        self._names: dict[str, int] = dict(pattern.groupindex)
        self._dollar = dollar

    def parts(self) -> list[str | int]:
        special = regex.compile(r"[\\$]" if self._dollar else r"\\")
        parts: list[str | int] = []
        at = 0
        while found := special.search(self._text, at):
            parts.append(self._text[at : found.start()])
            read = self._backslash if found[0] == "\\" else self._after_dollar
            part, at = read(found.start())
            parts.append(part)
        return [*parts, self._text[at:]]

    def _backslash(self, at: int) -> tuple[str | int, int]:
        sign = self._text[at + 1 : at + 2]
        if sign in _SIMPLE_ESCAPES or (sign == "$" and self._dollar):
            return _SIMPLE_ESCAPES.get(sign, sign), at + 2
        if _is_digit(sign):
            return self._number(at, at + 1)
        if sign == "g":
            return self._bracketed(at, at + 2, "<", ">")
        if not sign:
            raise _BadError("a backslash at the end", r"write \\ for a backslash", at)
        raise _BadError(
            f"\\{visible(sign)} means nothing here",
            r"write \\ for a backslash; there are \1 \g<name> \n \t",
            at,
        )

    def _after_dollar(self, at: int) -> tuple[str | int, int]:
        sign = self._text[at + 1 : at + 2]
        if sign == "$":
            return "$", at + 2
        if _is_digit(sign):
            return self._number(at, at + 1)
        if sign == "{":
            return self._bracketed(at, at + 1, "{", "}")
        word = _WORD.match(self._text, at + 1)
        if word and word[0] in self._names:
            raise _BadError(
                f"${word[0]} could be the group or the text",
                f"write ${{{word[0]}}} for the group, $${word[0]} for the text",
                at,
            )
        return "$", at + 1

    def _number(self, at: int, digits: int) -> tuple[int, int]:
        text = self._text
        if text[digits] != "0" and _is_digit(text[digits + 1 : digits + 2]):
            both = int(text[digits : digits + 2])
            if both <= self._groups:
                return both, digits + 2
        return self._known(int(text[digits]), at), digits + 1

    def _bracketed(self, at: int, opening: int, left: str, right: str) -> tuple[int, int]:
        """A group's name or number in brackets, which must begin at `opening`."""
        end = self._text.find(right, opening)
        if self._text[opening : opening + 1] != left or end < 0:
            raise _BadError(
                "a group reference that does not end", f"write {self._text[at:opening]}{left}name{right}", at
            )
        name = self._text[opening + 1 : end]
        if name.isascii() and name.isdigit() and len(name) < 9:
            return self._known(int(name), at), end + 1
        if name not in self._names:
            raise _BadError(
                f"there is no group called {visible(name) or 'nothing'}", self._what_there_is(), at
            )
        return self._names[name], end + 1

    def _known(self, group: int, at: int) -> int:
        if group > self._groups:
            raise _BadError(f"there is no group {group}", self._what_there_is(), at)
        return group

    def _what_there_is(self) -> str:
        if not self._groups:
            return "the pattern has no groups: put brackets around what to keep, as in (\\w+)"
        named = {number: name for name, number in self._names.items()}
        told = [
            f"{number} ({named[number]})" if number in named else str(number)
            for number in range(1, self._groups + 1)
        ]
        more = ", ..." if len(told) > 9 else ""
        return f"the pattern has {'group' if len(told) == 1 else 'groups'} {', '.join(told[:9])}{more}"


def _is_digit(sign: str) -> bool:
    return sign != "" and sign in "0123456789"
