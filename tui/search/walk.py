"""From a directory to the files in it that a search is about.

Order is alphabetical by path, always the same: entries are sorted as if a directory's name ended
with the slash it has in the paths below it, so that going depth first gives the paths sorted.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tui.search.globs import PathFilter
from tui.search.ignore import IgnoreRules
from tui.search.skipped import Reason, Skipped
from tui.text import visible
from tui.workspace import Workspace, explain

DEFAULT_EXCLUSIONS = frozenset(("node_modules", "bin", "obj", ".git", "dist", "build", ".vs", "__pycache__"))


@dataclass(frozen=True, slots=True)
class Scope:
    """Which files of a workspace a search covers."""

    path: str = ""
    files: PathFilter = field(default_factory=PathFilter)
    hidden: bool = False
    ignore_files: bool = True
    default_exclusions: bool = True
    max_depth: int | None = None


def walk(
    workspace: Workspace,
    scope: Scope,
    report: Callable[[Skipped], None] | None = None,
    entered: Callable[[str], None] | None = None,
) -> Iterator[str]:
    """The paths of all regular files in scope, sorted. What could not be entered, and links and
    special files, which are never opened, go to `report`, every directory that was to `entered`."""
    return _Walk(workspace, scope, report or _nowhere, entered or _nowhere).files()


def _nowhere(thing: object) -> None:
    pass


@dataclass(slots=True)
class _Directory:
    path: str
    depth: int
    rules: IgnoreRules | None


class _Walk:
    def __init__(
        self,
        workspace: Workspace,
        scope: Scope,
        report: Callable[[Skipped], None],
        entered: Callable[[str], None],
    ) -> None:
        self._workspace = workspace
        self._scope = scope
        self._report = report
        self._entered = entered

    def files(self) -> Iterator[str]:
        start = self._scope.path
        try:
            fd = self._workspace.open_directory(start)
        except NotADirectoryError:
            if self._is_file(start):
                yield start
                return
            raise explain(NotADirectoryError(errno.ENOTDIR, ""), start) from None
        except OSError as error:
            raise explain(error, start) from error
        rules = IgnoreRules.for_workspace(self._workspace, start) if self._scope.ignore_files else None
        try:
            stack = [iter(self._entries(fd, _Directory(start, 1, rules)))]
        finally:
            os.close(fd)
        while stack:
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
            elif isinstance(entry, str):
                yield entry
            elif (entries := self._enter(entry)) is not None:
                stack.append(iter(entries))
        for path, reason in rules.problems if rules else ():
            self._report(Skipped(path, Reason.UNREADABLE, f"an ignore file: {visible(reason)}"))

    def _is_file(self, path: str) -> bool:
        try:
            os.close(self._workspace.open_file(path))
        except OSError as error:
            raise explain(error, path) from error
        return True

    def _enter(self, directory: _Directory) -> list[str | _Directory] | None:
        depth = self._scope.max_depth
        if depth is not None and directory.depth > depth:
            self._report(Skipped(directory.path, Reason.TOO_DEEP, f"below depth {depth}"))
            return None
        try:
            fd = self._workspace.open_directory(directory.path)
        except OSError as error:
            self._report(_not_entered(directory.path, error))
            return None
        try:
            return self._entries(fd, directory)
        except OSError as error:
            self._report(_not_entered(directory.path, error))
            return None
        finally:
            os.close(fd)

    def _entries(self, fd: int, directory: _Directory) -> list[str | _Directory]:
        """Files and directories of one directory that are in scope, in order."""
        self._entered(directory.path)
        with os.scandir(fd) as listing:
            entries = [
                (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry)
                for entry in listing
            ]
        entries.sort(key=_by_name)
        rules = directory.rules
        if rules is not None and directory.depth > 1:
            name = directory.path[directory.path.rfind("/") + 1 :]
            rules = rules.enter(name, fd, {entry.name for _, entry in entries})
        scope = self._scope
        prefix = f"{directory.path}/" if directory.path else ""
        found: list[str | _Directory] = []
        for sort_key, entry in entries:
            name = entry.name
            if name[0] == "." and not scope.hidden:
                continue
            is_directory = len(sort_key) != len(name)
            if is_directory and scope.default_exclusions and name in DEFAULT_EXCLUSIONS:
                continue
            if rules is not None and rules.ignored(name, is_directory):
                continue
            path = prefix + name
            if is_directory:
                if not scope.files.prunes(path):
                    found.append(_Directory(path, directory.depth + 1, rules))
            elif scope.files.accepts(path):
                if entry.is_file(follow_symlinks=False):
                    found.append(path)
                else:
                    reason = Reason.SYMLINK if entry.is_symlink() else Reason.SPECIAL
                    self._report(Skipped(path, reason))
        return found


def _by_name(item: tuple[str, os.DirEntry[str]]) -> str:
    return item[0]


def _not_entered(path: str, error: OSError) -> Skipped:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Skipped(path, Reason.VANISHED)
    if error.errno == errno.ELOOP:
        return Skipped(path, Reason.SYMLINK)
    return Skipped(path, Reason.UNREADABLE, visible(error.strerror or str(error)).lower())
