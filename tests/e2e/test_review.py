"""`redline review` in a real terminal: a patch from a file or a pipe, a receipt, an exit status."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.run import redline
from tests.conftest import write
from tests.e2e.terminal import Terminal, person, yes

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 2\n", "LINE 2\n").replace("line 28\n", "LINE 28\n")


@pytest.fixture
def project(tree: Path) -> Path:
    """A repository with a patch beside it, made by git."""
    write(tree, {"a.txt": OLD})
    git(tree, "init", "-q")
    git(tree, "add", ".")
    write(tree, {"a.txt": NEW})
    patch = git(tree, "diff")
    write(tree, {"a.txt": OLD, "../fix.patch": patch})
    return tree


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True).stdout


def test_all_of_a_patch_is_applied_as_git_applies_it(project: Path) -> None:
    with Terminal("review", "../fix.patch", cwd=project, size=(80, 24)) as terminal:
        terminal.until("2 undecided", "@@ -25,6 +25,6 @@")
        person(terminal, ("A", "2 of 2 hunks"))
        yes(terminal, "Apply 2 hunks in 1 file?")
        assert terminal.ended() == 0
        assert "all of it was applied" in terminal.text
    git(project, "apply", "-R", "../fix.patch")
    assert (project / "a.txt").read_text() == OLD


def test_a_patch_in_a_pipe_the_keys_from_the_terminal_and_the_receipt_in_a_file(project: Path) -> None:
    out = project.parent / "receipt.json"
    patch = os.open(project.parent / "fix.patch", os.O_RDONLY)
    receipt = os.open(out, os.O_WRONLY | os.O_CREAT, 0o600)
    with Terminal("review", "--json", "-", cwd=project, stdin=patch, stdout=receipt) as terminal:
        terminal.until("2 undecided", "@@ -25,6 +25,6 @@")
        person(terminal, ("a", "1 undecided"), ("r", "1 of 2 hunks · 1 of 1 file"))
        yes(terminal, "Apply 1 hunk in 1 file?")
        assert terminal.ended() == 3
    os.close(patch)
    os.close(receipt)
    told = json.loads(out.read_text())
    assert told["state"] == "partial"
    assert [hunk["decision"] for hunk in told["hunks"]] == ["accepted", "rejected"]
    assert (project / "a.txt").read_text() == OLD.replace("line 2\n", "LINE 2\n")


def test_leaving_decides_nothing_and_rejecting_is_told(project: Path) -> None:
    with Terminal("review", "../fix.patch", cwd=project) as terminal:
        terminal.until("2 undecided")
        terminal.send("escape")
        assert terminal.ended() == 1
        assert "nothing was decided, and nothing was written" in terminal.text
    with Terminal("review", "../fix.patch", cwd=project) as terminal:
        terminal.until("@@ -25")
        person(terminal, ("R", "0 of 2 hunks"))
        yes(terminal, "Reject the proposal?")
        assert terminal.ended() == 3
    assert (project / "a.txt").read_text() == OLD
    assert redline("inbox", cwd=project).status == 1


BAD = {
    "not there": (["nowhere.patch"], b"", "no such file"),
    "nothing in it": (["-"], b"", "accepted are"),
    "no patch": (["-"], b"hello\n", "accepted are"),
    "outside": (["-"], b"--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "outside"),
    "not in the file": (["-"], b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-absent\n+b\n", "a.txt"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_reviewed_is_said_in_one_line(project: Path, case: str) -> None:
    arguments, stdin, said = BAD[case]
    ran = redline("review", *arguments, cwd=project, stdin=stdin)
    assert ran.status == 2
    assert said in ran.err
    assert redline("inbox", cwd=project).status == 1
