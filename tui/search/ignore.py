"""Which names in a directory git's ignore rules leave out, and `.ignore` files in the same syntax.

Git compares bytes, so patterns and names are compared as Latin-1 text: one character is one byte.

A pattern is cut at its slashes once, when its file is read. Entering a directory moves every
anchored pattern on by one component, so that in any directory only bare names are left to compare.
Those patterns are filed by what a matching name must have (a spelling, an extension, a first
character), so that a name meets the few that might match it and not the hundreds that cannot.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import string
import subprocess
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from tui.workspace import Workspace, join

LARGEST_IGNORE_FILE = 1_000_000

_FILES = frozenset((".git", ".gitignore", ".ignore"))
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GIT_TIMEOUT = 2.0
_GIT_UNSET = 1  # the exit status of git config where a setting has no value
_REPOSITORY_VARIABLES = frozenset(("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"))

# A token stands for one character and lists those allowed in its place, or it is a star.
_Token = str | None
_STAR = None
_ANY = "".join(chr(code) for code in range(1, 256) if code != ord("/"))
_LONGEST_NAME = 4096  # longer than any file system allows
_FEW = 16  # the most keys that one pattern is filed under
_ENDING = 32  # as much of a pattern's tail as is looked at for an extension

_SPECIAL = re.compile(r"[*?\[\\]")
_DOTTED_ENDING = re.compile(r"(\.[^.]*)?\.[^.]*\Z")
_VISIBLE = string.ascii_letters + string.digits + string.punctuation
_POSIX_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(1, 32), 127))),
    "digit": string.digits,
    "graph": _VISIBLE,
    "lower": string.ascii_lowercase,
    "print": _VISIBLE + " ",
    "punct": string.punctuation,
    "space": " \t\n\r",  # git's own table: no form feed, no vertical tab
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}


class _Glob:
    """One component of a pattern, matched against one name."""

    __slots__ = ("_literal", "_regex", "_shortest", "needle", "tokens")

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens = tokens
        fixed = [tokens] if isinstance(tokens, str) else _fixed_texts(tokens)
        self.needle = max(fixed, key=len)
        self._literal = self.needle if len(fixed) == 1 else None
        self._shortest = sum(token is not _STAR for token in tokens)
        self._regex: re.Pattern[str] | None = None

    def matches(self, name: str) -> bool:
        if self._literal is not None:
            return name == self._literal
        if self.needle not in name or len(name) < self._shortest:
            return False
        if self._regex is None:
            self._regex = re.compile(_regex(self.tokens), re.DOTALL)
        return self._regex.fullmatch(name) is not None


def _fixed_texts(tokens: Iterable[_Token]) -> list[str]:
    """The texts before, between and after all tokens that leave a choice."""
    texts = [""]
    for token in tokens:
        if token is not _STAR and len(token) == 1:
            texts[-1] += token
        else:
            texts.append("")
    return texts


def _regex(tokens: Iterable[_Token]) -> str:
    """Between two stars the leftmost place is as good as any later one, so it is never given up
    again: no number of stars makes the search explode."""
    parts = [""]
    for token in tokens:
        if token is _STAR:
            parts.append("")
        else:
            parts[-1] += "." if token == _ANY else f"[{re.escape(token)}]"
    if len(parts) == 1:
        return parts[0]
    middle = "".join(f"(?>.*?{part})" for part in parts[1:-1])
    return f"{parts[0]}{middle}.*{parts[-1]}"


_ANY_DEPTH = _Glob([_STAR])  # the component `**`: any number of directories or, at the end, any name


def _globs(pattern: str) -> list[_Glob]:
    """The components of a pattern. LookupError: it is one that git matches with nothing."""
    if not pattern:
        raise LookupError(pattern)
    if not _SPECIAL.search(pattern):
        return [_Glob(component) for component in pattern.split("/")]
    globs: list[_Glob] = []
    for component in _components(pattern):
        if len(component) - component.count(_STAR) > _LONGEST_NAME:
            raise LookupError(pattern)
        if component != [_STAR, _STAR]:
            globs.append(_Glob(component))
        elif not globs or globs[-1] is not _ANY_DEPTH:
            globs.append(_ANY_DEPTH)
    return globs


def _components(pattern: str) -> list[list[_Token]]:
    components: list[list[_Token]] = [[]]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "/":
            components.append([])
        elif character == "*":
            if components[-1][-2:] != [_STAR, _STAR]:
                components[-1].append(_STAR)
        elif character == "?":
            components[-1].append(_ANY)
        elif character == "[":
            characters, at = _bracket(pattern, at)
            components[-1].append(characters)
        elif character != "\\":
            components[-1].append(character)
        elif pattern[at] != "/":  # which remains a slash
            components[-1].append(pattern[at])
            at += 1
        elif components[-1] == [_STAR, _STAR]:
            components.insert(-1, [_STAR])  # `**\/`, unlike `**/`, stands for at least one directory
    return components


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The characters that a bracket allows and where it ends; `at` is just behind its `[`."""
    negated = pattern[at] in "!^"
    at += negated
    start = at
    chosen: set[str] = set()
    previous = ""
    while (character := pattern[at]) != "]" or at == start:
        following = pattern[at + 1 : at + 2]
        if character == "-" and previous and following not in ("", "]"):
            at += 1 + (following == "\\")
            chosen.update(map(chr, range(ord(previous), ord(pattern[at]) + 1)))
            previous = ""
        elif character == "[" and following == ":" and (end := _class_end(pattern, at + 2)):
            chosen.update(_POSIX_CLASSES[pattern[at + 2 : end - 1]])
            previous = ""
            at = end
        else:
            at += character == "\\"
            previous = pattern[at]
            chosen.add(previous)
        at += 1
    allowed = "".join(character for character in _ANY if (character in chosen) != negated)
    if not allowed:
        raise LookupError(pattern)
    return allowed, at + 1


def _class_end(pattern: str, start: int) -> int:
    """Where `:]` closes a class such as `[:alpha:]`, or 0: then its `[` is an ordinary character."""
    end = pattern.find("]", start)
    if end < 0:
        raise LookupError(pattern)
    return end if end > start and pattern[end - 1] == ":" else 0


class _Rule:
    """A line of an ignore file. Of the rules that match a name, the one of the highest rank decides."""

    __slots__ = ("anchored", "directories_only", "globs", "ignores", "last", "rank")

    def __init__(self, rank: int, line: str) -> None:
        pattern = line.removeprefix("!")
        path = pattern.removesuffix("/")
        self.rank = rank
        self.ignores = pattern == line
        self.directories_only = path != pattern
        self.globs = _globs(path.removeprefix("/"))
        self.last = self.globs[-1]
        everywhere = self.globs[0] is _ANY_DEPTH and len(self.globs) <= 2  # `**/name` is `name`
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


def _spellings(tokens: Sequence[_Token]) -> list[str]:
    """All texts that match, where they are few."""
    if isinstance(tokens, str):
        return [tokens]
    texts = [""]
    for token in tokens:
        if token is _STAR or len(texts) * len(token) > _FEW:
            return []
        texts = [text + character for text in texts for character in token]
    return texts


def _endings(tokens: Sequence[_Token]) -> list[str]:
    """What matching names end with, from the second last dot on or, where the tail that is known
    has only one, from that."""
    texts = [""]
    for token in reversed(tokens[-_ENDING:]):
        if token is _STAR or len(texts) * len(token) > _FEW:
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
    if rule.globs[at] is _ANY_DEPTH and at + 1 < len(rule.globs):
        yield rule, at + 1


def _after(rule: _Rule, at: int, name: str) -> Iterator[_Pending]:
    """What is left of a rule in the subdirectory `name`."""
    if rule.globs[at] is _ANY_DEPTH:
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
        rules = cls(sources, "", sources.above_root(), _NO_RULES)._with_files(workspace.fd, _FILES)
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
        self._above = _directories_above(root)
        path = _global_excludes(self._above[0] if self._above else root)
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
        common = _common_directory(git, directory)
        if common is None:
            return None
        exclude = self.read(os.path.join(common, "info/exclude"), directory, path, follow=True)
        return _NO_RULES.plus(self._global).plus(exclude)

    def read(self, name: str, directory: int | None = None, path: str = "", follow: bool = False) -> bytes:
        """The bytes of an ignore file; none where it is absent or cannot be used."""
        try:
            return _read(name, directory, follow)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            link = error.errno == errno.ELOOP
            reason = "a symbolic link, which is not followed" if link else str(error.strerror).lower()
            self.problems.append((os.path.join(path, name), reason))
            return b""


def _read(name: str, directory: int | None, follow: bool) -> bytes:
    fd = os.open(name, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW, dir_fd=directory)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = b""
        while len(data) <= LARGEST_IGNORE_FILE and (more := os.read(fd, LARGEST_IGNORE_FILE + 1)):
            data += more
        if len(data) > LARGEST_IGNORE_FILE:
            raise OSError(errno.EFBIG, f"larger than {LARGEST_IGNORE_FILE:,} bytes")
        return data
    finally:
        os.close(fd)


def _common_directory(git: str, directory: int | None = None) -> str | None:
    """The directory that holds a repository's `info`, or None where `.git` is no repository's."""
    try:
        if stat.S_ISREG(os.stat(git, dir_fd=directory).st_mode):  # of a worktree or a submodule
            pointer = _read(git, directory, follow=True)
            if not pointer.startswith(b"gitdir: "):
                return None
            git = os.path.join(os.path.dirname(git), _path_in(pointer[8:]))
        try:
            common = os.path.join(git, _path_in(_read(f"{git}/commondir", directory, follow=True)))
        except FileNotFoundError:
            common = git
        for part in (f"{git}/HEAD", f"{common}/objects", f"{common}/refs"):
            os.stat(part, dir_fd=directory, follow_symlinks=False)
    except (OSError, ValueError):  # ValueError: a NUL in a path
        return None
    return common


def _path_in(line: bytes) -> str:
    return os.fsdecode(line.rstrip(b"\r\n"))


def _directories_above(root: str) -> list[str]:
    """From the top of the repository around the root down to the root's parent. Empty where the
    root is a top itself or in no repository."""
    above: list[str] = []
    directory = root
    while _common_directory(os.path.join(directory, ".git")) is None:
        if os.path.ismount(directory):  # git, too, looks no further
            return []
        directory = os.path.dirname(directory)
        above.insert(0, directory)
    return above


def _global_excludes(directory: str) -> str | None:
    """The person's own ignore file: as git is configured, else where git looks by default."""
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    command = ("git", "config", "-z", "--get", "--path", "core.excludesFile")
    try:
        answer = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    except OSError:
        status = _GIT_UNSET  # there is no git
    else:
        status = answer.returncode
        if status == 0 and len(answer.stdout) > 1:
            return os.path.join(directory, os.fsdecode(answer.stdout[:-1]))
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(settings, "git/ignore") if status == _GIT_UNSET else None
