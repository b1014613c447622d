"""What the query bar says, as one value: from it come the query, the scope and the replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tui.search.query import Case, Query

if TYPE_CHECKING:
    from tui.edit.replace import Replacement
    from tui.edit.template import BadReplacement
    from tui.search.matcher import BadPattern
    from tui.search.walk import Scope

_NEXT_CASE = {Case.SMART: Case.SENSITIVE, Case.SENSITIVE: Case.INSENSITIVE, Case.INSENSITIVE: Case.SMART}


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """The three fields and the toggles beside them."""

    find: str = ""
    replace: str = ""
    files: str = ""
    regex: bool = True
    case: Case = Case.SMART
    word: bool = False
    multiline: bool = False
    keep_case: bool = False
    ignore: bool = True
    hidden: bool = False
    excluded: bool = True

    @property
    def query(self) -> Query | None:
        """None where there is nothing to look for: then the app is a file browser."""
        if not self.find:
            return None
        case = Case.INSENSITIVE if self.keep_case else self.case
        return Query(self.find, not self.regex, case, self.word, multiline=self.multiline)

    def scope(self) -> Scope:
        """The files that are meant. InvalidGlobError for a pattern that cannot be."""
        from tui.search.globs import Reading, compile_globs, split_patterns  # not for the first frame
        from tui.search.walk import Scope

        return Scope(
            files=compile_globs(split_patterns(self.files), Reading.ANYWHERE),
            hidden=self.hidden,
            ignore_files=self.ignore,
            default_exclusions=self.excluded,
        )

    def replacement(self) -> Replacement | BadPattern | BadReplacement | None:
        """What every match becomes; None without a query, the reason where it cannot be used."""
        from tui.edit.replace import compile_replacement  # not needed for the first frame
        from tui.search.matcher import BadPattern, compile_query

        query = self.query
        if query is None:
            return None
        matcher = compile_query(query)
        if isinstance(matcher, BadPattern):
            return matcher
        return compile_replacement(self.replace, matcher, keep_case=self.keep_case)

    def toggled(self, name: str) -> Asked:
        """The same with one toggle switched; case has three positions."""
        value = _NEXT_CASE[self.case] if name == "case" else not getattr(self, name)
        return msgspec.structs.replace(self, **{name: value})
