"""What a search left out, and why: nothing is left out silently."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a file or directory was not searched; the value is what people read."""

    BINARY = "binary"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    UNDECODABLE = "undecodable"
    TIMED_OUT = "timed out"
    TOO_DEEP = "too deep"
    SYMLINK = "symbolic link"
    SPECIAL = "not a regular file"
    VANISHED = "vanished"
    OUT_OF_MEMORY = "more than the memory"


@dataclass(frozen=True, slots=True)
class Skipped:
    """One path that was left out; `detail` is for people, already safe to show."""

    path: str
    reason: Reason
    detail: str = ""
