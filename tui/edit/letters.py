"""The letter case of what is replaced, carried over to what replaces it.

Only the case of letters changes, never a sign between them:

- a match all in capitals makes all capitals: for `FOO`, `bar` becomes `BAR`;
- where match and replacement have the same number of words, two or more, each word follows its own:
  for `FooBar`, `barBaz` becomes `BarBaz`; for `Foo-bar`, `bar-baz` becomes `Bar-baz`;
- a match that begins small makes small letters, but a capital that begins a word inside camelCase
  stays: for `foo`, `BAR_BAZ` becomes `bar_baz`, and `barBaz` stays;
- a match that begins with a capital makes the first letter one: for `Foo`, `bar` becomes `Bar`;
- a match without letters leaves the replacement as typed.

Words are parted by whatever is neither letter nor digit, and by a capital after a small letter. A
single capital counts as the beginning of a word, not as all capitals.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

_WORDS = regex.compile(r"\p{Lu}+(?!\p{Ll})[\p{Lo}\p{M}\p{Nd}]*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}]+")

Shape = Callable[[str], str]


def in_case_of(match: str, replacement: str) -> str:
    """The replacement in the letter case of the match."""
    if _is_capitals(match):
        return replacement.upper()
    shapes = [_shape(found[0]) for found in _words(match)]
    if not shapes:
        return replacement
    if _is_capitals(replacement):  # says nothing about where its words begin
        replacement = replacement.lower()
    words = _words(replacement)
    if len(shapes) != len(words) or len(words) == 1 or all(shape is _small for shape in shapes):
        shapes = _shapes_after_first(shapes[0], words)
    parts: list[str] = []
    at = 0
    for word, shape in zip(words, shapes, strict=True):
        parts += (replacement[at : word.start()], shape(word[0]))
        at = word.end()
    return "".join([*parts, replacement[at:]])


def _words(text: str) -> list[regex.Match[str]]:
    """The words that have letters with two cases."""
    return [found for found in _WORDS.finditer(text) if found[0].lower() != found[0].upper()]


def _shapes_after_first(first: Shape, words: list[regex.Match[str]]) -> list[Shape]:
    """How to write the words when only the match's beginning tells."""
    if first is not _small:
        return [_as_typed if nth else _capital for nth in range(len(words))]
    inside = [word.start() > 0 and word.string[word.start() - 1].isalnum() for word in words]
    return [_as_typed if inner else _small for inner in inside]


def _shape(word: str) -> Shape:
    if word.islower():
        return _small
    return _capitals if _is_capitals(word) else _capital


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isupper, text)) > 1


def _small(word: str) -> str:
    return word.lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _capitals(word: str) -> str:
    return word.upper()


def _as_typed(word: str) -> str:
    return word
