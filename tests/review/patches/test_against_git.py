"""Whatever `git diff` says of two trees, Redline makes of it what `git apply` does."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.review.patches.trees import Tree, take, tree_after, tree_of

LF = [
    b"a\n",
    b"b\n",
    b"c\n",
    b"\n",
    b"}\n",
    b"\xfe\xfe\n",
    b"\xc3\xa9\n",
    b"-- \n",
    b"++ x\n",
    b"@@ -1 +1 @@\n",
]
MIXED = [*LF, b"a\r\n", b"b\r\n", b"\r\n", b"b\r", b"\xef\xbb\xbfa\n"]
CRLF = [line[:-1] + b"\r\n" for line in LF]
NAMES = [
    "plain",
    "with blank",
    "a/deep/er",
    "b/x b/x",
    "tab\there",
    'quo"te',
    "back\\slash",
    "é",
    "new\nline",
    "-",
]


def texts(lines: list[bytes]) -> st.SearchStrategy[bytes]:
    whole = st.lists(st.sampled_from(lines), max_size=25).map(b"".join)
    return st.tuples(whole, st.booleans()).map(lambda each: each[0].rstrip(b"\r\n") if each[1] else each[0])


@st.composite
def edited(draw: st.DrawFn, old: bytes, pool: list[bytes]) -> bytes:
    """Some lines replaced, removed, put in."""
    lines = old.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(lines)))
        stop = min(len(lines), start + draw(st.integers(0, 3)))
        lines[start:stop] = draw(st.lists(st.sampled_from(pool), max_size=3))
    new = b"".join(lines)
    return new.rstrip(b"\r\n") if draw(st.sampled_from([False, False, True])) else new


@st.composite
def pairs(draw: st.DrawFn, pools: tuple[list[bytes], ...]) -> tuple[Tree, Tree]:
    """A tree before and after: files changed, created, deleted, renamed, made programs."""
    before: Tree = {}
    later: Tree = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True)):
        pool = draw(st.sampled_from(pools))
        old = draw(texts(pool))
        modes = st.sampled_from([0o644, 0o755])
        match draw(st.sampled_from(["change", "change", "change", "create", "delete", "move", "mode"])):
            case "create":
                later[name] = old, draw(modes)
            case "delete":
                before[name] = old, draw(modes)
            case "mode":
                before[name], later[name] = (old, 0o644), (old, 0o755)
            case "move":
                end = b"\r\n" if pool is CRLF else b"\n"
                old = b"".join(b"line %d%s" % (number, end) for number in range(30)) + old
                before[name], later[name + " moved"] = (old, 0o644), (draw(edited(old, pool)), draw(modes))
            case _:
                before[name], later[name] = (old, 0o644), (draw(edited(old, pool)), draw(modes))
    return before, later


def lay(root: Path, tree: Tree) -> None:
    write(root, {path: data for path, (data, _) in tree.items()})
    for path, (_, mode) in tree.items():
        (root / path).chmod(mode)


class Git:
    """One repository, only ever asked for the difference of two trees."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._git("init", "-q")
        self._git("config", "core.autocrlf", "false")

    def _git(self, *arguments: str, cwd: Path | None = None) -> bytes:
        command = ["git", f"--git-dir={self._root / '.git'}", "--work-tree=.", *arguments]
        if arguments[0] == "init":
            command = ["git", *arguments]
        return subprocess.run(command, cwd=cwd or self._root, check=True, capture_output=True).stdout

    def tree(self, root: Path) -> str:
        self._git("add", "-A", "--", ".", cwd=root)
        return self._git("write-tree", cwd=root).decode().strip()

    def diff(self, old: Path, new: Path, *options: str) -> bytes:
        return self._git("diff", *options, self.tree(old), self.tree(new))


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Git]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        yield Git(tmp_path_factory.mktemp("git"))


def check(git: Git, before: Tree, later: Tree, options: list[str], apply_options: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        old, new, applied = (Path(directory, name) for name in ("old", "new", "applied"))
        for root, tree in ((old, before), (new, later), (applied, before)):
            root.mkdir()
            lay(root, tree)
        patch = git.diff(old, new, *options)
        if not patch:
            return
        command = ["git", "apply", "--whitespace=nowarn", *apply_options, "-"]
        subprocess.run(command, input=patch, cwd=applied, check=True, capture_output=True)
        got = take(old, patch)
        assert tree_after(old, got) == tree_of(applied) == later, patch
        assert got.notes == ()


@given(pairs((LF, CRLF, MIXED)))
@settings(max_examples=20)
def test_git_diff(git: Git, trees: tuple[Tree, Tree]) -> None:
    check(git, *trees, options=[], apply_options=[])


@given(pairs((LF, CRLF, MIXED)))
@settings(max_examples=20)
def test_renames_without_prefixes(git: Git, trees: tuple[Tree, Tree]) -> None:
    check(git, *trees, options=["-M", "-C", "--no-prefix"], apply_options=["-p0"])


@given(pairs((LF, CRLF)))
@settings(max_examples=20)
def test_no_context(git: Git, trees: tuple[Tree, Tree]) -> None:
    """Line ends of one kind: lines put in between others say nothing of the file's."""
    check(git, *trees, options=["-U0", "-M"], apply_options=["--unidiff-zero"])


@given(pairs((LF, CRLF, MIXED)), st.sampled_from([("c/", "i/"), ("old/", "new/")]))
@settings(max_examples=10)
def test_other_prefixes(git: Git, trees: tuple[Tree, Tree], prefixes: tuple[str, str]) -> None:
    source, target = prefixes
    check(git, *trees, options=[f"--src-prefix={source}", f"--dst-prefix={target}"], apply_options=[])
