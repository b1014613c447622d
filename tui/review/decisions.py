"""What a person says about one hunk: yes, no or nothing yet; why; and what of it, or what instead."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """`lines`: only these of an accepted hunk come (places in `Hunk.lines`). `text`: what its lines
    become instead of what was proposed. Both are only of use with an accepted hunk."""

    verdict: Verdict = Verdict.UNDECIDED
    reason: str = ""
    lines: tuple[int, ...] | None = None
    text: str | None = None

    @property
    def word(self) -> str:
        """What a receipt calls it."""
        if self.verdict is Verdict.ACCEPTED and self.text is not None:
            return "edited"
        if self.verdict is Verdict.ACCEPTED and self.lines is not None:
            return "accepted in part"
        return str(self.verdict)


class Said(msgspec.Struct, frozen=True):
    """A decision and what it is about: without a hunk about all of the file, without a path about
    the whole proposal."""

    path: str
    hunk: str
    decision: Decision
