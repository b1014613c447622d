"""Patches that `git apply` and `patch -p1` turn into the very bytes that Redline would write."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edit.samples import ENCODINGS, edited_files, replacement
from tui.edit.lines import update
from tui.edit.plan import FileEdit, FileState, Splice, create, delete, modify, rename
from tui.edit.replace import plan_file
from tui.edit.unified import quoted, unified

PROGRAMS = {
    "git": ["git", "apply", "--whitespace=nowarn", "-"],
    "patch": ["patch", "-p1", "--silent", "--force", "--fuzz=0", "--no-backup-if-mismatch"],
}
Case = tuple[bytes, FileEdit]


def write(root: Path, path: str, data: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def tree_of(root: Path) -> dict[str, tuple[bytes, bool]]:
    """Every file with its bytes and whether it is executable."""
    found = [path for path in root.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(root)): (path.read_bytes(), bool(path.stat().st_mode & 0o100)) for path in found
    }


def expected_tree(cases: Iterable[Case]) -> dict[str, tuple[bytes, bool]]:
    return {
        edit.new_path or edit.path: (edit.new_bytes(old), bool(edit.after.mode & 0o100))
        for old, edit in cases
        if edit.after is not None
    }


def check_applies(cases: list[Case], context: int = 3) -> None:
    """Both programs give the tree that the edits give."""
    patch = b"".join(unified(edit, old, context) for old, edit in cases)
    with tempfile.TemporaryDirectory() as directory:
        for name, command in PROGRAMS.items():
            root = Path(directory, name)
            root.mkdir()
            for old, edit in cases:
                if edit.before is not None:
                    write(root, edit.path, old)
                    (root / edit.path).chmod(edit.before.mode)
            if name == "git" and context == 0:
                command = [*command[:-1], "--unidiff-zero", "-"]
            done = subprocess.run(command, input=patch, cwd=root, capture_output=True, check=False)
            assert done.returncode == 0, (name, done.stdout + done.stderr, patch)
            assert tree_of(root) == expected_tree(cases), (name, patch)


def modified(path: str, old: bytes, new: bytes) -> Case:
    edit = modify(path, old, 0o644, [Splice(0, len(old), new)])
    assert edit is not None
    return old, edit


@st.composite
def changed_trees(draw: st.DrawFn) -> list[Case]:
    return [draw(edited_files(path=f"d{n}/file {n}")) for n in range(draw(st.integers(1, 12)))]


@given(changed_trees(), st.sampled_from([3, 3, 1, 0]))
@settings(max_examples=60)
def test_any_edit(cases: list[Case], context: int) -> None:
    check_applies(cases, context)


NAMES = [
    "plain",
    "with space",
    "tab\there",
    'quote"d',
    "back\\slash",
    "new\nline",
    "é",
    "\u202e",
    os.fsdecode(b"\xff"),
    "-",
]


def test_any_name() -> None:
    edits = [modified(name, b"a\nb\n", b"a\nc\n") for name in NAMES]
    created = [(b"", create("new " + name, b"x\n")) for name in NAMES]
    moved = [(b"x\n", rename("from " + name, "to/" + name, b"x\n", 0o644)) for name in NAMES]
    check_applies(edits + created + moved)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_quoted_as_git_reads_them(tmp_path: Path, name: str) -> None:
    patch = unified(create(name, b"x\n"), b"")
    listed = subprocess.run(
        ["git", "apply", "--numstat", "-z", "-"], input=patch, capture_output=True, check=True, cwd=tmp_path
    )
    assert listed.stdout == b"1\t0\t" + os.fsencode(name) + b"\0"


def test_a_plain_name_is_not_quoted() -> None:
    assert quoted(b"a/b c.py") == b"a/b c.py"
    assert quoted("a/é".encode()) == "a/é".encode()
    assert quoted(b'a"\x1b\xff\n') == b'"a\\"\\033\\377\\n"'


def test_it_looks_like_gits(tmp_path: Path) -> None:
    old = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\nno end"
    new = old.replace(b"two", b"2").replace(b"three\n", b"").replace(b"no end", b"an end\n")
    git = ["git", "-c", "core.abbrev=12", "-c", "user.name=x", "-c", "user.email=x", "-C", str(tmp_path)]
    write(tmp_path, "file.txt", old)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    write(tmp_path, "file.txt", new)
    gits = subprocess.run([*git, "diff"], check=True, capture_output=True).stdout
    assert unified(modified("file.txt", old, new)[1], old) == gits.replace(b" @@ one\n", b" @@\n")


class TestSpecialCases:
    def test_empty_files_come_and_go(self) -> None:
        check_applies(
            [(b"", create("new", b"")), (b"", delete("gone", b"", 0o644)), (b"x", delete("x", b"x", 0o644))]
        )

    def test_a_file_becomes_empty_or_is_no_longer(self) -> None:
        check_applies([modified("emptied", b"a\n", b""), modified("filled", b"", b"a\n")])

    def test_modes(self) -> None:
        old = b"x\n"
        cases = [
            (old, FileEdit("on", FileState.of(old, 0o644), FileState.of(old, 0o755))),
            (old, FileEdit("off", FileState.of(old, 0o755), FileState.of(old, 0o644))),
            (
                old,
                FileEdit(
                    "both", FileState.of(old, 0o644), FileState.of(b"y\n", 0o755), (Splice(0, 1, b"y"),)
                ),
            ),
            (old, FileEdit("from", FileState.of(old, 0o644), FileState.of(old, 0o755), (), "to")),
            (b"", create("new", old, 0o755)),
        ]
        check_applies(cases)

    def test_a_rename_with_a_change(self) -> None:
        old = b"".join(b"%d\n" % n for n in range(30))
        check_applies([(old, rename("old/name", "new/name", old, 0o644, [Splice(0, 1, b"zero")]))])

    @pytest.mark.parametrize(
        "old", [b"a\r\nb\r\n", b"a\rb\r", b"a\r\nb\nc\r", b"\r\n\r\n", b"\n", b"-- \n+++ b\n"]
    )
    def test_line_ends_are_kept(self, old: bytes) -> None:
        check_applies(
            [
                modified("f", old, old + b"more"),
                modified("g", old, b"more\n" + old),
                modified("h", old, b"x\r\n"),
            ]
        )

    @pytest.mark.parametrize("name", ENCODINGS)
    def test_encodings_are_only_bytes(self, name: str) -> None:
        encoding = ENCODINGS[name]
        old = encoding.encode("é\nb\n\u0a0a\nd")
        edit = modify("f", old, 0o644, update(old, "é\nB\n\u0a0a\nd\n"))
        assert edit is not None
        check_applies([(old, edit)])

    def test_nul_bytes(self) -> None:
        check_applies([modified("f", b"a\0\nb\0\nc\n", b"a\0\nB\0\nc\n")])


def test_a_replacement_over_the_standard_library() -> None:
    plan = replacement(r"\bself\.(\w+)", "this.${1}_")
    cases: list[Case] = []
    for path in sorted(Path(os.__file__).parent.glob("*.py"))[:60]:
        data = path.read_bytes()
        if edit := plan_file(path.name, data, 0o644, plan):
            cases.append((data, edit))
    assert len(cases) > 20
    check_applies(cases)


def test_git_takes_it_into_its_index_too(tmp_path: Path) -> None:
    """With the old file's blob named, `git apply --3way` can do its work."""
    if shutil.which("git") is None:  # pragma: no cover
        pytest.skip("no git")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    old, edit = modified("file", b"a\nb\n", b"a\nc\n")
    write(tmp_path, "file", old)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "apply", "--3way", "-"], input=unified(edit, old), check=True)
    assert (tmp_path / "file").read_bytes() == b"a\nc\n"
