"""From the parameters of a search tool to the files it is about and what it looks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui.agents.desk import Desk
from tui.errors import InvalidRegexError
from tui.search.globs import Reading, compile_globs, extension_patterns
from tui.search.matcher import BadPattern, Matcher, compile_query
from tui.search.query import Query
from tui.search.walk import Scope


def compiled(query: Query) -> Matcher:
    matcher = compile_query(query)
    if isinstance(matcher, BadPattern):
        raise InvalidRegexError(f"invalid regex{_where(matcher)}: {matcher.message}", matcher.hint)
    return matcher


def _where(bad: BadPattern) -> str:
    return "" if bad.position is None else f" at position {bad.position}"


def scope_of(
    desk: Desk,
    path: str,
    patterns: Iterable[str] = (),
    *,
    reading: Reading = Reading.ANYWHERE,
    file_type: str | None = None,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    max_depth: int = 0,
) -> Scope:
    """`max_depth` 0 goes all the way down."""
    start = desk.workspace.relative(path)
    files = compile_globs(patterns, reading, exclude, start)
    if file_type is not None:
        files = files.and_also(compile_globs(extension_patterns(file_type), Reading.ANYWHERE))
    files = files.while_true(lambda: not desk.is_out_of_time())
    return Scope(path=start, files=files, hidden=hidden, max_depth=max_depth or None)
