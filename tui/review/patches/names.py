"""File names as diffs write them: with prefixes, in quotes like C strings, with times behind them."""

from __future__ import annotations

import os
from typing import NamedTuple

import regex

from tui.review.patches.filepatch import PatchError
from tui.text import visible

NOWHERE = b"/dev/null"

_LONGEST = 20_000  # two paths, each byte of them written as an escape, stay well below
_QUOTED = regex.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_ESCAPE = regex.compile(rb"\\([0-3][0-7]{2}|.)", regex.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_LETTERS |= {b'"': b'"', b"\\": b"\\"}
_NEVER = (b"1970-01-01 ", b"1969-12-31 ")  # how `diff -N` dates a file that is not there


class Names(NamedTuple):
    """The two names of a section as they stand there; the path they mean, None where that stays open."""

    old: bytes
    new: bytes
    path: str | None


class Named(NamedTuple):
    """A name from a `---` or `+++` line; `undated` if its time is the one of files that are not there."""

    name: bytes
    undated: bool


def plain(value: bytes, line: int) -> bytes:
    """A name that is all there is on its line, perhaps in quotes."""
    value = value.rstrip(b"\r")
    return _unquoted(value, line)[0] if value.startswith(b'"') else value


def side(value: bytes, line: int) -> Named:
    """The name on a `---` or `+++` line; what comes after a tab is a time."""
    value = value.rstrip(b"\r")
    if value.startswith(b'"'):
        name, time = _unquoted(value, line)
    else:
        name, _, time = value.partition(b"\t")
    return Named(name, time.strip().startswith(_NEVER))


def of_git_header(value: bytes, line: int) -> Names:
    """The names of a `diff --git` line. Unquoted names may hold blanks, so it is cut where both halves mean
    the same file; of a rename they do not, and its own lines tell."""
    if len(value) > _LONGEST:
        raise PatchError(f"patch line {line}: too long for two file names")
    value = value.rstrip(b"\r")
    if value.startswith(b'"'):
        old, rest = _unquoted(value, line)
        new = plain(rest[1:], line)
    elif value.endswith(b'"') and b' "' in value:
        old, _, rest = value.partition(b' "')
        new = plain(b'"' + rest, line)
    else:
        cuts = [at for at, byte in enumerate(value) if byte == ord(" ")]
        cuts.sort(key=lambda at: abs(len(value) - 1 - 2 * at))
        for at in cuts:
            if path := _shared(value[:at], value[at + 1 :]):
                return Names(value[:at], value[at + 1 :], os.fsdecode(path))
        return Names(value, value, None)
    path = _shared(old, new)
    return Names(old, new, None if path is None else os.fsdecode(path))


def of_sides(old: Named, new: Named) -> str:
    """The path that a `---` and a `+++` line mean together. The prefixes a/ and b/ come off, or whatever two
    directories hold the same path; else the new name counts."""
    if old.name == NOWHERE:
        return os.fsdecode(new.name.removeprefix(b"b/"))
    if new.name == NOWHERE:
        return os.fsdecode(old.name.removeprefix(b"a/"))
    if old.name.startswith(b"a/") and new.name.startswith(b"b/"):
        return os.fsdecode(new.name[2:])
    return os.fsdecode(_shared(old.name, new.name) or new.name)


def _shared(old: bytes, new: bytes) -> bytes | None:
    """The path that both mean: the same as they stand, or behind their first directory."""
    if old == new:
        return old
    inside = old.partition(b"/")[2]
    return inside if inside and inside == new.partition(b"/")[2] else None


def _unquoted(value: bytes, line: int) -> tuple[bytes, bytes]:
    """What the quotes at the start hold, and what comes after them."""
    found = _QUOTED.match(value)
    if found is None:
        raise PatchError(
            f"patch line {line}: a quoted name does not end: {visible(os.fsdecode(value[:100]))}"
        )

    def character(escape: regex.Match[bytes]) -> bytes:
        sign: bytes = escape[1]
        if len(sign) == 3:
            return bytes([int(sign, 8)])
        if sign not in _LETTERS:
            raise PatchError(
                f"patch line {line}: \\{visible(os.fsdecode(sign))} means nothing in a quoted name"
            )
        return _LETTERS[sign]

    return _ESCAPE.sub(character, found[1]), value[found.end() :]
