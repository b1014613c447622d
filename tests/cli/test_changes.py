"""`redline replace`, `edit`, `apply`, `history` and `undo`, end to end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, redline, redline_on_a_terminal
from tests.conftest import write

STDLIB = Path(sysconfig.get_paths()["stdlib"])


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.txt": "color one\ncolour two\nend", "sub/b.txt": b"Color\r\nx\r\n", "c.bin": b"\0color"})
    return tree


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_a_replacement_prints_a_diff_and_writes_nothing(project: Path) -> None:
    before = contents(project)
    ran = redline("replace", "colou?r", "hue", cwd=project)
    assert ran.status == 0
    assert ran.lines[5:] == [
        "-color one",
        "-colour two",
        "+hue one",
        "+hue two",
        " end",
        "\\ No newline at end of file",
    ]
    assert "2 edits in 1 file; nothing was written" in ran.err
    assert contents(project) == before


def test_apply_history_undo_redo(project: Path) -> None:
    before = contents(project)
    ran = redline("replace", "-i", "colou?r", "hue", "--keep-case", "--apply", cwd=project)
    assert (ran.status, ran.out) == (0, b"")
    assert "applied 3 edits in 2 files" in ran.err
    after = contents(project)
    assert after["a.txt"] == b"hue one\nhue two\nend"
    assert after["sub/b.txt"] == b"Hue\r\nx\r\n"
    (batch,) = [json.loads(line) for line in redline("history", "--json", cwd=project).lines]
    assert (batch["id"], batch["who"], batch["files"], batch["state"]) == (1, "person", 2, "committed")
    assert redline("undo", cwd=project).status == 0
    assert contents(project) == before
    assert redline("undo", cwd=project).status == 1
    assert redline("undo", "2", cwd=project).status == 0
    assert contents(project) == after
    assert [line.split()[0] for line in redline("history", cwd=project).lines] == ["3", "2", "1"]


def test_undo_does_not_touch_what_was_edited_since(project: Path) -> None:
    redline("replace", "-i", "colou?r", "hue", "--apply", cwd=project)
    (project / "a.txt").write_text("mine")
    before = contents(project)
    ran = redline("undo", cwd=project)
    assert ran.status == 3
    assert "a.txt" in ran.err
    assert contents(project) == before


def test_a_plan_is_applied_later_or_not_at_all(project: Path) -> None:
    assert redline("replace", "colou?r", "hue", "--plan", "plan.json", cwd=project).status == 0
    shown = redline("apply", "plan.json", "--dry-run", cwd=project)
    assert b"+hue one" in shown.out
    (project / "a.txt").write_bytes(b"color one\ncolour two\nEnd")
    before = contents(project)
    stale = redline("apply", "plan.json", cwd=project)
    assert (stale.status, contents(project)) == (3, before)
    assert "a.txt: its contents changed" in stale.err
    (project / "a.txt").write_bytes(b"color one\ncolour two\nend")
    assert redline("apply", "plan.json", cwd=project).status == 0
    assert (project / "a.txt").read_bytes() == b"hue one\nhue two\nend"
    assert redline("apply", "plan.json", cwd=project).status == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [("aHVl", "cHVl"), ("a.txt", "b.txt"), ('"size": 24', '"size": 25'), ('"digest"', '"digit"')],
)
def test_an_altered_plan_is_refused(project: Path, old: str, new: str) -> None:
    redline("replace", "colou?r", "hue", "--plan", "plan.json", cwd=project)
    plan = project / "plan.json"
    text = plan.read_text()
    assert old in text
    plan.write_text(text.replace(old, new, 1))
    before = contents(project)
    ran = redline("apply", "plan.json", cwd=project)
    assert (ran.status, contents(project)) == (2, before)
    assert "plan" in ran.err


def test_a_resealed_plan_cannot_leave_the_workspace(project: Path) -> None:
    from tui.edit.plan import EditPlan, create

    outside = project.parent / "outside.txt"
    for path in ("../outside.txt", str(outside), "sub/../../outside.txt"):
        (project / "plan.json").write_bytes(EditPlan("evil", (create(path, b"x"),)).to_json())
        ran = redline("apply", "plan.json", cwd=project)
        assert ran.status == 2
        assert "outside the workspace" in ran.err or "not a path" in ran.err
        assert not outside.exists()


def test_an_existing_file_is_not_overwritten_by_a_plan(project: Path) -> None:
    ran = redline("replace", "color", "hue", "--plan", "a.txt", cwd=project)
    assert ran.status == 2
    assert (project / "a.txt").read_bytes().startswith(b"color one")


@pytest.mark.parametrize(
    ("words", "after"),
    [
        (["insert", "0", "top"], b"top\none\r\ntwo\nthree"),
        (["insert", "1", "new"], b"one\r\nnew\r\ntwo\nthree"),
        (["insert", "3", "last"], b"one\r\ntwo\nthree\nlast"),
        (["delete", "2", "3"], b"one"),
        (["replace", "2", "2", "x\ny"], b"one\r\nx\ny\nthree"),
        (["replace", "2", "3", ""], b"one\r\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_line_edits(tree: Path, words: list[str], after: bytes) -> None:
    write(tree, {"f": b"one\r\ntwo\nthree"})
    assert redline("edit", "f", *words, cwd=tree).status == 0
    assert (tree / "f").read_bytes() == b"one\r\ntwo\nthree"
    assert redline("edit", "f", *words, "--apply", cwd=tree).status == 0
    if words[:2] == ["insert", "0"]:
        after = after.replace(b"top\n", b"top\r\n")
    assert (tree / "f").read_bytes().replace(b"\r\n", b"\n") == after.replace(b"\r\n", b"\n")


def test_inserted_text_can_come_from_stdin(tree: Path) -> None:
    write(tree, {"f": "a\nb\n"})
    assert redline("edit", "f", "insert", "1", "-", "--apply", cwd=tree, stdin=b"x\ny\n").status == 0
    assert (tree / "f").read_bytes() == b"a\nx\ny\nb\n"


BAD_INPUT = [
    (["replace", "a(", "b"], 2, ["position 2"]),
    (["replace", "color", "$1"], 2, ["no group 1", "brackets"]),
    (["replace", "color", "\\q"], 2, ["position 0", "\\q"]),
    (["replace", "color", "x", "--apply", "--plan", "p"], 2, ["exclude each other"]),
    (["replace", "color"], 2, ["REPLACE"]),
    (["replace", "no such text", "x"], 1, ["nothing to change"]),
    (["replace", "color", "x", ".."], 2, ["outside the workspace"]),
    (["edit", "nowhere", "delete", "1", "1"], 2, ["nowhere", "no such file"]),
    (["edit", "a.txt", "delete", "2", "9"], 2, ["1 to 3"]),
    (["edit", "a.txt", "insert", "4", "x"], 2, ["0 to 3"]),
    (["edit", "a.txt", "delete", "3", "2"], 2, ["3", "2"]),
    (["edit", "a.txt", "delete", "one", "2"], 2, ["whole number"]),
    (["edit", "a.txt", "delete", "1"], 2, ["A B"]),
    (["edit", "a.txt", "frobnicate", "1"], 2, ["frobnicate"]),
    (["edit", "c.bin", "delete", "1", "1"], 2, ["c.bin", "binary"]),
    (["edit", "sub", "delete", "1", "1"], 2, ["sub"]),
    (["edit", "../x", "delete", "1", "1"], 2, ["outside the workspace"]),
    (["apply", "nowhere.json"], 2, ["nowhere.json"]),
    (["apply", "a.txt"], 2, ["not a Redline plan"]),
    (["undo"], 1, ["nothing"]),
    (["undo", "7"], 2, ["nothing"]),
    (["history"], 1, ["nothing was applied"]),
]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    BAD_INPUT,
    ids=lambda v: " ".join(v)[:40] if isinstance(v, list) else None,
)
def test_bad_input_is_told_in_one_line(
    project: Path, arguments: list[str], status: int, words: list[str]
) -> None:
    before = contents(project)
    ran = redline(*arguments, cwd=project)
    assert ran.status == status, ran.err
    assert ran.out == b""
    told = [line for line in ran.err.splitlines() if "not searched" not in line]
    assert len(told) == 1
    assert [word for word in words if word not in told[0]] == []
    assert contents(project) == before


def copy_of_the_standard_library(to: Path) -> None:
    """A part of it: enough to meet every kind of line."""
    for name in ("asyncio", "email", "json", "test/test_email", "encodings", "idlelib"):
        if (STDLIB / name).is_dir():
            shutil.copytree(STDLIB / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in sorted(STDLIB.glob("*.py"))[::3]:
        shutil.copy(file, to / file.name)


PERL = [
    (["self", "this"], "s/self/this/g"),
    (["-F", "a.b", "x$1y"], r"s/a\.b/x\$1y/g"),
    ([r"(\w+)\.(\w+)\(", "$2.$1("], r"s/(\w+)\.(\w+)\(/$2.$1(/ag"),
    ([r"^(\s*)#", r"\1//"], "s{^(\\s*)#}{$1//}g"),
    ([r"\bNone\b", "nil"], r"s/\bNone\b/nil/ag"),
    ([r"[ \t]+$", ""], r"s/[ \t]+$//g"),
    (["-i", "error", "Fault"], "s/error/Fault/gi"),
    ([r"(?<=def )(\w+)", "_$1"], r"s/(?<=def )(\w+)/_$1/ag"),
]


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
@pytest.mark.parametrize(("arguments", "script"), PERL, ids=[script for _, script in PERL])
def test_same_bytes_as_perl_over_the_standard_library(tree: Path, arguments: list[str], script: str) -> None:
    copy_of_the_standard_library(tree)
    other = tree.parent / "other"
    shutil.copytree(tree, other)
    ran = redline("replace", *arguments, "--apply", "--no-ignore", "--no-exclude", cwd=tree)
    assert ran.status == 0, ran.err
    files = [path for path in other.rglob("*") if path.is_file() and b"\0" not in path.read_bytes()[:8192]]
    ascii_only = [path for path in files if path.read_bytes().isascii() and b"\r" not in path.read_bytes()]
    subprocess.run(["perl", "-pi", "-e", script, *map(str, ascii_only)], check=True)
    names = [str(path.relative_to(other)) for path in ascii_only]
    assert len(names) > 200
    assert [name for name in names if (tree / name).read_bytes() != (other / name).read_bytes()] == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    "arguments",
    [
        ["self", "this"],
        pytest.param([r"(\w+)$", "$1!"], marks=pytest.mark.slow),
        ["-U", r"\n\n\n", r"\n"],
        ["-w", "the", "le", "-i"],
    ],
    ids=" ".join,
)
def test_the_printed_diff_given_to_git_apply_makes_the_same_tree(tree: Path, arguments: list[str]) -> None:
    copy_of_the_standard_library(tree)
    write(
        tree,
        {"no-final": "the self\nthe self", "crlf": b"self\r\nthe\r\n", "odd \x1b\u202e name": "self the\n"},
    )
    other = tree.parent / "other"
    shutil.copytree(tree, other)
    diff = redline("replace", *arguments, cwd=tree)
    assert diff.status == 0, diff.err
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=other, input=diff.out, check=True)
    assert redline("replace", *arguments, "--apply", cwd=tree).status == 0
    assert contents(tree) == contents(other)


@pytest.mark.parametrize("unbuffered", [pytest.param("", marks=pytest.mark.slow), "1"])
def test_a_slow_reader_gets_every_byte(tree: Path, unbuffered: str) -> None:
    """The clock that bounds each file ticks on while a pipe is full."""
    write(tree, {f"f{index}": "needle and more\n" * 8_000 for index in range(6)})
    whole = redline("replace", "needle", "pin", cwd=tree).out
    process = subprocess.Popen(
        [*COMMAND, "replace", "needle", "pin"],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None
    chunks = []
    while chunk := process.stdout.read(100_000):
        chunks.append(chunk)
        time.sleep(0.01)
    process.wait(30)
    assert b"".join(chunks) == whole


def test_nothing_of_a_hostile_file_reaches_the_terminal(tree: Path) -> None:
    hostile = "\x1b]52;c;aGFjaw==\x07\x9b31m\u202e"
    write(tree, {f"name{hostile}": f"needle {hostile}\n"})
    for arguments in (
        ["replace", "needle", f"x{hostile}"],
        ["replace", "needle", f"x{hostile}", "--apply"],
        ["history"],
        ["undo", "--dry-run"],
    ):
        ran = redline_on_a_terminal(*arguments, cwd=tree)
        assert ran.status == 0, ran.err
        text = ran.out.decode()
        for code in ("0", "1", "2", "31", "32", "36"):
            text = text.replace(f"\x1b[{code}m", "")
        assert text.replace("\n", "").isprintable()
        assert ran.err.replace("\n", "").isprintable()


def test_ctrl_c_during_an_apply_leaves_all_old_or_all_new(tree: Path) -> None:
    old = {f"d{index % 7}/f{index:04}": "needle\n" * 50 for index in range(1500)}
    write(tree, dict(old))
    seen = set()
    for delay in (0.25, 0.4, 0.55, 0.7, 0.9, 1.3):
        process = subprocess.Popen(
            [*COMMAND, "replace", "needle", "pin", "--apply"],
            cwd=tree,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert b"Traceback" not in err
        state = {path.read_bytes() for path in tree.rglob("f*")}
        assert len(state) == 1, err
        assert not [path for path in tree.rglob("*") if path.is_file() and not path.name.startswith("f")]
        seen.add(state.pop())
        if b"pin\n" * 50 in seen:
            break
    history = [json.loads(line) for line in redline("history", "--json", cwd=tree).lines]
    assert any(batch["state"] == "committed" for batch in history) == (b"pin\n" * 50 in seen)


def test_links_read_only_and_hard_linked_files_are_refused_by_name(tree: Path) -> None:
    write(tree, {"plain": "needle", "readonly": "needle", "linked": "needle"})
    (tree / "readonly").chmod(0o444)
    os.link(tree / "linked", tree / "other-name")
    before = contents(tree)
    ran = redline("replace", "needle", "pin", "--apply", cwd=tree)
    assert ran.status == 3
    assert contents(tree) == before
    assert "readonly" in ran.err
    assert "hard link" in ran.err
    ran = redline(
        "replace",
        "needle",
        "pin",
        "--apply",
        "--break-links",
        "--exclude",
        "readonly",
        "--exclude",
        "other-name",
        cwd=tree,
    )
    assert ran.status == 0
    assert contents(tree) == {**before, "plain": b"pin", "linked": b"pin"}


@pytest.mark.parametrize("command", ["replace", "edit", "apply", "history", "undo"])
def test_help_begins_with_examples(tree: Path, command: str) -> None:
    ran = redline(command, "--help", cwd=tree)
    assert ran.status == 0
    assert f"redline {command}" in ran.out.decode().split("Options:")[0].split("\n", 1)[1]


def test_keeping_case_finds_every_case(tree: Path) -> None:
    write(tree, {"f": "foo Foo FOO foobar\n"})
    assert redline("replace", "-w", "foo", "bar", "--keep-case", "--apply", cwd=tree).status == 0
    assert (tree / "f").read_text() == "bar Bar BAR foobar\n"


def test_what_is_suggested_means_the_same_workspace(tree: Path) -> None:
    write(tree, {"a b/f": "one\n", "f": "one\n"})
    ran = redline("replace", "one", "two", "--apply", "--root", "a b", cwd=tree)
    assert "redline undo 1 --root 'a b'" in ran.err
    redline("replace", "one", "two", "f", "--apply", cwd=tree)
    nothing = redline("history", "--root", "a b/..", cwd=tree)
    assert nothing.status == 0
    (tree / "c").mkdir()
    assert f"--root {tree}" in redline("history", "--root", "c", cwd=tree).err


def test_a_dry_run_checks_what_apply_checks(tree: Path) -> None:
    write(tree, dict.fromkeys(("a", "b", "c"), "one\n"))
    redline("replace", "one", "two", "--plan", "plan.json", cwd=tree)
    (tree / "a").write_text("changed")
    (tree / "c").write_text("changed")
    for arguments in (["--dry-run"], []):
        ran = redline("apply", "plan.json", *arguments, cwd=tree)
        assert (ran.status, ran.out) == (3, b"")
        assert "a: its contents changed" in ran.err
        assert "c: its contents changed" in ran.err
    (tree / "a").write_text("one\n")
    (tree / "c").write_text("one\n")
    (tree / "b").chmod(0o444)
    ran = redline("apply", "plan.json", "--dry-run", cwd=tree)
    assert ran.status == 3
    assert "b: its permissions are 0444 now" in ran.err


def test_two_names_of_one_file_cannot_both_be_changed(tree: Path) -> None:
    write(tree, {"h1": "one\n"})
    os.link(tree / "h1", tree / "h2")
    ran = redline("replace", "one", "two", "--apply", "--break-links", cwd=tree)
    assert ran.status == 3
    assert "h2: it is the same file as h1" in ran.err
    assert contents(tree) == {"h1": b"one\n", "h2": b"one\n"}


def test_undo_and_redo_go_there_and_back_as_often_as_one_likes(tree: Path) -> None:
    write(tree, {"f": "one\n"})
    redline("replace", "one", "two", "--apply", cwd=tree)
    for _ in range(3):
        assert redline("undo", cwd=tree).status == 0
        assert (tree / "f").read_text() == "one\n"
        hint = redline("undo", cwd=tree).err
        assert redline("undo", hint.split()[-1], cwd=tree).status == 0
        assert (tree / "f").read_text() == "two\n"


def test_a_file_that_timed_out_is_status_three_even_if_nothing_else_matched(tree: Path) -> None:
    write(tree, {"slow": "a" * 80 + "b"})
    assert redline("replace", "(a|aa)+$", "x", "--time-limit", "0.3", cwd=tree).status == 3


def test_a_pattern_with_a_line_end_is_told_about_multiline(tree: Path) -> None:
    write(tree, {"f": "one\ntwo\n"})
    for arguments in (["-F", "one\ntwo"], [r"one\ntwo"]):
        assert "-U" in redline("grep", *arguments, cwd=tree).err
        assert "-U" not in redline("grep", "-U", *arguments, cwd=tree).err


def test_a_damaged_history_stops_no_search_and_every_change(tree: Path) -> None:
    write(tree, {"f": "one\n"})
    redline("replace", "one", "two", "--apply", cwd=tree)
    (database,) = Path(os.environ["XDG_STATE_HOME"]).rglob("redline.db")
    database.write_bytes(b"garbage" * 1000)
    search = redline("grep", "two", cwd=tree)
    assert (search.status, search.lines) == (0, ["f:1:two"])
    assert "redline.db" in search.err
    change = redline("replace", "two", "three", "--apply", cwd=tree)
    assert change.status == 2
    assert (tree / "f").read_text() == "two\n"
