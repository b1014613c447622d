"""Git's wildcards: one component of a pattern, matched against one name.

Git compares bytes, so patterns and names are Latin-1 text here: one character is one byte.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

# A token stands for one character and lists those allowed in its place, or it is a star.
Token = str | None
STAR = None
_ANY = "".join(chr(code) for code in range(1, 256) if code != ord("/"))
_LONGEST_NAME = 4096  # longer than any file system allows

_SPECIAL = re.compile(r"[*?\[\\]")
_VISIBLE = string.ascii_letters + string.digits + string.punctuation
_POSIX_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(1, 32), 127))),
    "digit": string.digits,
    "graph": _VISIBLE,
    "lower": string.ascii_lowercase,
    "print": _VISIBLE + " ",
    "punct": string.punctuation,
    "space": " \t\n\r",  # git's own table: no form feed, no vertical tab
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}


class Glob:
    """One component of a pattern, matched against one name."""

    __slots__ = ("_literal", "_regex", "_shortest", "needle", "tokens")

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        fixed = [tokens] if isinstance(tokens, str) else _fixed_texts(tokens)
        self.needle = max(fixed, key=len)
        self._literal = self.needle if len(fixed) == 1 else None
        self._shortest = sum(token is not STAR for token in tokens)
        self._regex: re.Pattern[str] | None = None

    def matches(self, name: str) -> bool:
        if self._literal is not None:
            return name == self._literal
        if self.needle not in name or len(name) < self._shortest:
            return False
        if self._regex is None:
            self._regex = re.compile(_regex(self.tokens), re.DOTALL)
        return self._regex.fullmatch(name) is not None


def _fixed_texts(tokens: Iterable[Token]) -> list[str]:
    """The texts before, between and after all tokens that leave a choice."""
    texts = [""]
    for token in tokens:
        if token is not STAR and len(token) == 1:
            texts[-1] += token
        else:
            texts.append("")
    return texts


def _regex(tokens: Iterable[Token]) -> str:
    """Between two stars the leftmost place is as good as any later one, so it is never given up
    again: no number of stars makes the search explode."""
    parts = [""]
    for token in tokens:
        if token is STAR:
            parts.append("")
        else:
            parts[-1] += "." if token == _ANY else f"[{re.escape(token)}]"
    if len(parts) == 1:
        return parts[0]
    middle = "".join(f"(?>.*?{part})" for part in parts[1:-1])
    return f"{parts[0]}{middle}.*{parts[-1]}"


ANY_DEPTH = Glob([STAR])  # the component `**`: any number of directories or, at the end, any name


def read_globs(pattern: str) -> list[Glob]:
    """The components of a pattern. LookupError: it is one that git matches with nothing."""
    if not pattern:
        raise LookupError(pattern)
    if not _SPECIAL.search(pattern):
        return [Glob(component) for component in pattern.split("/")]
    globs: list[Glob] = []
    for component in _components(pattern):
        if len(component) - component.count(STAR) > _LONGEST_NAME:
            raise LookupError(pattern)
        if component != [STAR, STAR]:
            globs.append(Glob(component))
        elif not globs or globs[-1] is not ANY_DEPTH:
            globs.append(ANY_DEPTH)
    return globs


def _components(pattern: str) -> list[list[Token]]:
    components: list[list[Token]] = [[]]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "/":
            components.append([])
        elif character == "*":
            if components[-1][-2:] != [STAR, STAR]:
                components[-1].append(STAR)
        elif character == "?":
            components[-1].append(_ANY)
        elif character == "[":
            characters, at = _bracket(pattern, at)
            components[-1].append(characters)
        elif character != "\\":
            components[-1].append(character)
        elif pattern[at] != "/":  # which remains a slash
            components[-1].append(pattern[at])
            at += 1
        elif components[-1] == [STAR, STAR]:
            components.insert(-1, [STAR])  # `**\/`, unlike `**/`, stands for at least one directory
    return components


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The characters that a bracket allows and where it ends; `at` is just behind its `[`."""
    negated = pattern[at] in "!^"
    at += negated
    start = at
    chosen: set[str] = set()
    previous = ""
    while (character := pattern[at]) != "]" or at == start:
        following = pattern[at + 1 : at + 2]
        if character == "-" and previous and following not in ("", "]"):
            at += 1 + (following == "\\")
            chosen.update(map(chr, range(ord(previous), ord(pattern[at]) + 1)))
            previous = ""
        elif character == "[" and following == ":" and (end := _class_end(pattern, at + 2)):
            chosen.update(_POSIX_CLASSES[pattern[at + 2 : end - 1]])
            previous = ""
            at = end
        else:
            at += character == "\\"
            previous = pattern[at]
            chosen.add(previous)
        at += 1
    allowed = "".join(character for character in _ANY if (character in chosen) != negated)
    if not allowed:
        raise LookupError(pattern)
    return allowed, at + 1


def _class_end(pattern: str, start: int) -> int:
    """Where `:]` closes a class such as `[:alpha:]`, or 0: then its `[` is an ordinary character."""
    end = pattern.find("]", start)
    if end < 0:
        raise LookupError(pattern)
    return end if end > start and pattern[end - 1] == ":" else 0
