"""Reads a regular expression just far enough to search for it quickly.

Two things are wanted of a pattern: strings of which every match must contain one (so that lines
without them are never looked at), and a form of it that cannot match a line end (so that a whole
file is scanned in one call instead of line by line). The reader knows the common syntax and gives
up with `None` on everything else; a pattern it cannot read is searched the slow way, never wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

MAX_ALTERNATIVES = 12
MAX_DEPTH = 60
_KNOWN_FLAGS = regex.IGNORECASE | regex.DOTALL | regex.MULTILINE | regex.UNICODE | regex.VERSION0

_QUANTIFIER = regex.compile(r"(?:[*+?]|\{(\d{1,9})(?:,\d{0,9})?\}|\{,\d{0,9}\})[?+]?")
_OTHER_BRACES = regex.compile(r"\{.*\}", regex.DOTALL)  # fuzzy matching, or a count written in another way
_FLAG_GROUP = regex.compile(r"\(\?([ims]*)(?:-([ims]+))?([:)])")
_OPENING = regex.compile(r"\((?:\?(?::|>|\||P?<[^\W\d]\w*>|(?P<look><?[=!])))?")
_CODE_POINT = regex.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_PROPERTY = regex.compile(r"\\[pP]\{[^{}]*\}")
_BACKREFERENCE = regex.compile(r"\\(?:[1-9]\d?(?!\d)|g<\w+>)")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_LINE_SAFE = {"s": r"[^\S\n]", "W": r"[^\w\n]", "D": r"[^\d\n]", "S": r"\S", "w": r"\w", "d": r"\d"}


class _UnreadableError(Exception):
    """The pattern uses something this reader does not know."""


@dataclass(frozen=True, slots=True)
class Needles:
    """Every match contains one of the strings; compared without regard to case if `caseless`."""

    strings: tuple[str, ...]
    caseless: bool

    @property
    def rarity(self) -> float:
        """A guess at how few places in source code hold the commonest of them; higher is rarer."""
        return min(map(_rarity, self.strings))


def _rarity(string: str) -> float:
    return sum(0.5 if c == " " else 1.0 if c in "etaoinsr" else 1.5 if c.islower() else 2.0 for c in string)


def _rarer(one: Needles | None, other: Needles | None) -> Needles | None:
    """The better of two; each string more to look for counts against a set."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda needles: needles.rarity - len(needles.strings))


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a piece of the pattern.

    `exact`: all strings it can match, where they are few; `needles`: strings one of which it must
    contain; `source`: the line-safe form, or None; `weight`: its size with repeats written out.
    """

    source: str | None
    exact: tuple[str, ...] | None = None
    needles: Needles | None = None
    caseless: bool = False
    weight: int = 1

    def best(self) -> Needles | None:
        """Its needles, counting the exact strings as such."""
        if self.exact and all(self.exact):
            return _rarer(self.needles, Needles(self.exact, self.caseless))
        return self.needles


_NOTHING = ("",)


@dataclass(frozen=True, slots=True)
class Reading:
    """`line_form` is None where the pattern has no line-safe form; `exact` is the one string that it
    matches (in small letters where case is ignored), if that is all it does; `weight` is its size with
    repeats written out."""

    needles: Needles | None
    line_form: str | None
    weight: int
    exact: str | None


def read(pattern: str, flags: int) -> Reading | None:
    """What is known of the pattern, or None. `flags` are those of the compiled pattern."""
    if flags & ~_KNOWN_FLAGS:
        return None
    reader = _Reader(pattern)
    try:
        part = reader.alternation(bool(flags & regex.IGNORECASE), bool(flags & regex.DOTALL), 0)
    except _UnreadableError:
        return None
    if reader.at < len(pattern):
        return None
    exact = part.exact[0] if part.exact and len(part.exact) == 1 else None
    return Reading(part.best(), part.source, part.weight, exact)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def alternation(self, caseless: bool, dotall: bool, depth: int) -> _Part:
        if depth > MAX_DEPTH:
            raise _UnreadableError
        branches = [self.sequence(caseless, dotall, depth)]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            branches.append(self.sequence(caseless, dotall, depth))
        return branches[0] if len(branches) == 1 else _either(branches)

    def sequence(self, caseless: bool, dotall: bool, depth: int) -> _Part:
        row = _Row(caseless)
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            row.add(self.repeated(caseless, dotall, depth))
        return row.part()

    def repeated(self, caseless: bool, dotall: bool, depth: int) -> _Part:
        part = self.atom(caseless, dotall, depth)
        while found := _QUANTIFIER.match(self.pattern, self.at):
            self.at = found.end()
            part = _times(part, found)
        if _OTHER_BRACES.match(self.pattern, self.at):
            raise _UnreadableError
        return part

    def atom(self, caseless: bool, dotall: bool, depth: int) -> _Part:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(caseless, dotall, depth)
        if character == "[":
            return self.character_class(caseless)
        if character == "\\":
            return self.escape(caseless)
        self.at += 1
        if character in "^$":
            return _Part(character, _NOTHING, caseless=caseless, weight=1)
        if character == ".":
            return _Part(r"[^\n]" if dotall else ".")
        if character in "*+?":
            raise _UnreadableError
        return _literal(character, character, caseless)

    def group(self, caseless: bool, dotall: bool, depth: int) -> _Part:
        if self.pattern.startswith("(?#", self.at):
            end = self.pattern.find(")", self.at)
            if end < 0:
                raise _UnreadableError
            return self.unrepeated(_Part("", _NOTHING, caseless=caseless, weight=0), end + 1)
        if found := _FLAG_GROUP.match(self.pattern, self.at):
            if found[3] == ")":
                if found[2] or self.at:  # only at the very start it is among the compiled pattern's flags
                    raise _UnreadableError
                return self.unrepeated(_Part(found[0], _NOTHING, caseless=caseless, weight=0), found.end())
            self.at = found.end()
            on, off = found[1], found[2] or ""
            caseless = (caseless or "i" in on) and "i" not in off
            dotall = (dotall or "s" in on) and "s" not in off
            if "m" in off:  # `^` would no longer mean the start of a line in the line-safe form
                raise _UnreadableError
            return self.group_body(found[0], caseless, dotall, depth)
        found = _OPENING.match(self.pattern, self.at)
        if found is None or self.pattern.startswith(("?", "*"), found.end()):
            raise _UnreadableError
        self.at = found.end()
        body = self.group_body(found[0], caseless, dotall, depth)
        if found["look"]:  # looks at text that need not belong to the match
            return _Part(body.source, _NOTHING, caseless=caseless, weight=body.weight)
        return body

    def unrepeated(self, part: _Part, end: int) -> _Part:
        """Something that a quantifier does not repeat: it would belong to what stands before."""
        self.at = end
        if _QUANTIFIER.match(self.pattern, end):
            raise _UnreadableError
        return part

    def group_body(self, opening: str, caseless: bool, dotall: bool, depth: int) -> _Part:
        body = self.alternation(caseless, dotall, depth + 1)
        if not self.pattern.startswith(")", self.at):
            raise _UnreadableError
        self.at += 1
        source = None if body.source is None else f"{opening}{body.source})"
        return _Part(source, body.exact, body.needles, body.caseless, body.weight + 1)

    def escape(self, caseless: bool) -> _Part:
        if found := _CODE_POINT.match(self.pattern, self.at):
            self.at = found.end()
            try:
                character = chr(int(found[1] or found[2] or found[3], 16))
            except (ValueError, OverflowError):
                raise _UnreadableError from None
            return _literal(character, found[0], caseless)
        if found := _PROPERTY.match(self.pattern, self.at):
            self.at = found.end()
            return _Part(rf"(?:(?!\n){found[0]})")
        if found := _BACKREFERENCE.match(self.pattern, self.at):
            self.at = found.end()
            return _Part(found[0])
        kind = self.pattern[self.at + 1 : self.at + 2]
        self.at += 2
        if not kind or kind.isalnum():
            return self.letter_escape(kind, caseless)
        return _literal(kind, "\\" + kind, caseless)

    def letter_escape(self, kind: str, caseless: bool) -> _Part:
        if kind in _LINE_SAFE:
            return _Part(_LINE_SAFE[kind])
        if kind in ("b", "B"):
            return _Part("\\" + kind, _NOTHING, caseless=caseless)
        if kind in ("A", "Z"):
            return _Part(None, _NOTHING, caseless=caseless)
        if kind in _CONTROLS:
            return _literal(_CONTROLS[kind], "\\" + kind, caseless)
        raise _UnreadableError

    def character_class(self, caseless: bool) -> _Part:
        start = self.at
        self.at += 1
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        body_start = self.at
        if self.pattern.startswith("]", self.at):
            self.at += 1
        members: list[str] | None = []
        while not self.pattern.startswith("]", self.at):
            members = self.class_member(members)
        body = self.pattern[body_start : self.at]
        self.at += 1
        source = self.pattern[start : self.at]
        if negated:
            return _Part(rf"(?:(?!\n){source})" if body.startswith(("]", "-")) else rf"[^\n{body}]")
        if body.startswith("]") or members is None or len(members) > 4:
            return _Part(rf"(?:(?!\n){source})" if members is None else source)
        parts = [_literal(member, source, caseless) for member in members]
        return parts[0] if len(parts) == 1 else _either(parts, source)

    def class_member(self, members: list[str] | None) -> list[str] | None:
        """One character more, or None as soon as the class is more than a list of characters."""
        if self.at >= len(self.pattern):
            raise _UnreadableError
        character = self.pattern[self.at]
        if character == "[":
            end = self.pattern.find(":]", self.at)
            if not self.pattern.startswith("[:", self.at) or end < 0:  # a nested set in the newer dialect
                raise _UnreadableError
            self.at = end + 2
            return None
        if character == "\\":
            self.at += 2
            return None
        self.at += 1
        if character in "-\n":
            return None
        return None if members is None else [*members, character]


def _literal(character: str, source: str, caseless: bool) -> _Part:
    line_safe = None if character == "\n" else source
    if "\ud800" <= character <= "\udfff":  # a byte of unknown text, which may also be part of a letter
        return _Part(line_safe)
    if caseless and not character.isascii():  # its other cases are not worth a table
        return _Part(line_safe)
    return _Part(line_safe, (character.lower() if caseless else character,), caseless=caseless)


def _either(parts: list[_Part], source: str | None = None) -> _Part:
    if source is None and all(part.source is not None for part in parts):
        source = "|".join(part.source or "" for part in parts)
    caseless = any(part.caseless for part in parts)
    exact: tuple[str, ...] | None = ()
    needles: tuple[str, ...] | None = ()
    for part in parts:
        best = part.best()
        exact = None if exact is None or part.exact is None else (*exact, *part.exact)
        needles = None if needles is None or best is None else (*needles, *best.strings)
        caseless = caseless or (best is not None and best.caseless)
    return _Part(
        source,
        _few(exact, caseless),
        Needles(few, caseless) if (few := _few(needles, caseless)) else None,
        caseless,
        sum(part.weight for part in parts),
    )


def _few(strings: tuple[str, ...] | None, caseless: bool) -> tuple[str, ...] | None:
    if strings is None or len(strings) > 4 * MAX_ALTERNATIVES:
        return None
    if caseless:
        if not all(string.isascii() for string in strings):
            return None
        strings = tuple(string.lower() for string in strings)
    distinct = tuple(dict.fromkeys(strings))
    return distinct if len(distinct) <= MAX_ALTERNATIVES else None


class _Row:
    """Parts one after another. Exact strings that touch grow together into a run; where something
    unknown comes between, the run is kept as needles and a new one begins."""

    def __init__(self, caseless: bool) -> None:
        self._source: str | None = ""
        self._run: tuple[str, ...] = _NOTHING
        self._caseless = caseless
        self._needles: Needles | None = None
        self._whole = True
        self._weight = 0

    def add(self, part: _Part) -> None:
        known = self._source is not None and part.source is not None
        self._source = f"{self._source}{part.source}" if known else None
        self._weight += part.weight
        if part.exact == _NOTHING:
            return
        self._needles = _rarer(self._needles, part.needles)
        if part.exact is not None and (part.caseless == self._caseless or self._run == _NOTHING):
            joined = _few(tuple(a + b for a in self._run for b in part.exact), part.caseless)
            if joined is not None:
                self._run, self._caseless = joined, part.caseless
                return
        self._end_run()
        if part.exact is not None:
            self._run, self._caseless = part.exact, part.caseless

    def _end_run(self) -> None:
        if all(self._run):
            self._needles = _rarer(self._needles, Needles(self._run, self._caseless))
        self._run = _NOTHING
        self._whole = False

    def part(self) -> _Part:
        if not self._whole:
            self._end_run()
        exact = self._run if self._whole else None
        return _Part(self._source, exact, self._needles, self._caseless, self._weight)


def _times(part: _Part, quantifier: regex.Match[str]) -> _Part:
    text = quantifier[0]
    least = 1 if text[0] == "+" else int(quantifier[1]) if quantifier[1] else 0
    source = None if part.source is None else part.source + text
    weight = part.weight * max(1, least) + 1
    if least == 0:
        return _Part(source, None, None, part.caseless, weight)
    if text == "{1}":
        return _Part(source, part.exact, part.needles, part.caseless, weight)
    return _Part(source, None, part.best(), part.caseless, weight)
