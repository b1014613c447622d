"""`redline tool`, `tools` and `inbox`, as an agent's harness starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import redline, redline_on_a_terminal
from tests.conftest import write
from tests.test_config import configured
from tui.config import config_path
from tui.edit.store import Store
from tui.workspace import Workspace

WRITERS = ["append_file", "create_file", "delete_file", "edit_lines", "propose_patch", "replace_in_file"]
WRITERS += ["update_file"]


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"src/a.py": "# TODO: one\nx = 1\n", "notes.md": "TODO\n"})
    return tree


def one_object(out: bytes) -> dict[str, Any]:
    (line,) = out.decode().splitlines()
    value: dict[str, Any] = json.loads(line)
    return value


def test_an_answer_is_one_json_object(project: Path) -> None:
    ran = redline("tool", "grep", '{"pattern": "TODO", "file_type": "py"}', cwd=project)
    answer = one_object(ran.out)
    assert ran.status == 0
    assert list(answer) == ["ok", "tool", "message", "output", "data", "warnings"]
    assert (answer["ok"], answer["tool"], answer["message"]) == (True, "grep", "Found 1 match in 1 file")
    assert answer["data"] == {
        "pattern": "TODO",
        "path": ".",
        "results": [
            {
                "file": "src/a.py",
                "match_count": 1,
                "matches": [
                    {
                        "line": 1,
                        "column": 3,
                        "content": "# TODO: one",
                        "spans": [[2, 6]],
                        "before": [],
                        "after": [],
                    }
                ],
            }
        ],
        "total_matches": 1,
        "total_files": 1,
        "files_scanned": 1,
        "truncated": False,
        "skipped": [],
        "suggestion": None,
    }


def test_arguments_come_from_stdin_too(project: Path) -> None:
    ran = redline("tool", "glob", "-", cwd=project, stdin=b'{"pattern": "**/*.py"}')
    assert one_object(ran.out)["data"]["files"] == ["src/a.py"]


def test_without_arguments_there_are_none(project: Path) -> None:
    assert one_object(redline("tool", "list_directory", cwd=project).out)["data"]["total_entries"] == 2


def test_text_is_what_a_model_reads(project: Path) -> None:
    ran = redline("tool", "grep", '{"pattern": "TODO"}', "--text", cwd=project)
    assert ran.lines == ["notes.md", "1: TODO", "", "src/a.py", "1: # TODO: one", ""]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("grep", "{", "INVALID_ARGUMENT"),
        ("grep", "{}", "REQUIRED"),
        ("grep", '{"pattern": "a", "max_results": 0}', "INVALID_RANGE"),
        ("grep", '{"pattern": "("}', "INVALID_REGEX"),
        ("grep", '{"pattern": "a", "path": "no"}', "NOT_FOUND"),
        ("grep", '{"pattern": "a", "path": ".."}', "OUTSIDE_WORKSPACE"),
        ("glob", '{"pattern": "{a"}', "INVALID_GLOB"),
        ("glob", '{"pattern": "*", "path": "notes.md"}', "NOT_A_DIRECTORY"),
        ("nonsense", "{}", "UNKNOWN_TOOL"),
    ],
)
def test_an_error_is_one_json_object_and_status_2(
    project: Path, name: str, arguments: str, code: str
) -> None:
    ran = redline("tool", name, arguments, cwd=project)
    answer = one_object(ran.out)
    assert ran.status == 2
    assert list(answer) == ["ok", "tool", "error"]
    assert (answer["ok"], answer["tool"], answer["error"]["code"]) == (False, name, code)
    assert {"code", "message", "suggestion"} <= set(answer["error"])


def test_an_invalid_pattern_is_told_with_a_valid_form(project: Path) -> None:
    error = one_object(redline("tool", "grep", '{"pattern": "a("}', cwd=project).out)["error"]
    assert error["message"] == "invalid regex at position 2: missing )"
    assert "search literally" in error["suggestion"]


def test_an_error_as_text_goes_to_stderr(project: Path) -> None:
    ran = redline("tool", "grep", "{}", "--text", cwd=project)
    assert (ran.status, ran.out) == (2, b"")
    assert "pattern is required" in ran.err


def test_a_root_that_is_not_there_is_told_in_json(project: Path) -> None:
    ran = redline("tool", "grep", '{"pattern": "a"}', "--root", "absent", cwd=project)
    assert (ran.status, one_object(ran.out)["error"]["code"]) == (2, "NOT_FOUND")


def test_the_root_may_be_another_directory(project: Path) -> None:
    ran = redline("tool", "read_file", '{"path": "src/a.py"}', "--root", str(project), cwd=project.parent)
    assert one_object(ran.out)["data"]["content"] == "# TODO: one\nx = 1"


def test_a_proposal_waits_in_the_inbox(project: Path) -> None:
    assert redline("inbox", cwd=project).status == 1
    arguments = '{"path": "src/a.py", "find": "one", "replace": "two"}'
    ran = redline("tool", "replace_in_file", arguments, "--agent", "kimi", cwd=project)
    answer = one_object(ran.out)
    assert (ran.status, answer["data"]["status"]) == (0, "pending")
    assert (project / "src/a.py").read_text() == "# TODO: one\nx = 1\n"
    (row,) = redline("inbox", cwd=project).lines
    assert row.endswith("1 file        +1 -1  kimi: Replace 'one' by 'two' in src/a.py")
    item = one_object(redline("inbox", "--json", cwd=project).out)
    del item["when"]
    assert item == {
        "id": answer["data"]["proposal_id"],
        "agent": "kimi",
        "title": "Replace 'one' by 'two' in src/a.py",
        "note": "",
        "state": "pending",
        "files": 1,
        "added": 1,
        "removed": 1,
    }


def test_the_agents_name_may_come_from_the_environment(project: Path) -> None:
    arguments = '{"path": "notes.md", "content": "x"}'
    redline("tool", "append_file", arguments, cwd=project, env={"REDLINE_AGENT": "codex"})
    assert one_object(redline("inbox", "--json", cwd=project).out)["agent"] == "codex"


class TestPermissions:
    def test_what_is_not_granted_is_denied(self, project: Path) -> None:
        arguments = '{"path": "notes.md", "content": "x"}'
        ran = redline("tool", "append_file", arguments, "--allow", "ReadFiles", cwd=project)
        error = one_object(ran.out)["error"]
        assert (ran.status, error["code"]) == (2, "PERMISSION_DENIED")
        assert error["message"] == "append_file needs ReadFiles and WriteFiles; granted here is ReadFiles"
        assert redline("inbox", cwd=project).status == 1

    def test_the_settings_grant_and_allow_only_narrows(self, project: Path) -> None:
        configured('[agents]\nallow = ["ReadFiles"]\n')
        for allow in ([], ["--allow", "ReadFiles", "--allow", "WriteFiles"]):
            ran = redline("tool", "append_file", '{"path": "notes.md", "content": "x"}', *allow, cwd=project)
            assert one_object(ran.out)["error"]["code"] == "PERMISSION_DENIED"
        assert redline("tool", "grep", '{"pattern": "TODO"}', cwd=project).status == 0

    def test_settings_that_cannot_be_read_grant_reading_only(self, project: Path) -> None:
        configured('[agents]\nallow = ["ReadFile"]\n')
        ran = redline("tool", "delete_file", '{"path": "notes.md"}', cwd=project)
        assert one_object(ran.out)["error"]["code"] == "PERMISSION_DENIED"
        assert "agents may only read" in ran.err
        assert redline("tool", "grep", '{"pattern": "TODO"}', cwd=project).status == 0

    def test_what_is_not_granted_is_left_out_of_the_prompt(self, project: Path) -> None:
        everything = redline("tools", "--prompt", cwd=project).out.decode()
        reading = redline("tools", "--prompt", "--allow", "ReadFiles", cwd=project).out.decode()
        for name in WRITERS:
            assert f"### {name}\n" in everything
            assert f"### {name}\n" not in reading
        assert "## File Writing" not in reading
        assert "### grep\n" in reading

    def test_an_unknown_permission_is_a_usage_error(self, project: Path) -> None:
        ran = redline("tools", "--allow", "Everything", cwd=project)
        assert ran.status == 2
        assert "ReadFiles" in ran.err


def test_the_largest_file_is_a_setting(project: Path) -> None:
    configured("[agents]\nmax_file_bytes = 10\n")
    answer = one_object(redline("tool", "grep", '{"pattern": "TODO"}', cwd=project).out)
    assert answer["data"]["total_files"] == 1
    assert "over 10 bytes" in answer["warnings"][0]


def test_the_list_of_tools_has_everything_about_each(project: Path) -> None:
    tools = json.loads(redline("tools", "--json", cwd=project).out)
    by_name = {tool["name"]: tool for tool in tools}
    assert {"grep", "glob", "search", "list_directory", "read_file", *WRITERS} <= set(by_name)
    assert {"GrepFiles", "GrepContent", "search-files", "search_files"} <= set(by_name)
    for tool in tools:
        for key in ("title", "description", "category", "termination_behavior_doc", "custom_prompt", "tags"):
            assert tool[key], (tool["name"], key)
        assert tool["requires_approval"] == (tool["name"] in WRITERS)
    assert by_name["delete_file"]["required_permissions"] == ["DeleteFiles"]
    assert by_name["create_file"]["required_permissions"] == ["CreateFiles"]
    assert by_name["edit_lines"]["required_permissions"] == ["ReadFiles", "WriteFiles"]
    assert by_name["grep"]["parameters"]["properties"]["max_results"]["default"] == 50
    assert {seed for tool in tools for seed in tool["seeds"]} == {"000", "001", "002", "003", "004"}


def test_the_plain_list_has_a_line_for_each_tool(project: Path) -> None:
    lines = redline("tools", cwd=project).lines
    assert "grep                      Search file contents" in lines
    assert "delete_file     approval  Delete a file" in lines


def test_a_terminal_gets_no_control_codes(project: Path) -> None:
    evil = "evil\x1b]52;c;aGk=\x07\x9b31m\u202e.py"
    write(project, {evil: "TODO \x1b[2J\u202e\n"})
    arguments = json.dumps({"path": evil, "find": "TODO", "replace": "\x1b]0;gotcha\x07"})
    runs = [
        redline_on_a_terminal("tool", "grep", '{"pattern": "TODO"}', cwd=project),
        redline_on_a_terminal("tool", "grep", '{"pattern": "TODO"}', "--text", cwd=project),
        redline_on_a_terminal(
            "tool", "replace_in_file", arguments, "--agent", "a\x1b[31m", "--text", cwd=project
        ),
        redline_on_a_terminal("tool", "read_file", '{"path": "\\u001b[31m\\u202e"}', cwd=project),
        redline_on_a_terminal("tool", "no\x1b[31m", "{}", cwd=project),
        redline_on_a_terminal("inbox", cwd=project, env={"NO_COLOR": "1"}),
        redline_on_a_terminal("inbox", "--json", cwd=project),
        redline_on_a_terminal("tool", "grep", '{"pattern": "\\u001b[31m("}', "--text", cwd=project),
    ]
    for ran in runs:
        shown = ran.out.decode() + ran.err
        for code in ("\x1b]", "\x1b[2J", "\x1b[31m", "\x07", "\x9b", "\u202e"):
            assert code not in shown, ran
    assert "\\x1b]52" in runs[1].out.decode()


def test_an_agent_finds_nothing_that_approves(project: Path) -> None:
    """No tool and no command that an agent's harness starts decides on a proposal."""
    tools = {tool["name"] for tool in json.loads(redline("tools", "--json", cwd=project).out)}
    assert not {
        name for name in tools if any(word in name for word in ("approve", "accept", "apply", "decide"))
    }
    redline("tool", "append_file", '{"path": "notes.md", "content": "x"}', cwd=project)
    for arguments in ('{"path": "notes.md", "content": "x", "approve": true}', '{"status": "applied"}'):
        assert redline("tool", "append_file", arguments, cwd=project).status == 2
    assert one_object(redline("inbox", "--json", cwd=project).out)["state"] == "pending"
    assert (project / "notes.md").read_text() == "TODO\n"


def test_a_reader_that_leaves_does_no_harm(project: Path) -> None:
    write(project, {f"{i}.txt": "TODO\n" * 100 for i in range(100)})
    arguments = '{"pattern": "TODO", "max_results": 500}'
    command = f"{sys.executable} -m tui tool grep '{arguments}' | head -c 10"
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert done.stdout == '{"ok":true'
    assert "Traceback" not in done.stderr


ODD_CALLS = {
    "stdin closed": "TOOL grep - <&-",
    "a full disk": """TOOL grep '{"pattern": "TODO"}' > /dev/full""",
    "a full disk, writing": """TOOL append_file '{"path": "notes.md", "content": "z"}' > /dev/full""",
    "a locale without the letters": """LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0
        TOOL create_file '{"path": "\\u00e4", "content": ""}'""",
    "a directory that is gone": """mkdir x && cd x && rmdir ../x && TOOL grep '{"pattern": "x"}'""",
}


@pytest.mark.parametrize("line", ODD_CALLS.values(), ids=ODD_CALLS.keys())
def test_no_way_of_calling_ends_in_a_traceback(project: Path, line: str) -> None:
    command = " ".join(line.split()).replace("TOOL", f"{sys.executable} -m tui tool")
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


def test_a_wait_is_a_number_of_seconds(project: Path) -> None:
    for value in ("nan", "inf", "-1"):
        assert redline("tool", "grep", '{"pattern": "x"}', "--wait", value, cwd=project).status == 2


def test_contents_are_not_shown_to_who_may_not_read(project: Path) -> None:
    ran = redline("tool", "delete_file", '{"path": "notes.md"}', "--allow", "DeleteFiles", cwd=project)
    answer = one_object(ran.out)
    assert answer["data"]["status"] == "pending"
    assert "TODO" not in ran.out.decode()


@pytest.mark.parametrize("kind", ["long", "fifo", "dangling"])
def test_settings_that_cannot_be_read_to_their_end_grant_reading_only(project: Path, kind: str) -> None:
    configured("#" * (1 << 20) + "\n[agents]\nallow = []\n")
    path = Path(config_path())
    if kind != "long":
        path.unlink()
        os.mkfifo(path) if kind == "fifo" else path.symlink_to("nowhere")
    ran = redline("tool", "delete_file", '{"path": "notes.md"}', cwd=project)
    assert one_object(ran.out)["error"]["code"] == "PERMISSION_DENIED"


def test_a_damaged_proposal_is_told(project: Path) -> None:
    redline("tool", "append_file", '{"path": "notes.md", "content": "x"}', cwd=project)
    with Workspace(project) as workspace, Store.open(workspace) as store, store.transaction() as database:
        database.execute("UPDATE proposals SET created = 1e30")
    ran = redline("inbox", cwd=project)
    assert ran.status == 2
    assert "proposal 1 is damaged" in ran.err


def test_one_proposal_is_shown_with_its_diff(project: Path) -> None:
    redline("tool", "replace_in_file", '{"path": "src/a.py", "find": "one", "replace": "1"}', cwd=project)
    ran = redline("inbox", "1", cwd=project)
    assert b"-# TODO: one\n+# TODO: 1\n" in ran.out
    assert redline("inbox", "7", cwd=project).status == 2
