"""`redline grep` and `redline glob` as people and programs meet them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, redline, redline_on_a_terminal
from tests.conftest import write


@pytest.fixture
def project(tree: Path) -> Path:
    write(
        tree,
        {
            "src/main.py": "import os\n\ndef main():\n    # TODO: wörk\n    return os\n",
            "src/util.py": "def helper():\n    pass\n",
            "docs/guide.md": "TODO write\n",
            "node_modules/x.py": "TODO\n",
            ".hidden.py": "TODO\n",
            "ignored.py": "TODO\n",
            ".gitignore": "ignored.py\n",
        },
    )
    return tree


def test_a_pipe_gets_path_line_text(project: Path) -> None:
    ran = redline("grep", "TODO", cwd=project)
    assert ran.lines == ["docs/guide.md:1:TODO write", "src/main.py:4:    # TODO: wörk"]
    assert ran.status == 0


def test_nothing_found_is_status_one_and_silence(project: Path) -> None:
    assert redline("grep", "nowhere to be found", cwd=project) == redline("glob", "*.zig", cwd=project)
    ran = redline("grep", "nowhere to be found", cwd=project)
    assert (ran.status, ran.out, ran.err) == (1, b"", "")


@pytest.mark.parametrize(
    ("switch", "more"),
    [
        ("--hidden", ".hidden.py:1:TODO"),
        ("--no-ignore", "ignored.py:1:TODO"),
        ("--no-exclude", "node_modules/x.py:1:TODO"),
    ],
)
def test_each_of_the_three_filters_has_a_switch(project: Path, switch: str, more: str) -> None:
    lines = redline("grep", "TODO", switch, cwd=project).lines
    assert more in lines
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["-l", "TODO"], ["docs/guide.md", "src/main.py"]),
        (["-c", "def|os"], ["src/main.py:3", "src/util.py:1"]),
        (["-i", "todo", "src"], ["src/main.py:4:    # TODO: wörk"]),
        (["-F", "main()"], ["src/main.py:3:def main():"]),
        (["-w", "os", "-m", "1"], ["src/main.py:1:import os"]),
        (["-v", r"\w", "src/main.py"], ["src/main.py:2:"]),
        (["-U", r"helper\(\):\s+pass"], ["src/util.py:1:def helper():", "src/util.py:2:    pass"]),
        (
            ["-C1", "TODO", "-g", "*.py"],
            ["src/main.py-3-def main():", "src/main.py:4:    # TODO: wörk", "src/main.py-5-    return os"],
        ),
        (["-g", "!src", "TODO"], ["docs/guide.md:1:TODO write"]),
        (["-t", "md", "TODO"], ["docs/guide.md:1:TODO write"]),
        (["--exclude", "docs", "-l", "TODO"], ["src/main.py"]),
        (["--max-depth", "1", "-l", "TODO", "docs"], ["docs/guide.md"]),
        (["--", "-", "docs"], []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_flags(project: Path, arguments: list[str], lines: list[str]) -> None:
    assert redline("grep", *arguments, cwd=project).lines == lines


def test_paths_can_be_ended_by_nul(project: Path) -> None:
    assert redline("grep", "-l0", "TODO", cwd=project).out == b"docs/guide.md\0src/main.py\0"
    assert redline("glob", "**/*.md", "-0", cwd=project).out == b"docs/guide.md\0"


def test_json_is_one_object_a_line_in_the_manner_of_ripgrep(project: Path) -> None:
    write(project, {"src/bin.dat": b"\0TODO"})
    events = [json.loads(line) for line in redline("grep", "wörk|TODO", "-A1", "--json", cwd=project).lines]
    kinds = [event["type"] for event in events]
    assert kinds == ["begin", "match", "end", "skipped", "begin", "match", "context", "end", "summary"]
    match = events[5]["data"]
    assert match["path"] == {"text": "src/main.py"}
    assert match["line_number"] == 4
    assert match["lines"] == {"text": "    # TODO: wörk"}
    assert match["submatches"] == [
        {"match": {"text": "TODO"}, "start": 6, "end": 10},
        {"match": {"text": "wörk"}, "start": 12, "end": 17},
    ]
    assert events[3]["data"] == {"path": {"text": "src/bin.dat"}, "reason": "binary", "detail": ""}
    summary = events[-1]["data"]
    assert (summary["matches"], summary["files"], summary["skipped"]) == (2, 2, 1)


def test_json_keeps_bytes_that_are_no_text(tree: Path) -> None:
    (tree / os.fsdecode(b"n\xff")).write_bytes(b"a\xfeb\n")
    events = [json.loads(line) for line in redline("grep", "a.b", "--json", cwd=tree).lines]
    assert events[0]["data"]["path"] == {"bytes": "bv8="}
    assert events[1]["data"]["lines"] == {"bytes": "Yf5i"}


def test_glob_lists_sorted_paths(project: Path) -> None:
    assert redline("glob", "**/*.py", cwd=project).lines == ["src/main.py", "src/util.py"]
    assert redline("glob", "*.py", cwd=project).lines == []
    assert redline("glob", "*.py", "src", cwd=project).lines == ["src/main.py", "src/util.py"]
    assert redline("glob", "**/*.{py,md} !**/util*", cwd=project).lines == ["docs/guide.md", "src/main.py"]
    assert redline("glob", "--regex", "^(?:main|guide)", cwd=project).lines == [
        "docs/guide.md",
        "src/main.py",
    ]
    assert redline("glob", "**/*.py", "--exclude", "util.py", "--hidden", cwd=project).lines == [
        ".hidden.py",
        "src/main.py",
    ]
    events = [json.loads(line) for line in redline("glob", "**/*.md", "--json", cwd=project).lines]
    assert events == [
        {"type": "file", "data": {"path": {"text": "docs/guide.md"}}},
        {"type": "summary", "data": {"files": 1, "skipped": 0}},
    ]


BAD_INPUT = [
    (["grep", "a("], ["position 2", "missing )", "literally"]),
    (["grep", "x", "nowhere"], ["nowhere", "no such file"]),
    (["grep", "x", ".."], ["outside the workspace", "--root"]),
    (["grep", "x", "/etc"], ["/etc", "outside the workspace"]),
    (["grep", "x", "src/main.py/y"], ["src/main.py/y", "not a directory"]),
    (["grep", "x", "-g", "[a"], ["[a", "not closed", "src/**/*.ts"]),
    (["grep", "x", "-g", "**/" * 6], ["more than 4"]),
    (["grep", "x", "--max-filesize", "lots"], ["lots", "16M"]),
    (["grep", "x", "-A", "-1"], ["-A"]),
    (["grep", "x", "--json", "-l"], ["exclude each other"]),
    (["grep", "(?:ab|cd){1000000}"], ["repeat counts"]),
    (["grep"], ["PATTERN", "redline grep --help"]),
    (["grep", "x", "--nonsense"], ["--nonsense"]),
    (["grep", "x", "--root", "nowhere"], ["nowhere"]),
    (["glob", "*.py", "src/main.py"], ["src/main.py", "not a directory"]),
    (["glob", "{a,b"], ["{a,b", "not closed"]),
    (["glob", ""], ["empty"]),
    (["glob", "--regex", "["], ["position"]),
    (["glob", "../*"], ["leave the workspace"]),
    (["nonsense"], ["nonsense"]),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_INPUT, ids=lambda value: " ".join(value)[:40])
def test_bad_input_is_one_line_on_stderr_and_status_two(
    project: Path, arguments: list[str], words: list[str]
) -> None:
    ran = redline(*arguments, cwd=project)
    assert ran.status == 2
    assert ran.out == b""
    assert ran.err.count("\n") == 1
    assert [word for word in words if word not in ran.err] == []


HOSTILE = "\x1b]52;c;aGFjaw==\x07\x1b[2J\x9b31m\u202e\u200btext\r"


def test_a_pipe_gets_hostile_text_as_it_is(tree: Path) -> None:
    write(tree, {"name\x1b[31m": HOSTILE + "needle"})
    ran = redline("grep", "needle", cwd=tree)
    assert ran.out == f"name\x1b[31m:1:{HOSTILE}needle\n".encode()


@pytest.mark.parametrize(
    "arguments", [["grep", "needle"], ["grep", "-l", "needle"], ["grep", "-c", "needle"], ["glob", "**"]]
)
def test_a_terminal_gets_hostile_text_made_visible(tree: Path, arguments: list[str]) -> None:
    write(tree, {"name\x1b[31m\u202e": HOSTILE + "needle\n"})
    (tree / os.fsdecode(b"bytes\xff\x9b")).write_bytes(b"\xff\x9bneedle")
    ran = redline_on_a_terminal(*arguments, cwd=tree)
    text = ran.out.decode()
    for code in ("0", "1", "2", "1;31"):
        text = text.replace(f"\x1b[{code}m", "")
    assert text.replace("\n", "").isprintable()
    assert r"name\x1b[31m\u202e" in text
    if arguments == ["grep", "needle"]:
        assert r"\x1b]52;c;aGFjaw==\x07\x1b[2J\u009b31m\u202e\u200btext" in text
        assert r"\xff\x9b" in text


def test_errors_about_hostile_names_are_made_visible_too(tree: Path) -> None:
    for arguments in (
        ["grep", "x", "no\x1b[31m\u202e"],
        ["glob", "[\x1b[31m"],
        ["grep", "(\x1b", "."],
        ["grep", "x", "-t", "\x1b"],
    ):
        ran = redline(*arguments, cwd=tree)
        assert ran.status == 2
        assert ran.err.rstrip("\n").isprintable()


def test_a_terminal_gets_colour_and_groups(project: Path) -> None:
    ran = redline_on_a_terminal("grep", "TODO", cwd=project)
    assert ran.out.decode().split("\n")[:5] == [
        "\x1b[1mdocs/guide.md\x1b[0m",
        "\x1b[2m    1\x1b[0m: \x1b[1;31mTODO\x1b[0m write",
        "",
        "\x1b[1msrc/main.py\x1b[0m",
        "\x1b[2m    4\x1b[0m:     # \x1b[1;31mTODO\x1b[0m: wörk",
    ]


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(project: Path, env: dict[str, str]) -> None:
    assert b"\x1b" not in redline_on_a_terminal("grep", "TODO", cwd=project, env=env).out


def test_a_very_long_line_is_cut_around_the_match_on_a_terminal_and_says_so(tree: Path) -> None:
    write(tree, {"min.js": "x" * 500_000 + "needle" + "y" * 500_000})
    out = redline_on_a_terminal("grep", "needle", cwd=tree).out
    assert len(out) < 4000
    assert b"needle" in out
    assert b"1,000,006 characters" in out
    assert len(redline("grep", "needle", cwd=tree).out) > 1_000_000


def test_what_was_not_searched_is_told_on_stderr(tree: Path) -> None:
    write(tree, {"a.bin": b"\0", "b.bin": b"\0", "big": b"x" * 5000, "wide": b"\xff\xfea", "ok": "hit"})
    ran = redline("grep", "hit", "--max-filesize", "4K", cwd=tree)
    assert ran.lines == ["ok:1:hit"]
    assert "2 binary" in ran.err
    assert "1 too large (--max-filesize" in ran.err
    assert "wide: undecodable" in ran.err


def test_a_reader_that_leaves_early_is_no_error(tree: Path) -> None:
    write(tree, {f"f{index}": "hit\n" * 20000 for index in range(5)})
    process = subprocess.Popen(
        [*COMMAND, "grep", "hit"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.wait(30)
    assert err == b""


def test_ctrl_c_ends_a_search_at_once_and_quietly(tree: Path) -> None:
    write(tree, {"slow": "a" * 100 + "b"})
    process = subprocess.Popen(
        [*COMMAND, "grep", "(a|aa)+$", "--time-limit", "60"],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=5)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


@pytest.mark.parametrize("command", [[], ["grep"], ["glob"]], ids=["redline", "grep", "glob"])
def test_help_begins_with_examples(tree: Path, command: list[str]) -> None:
    ran = redline(*command, "--help", cwd=tree)
    assert ran.status == 0
    assert f"redline {' '.join(command)}".strip() in ran.out.decode().split("Options:")[0]


def test_version(tree: Path) -> None:
    assert redline("--version", cwd=tree).out.startswith(b"redline 0.")


def test_no_arguments_at_all_give_the_help(tree: Path) -> None:
    ran = redline(cwd=tree)
    assert ran.status == 0
    assert ran.lines[0].startswith("Usage: redline")


def test_a_reader_that_leaves_early_makes_status_zero(tree: Path) -> None:
    write(tree, {"f": "hit and some more text\n" * 50_000})
    code = f"cd {tree} && {' '.join(COMMAND)} grep hit | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", code], capture_output=True, check=True).stdout == b"0\n"


def test_a_stderr_that_cannot_be_written_costs_no_results(tree: Path) -> None:
    write(tree, {"bin": b"\0", "f": "hit\n", "wide": b"\xff\xfea"})
    code = f"cd {tree} && {' '.join(COMMAND)} grep hit 2>/dev/full"
    assert subprocess.run(["bash", "-c", code], capture_output=True, check=True).stdout == b"f:1:hit\n"


def test_few_descriptors_leave_no_file_out(tree: Path) -> None:
    write(tree, {f"d{index:02}/f": "hit\n" for index in range(60)})
    code = f"cd {tree} && ulimit -n 20 && {' '.join(COMMAND)} grep -l hit"
    done = subprocess.run(["bash", "-c", code], capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == 60


def test_little_memory_is_a_reason_not_a_traceback(tree: Path) -> None:
    write(tree, {"big": b"x" * 200_000_000, "f": "hit\n", "deep": "(" * 50})
    code = f"cd {tree} && ulimit -v 400000 && {' '.join(COMMAND)} grep hit --max-filesize none"
    done = subprocess.run(["bash", "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "f:1:hit\n"
    assert "big: more than the memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_half_a_utf_16_pair_is_printed_somehow(tree: Path) -> None:
    (tree / "u").write_bytes(b"\xff\xfe" + "x\ud800 foo\n".encode("utf-16-le", "surrogatepass"))
    assert redline("grep", "foo", cwd=tree).out == b"u:1:x\xed\xa0\x80 foo\n"
    assert redline("grep", "foo", "--json", cwd=tree).status == 0


def test_json_on_a_terminal_is_harmless_and_still_the_same_json(tree: Path) -> None:
    write(tree, {"n\u202e": "foo \x9b31m \u202e \x7f \U000e0041\n"})
    ran = redline_on_a_terminal("grep", "foo", "--json", cwd=tree)
    assert ran.out.decode().replace("\n", "").isprintable()
    events = [json.loads(line) for line in ran.lines]
    assert events[1]["data"]["lines"] == {"text": "foo \x9b31m \u202e \x7f \U000e0041"}


def test_the_locale_does_not_matter(tree: Path) -> None:
    write(tree, {"f": "café\n"})
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert redline("grep", "é", cwd=tree, env=env).status == 0


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("a" * 400_000 + "é\n", ["[a]", "--json"]),
        ("a" * 100_000 + "\n", ["-U", "a"]),
        ("".join(f"{number}\n" for number in range(30_000)), ["-C", "30000", "[13579]$"]),
    ],
    ids=["json", "multiline", "context"],
)
def test_printing_takes_time_in_proportion(tree: Path, content: str, arguments: list[str]) -> None:
    """Each of these once took half a minute."""
    write(tree, {"f": content})
    began = time.perf_counter()
    assert redline("grep", *arguments, cwd=tree).status == 0
    assert time.perf_counter() - began < 15


def test_python_files_of_the_workspace_are_never_run(tree: Path) -> None:
    names = ("regex", "click", "msgspec", "signal", "traceback", "sqlite3", "json", "logging", "wcmatch")
    write(tree, {f"{name}.py": "raise SystemExit('hacked')  # needle\n" for name in names})
    assert len(redline("grep", "needle", cwd=tree).lines) == len(names)
    assert redline("replace", "needle", "pin", "--apply", cwd=tree).status == 0
