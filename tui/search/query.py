"""What is searched for, as a person or an agent states it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import regex

_NOT_LETTERS = regex.compile(
    r"\\(?:[pPN]\{[^}]*\}|[xuU][0-9a-fA-F]+|g?<\w+>|.)|\(\?P?<\w+>|\(\?P[=>]\w+\)", regex.DOTALL
)


class Case(StrEnum):
    """Whether letter case matters; `smart` means: if the pattern has a capital."""

    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    SMART = "smart"


@dataclass(frozen=True, slots=True)
class Query:
    """A content search."""

    pattern: str
    literal: bool = False
    case: Case = Case.SENSITIVE
    whole_word: bool = False
    invert: bool = False
    multiline: bool = False

    @property
    def ignores_case(self) -> bool:
        if self.case is not Case.SMART:
            return self.case is Case.INSENSITIVE
        letters = self.pattern if self.literal else _NOT_LETTERS.sub("", self.pattern)
        return not any(character.isupper() for character in letters)
