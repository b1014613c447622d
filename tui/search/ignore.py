"""Which names in a directory git's ignore rules leave out, and `.ignore` files in the same syntax.

A pattern is cut at its slashes once, when its file is read. Entering a directory moves every
anchored pattern on by one component, so that in any directory only bare names are left to compare.
Those patterns are filed by what a matching name must have (a spelling, an extension, a first
character), so that a name meets the few that might match it and not the hundreds that cannot.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from tui.search.gitfiles import common_directory, directories_above, global_excludes, read_ignore_file
from tui.search.wildmatch import ANY_DEPTH, STAR, Token, read_globs
from tui.workspace import Workspace, join

_FILES = frozenset((".git", ".gitignore", ".ignore"))
_FEW = 16  # the most keys that one pattern is filed under
_ENDING = 32  # as much of a pattern's tail as is looked at for an extension
_DOTTED_ENDING = re.compile(r"(\.[^.]*)?\.[^.]*\Z")


class _Rule:
    """A line of an ignore file. Of the rules that match a name, the one of the highest rank decides."""

    __slots__ = ("anchored", "directories_only", "globs", "ignores", "last", "rank")

    def __init__(self, rank: int, line: str) -> None:
        pattern = line.removeprefix("!")
        path = pattern.removesuffix("/")
        self.rank = rank
        self.ignores = pattern == line
        self.directories_only = path != pattern
        self.globs = read_globs(path.removeprefix("/"))
        self.last = self.globs[-1]
        everywhere = self.globs[0] is ANY_DEPTH and len(self.globs) <= 2  # `**/name` is `name`
        self.anchored = "/" in path and not everywhere

    def decides(self, name: str, is_directory: bool, other: _Rule | None) -> bool:
        """Whether it matches the name and outranks the other rule that does."""
        return (
            (other is None or self.rank > other.rank)
            and (is_directory or not self.directories_only)
            and self.last.matches(name)
        )


_Pending = tuple[_Rule, int]  # an anchored rule and which of its components is next


def _rules(data: bytes, rank: int) -> Iterator[_Rule]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        pattern = _without_trailing_spaces(line.removesuffix("\r").partition("\0")[0])
        try:
            yield _Rule(rank, pattern)
        except LookupError:
            continue
        rank += 1


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and stripped != line else stripped


class _Table:
    """Rules about bare names, filed under what their names must have: a spelling, an ending or a
    first character. One shelf holds all three, so what is found there is only a candidate."""

    __slots__ = ("_filed", "_others")

    def __init__(self, filed: dict[str, tuple[_Rule, ...]], others: tuple[_Rule, ...]) -> None:
        self._filed = filed
        self._others = others

    def plus(self, rules: Iterable[_Rule]) -> _Table:
        added: dict[str, list[_Rule]] = {}
        others = list(self._others)
        for rule in rules:
            tokens = rule.last.tokens
            keys = _spellings(tokens) or _endings(tokens) or _spellings(tokens[:1])
            for key in keys:
                added.setdefault(key, []).append(rule)
            if not keys:
                others.append(rule)
        filed = {key: (*self._filed.get(key, ()), *more) for key, more in added.items()}
        return _Table(self._filed | filed, tuple(others))

    def verdict(self, name: str, is_directory: bool) -> bool | None:
        """Ignored, taken back in, or None where no rule is about it."""
        filed = self._filed.get
        found = filed(name, ()) + filed(name[0], ())
        dot = name.rfind(".")
        if dot > 0:
            found += filed(name[dot:], ())
            dot = name.rfind(".", 0, dot)
            if dot > 0:
                found += filed(name[dot:], ())
        decisive: _Rule | None = None
        for rule in self._others:
            if rule.last.needle in name and rule.decides(name, is_directory, decisive):
                decisive = rule
        for rule in found:
            if rule.decides(name, is_directory, decisive):
                decisive = rule
        return None if decisive is None else decisive.ignores


def _spellings(tokens: Sequence[Token]) -> list[str]:
    """All texts that match, where they are few."""
    if isinstance(tokens, str):
        return [tokens]
    texts = [""]
    for token in tokens:
        if token is STAR or len(texts) * len(token) > _FEW:
            return []
        texts = [text + character for text in texts for character in token]
    return texts


def _endings(tokens: Sequence[Token]) -> list[str]:
    """What matching names end with, from the second last dot on or, where the tail that is known
    has only one, from that."""
    texts = [""]
    for token in reversed(tokens[-_ENDING:]):
        if token is STAR or len(texts) * len(token) > _FEW:
            break
        texts = [character + text for character in token for text in texts]
    endings = [_DOTTED_ENDING.search(text) for text in texts]
    return [ending[0] for ending in endings if ending] if all(endings) else []


class _Scope:
    """The rules of one family of files, git's or `.ignore`, in force in one directory."""

    __slots__ = ("_count", "_everywhere", "_here", "_pending", "table")

    def __init__(
        self, everywhere: _Table, pending: Iterable[_Pending], count: int, parent: _Scope | None = None
    ) -> None:
        self._everywhere = everywhere
        self._pending = tuple(dict.fromkeys(pending))
        self._count = count
        self._here = tuple(rule for rule, at in self._pending if at == len(rule.globs) - 1)
        self.table: _Table = everywhere
        if parent is not None and parent._here == self._here:
            self.table = parent.table
        elif self._here:
            self.table = everywhere.plus(self._here)

    def inside(self, name: str) -> _Scope:
        """The same rules in a subdirectory."""
        if not self._pending:
            return self
        pending = (after for rule, at in self._pending for after in _after(rule, at, name))
        return _Scope(self._everywhere, pending, self._count, self)

    def plus(self, data: bytes) -> _Scope:
        """With an ignore file of this directory, which is stronger than all before it."""
        rules = list(_rules(data, self._count))
        if not rules:
            return self
        everywhere = self._everywhere.plus(rule for rule in rules if not rule.anchored)
        pending = (start for rule in rules if rule.anchored for start in _from(rule, 0))
        return _Scope(everywhere, (*self._pending, *pending), self._count + len(rules))


def _from(rule: _Rule, at: int) -> Iterator[_Pending]:
    """A rule whose next component is `at`. It is also the one behind where `**` stands for nothing."""
    yield rule, at
    if rule.globs[at] is ANY_DEPTH and at + 1 < len(rule.globs):
        yield rule, at + 1


def _after(rule: _Rule, at: int, name: str) -> Iterator[_Pending]:
    """What is left of a rule in the subdirectory `name`."""
    if rule.globs[at] is ANY_DEPTH:
        yield from _from(rule, at)
    elif at + 1 < len(rule.globs) and rule.globs[at].matches(name):
        yield from _from(rule, at + 1)


_NO_RULES = _Scope(_Table({}, ()), (), 0)


class IgnoreRules:
    """Which names in one directory are ignored.

    An ignore file that could not be used counts as absent and stands in `problems`, as a pair of
    path and reason; the list is shared by all rules that come from one `for_workspace`.
    """

    __slots__ = ("_git", "_own", "_path", "_sources", "_tables", "problems")

    def __init__(self, sources: _Sources, path: str, git: _Scope, own: _Scope) -> None:
        self._sources = sources
        self._path = path
        self._git = git
        self._own = own
        self._tables = (own.table, git.table) if own is not _NO_RULES else (git.table,)
        self.problems = sources.problems

    @classmethod
    def for_workspace(cls, workspace: Workspace, path: str) -> IgnoreRules:
        """The rules in force in a directory of the workspace; OSError where it cannot be opened."""
        sources = _Sources(workspace.root)
        outer = cls(sources, "", sources.above_root(), _NO_RULES)
        rules = outer._with_files(workspace.fd, _FILES)
        if not sources.in_repository and rules._leave_out_all_of(workspace.fd):
            rules = outer._with_files(workspace.fd, _FILES - {".gitignore"})
        for name in path.split("/") if path else ():
            directory = workspace.open_directory(join(rules._path, name))
            try:
                rules = rules.enter(name, directory, _FILES)
            finally:
                os.close(directory)
        return rules

    def enter(self, name: str, directory: int, names: Collection[str]) -> IgnoreRules:
        """The rules in a subdirectory, given its descriptor and the names of its entries."""
        path = join(self._path, name)
        name = _in_bytes(name)
        rules = IgnoreRules(self._sources, path, self._git.inside(name), self._own.inside(name))
        return rules if _FILES.isdisjoint(names) else rules._with_files(directory, names)

    def ignored(self, name: str, is_directory: bool) -> bool:
        """Whether an entry is left out. A link is never a directory."""
        if not name.isascii():
            name = _in_bytes(name)
        for table in self._tables:
            verdict = table.verdict(name, is_directory)
            if verdict is not None:
                return verdict
        return False

    def _leave_out_all_of(self, directory: int) -> bool:
        """Whether nothing is left of the directory but hidden files. A `.gitignore` that does this in
        a root without a repository came with an archive or a cache, and was meant for another place."""
        with os.scandir(directory) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".")]
        return bool(entries) and all(
            self.ignored(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries
        )

    def _with_files(self, directory: int, names: Collection[str]) -> IgnoreRules:
        git, own, sources = self._git, self._own, self._sources
        if ".git" in names:
            git = sources.repository(".git", directory, self._path) or git
        if ".gitignore" in names:
            git = git.plus(sources.read(".gitignore", directory, self._path))
        if ".ignore" in names:
            own = own.plus(sources.read(".ignore", directory, self._path))
        return IgnoreRules(sources, self._path, git, own)


def _in_bytes(name: str) -> str:
    return os.fsencode(name).decode("latin-1")


class _Sources:
    """Where rules come from besides the workspace's own directories, and what could not be read."""

    def __init__(self, root: str) -> None:
        self.problems: list[tuple[str, str]] = []
        self._root = root
        self._above = directories_above(root)
        self.in_repository = bool(self._above) or common_directory(os.path.join(root, ".git")) is not None
        path = global_excludes(self._above[0] if self._above else root)
        self._global = self.read(path, follow=True) if path else b""

    def above_root(self) -> _Scope:
        """The rules that reach the root from the repository around it."""
        if not self._above:
            return _NO_RULES.plus(self._global)
        scope = self.repository(os.path.join(self._above[0], ".git")) or _NO_RULES
        for directory, below in pairwise((*self._above, self._root)):
            scope = scope.plus(self.read(os.path.join(directory, ".gitignore")))
            scope = scope.inside(_in_bytes(os.path.basename(below)))
        return scope

    def repository(self, git: str, directory: int | None = None, path: str = "") -> _Scope | None:
        """A repository starts afresh, with the global rules and its own `info/exclude`."""
        common = common_directory(git, directory)
        if common is None:
            return None
        exclude = self.read(os.path.join(common, "info/exclude"), directory, path, follow=True)
        return _NO_RULES.plus(self._global).plus(exclude)

    def read(self, name: str, directory: int | None = None, path: str = "", follow: bool = False) -> bytes:
        """The bytes of an ignore file; none where it is absent or cannot be used."""
        try:
            return read_ignore_file(name, directory, follow)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            link = error.errno == errno.ELOOP
            reason = "a symbolic link, which is not followed" if link else str(error.strerror).lower()
            self.problems.append((os.path.join(path, name), reason))
            return b""
