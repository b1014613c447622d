"""When everything that a query finds lies in files, and but for multiline in lines, where another query
has found something.

Only what can be proved is used: the other query looks for a plain string, and every match of the new
one contains that string, however it is written.
"""

from __future__ import annotations

import regex

from tui.search.matcher import Matcher
from tui.search.query import Query


def lies_within(new: Matcher, old: Matcher) -> bool:
    """Whether a file or line in which the old query finds nothing cannot hold a match of the new one."""
    string = _plain(old.query)
    if not string or old.query.whole_word or old.query.invert or new.query.invert:
        return False
    if old.query.multiline != new.query.multiline:
        return False
    if old.query.ignores_case:
        return all(_contains_in_any_case(other, string) for other in _contained(new))
    return not new.query.ignores_case and not new.caseless and all(string in it for it in _contained(new))


def surely_ends(query: Query) -> bool:
    """Whether it looks for a plain string, in some case or other, line by line: the time that takes is
    foreseeable."""
    return not (query.invert or query.multiline) and _plain(query) is not None


def _contained(matcher: Matcher) -> list[str]:
    """Strings one of which is in every match."""
    string = _plain(matcher.query)
    if string is not None:
        return [string]
    return [needle.decode() for needle in matcher.needles] or [""]


def _plain(query: Query) -> str | None:
    """The string that the query looks for, if that is all it does."""
    if query.literal or regex.escape(query.pattern, special_only=True) == query.pattern:
        return query.pattern.replace("\r\n", "\n") if query.multiline else query.pattern
    return None


def _contains_in_any_case(text: str, part: str) -> bool:
    if text.isascii() and part.isascii():
        return part.lower() in text.lower()
    return part in text
