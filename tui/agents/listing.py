"""The files of a scope for an agent's call, as far as there is time."""

from __future__ import annotations

from dataclasses import dataclass

from tui.agents.desk import Desk
from tui.agents.leftout import LeftOut, unnameable
from tui.search.globs import PathTest
from tui.search.walk import Scope, walk


@dataclass(frozen=True, slots=True)
class Listing:
    """The files, in path order. `stopped`: there was no time for all."""

    files: list[str]
    warnings: tuple[str, ...]
    stopped: bool


def listed(desk: Desk, scope: Scope, test: PathTest | None = None) -> Listing:
    """The scope's own test ends with the time (see `scopes`), so the walk does."""
    left_out = LeftOut()
    files = []
    for path in walk(desk.workspace, scope, left_out.add):
        if desk.is_out_of_time():
            break
        if test is None or test(path):
            files.append(path)
    warnings = (*left_out.warnings(), *unnameable(files), *desk.lateness())
    return Listing(files, warnings, desk.is_out_of_time())
