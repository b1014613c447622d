"""A replacement over many files, as the edits of a plan: nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tui.edit.plan import FileEdit, modify
from tui.edit.replace import Edit, Replacement, edits
from tui.errors import InvalidArgumentError, TooLargeError
from tui.search.decoding import UndecodableError
from tui.search.files import Limits, TextFile, read_each, skipped_because, text_files
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
    return _planned_each(text_files(workspace, scope, limits, cancelled), replacement, limits, _all_of_it)


def replace_in(
    workspace: Workspace,
    replacement: Replacement,
    paths: Iterable[str],
    takes: Callable[[str, Edit], bool],
    limits: Limits | None = None,
) -> Iterator[PlannedFile | Skipped]:
    """The same for files that are named, with only the edits that `takes` says."""
    limits = limits or Limits()
    return _planned_each(read_each(workspace, paths, limits), replacement, limits, takes)


def _all_of_it(path: str, edit: Edit) -> bool:
    return True


def _planned_each(
    files: Iterable[TextFile | Skipped],
    replacement: Replacement,
    limits: Limits,
    takes: Callable[[str, Edit], bool],
) -> Iterator[PlannedFile | Skipped]:
    time = TimeLimit(limits.seconds_per_file)
    with time.installed():
        for file in files:
            if isinstance(file, Skipped):
                yield file
                continue
            try:
                with time:
                    found = edits(file.data, replacement, time.engine_timeout)[: limits.matches_per_file]
            except (UndecodableError, TimeLimitError, MemoryError, RecursionError) as error:
                yield skipped_because(file.path, error, limits)
                continue
            except InvalidArgumentError as error:
                yield Skipped(file.path, Reason.UNDECODABLE, error.message)
                continue
            except TooLargeError as error:
                yield Skipped(file.path, Reason.TOO_LARGE, error.message)
                continue
            if planned := _planned(file, [edit for edit in found if takes(file.path, edit)]):
                yield planned


def _planned(file: TextFile, found: Iterable[Edit]) -> PlannedFile | None:
    splices = [edit.splice for edit in found if edit.old != edit.new]
    change = modify(file.path, file.data, file.mode, splices)
    return None if change is None else PlannedFile(change, len(splices), file.data)
