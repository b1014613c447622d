"""How much one answer may hold, so that no call floods a context window."""

from __future__ import annotations

from collections.abc import Sequence

MOST_RESULTS = 500
LINE = 500
"""Characters of one line; a longer one is cut around its match and says so."""
CHARACTERS = 70_000
"""Characters of an answer's contents, all together."""


_AROUND = 12  # quotes, commas and names around a text
_NUMBER = 6


def _cost(text: str) -> int:
    """A text's length as JSON writes it; a control character takes six."""
    return len(text) + 5 * sum(character < " " for character in text) + _AROUND


class Room:
    """What is left of it. Once something did not fit, nothing after it does: an answer has no gaps."""

    def __init__(self, characters: int = CHARACTERS) -> None:
        self._left = characters

    def takes(self, *texts: str, numbers: int = 0) -> bool:
        self._left -= sum(map(_cost, texts)) + _NUMBER * numbers
        return self._left >= 0


def fitting(texts: Sequence[str], characters: int = CHARACTERS) -> int:
    """How many of the texts there is room for, from the first on."""
    room = Room(characters)
    for count, text in enumerate(texts):
        if not room.takes(text):
            return count
    return len(texts)
