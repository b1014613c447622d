"""A replacement over all files of a scope, as the edits of a plan: nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tui.edit.plan import FileEdit, modify
from tui.edit.replace import Replacement, edits
from tui.errors import InvalidArgumentError
from tui.search.decoding import UndecodableError
from tui.search.files import Limits, TextFile, skipped_because, text_files
from tui.search.skipped import Reason, Skipped
from tui.search.timelimit import TimeLimit, TimeLimitError
from tui.search.walk import Scope
from tui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file's change, how many occurrences it replaces, and the bytes it starts from."""

    edit: FileEdit
    replacements: int
    old: bytes


def replace_all(
    workspace: Workspace,
    replacement: Replacement,
    scope: Scope,
    limits: Limits | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[PlannedFile | Skipped]:
    """The files that change, in path order, and what could not be searched."""
    limits = limits or Limits()
    time = TimeLimit(limits.seconds_per_file)
    with time.installed():
        for file in text_files(workspace, scope, limits, cancelled):
            if isinstance(file, Skipped):
                yield file
                continue
            try:
                with time:
                    planned = _planned(file, replacement, limits, time.engine_timeout)
            except (UndecodableError, TimeLimitError, MemoryError, RecursionError) as error:
                yield skipped_because(file.path, error, limits)
                continue
            except InvalidArgumentError as error:
                yield Skipped(file.path, Reason.UNDECODABLE, error.message)
                continue
            if planned is not None:
                yield planned


def _planned(
    file: TextFile, replacement: Replacement, limits: Limits, timeout: float | None
) -> PlannedFile | None:
    found = edits(file.data, replacement, timeout)[: limits.matches_per_file]
    splices = [edit.splice for edit in found if edit.old != edit.new]
    change = modify(file.path, file.data, file.mode, splices)
    return None if change is None else PlannedFile(change, len(splices), file.data)
