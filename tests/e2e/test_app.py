"""The installed command in a terminal, from the first key to a sane shell."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from tests.conftest import write
from tests.e2e.terminal import Terminal

needs_rg = pytest.mark.skipif(shutil.which("rg") is None, reason="needs rg")

PROJECT: dict[str, str | bytes] = {
    "src/a.py": "import os\n# needle one\nneedle = os\n",
    "src/b.py": "print('needle')\n",
    "notes.md": "no such thing here\n",
}


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, PROJECT)
    return tree


@needs_rg
def test_what_is_typed_is_counted_as_rg_counts(project: Path) -> None:
    write(project, {f"many/{i}.txt": "needle\nneedle needle\nhay\n" for i in range(50)})
    counted = subprocess.run(
        ["rg", "-c", "needle", "."], cwd=project, capture_output=True, text=True, check=True
    )
    rows = [int(line.rpartition(":")[2]) for line in counted.stdout.splitlines()]
    with Terminal(cwd=project) as terminal:
        terminal.until("Type to find text", "53 files")
        terminal.send("needle")
        terminal.until(f"{sum(rows)} matches · {len(rows)} files")
        terminal.send("ctrl+q")
        assert terminal.ended() == 0


def test_keys_typed_before_the_first_frame_are_not_lost(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.send("needle", "tab", "pin")
        text = terminal.until("3 matches · 2 files", "3 of 3 chosen")
        assert " Find     needle" in text
        assert " Replace  pin" in text


def test_replace_review_cancel_apply_undo(project: Path) -> None:
    with Terminal("--find", "needle", "--replace", "pin", cwd=project) as terminal:
        terminal.until("3 of 3 chosen · ctrl+r review")
        terminal.send("ctrl+r")
        terminal.until("3 of 3 edits · 2 of 2 files", "+ # pin one")
        terminal.send("escape")
        terminal.until("ctrl+r review")
        assert (project / "src/b.py").read_text() == PROJECT["src/b.py"]
        terminal.send("ctrl+r")
        terminal.until("+ # pin one")
        terminal.send("w")
        terminal.until("Apply 3 edits in 2 files?")
        time.sleep(0.5)
        terminal.send("y")
        terminal.until("Applied: 3 edits in 2 files", "no matches")
        assert (project / "src/b.py").read_text() == "print('pin')\n"
        terminal.send("f3")
        terminal.until("replace needle by pin")
        terminal.send("u")
        terminal.until("Undo: replace needle by pin", "3 of 3 edits")
        terminal.send("w")
        terminal.until("Undo 3 edits in 2 files?")
        time.sleep(0.5)
        terminal.send("y")
        terminal.until("changed back, as batch 2")
        assert (project / "src/b.py").read_text() == PROJECT["src/b.py"]
        terminal.send("escape")
        terminal.until("3 matches · 2 files")


def test_what_is_typed_right_before_ctrl_r_is_in_the_lines(project: Path) -> None:
    with Terminal("--find", "needle", cwd=project) as terminal:
        terminal.until("3 matches")
        terminal.send("enter", "enter")
        terminal.read(0.3)
        terminal.send("c")
        terminal.until("change line 2 of src/a.py")
        terminal.send(" and typed ahead", "ctrl+r")
        terminal.until("1 of 1 edit", "+ # needle one and typed ahead")


def test_keys_of_a_burst_are_obeyed_in_their_order(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.until("Type to find text", "3 files")
        terminal.send("pin\x15needles\x7f")
        terminal.until("3 matches · 2 files")
        terminal.send("enter", "enter")
        terminal.read(0.3)
        terminal.send("c")
        terminal.until("change line 2 of src/a.py")
        terminal.send("abc\x7f\x7f\x1b[200~ pasted\nonce\x1b[201~x\x12")
        terminal.until("+ # needle onea pasted\n", "+ oncex\n")


def test_it_follows_the_size_of_the_terminal(project: Path) -> None:
    with Terminal("--find", "needle", cwd=project) as terminal:
        terminal.until("3 matches")
        for size in ((80, 24), (50, 15), (160, 50), (120, 40)):
            terminal.resize(*size)
            terminal.until("3 matches", "needle")


def test_the_editor_opens_at_the_line_and_its_changes_are_seen(project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "$@" > "$0.log"\necho "needle more" >> "$2"\n')
    editor.chmod(0o755)
    with Terminal("--find", "needle", cwd=project, env={"EDITOR": str(editor), "VISUAL": ""}) as terminal:
        terminal.until("3 matches · 2 files")
        terminal.send("enter", "e")
        terminal.until("4 matches · 2 files")
        assert (tmp_path / "editor.log").read_text().split() == ["+2", str(project / "src/a.py")]


def test_quitting_leaves_the_terminal_as_it_was(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.until("Type to find text")
        terminal.send("ctrl+q")
        assert terminal.ended() == 0
        assert termios.tcgetattr(terminal._follower) == terminal.attributes
        for on, off in (
            (b"?1049h", b"?1049l"),
            (b"?25l", b"?25h"),
            (b"?1000h", b"?1000l"),
            (b"?2004h", b"?2004l"),
        ):
            assert terminal.raw.rfind(off) > terminal.raw.rfind(on), off


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside_it_leaves_the_terminal_and_the_files_as_they_were(
    project: Path, number: signal.Signals
) -> None:
    write(project, {f"many/{i:04}.txt": "needle\n" for i in range(1500)})
    with Terminal("--find", "needle", "--replace", "pin", cwd=project) as terminal:
        terminal.until("1503 of 1503 chosen")
        terminal.send("ctrl+r")
        terminal.until("1503 of 1503 edits")
        terminal.send("w")
        terminal.until("Apply 1503 edits")
        time.sleep(0.5)
        terminal.send("y")
        time.sleep(0.4)  # somewhere in the middle, or just after
        terminal.process.send_signal(number)
        assert terminal.ended() == 128 + number
        assert terminal.raw.rfind(b"?1049l") > terminal.raw.rfind(b"?1049h")
    texts = {path.read_text() for path in (project / "many").iterdir()}
    assert texts in ({"needle\n"}, {"pin\n"})
    assert not list(project.rglob(".*"))


def test_no_traceback_when_the_workspace_is_not_there(tmp_path: Path) -> None:
    with Terminal("absent", cwd=tmp_path) as terminal:
        assert terminal.ended() == 2
        assert "absent: no such directory or command" in terminal.text
    with Terminal("grpe", cwd=tmp_path) as terminal:
        assert terminal.ended() == 2
        assert "did you mean redline grep?" in terminal.text


EVIL = "\x1b]52;c;aGFjaw==\x07\x1b[2J\x9b31m\u202egnp.exe\u200b\x08\x0c\x1b]0;owned\x07"


def test_hostile_text_is_shown_and_never_obeyed(tree: Path) -> None:
    """Names, contents, replacements, errors and notifications full of control codes, on every screen."""
    name = f"evil{EVIL.replace('/', '')}.py"
    write(tree, {name: f"needle {EVIL}\n{EVIL} needle\n", "other.py": f"x = '{EVIL}'  # needle\n"})
    with Terminal("--find", "needle", "--replace", f"pin{EVIL}", "--files", "", cwd=tree) as terminal:
        terminal.until("3 matches · 2 files", r"\x1b]52;c;aGFjaw==\x07")
        terminal.send("enter", "y", "Y", "s", "s")
        terminal.until("Copied")
        terminal.send("ctrl+r")
        terminal.until("edits · 2 of 2 files", r"\x1b]52;c")
        terminal.send("v", "w")
        terminal.until("Apply 3 edits")
        time.sleep(0.5)
        (tree / "other.py").write_text("changed\n")
        terminal.send("y")
        terminal.until("nothing was written")
        terminal.send("D", "w")
        terminal.until("Apply 2 edits")
        time.sleep(0.5)
        terminal.send("y")
        terminal.until("Applied")
        terminal.send("f3")
        terminal.until("History", r"\x1b]52")
        terminal.send("escape", "f4", "escape", "f1", "escape")
        terminal.send("ctrl+q")
        terminal.ended()
    raw = terminal.raw
    for code in ("\x1b]52;c;aGFj", "\x9b", "\u202e", "\u200b", "\x1b]0;owned", "\x0c"):
        assert code.encode() not in raw, repr(code)
    ours = re.compile(
        rb"\x1b\](?:2|22|52);[^\x07\x1b]*(?:\x07|\x1b\\)"
    )  # title, pointer, what y and Y copied
    assert b"\x07" not in ours.sub(b"", raw)
    assert b"\x1b]52;c;" in raw
