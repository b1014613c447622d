from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.search.gitfiles import LARGEST_IGNORE_FILE
from tui.search.ignore import IgnoreRules
from tui.workspace import Workspace, join

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle and is not installed")


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home directory without settings, for git and for Redline."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        patch.delenv("XDG_CONFIG_HOME", raising=False)
        patch.setenv("HOME", str(path))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CONFIG_GLOBAL", str(path / "gitconfig"))
        yield path


def git(directory: Path, *arguments: str) -> bytes:
    run = subprocess.run(("git", *arguments), cwd=directory, capture_output=True, check=True, timeout=60)
    return run.stdout


def repository(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "--quiet")
    return path


def untracked(directory: Path) -> list[str]:
    """What git lists, nothing being tracked: all that is not ignored."""
    listing = git(directory, "ls-files", "-co", "--exclude-standard", "-z")
    return sorted(map(os.fsdecode, listing.split(b"\0")[:-1]))


def kept(root: Path, path: str = "") -> list[str]:
    """The files below `path` that are not ignored, relative to the root."""
    with Workspace(root) as workspace:
        return sorted(_walk(workspace, path, IgnoreRules.for_workspace(workspace, path)))


def _walk(workspace: Workspace, path: str, rules: IgnoreRules, entered: bool = True) -> Iterator[str]:
    fd = workspace.open_directory(path)
    try:
        with os.scandir(fd) as listing:
            entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in listing}
        if not entered:
            rules = rules.enter(path.rpartition("/")[2], fd, entries.keys())
    finally:
        os.close(fd)
    for name, is_directory in entries.items():
        if name == ".git" or rules.ignored(name, is_directory):
            continue
        if is_directory:
            yield from _walk(workspace, join(path, name), rules, entered=False)
        else:
            yield join(path, name)


def problems(root: Path) -> list[tuple[str, str]]:
    with Workspace(root) as workspace:
        rules = IgnoreRules.for_workspace(workspace, "")
        list(_walk(workspace, "", rules))
        return rules.problems


def write(root: Path, files: dict[str, str] | dict[str, bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def touch(root: Path, *names: str | bytes) -> None:
    for name in names:
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        if not os.path.lexists(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path))
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


# fmt: off
AWKWARD_NAMES: tuple[str | bytes, ...] = (
    "a", "b", "ab", "abc", "a.c", "a.b.c", ".c", ".a.c", "A", "a b", "a ", "a  ", " a", " ", "\t", "a\t",
    "#a", "!a", "a!", "\\", "\\a", "a\\", "*", "**", "?", "[", "]", "[a]", "[]a]", "[!]", "-", "^", "a-z",
    "a\nb", "\n", "a\r", "\r", "é", "aé", "日本.c", "\ufeffa", b"\xff", b"a\xff", b"\xe9.c", "d/a", "d/b",
    "d/a.c", "d/d/a", "d/d/d/b", "d/e/a", "d e/a", "dé/é", b"\xff\xfe/a", "ad/b", "x/y/z/a", "x/a", "x/y/a",
    "x/z",
)

AWKWARD_RULES: tuple[str | bytes, ...] = (
    "a", "/a", "a/", "d/", "/d/", "d/a", "/d/a", "d/a/", "!a", "*\n!a", "*\n!d\n!a", "*\n!*/\n!a",
    "/*\n!/d\n/d/*\n!/d/a", "d/*\n!d/a", "d/**\n!d/d", "d\n!d/a", "a\n!a\na", "*.c\n!a.c", "*.b.c", "a*c",
    "*b*", "?", "??", "/?", "é", "??\n!a?", "[é]", "[é][é]", b"\xff", b"[\xe0-\xff]*", b"?\xff", "[ab]",
    "[!ab]", "[^ab]", "[a-c]*", "[a-]", "[-a]", "[--/]", "[c-a]", "[a-c-e]", "[]a]", "[]]", "[]-a]", "[!]",
    "[!]]", "[!]a]", "[]", "[", "a[", "[a", "[[]", "[[]a]", "[[a]", "[\\]]", "[\\\\]", "[\\a-\\c]", "[a\\",
    "[\\", "[a-\\", "[a-", "[/]", "d[/]a", "d/[/a]", "[!/]", "[!\\/]", "[[:alpha:]]", "[![:alpha:]]",
    "[[:alpha:][:punct:]]", "[[:alpha:]-z]", "[a[:digit:]b]", "[[:nonsense:]]", "[[:alpha:]", "[[:alpha]",
    "[[:]", "[[::]]", "[[:a]b]", "[:alpha:]", "[[.a.]]", "[[=a=]]", "\\a", "\\", "a\\", "\\\\", "\\\\a",
    "a\\\\", "a\\/", "d\\/a", "\\/a", "/\\a", "\\#a", "#a", " #a", "\\!a", "!\\!a", "*a*\n!!a", "!", "!/",
    "\\*", "\\**", "*\\*", "\\?", "\\[", "\\[a\\]", "\\[a]", "a ", "a  ", "a\\ ", "a\\  ", "a\\ \\ ", "a \\ ",
    "a\\\\ ", "\\ ", " ", "  ", " a", "a b", "a\t", "\t", "a/ ", "d /", "*\n! a", "a\r\nb\r\n", "a\r",
    "a\r\r\n", "a \r\n", "a\\\r\n", "\r\nb\r\n", "\r", "#\r\na", "\ufeffa\nb", "b\n\ufeffa", "\ufeff#a\nb",
    "\ufeff", "", "\n", b"a\0b\n", b"\0a\n", b"a*\0\nb", b"#\0\na", "a//b", "d//a", "//a", "d//", "/", "//",
    "///", "*/", "*/\n!d", "/*/", "**", "***", "**/", "/**", "/**/", "**/a", "**/d/", "***/a", "/**/a",
    "**/d/a", "**/**/a", "**/*/a", "**/?/a", "d/**", "d/**/", "d/**/a", "d/**/b", "d/**/**/b", "d/***/b",
    "d/**/*/b", "d/*/**/b", "x/**/a", "x/**/z", "x/**/*", "x/*", "x/*/a", "*/*/a", "x/y/**", "x/**\n!x/**/",
    "**/x/**/a", "**/d/**", "**/y/**", "**/*.c", "d/*.c", "**a", "*/**a", "?**/b", "[a]**/b", "**\\/a",
    "d/**\\/b", "d/**\\/a",
    "*\\/a", "\\d/**/a", "*d/a", "?/a", "[d]/a", "*d/b", "a*/b", "d/d/d/b", "d/d\n!d/d/d", "./a", "../a",
    "d/./a", ".", "..", ".*", ".*.c", "*.", "*.*", "*.*.*", "*.?", "*.[ch]", "*.[!h]", "[a.].c", "*[.]c",
    "*.b[.]c", "*[.b].c", "*[.b]c", "{a,b}", "A", "(a)", "a|b", "a+", "^a", "a$",
)
# fmt: on


PLOTS = 40


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The awkward names many times over in one repository, so that git judges many rules in one call."""
    root = repository(tmp_path_factory.mktemp("field"))
    for plot in range(PLOTS):
        touch(root / str(plot), *AWKWARD_NAMES)
    return root


def disagreements(field: Path, ignore_files: list[dict[str, bytes]]) -> list[tuple[str, dict[str, bytes]]]:
    """Paths that git or Redline alone ignores, with the files in `ignore_files` that are at fault."""
    planted = [field / str(plot) / name for plot, files in enumerate(ignore_files) for name in files]
    for plot, files in enumerate(ignore_files):
        write(field / str(plot), files)
    different = set(untracked(field)) ^ set(kept(field))
    for path in planted:
        path.unlink()
    return [(path, ignore_files[int(path.split("/")[0])]) for path in sorted(different)]


@needs_git
@pytest.mark.parametrize("start", range(0, len(AWKWARD_RULES), PLOTS))
def test_awkward_rules_mean_what_they_mean_to_git(field: Path, start: int) -> None:
    rules = AWKWARD_RULES[start : start + PLOTS]
    assert not disagreements(field, [{".gitignore": os.fsencode(rule)} for rule in rules])


@needs_git
def test_awkward_rules_mean_the_same_when_all_are_in_one_file(tmp_path: Path) -> None:
    repository(tmp_path)
    for number, rules in enumerate((AWKWARD_RULES, AWKWARD_RULES[::-1], AWKWARD_RULES[::3])):
        touch(tmp_path / str(number), *AWKWARD_NAMES)
        (tmp_path / str(number) / ".gitignore").write_bytes(b"\n!*\n".join(map(os.fsencode, rules)))
        (tmp_path / str(number) / "d/.gitignore").write_bytes(b"\n".join(map(os.fsencode, rules)))
    assert kept(tmp_path) == untracked(tmp_path)


@needs_git
def test_character_classes_hold_the_bytes_that_git_puts_in_them(tmp_path: Path) -> None:
    repository(tmp_path)
    classes = (
        "alnum",
        "alpha",
        "blank",
        "cntrl",
        "digit",
        "graph",
        "lower",
        "print",
        "punct",
        "space",
        "upper",
    )
    for name in (*classes, "xdigit"):
        write(tmp_path, {f"{name}/.gitignore": f"x[[:{name}:]]"})
        touch(tmp_path / name, *(b"x" + bytes((code,)) for code in range(1, 256) if code != ord("/")))
    assert kept(tmp_path) == untracked(tmp_path)


# Before 2.52 git took the `**` of `ab**/c` for a whole component, against its own manual.
MISREAD_BY_OLD_GIT = re.compile(r"!?[^*?\[\\]*[^*?\[\\/]\*\*+(?:\\?/|\s*$)")
# fmt: off
PIECES = st.sampled_from((
    "a", "b", "ab", "c", ".", ".c", "d", "d/", "é", "-", "/", "/", "*", "*", "**", "**/", "/**", "/**/", "*.",
    "?", "[a-b]", "[!a]", "[^b]", "[]a]", "[[:alpha:]]", "[\\a-c]", "[/a]", "[a-", "[[:", "[", "]", "\\",
    "\\ ", "\\/", " ", "!", "#", "\t", "\r",
))
# fmt: on
LINES = st.tuples(
    st.sampled_from(("", "", "", "!", "/", "!/")),
    st.lists(PIECES, min_size=1, max_size=7).map("".join),
    st.sampled_from(("", "", "", "/", " ", "\r")),
).map("".join)
IGNORE_FILES = st.lists(LINES.filter(lambda line: not MISREAD_BY_OLD_GIT.match(line)), max_size=5).map(
    "\n".join
)
DIRECTORIES = st.lists(st.sampled_from(("a", "b", "d", "ab", "a.c", "é")), max_size=3).map("/".join)
NAMES = st.sampled_from(
    ("a", "b", "ab", "ba", "a.c", "b.c", ".a", "a b", "a ", "é", "-", "[", "]", "!a", "\\")
)
PATHS = st.tuples(DIRECTORIES, NAMES).map(lambda pair: join(*pair))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("scratch"))


def plant(root: Path, paths: set[str], ignore_files: dict[str, str]) -> None:
    """Make this the content of the repository. A path that needs a file as its directory is left out."""
    for entry in root.iterdir():
        if not entry.is_dir():
            entry.unlink()
        elif entry.name != ".git":
            shutil.rmtree(entry)
    for path in sorted(paths):
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            touch(root, path)
    for directory, content in ignore_files.items():
        if (root / directory).is_dir():
            (root / directory / ".gitignore").write_bytes(content.encode())


@needs_git
@settings(max_examples=100, deadline=None)
@given(
    paths=st.sets(PATHS, min_size=1, max_size=25),
    top=IGNORE_FILES,
    deeper=st.dictionaries(DIRECTORIES, IGNORE_FILES, max_size=3),
)
def test_any_rules_in_any_tree_agree_with_git(
    scratch: Path, paths: set[str], top: str, deeper: dict[str, str]
) -> None:
    plant(scratch, paths, {"": top, **deeper})
    expected = untracked(scratch)
    assert kept(scratch) == expected
    for directory in {path.rpartition("/")[0] for path in expected} - {""}:
        below = [path for path in expected if path.startswith(f"{directory}/")]
        assert kept(scratch, directory) == below
        assert [f"{directory}/{path}" for path in kept(scratch / directory)] == below


@needs_git
@settings(max_examples=15, deadline=None)
@given(
    upper=st.lists(IGNORE_FILES, min_size=PLOTS, max_size=PLOTS),
    lower=st.lists(IGNORE_FILES, min_size=PLOTS, max_size=PLOTS),
    directory=st.sampled_from(("d", "d/d", "x/y")),
)
def test_any_rules_over_awkward_names_agree_with_git(
    field: Path, upper: list[str], lower: list[str], directory: str
) -> None:
    files = [
        {".gitignore": above.encode(), f"{directory}/.gitignore": below.encode()}
        for above, below in zip(upper, lower, strict=True)
    ]
    assert not disagreements(field, files)


def test_gitignore_applies_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.log\n", "d/.gitignore": "!b.log"})
    touch(tmp_path, "a.log", "a.txt", "d/b.log")
    assert kept(tmp_path) == [".gitignore", "a.txt", "d/.gitignore", "d/b.log"]


def test_gitignore_above_the_root_does_not_apply_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.log\n", "d/a.log": ""})
    assert kept(tmp_path / "d") == ["a.log"]


@needs_git
def test_the_repository_around_the_root_is_heard(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    write(top, {".gitignore": "*.log\n/x/y/one\n/x/*/two\ny/three\n", "x/.gitignore": "y/four\n!kept.log\n"})
    write(top, {".git/info/exclude": "five\n/x/y/six\nx/**/seven\n", "x/y/.gitignore": "eight\n"})
    touch(top / "x/y", "one", "two", "three", "four", "five", "six", "eight", "a.log", "kept.log")
    touch(top / "x/y/z", "one", "seven")
    assert kept(top / "x/y") == untracked(top / "x/y") == [".gitignore", "kept.log", "three", "z/one"]
    assert kept(top, "x/y") == [f"x/y/{path}" for path in untracked(top / "x/y")]


@needs_git
def test_a_root_that_is_itself_ignored_is_still_searched(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    write(top, {".gitignore": "build/\n*.o\n", "build/a.c": "", "build/a.o": ""})
    assert kept(top / "build") == ["a.c"]
    assert kept(top, "build") == ["build/a.c"]


@needs_git
def test_a_nested_repository_starts_afresh(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer")
    inner = repository(outer / "d/inner")
    write(outer, {".gitignore": "*.log\n/d/inner/x\n", ".git/info/exclude": "*.tmp\n"})
    write(inner, {".gitignore": "*.o\n/y\n", ".git/info/exclude": "/e/z\n"})
    touch(outer, "a.log", "d/b.log")
    touch(inner, "a.log", "a.tmp", "a.o", "x", "y", "e/y", "e/z", "e/a.log")
    assert kept(outer) == [".gitignore", *(f"d/inner/{path}" for path in untracked(inner))]
    assert kept(inner) == untracked(inner) == [".gitignore", "a.log", "a.tmp", "e/a.log", "e/y", "x"]


@needs_git
def test_a_git_entry_that_is_no_repository_changes_nothing(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    write(top, {".gitignore": "*.log\n", "d/.git/config": "", "e/.git": "gitdir: nowhere\n", "f/.git": "\0"})
    touch(top, "d/a.log", "d/a", "e/a.log", "e/a", "f/a.log", "f/a")
    assert kept(top) == untracked(top) == [".gitignore", "d/a", "e/a", "f/a"]


@needs_git
def test_a_worktree_uses_the_info_exclude_of_its_repository(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(main, *identity, "commit", "--quiet", "--allow-empty", "--message", "first")
    git(main, "worktree", "add", "--quiet", str(main / "tree"))
    write(main, {".git/info/exclude": "*.tmp\n", ".gitignore": "*.log\n"})
    touch(main / "tree", "a.tmp", "a.log", "d/a.tmp", "d/a")
    assert kept(main / "tree") == untracked(main / "tree") == ["a.log", "d/a"]
    assert kept(main) == [".gitignore", "tree/a.log", "tree/d/a"]


@needs_git
def test_a_git_file_may_point_to_a_directory_elsewhere(tmp_path: Path) -> None:
    tree = tmp_path / "outer/tree"
    repository(tree.parent)
    git(tmp_path, "init", "--quiet", "--separate-git-dir", str(tmp_path / "elsewhere"), str(tree))
    (tree / ".git").write_text("gitdir: ../../elsewhere\r\n")
    write(tmp_path, {"elsewhere/info/exclude": "*.tmp\n", "outer/.gitignore": "*.log\n"})
    touch(tree, "a.tmp", "a.log")
    assert kept(tree) == untracked(tree) == ["a.log"]
    assert kept(tree.parent) == [".gitignore", "tree/a.log"]


def test_ignore_files_are_stronger_than_all_of_gits(tmp_path: Path) -> None:
    write(tmp_path, {".ignore": "!a.log\n*.txt\n", "d/.gitignore": "a.log\n!b.txt\n*.c\n"})
    touch(tmp_path, "a.log", "b.txt", "d/a.log", "d/b.txt", "d/b.c")
    assert kept(tmp_path) == [".ignore", "a.log", "d/.gitignore", "d/a.log"]


def test_the_nearest_ignore_file_decides(tmp_path: Path) -> None:
    write(tmp_path, {".ignore": "*.txt\n/d/e/x\n", "d/.ignore": "!a.txt\n", "d/e/.ignore": "a.*\n"})
    touch(tmp_path, "a.txt", "d/a.txt", "d/b.txt", "d/e/a.txt", "d/e/x", "d/x")
    assert kept(tmp_path) == [".ignore", "d/.ignore", "d/a.txt", "d/e/.ignore", "d/x"]
    assert kept(tmp_path, "d/e") == ["d/e/.ignore"]


@needs_git
def test_ignore_files_reach_into_nested_repositories(tmp_path: Path) -> None:
    repository(tmp_path / "inner")
    write(tmp_path, {".ignore": "*.txt\n/inner/x\n", "inner/a.txt": "", "inner/x": "", "inner/y": ""})
    assert kept(tmp_path) == [".ignore", "inner/y"]


@needs_git
def test_info_exclude_is_weaker_than_gitignore(tmp_path: Path) -> None:
    repository(tmp_path)
    write(tmp_path, {".git/info/exclude": "*.log\n!b.txt\n", ".gitignore": "!a.log\n*.txt\n"})
    touch(tmp_path, "a.log", "b.log", "b.txt")
    assert kept(tmp_path) == untracked(tmp_path) == [".gitignore", "a.log"]


@needs_git
@pytest.mark.parametrize("place", ["xdg/git/ignore", "home/.config/git/ignore", "home/named", "top/named"])
def test_global_excludes_are_the_weakest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg") if place.startswith("xdg") else "")
    top = repository(tmp_path / "top")
    configured = {"home/named": "~/named", "top/named": "named"}.get(place)
    if configured is not None:
        git(top, "config", "core.excludesFile", configured)
    write(tmp_path, {place: "*.log\n/d/x\n*.tmp\nnamed\n"})
    write(top, {".git/info/exclude": "!a.log\n", ".gitignore": "!a.tmp\n"})
    touch(top, "a.log", "b.log", "a.tmp", "b.tmp", "d/x", "x", "d/d/x")
    assert kept(top) == untracked(top) == [".gitignore", "a.log", "a.tmp", "d/d/x", "x"]
    assert kept(top / "d") == untracked(top / "d") == ["d/x"]


@needs_git
def test_global_excludes_apply_in_nested_repositories_from_their_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    write(tmp_path, {"xdg/git/ignore": "/x\n"})
    outer = repository(tmp_path / "outer")
    touch(repository(outer / "inner"), "x", "d/x")
    touch(outer, "x", "d/x")
    assert kept(outer) == ["d/x", "inner/d/x"]


@needs_git
def test_an_empty_setting_means_no_global_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    write(tmp_path, {"xdg/git/ignore": "a\n"})
    top = repository(tmp_path / "top")
    git(top, "config", "core.excludesFile", "")
    touch(top, "a")
    assert kept(top) == untracked(top) == ["a"]


def test_global_excludes_are_found_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("PATH", str(tmp_path))
    write(tmp_path, {"xdg/git/ignore": "a\n", "top/a": "", "top/b": ""})
    assert kept(tmp_path / "top") == ["b"]


def test_a_git_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"bin/git": "#!/bin/sh\nexec sleep 60\n", "top/a": ""})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setattr("tui.search.gitfiles._GIT_TIMEOUT", 0.2)
    started = time.monotonic()
    assert kept(tmp_path / "top") == ["a"]
    assert time.monotonic() - started < 5


@needs_git
def test_the_repository_that_a_hook_runs_for_is_not_mistaken_for_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    git(other, "config", "core.excludesFile", str(tmp_path / "excludes"))
    write(tmp_path, {"excludes": "a\n", "top/a": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert kept(tmp_path / "top") == ["a"]


@needs_git
def test_a_link_named_gitignore_is_not_followed(tmp_path: Path) -> None:
    repository(tmp_path)
    write(tmp_path, {"rules": "a\n", "a": "", "d/a": ""})
    (tmp_path / ".gitignore").symlink_to("rules")
    (tmp_path / "d/.ignore").symlink_to("../rules")
    assert kept(tmp_path) == untracked(tmp_path) == [".gitignore", "a", "d/.ignore", "d/a", "rules"]
    reason = "a symbolic link, which is not followed"
    assert problems(tmp_path) == [(".gitignore", reason), ("d/.ignore", reason)]


def test_a_pipe_named_gitignore_is_not_waited_for(tmp_path: Path) -> None:
    touch(tmp_path, "d/a")
    os.mkfifo(tmp_path / "d/.gitignore")
    assert problems(tmp_path) == [("d/.gitignore", "not a regular file")]


def test_a_huge_ignore_file_counts_as_absent(tmp_path: Path) -> None:
    touch(tmp_path, "a", "b", "d/a")
    write(tmp_path, {".gitignore": b"a\n" + b"#" * LARGEST_IGNORE_FILE})
    write(tmp_path, {"d/.gitignore": b"a\n" + b"#" * (LARGEST_IGNORE_FILE - 2)})
    assert kept(tmp_path) == [".gitignore", "a", "b", "d/.gitignore"]
    assert problems(tmp_path) == [(".gitignore", "larger than 200,000 bytes")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_ignore_file_counts_as_absent(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "a\n", "a": ""})
    (tmp_path / ".gitignore").chmod(0)
    assert kept(tmp_path) == [".gitignore", "a"]
    assert problems(tmp_path) == [(".gitignore", "permission denied")]


def test_nothing_is_opened_in_a_directory_without_ignore_files(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "/d/a\n"})
    with Workspace(tmp_path) as workspace:
        rules = IgnoreRules.for_workspace(workspace, "").enter("d", -1, ("a", "b"))
    assert rules.ignored("a", False)
    assert not rules.ignored("b", False)


LONG_OR_SLOW = {
    "stars": "*a" * 20 + "*b",
    "stars and brackets": "*[a-c]" * 20 + "b",
    "stars and question marks": "*a?" * 20 + "*b*",
    "any depth": "**/a/" * 20 + "b",
    "any depth and stars": "**/" + "*a" * 20 + "*/b",
    "any depth repeated": "a/" + "**/" * 200_000 + "b",
    "question marks": "?" * 900_000,
    "brackets": "[!b]" * 4_000,
    "brackets and stars": "[a-z]*" * 4_000,
    "one long run of stars": "*" * 900_000,
    "a long name": "a" * 900_000 + "*",
    "many components": "a/" * 400_000 + "b",
}


@pytest.mark.parametrize("pattern", LONG_OR_SLOW.values(), ids=LONG_OR_SLOW.keys())
def test_no_pattern_takes_long(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, {".gitignore": f"{pattern}\n"})
    touch(tmp_path, "a" * 250, "/".join(["a"] * 60) + "/c", "c" * 250)
    started = time.monotonic()
    kept(tmp_path)
    assert time.monotonic() - started < 5
