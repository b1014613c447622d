"""A query made ready to run: the compiled matcher, or the reason there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import regex

from tui.search import syntax
from tui.search.query import Query
from tui.text import visible

MAX_PATTERN_LENGTH = 20_000
MAX_WEIGHT = 50_000
_RARE_ENOUGH = 3.0
_REPEAT = regex.compile(r"\{[^},\d]*(\d+)")


@dataclass(frozen=True, slots=True)
class BadPattern:
    """Why a query cannot be searched for. A half-typed regex is one of these, not an exception."""

    message: str
    hint: str
    position: int | None = None

    def __str__(self) -> str:
        where = "" if self.position is None else f" at position {self.position}"
        return f"invalid regex{where}: {self.message}; {self.hint}"


@dataclass(frozen=True, slots=True)
class Matcher:
    """A query ready to run.

    `pattern` says what matches: it is run on one line, or with multiline on the whole text.
    The other fields only make it faster: lines without a needle need not be looked at, and
    `line_form` finds in one pass over many lines what `pattern` finds line by line. `exact`:
    the query is nothing but its one needle.
    """

    query: Query
    pattern: regex.Pattern[str]
    needles: tuple[bytes, ...] = ()
    caseless: bool = False
    exact: bool = False
    line_form: regex.Pattern[str] | None = None


def compile_query(query: Query) -> Matcher | BadPattern:
    """The one place where patterns are compiled, for search, preview and replacement alike."""
    if problem := _too_big(query):
        return problem
    flags = (regex.IGNORECASE if query.ignores_case else 0) | (regex.MULTILINE if query.multiline else 0)
    source = _literal(query) if query.literal else query.pattern
    alone = _compiled(source, flags)
    if isinstance(alone, BadPattern) or not query.whole_word:
        return alone if isinstance(alone, BadPattern) else _with_fast_paths(query, source, alone)
    source = _as_word(source, bool(alone.flags & regex.VERBOSE))
    word = _compiled(source, flags)
    return word if isinstance(word, BadPattern) else _with_fast_paths(query, source, word)


def _literal(query: Query) -> str:
    """Across lines every line end is a `\\n`, also in text that was copied from a Windows file."""
    text = query.pattern.replace("\r\n", "\n") if query.multiline else query.pattern
    return regex.escape(text, special_only=True)


def without_fast_paths(matcher: Matcher) -> Matcher:
    """The same meaning, found the slow way."""
    return replace(matcher, needles=(), exact=False, line_form=None)


def _as_word(source: str, verbose: bool) -> str:
    end = "\n" if verbose else ""  # a trailing comment must not swallow the bracket
    return rf"(?<!\w)(?:{source}{end})(?!\w)"


def _too_big(query: Query) -> BadPattern | None:
    if len(query.pattern) > MAX_PATTERN_LENGTH:
        return BadPattern(
            f"{len(query.pattern):,} characters, of at most {MAX_PATTERN_LENGTH:,}", "search for a part of it"
        )
    if not query.literal and _weight(query.pattern) > MAX_WEIGHT:
        return BadPattern("its repeat counts multiply to too much", "use smaller ones, as in a{2,40}")
    return None


def _weight(pattern: str) -> int:
    """How large the engine's program would be: it writes counted repeats out in full."""
    reading = syntax.read(pattern, 0)
    return reading.weight if reading else _rough_weight(pattern)


def _rough_weight(pattern: str) -> int:
    """The same for what the reader cannot read: brackets and counts, and never too little."""
    totals = [0]
    last = at = 0
    while at < len(pattern):
        character = pattern[at]
        repeat = _REPEAT.match(pattern, at) if character == "{" else None
        if repeat:
            times = max(1, int(repeat[1][:9]))
            totals[-1] += last * (times - 1)
            last *= times
            at = repeat.end()
            continue
        if character == "(":
            totals.append(0)
        elif character == ")" and len(totals) > 1:
            last = totals.pop() + 1
            totals[-1] += last
        else:
            if character == "\\":
                at += 1
            elif character == "[":  # up to its first bracket, perhaps too early
                at = max(at, pattern.find("]", at + 2))
            last = 1
            totals[-1] += 1
        at += 1
    return sum(totals)


def _compiled(source: str, flags: int) -> regex.Pattern[str] | BadPattern:
    try:
        return regex.compile(source, flags, cache_pattern=False)
    except regex.error as error:
        message = str(getattr(error, "msg", error))
        return BadPattern(visible(message), _hint(message), getattr(error, "pos", None))
    except RecursionError:
        return BadPattern("brackets nested too deeply", "simplify the pattern")
    except (ValueError, OverflowError, KeyError, IndexError, TypeError, MemoryError) as error:
        return BadPattern(visible(str(error)) or "not understood", _hint(""))


def _hint(message: str) -> str:
    if "missing )" in message or "unbalanced" in message:
        return r"write \( and \) to find brackets, or search literally"
    if "set" in message or "]" in message:
        return r"a set looks like [a-z]; write \[ to find a bracket, or search literally"
    if "min repeat" in message:
        return "the smaller count comes first, as in a{1,2}"
    if "repeat" in message:
        return r"write \* or \+ to find the sign itself, or put something before it, as in .*"
    if "escape" in message:
        return r"write \\ to find a backslash, or search literally"
    return r"a valid pattern looks like \bname\s*= or [A-Z]\w+; or search literally"


def _with_fast_paths(query: Query, source: str, pattern: regex.Pattern[str]) -> Matcher:
    reading = syntax.read(source, pattern.flags)
    if reading is None:
        return Matcher(query, pattern)
    line_form = None
    if reading.line_form is not None and not query.multiline:
        compiled = _compiled(reading.line_form, (pattern.flags & regex.IGNORECASE) | regex.MULTILINE)
        line_form = None if isinstance(compiled, BadPattern) else compiled
    needles = reading.needles
    if needles is not None and not query.multiline and any("\n" in string for string in needles.strings):
        needles = None  # no line holds a line end
    exact = (
        needles is not None
        and (reading.exact,) == needles.strings
        and (source.lower() if needles.caseless else source) == _plain(reading.exact)
    )
    if needles is not None and needles.rarity < _RARE_ENOUGH and line_form is not None and not exact:
        needles = None  # the whole text is scanned sooner than nearly all of its lines, one by one
    return Matcher(
        query,
        pattern,
        tuple(string.encode() for string in needles.strings) if needles else (),
        needles is not None and needles.caseless,
        exact,
        line_form,
    )


def _plain(string: str | None) -> str | None:
    return None if string is None else regex.escape(string, special_only=True)
