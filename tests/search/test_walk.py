"""Walking: which files, in which order, and what is told of the rest."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import write
from tui.errors import NotADirectoryInWorkspaceError, NotFoundError, RedlineError
from tui.search.globs import Reading, compile_globs
from tui.search.skipped import Reason, Skipped
from tui.search.walk import DEFAULT_EXCLUSIONS, Scope, walk
from tui.workspace import Workspace


def walked(root: Path, scope: Scope | None = None) -> tuple[list[str], dict[str, Reason]]:
    skipped: list[Skipped] = []
    with Workspace(root) as workspace:
        files = list(walk(workspace, scope or Scope(), skipped.append))
    return files, {item.path: item.reason for item in skipped}


def files_of(root: Path, **scope: object) -> list[str]:
    return walked(root, Scope(**scope))[0]  # type: ignore[arg-type]


def test_order_is_that_of_the_sorted_paths(tree: Path) -> None:
    names = ["a/b", "a-b", "a.b", "a0", "a/b-c/d", "a/b.c", "B", "a/é", "z/y/x", "a b/c"]
    write(tree, {name if name.split("/")[-1] != "b" else name + "0": "x" for name in names})
    files = files_of(tree)
    assert files == sorted(files)
    assert len(files) == len(names)


@given(
    st.sets(
        st.lists(st.sampled_from(["a", "a-", "a.", "a0", "é", "A"]), min_size=1, max_size=3).map("/".join),
        max_size=8,
    )
)
def test_order_is_sorted_for_any_tree(tmp_path_factory: pytest.TempPathFactory, names: set[str]) -> None:
    root = tmp_path_factory.mktemp("tree")
    write(root, {f"{name}/f": "x" for name in names})
    files = files_of(root)
    assert files == sorted(f"{name}/f" for name in names)


def test_hidden_files_are_left_out_unless_asked_for(tree: Path) -> None:
    write(tree, {".env": "", ".config/x": "", "a/.b": "", "c": ""})
    assert files_of(tree) == ["c"]
    assert files_of(tree, hidden=True) == [".config/x", ".env", "a/.b", "c"]


def test_the_eight_default_exclusions_apply_to_directories_at_any_depth(tree: Path) -> None:
    assert len(DEFAULT_EXCLUSIONS) == 8
    write(tree, {f"{where}{name}/x": "" for name in DEFAULT_EXCLUSIONS for where in ("", "src/deep/")})
    write(tree, {"src/binary": "", "docs/dist": "", "builds/x": ""})
    assert files_of(tree, hidden=True) == ["builds/x", "docs/dist", "src/binary"]
    assert len(files_of(tree, hidden=True, default_exclusions=False)) == 19


def test_excludes_add_to_the_others(tree: Path) -> None:
    write(tree, {"deep/x": "", "a/deep/y": "", "a/deep.txt": "", "node_modules/z": ""})
    files = compile_globs([], Reading.ANYWHERE, ["deep"])
    assert files_of(tree, files=files) == ["a/deep.txt"]


def test_depth_is_cut_and_told(tree: Path) -> None:
    write(tree, {"1": "", "a/2": "", "a/b/3": "", "a/b/c/4": "", "a/z/5": ""})
    files, skipped = walked(tree, Scope(max_depth=2))
    assert files == ["1", "a/2"]
    assert skipped == {"a/b": Reason.TOO_DEEP, "a/z": Reason.TOO_DEEP}
    assert files_of(tree, path="a/b", max_depth=1) == ["a/b/3"]


def test_a_start_below_the_root_keeps_the_rules_above_it(tree: Path) -> None:
    write(tree, {".gitignore": "*.log\n/src/gen\n", "src/a.log": "", "src/a": "", "src/gen/b": "", "c": ""})
    assert files_of(tree, path="src") == ["src/a"]
    assert files_of(tree, path="src", ignore_files=False) == ["src/a", "src/a.log", "src/gen/b"]


def test_an_ignored_or_hidden_start_was_asked_for(tree: Path) -> None:
    write(tree, {".gitignore": "out\n", "out/a": "", ".github/b": "", "node_modules/c": ""})
    assert files_of(tree, path="out") == ["out/a"]
    assert files_of(tree, path=".github") == [".github/b"]
    assert files_of(tree, path="node_modules") == ["node_modules/c"]


def test_a_file_as_the_start_is_the_one_file(tree: Path) -> None:
    write(tree, {"a": "", "b": ""})
    assert files_of(tree, path="a") == ["a"]


def test_a_start_that_is_not_there_is_told(tree: Path) -> None:
    write(tree, {"a": ""})
    (tree / "link").symlink_to("a")
    for path, error in (
        ("nowhere", NotFoundError),
        ("a/b", NotADirectoryInWorkspaceError),
        ("link", RedlineError),
    ):
        with pytest.raises(error, match=path):
            files_of(tree, path=path)


def test_links_loops_and_special_files_are_told_and_not_opened(tree: Path) -> None:
    write(tree, {"sub/a": "", "b": ""})
    (tree / "sub" / "loop").symlink_to("..")
    (tree / "self").symlink_to("self")
    (tree / "file-link").symlink_to("b")
    os.mkfifo(tree / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        before = os.getcwd()
        os.chdir(tree)
        listening.bind("socket")
        os.chdir(before)
        files, skipped = walked(tree)
    assert files == ["b", "sub/a"]
    assert skipped == {
        "sub/loop": Reason.SYMLINK,
        "self": Reason.SYMLINK,
        "file-link": Reason.SYMLINK,
        "fifo": Reason.SPECIAL,
        "socket": Reason.SPECIAL,
    }


def test_an_unreadable_directory_is_told_and_the_rest_walked(tree: Path) -> None:
    """As another user: root could read it."""
    write(tree, {"shut/a": "", "open/b": "", "listed/c": ""})
    (tree / "shut").chmod(0)
    for directory in (tree, *tree.parents):
        if directory.stat().st_uid == os.getuid() and directory != Path("/"):
            directory.chmod(directory.stat().st_mode | 0o755)
    (tree / "shut").chmod(0)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
            files, skipped = walked(tree)
            os.write(writer, repr((files, {path: reason.value for path, reason in skipped.items()})).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    told = os.read(reader, 10000).decode()
    os.close(reader)
    (tree / "shut").chmod(0o755)
    assert status == 0
    assert told == repr((["listed/c", "open/b"], {"shut": "unreadable"}))


def test_names_of_all_kinds(tree: Path) -> None:
    names = [
        b"new\nline",
        b"esc\x1b[31m",
        b"bad\xff\xfe",
        b"-rf",
        b"*?[",
        "é".encode(),
        b"quote'\"",
        b" ",
        b"tab\t",
    ]
    for name in names:
        (tree / os.fsdecode(name)).write_bytes(b"")
    assert sorted(map(os.fsencode, files_of(tree))) == sorted(names)


def test_directories_deeper_than_any_path_string(tree: Path) -> None:
    name, depth = "d" * 100, 60
    current = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
    for level in range(depth):
        os.close(os.open(f"f{level}", os.O_CREAT | os.O_WRONLY, dir_fd=current))
        os.mkdir(name, dir_fd=current)
        deeper = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=current)
        os.close(current)
        current = deeper
    os.close(current)
    files, skipped = walked(tree)
    assert len(files) == depth
    assert skipped == {}


def test_a_directory_that_vanishes_is_told(tree: Path) -> None:
    write(tree, {"a/x": "", "b/y": "", "c/z": ""})
    skipped: list[Skipped] = []
    with Workspace(tree) as workspace:
        found = walk(workspace, Scope(), skipped.append)
        files = [next(found)]
        (tree / "b" / "y").unlink()
        (tree / "b").rmdir()
        files += found
    assert files == ["a/x", "c/z"]
    assert skipped == [Skipped("b", Reason.VANISHED)]


def test_an_ignore_file_that_cannot_be_used_is_told(tree: Path) -> None:
    write(tree, {"sub/a": "", "b": ""})
    os.mkfifo(tree / "sub" / ".gitignore")
    files, skipped = walked(tree)
    assert files == ["b", "sub/a"]
    assert skipped == {"sub/.gitignore": Reason.UNREADABLE}


def test_outside_a_repository_rules_that_leave_out_everything_are_not_meant_for_this_place(
    tree: Path,
) -> None:
    """As in an unpacked source package of Debian, or in a virtual environment."""
    write(tree, {".gitignore": "*.o\n/*\n!/debian/\n", "src/a": "", "b.o": ""})
    assert files_of(tree) == ["b.o", "src/a"]
    write(tree, {"debian/c": ""})
    assert files_of(tree) == ["debian/c"]


def test_in_a_repository_they_are_obeyed(tree: Path) -> None:
    write(tree, {".gitignore": "*\n", "src/a": "", ".git/HEAD": "ref: refs/heads/main\n"})
    (tree / ".git" / "objects").mkdir()
    (tree / ".git" / "refs").mkdir()
    assert files_of(tree) == []
