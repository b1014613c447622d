"""The writing tools: a plan and a diff, kept for review; nothing is written."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agents.calls import answered, done, refused
from tests.conftest import write
from tui.agents.answer import Answer
from tui.agents.call import call
from tui.agents.desk import Desk
from tui.agents.registry import registry
from tui.edit.apply import apply
from tui.edit.store import Store
from tui.review.proposals import Inbox, inbox
from tui.review.receipts import State
from tui.workspace import Workspace

EDITS: list[tuple[str, dict[str, Any], bytes | None]] = [
    ("replace_in_file", {"path": "a.py", "find": "one", "replace": "uno"}, b"uno\r\ntwo\r\nuno\r\n"),
    ("replace_in_file", {"path": "a.py", "find": "one\ntwo", "replace": "1\n2"}, b"1\r\n2\r\none\r\n"),
    (
        "replace_in_file",
        {"path": "a.py", "find": r"(\w)(ne|wo)", "replace": r"\2\1", "is_regex": True},
        b"neo\r\nwot\r\nneo\r\n",
    ),
    (
        "replace_in_file",
        {"path": "a.py", "find": r"(?<n>\w)ne", "replace": "${n}$1!", "is_regex": True},
        b"oo!\r\ntwo\r\noo!\r\n",
    ),
    (
        "replace_in_file",
        {"path": "a.py", "find": "ONE", "replace": "1", "case_sensitive": False},
        b"1\r\ntwo\r\n1\r\n",
    ),
    (
        "edit_lines",
        {"path": "a.py", "operation": "insert", "start_line": 1, "content": "x\ny"},
        b"one\r\nx\r\ny\r\ntwo\r\none\r\n",
    ),
    ("edit_lines", {"path": "a.py", "operation": "delete", "start_line": 2}, b"one\r\none\r\n"),
    (
        "edit_lines",
        {"path": "a.py", "operation": "replace", "start_line": 1, "end_line": 2, "content": "z"},
        b"z\r\none\r\n",
    ),
    ("update_file", {"path": "a.py", "content": "one\nthree\n"}, b"one\r\nthree\r\n"),
    ("append_file", {"path": "a.py", "content": "end\n"}, b"one\r\ntwo\r\none\r\nend\r\n"),
    ("create_file", {"path": "new/deep/b.py", "content": "b\n"}, b"b\n"),
    ("delete_file", {"path": "a.py"}, None),
]


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.py": b"one\r\ntwo\r\none\r\n", "b.bin": b"\0\1\2", "empty": b""})
    return tree


def proposed(root: Path, number: int) -> Any:
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return Inbox(store).plan(number)


@pytest.mark.parametrize(
    ("tool", "arguments", "result"), EDITS, ids=[f"{i}-{e[0]}" for i, e in enumerate(EDITS)]
)
def test_a_change_waits_for_review_and_is_what_would_be_written(
    project: Path, tool: str, arguments: dict[str, Any], result: bytes | None
) -> None:
    answer = done(project, tool, **arguments)
    data = answer["data"]
    assert data["status"] == "pending"
    assert data["path"] == arguments["path"]
    assert data["applied_diff"] is None
    assert data["hunks"]
    assert all(hunk["decision"] == "undecided" for hunk in data["hunks"])
    assert f"proposal {data['proposal_id']}" in answer["message"]
    assert data["diff"] in answer["output"]
    assert (project / "a.py").read_bytes() == b"one\r\ntwo\r\none\r\n"
    assert not (project / "new").exists()
    with Workspace(project) as workspace:
        (waiting,) = inbox(workspace)
        assert (waiting.id, waiting.state, waiting.files) == (data["proposal_id"], State.PENDING, 1)
        assert waiting.title == registry()[tool].execution_summary(registry()[tool].parameters(**arguments))
        apply(workspace, proposed(project, waiting.id))
    path = project / arguments["path"]
    assert (path.read_bytes() if path.exists() else None) == result


def test_the_diff_says_what_changes(project: Path) -> None:
    data = done(project, "replace_in_file", path="a.py", find="two", replace="2")["data"]
    assert data["diff"].endswith("--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n one\r\n")
    assert data["replacements"] == 1
    assert "total_lines" not in data


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_lines", {"path": "a.py", "operation": "insert", "start_line": 3, "content": "x"}),
        ("update_file", {"path": "a.py", "content": "1\n2\n3\n4"}),
        ("append_file", {"path": "a.py", "content": "x\n"}),
        ("create_file", {"path": "c.py", "content": "1\n2\n3\n4\n"}),
    ],
)
def test_the_new_number_of_lines_is_told(project: Path, tool: str, arguments: dict[str, Any]) -> None:
    data = done(project, tool, **arguments)["data"]
    assert data["total_lines"] == 4
    assert "replacements" not in data


def test_a_preview_keeps_nothing_and_asks_no_one(project: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("replace_in_file", {"path": "a.py", "find": "one", "replace": "1"}),
        ("edit_lines", {"path": "a.py", "operation": "delete", "start_line": 1}),
    ]
    for tool, arguments in calls:
        data = done(project, tool, **arguments, preview_only=True)["data"]
        assert (data["status"], data["proposal_id"], data["hunks"]) == ("preview", None, [])
        assert "-one" in data["diff"]
    with Workspace(project) as workspace:
        assert inbox(workspace, pending_only=False) == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("replace_in_file", {"path": "a.py", "find": "absent", "replace": "x"}),
        ("replace_in_file", {"path": "a.py", "find": "one", "replace": "one"}),
        ("update_file", {"path": "a.py", "content": "one\ntwo\none\n"}),
        ("append_file", {"path": "a.py", "content": ""}),
        ("edit_lines", {"path": "a.py", "operation": "replace", "start_line": 1, "content": "one"}),
    ],
)
def test_what_changes_nothing_needs_no_approval(project: Path, tool: str, arguments: dict[str, Any]) -> None:
    data = done(project, tool, **arguments)["data"]
    assert (data["status"], data["diff"], data["proposal_id"]) == ("unchanged", "", None)
    if tool == "replace_in_file":
        assert data["replacements"] == 0
    with Workspace(project) as workspace:
        assert inbox(workspace) == []


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "words"),
    [
        ("replace_in_file", {"path": "no.py", "find": "a", "replace": "b"}, "NOT_FOUND", "no.py"),
        ("edit_lines", {"path": "no.py", "operation": "delete", "start_line": 1}, "NOT_FOUND", "no.py"),
        ("update_file", {"path": "no.py", "content": ""}, "NOT_FOUND", "no.py"),
        ("append_file", {"path": "no.py", "content": "x"}, "NOT_FOUND", "no.py"),
        ("delete_file", {"path": "no.py"}, "NOT_FOUND", "no.py"),
        ("replace_in_file", {"path": "b.bin", "find": "a", "replace": "b"}, "BINARY_FILE", "b.bin"),
        (
            "edit_lines",
            {"path": "a.py", "operation": "delete", "start_line": 4},
            "INVALID_RANGE",
            "lines 1 to 3",
        ),
        (
            "edit_lines",
            {"path": "a.py", "operation": "delete", "start_line": 1, "end_line": 9},
            "INVALID_RANGE",
            "lines 1 to 3",
        ),
        (
            "edit_lines",
            {"path": "a.py", "operation": "insert", "start_line": 4, "content": "x"},
            "INVALID_RANGE",
            "0 to 3",
        ),
        ("edit_lines", {"path": "empty", "operation": "delete", "start_line": 1}, "INVALID_RANGE", "empty"),
        (
            "replace_in_file",
            {"path": "a.py", "find": "(", "replace": "", "is_regex": True},
            "INVALID_REGEX",
            "position 1",
        ),
        (
            "replace_in_file",
            {"path": "a.py", "find": "(a)", "replace": r"\2", "is_regex": True},
            "INVALID_ARGUMENT",
            "group",
        ),
        ("create_file", {"path": "a.py", "content": ""}, "INVALID_ARGUMENT", "there already"),
        ("create_file", {"path": "a.py/b", "content": ""}, "NOT_A_DIRECTORY", "a.py/b"),
        ("create_file", {"path": "new/", "content": ""}, "INVALID_ARGUMENT", "names no file"),
        ("delete_file", {"path": "."}, "INVALID_ARGUMENT", "workspace itself"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    project: Path, tool: str, arguments: dict[str, Any], code: str, words: str
) -> None:
    error = refused(project, tool, **arguments)
    assert error["code"] == code
    assert words in error["message"]
    assert error["suggestion"]
    with Workspace(project) as workspace:
        assert inbox(workspace) == []


def test_a_read_only_file_is_refused_before_anyone_is_asked(project: Path) -> None:
    (project / "a.py").chmod(0o444)
    error = refused(project, "append_file", path="a.py", content="x")
    assert (error["code"], "read-only" in error["message"]) == ("PERMISSION_DENIED", True)


def test_utf_16_is_shown_as_text(project: Path) -> None:
    write(project, {"wide.txt": "eins\nzwei\n".encode("utf-16")})
    data = done(project, "replace_in_file", path="wide.txt", find="zwei", replace="drei")["data"]
    assert "-zwei\n+drei" in data["diff"]


def test_a_catastrophic_pattern_is_given_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.agents.tools.replace_in_file.SECONDS_PER_FILE", 0.2)
    write(project, {"slow.txt": "a" * 60 + "b\n"})
    error = refused(project, "replace_in_file", path="slow.txt", find="(a|aa)+$", replace="", is_regex=True)
    assert error["code"] == "INVALID_REGEX"
    assert "took longer than" in error["message"]


def test_the_answer_waits_for_the_decision(project: Path) -> None:
    """What is decided meanwhile, by another process in real life, is in the answer."""
    with Workspace(project) as workspace:

        def decide() -> None:
            while not inbox(workspace):
                time.sleep(0.02)
            with Store.open(workspace) as store, store.transaction() as database:
                database.execute("UPDATE proposals SET state = 'rejected'")

        deciding = threading.Thread(target=decide)
        deciding.start()
        answer = call(Desk(workspace, wait=60), "append_file", {"path": "a.py", "content": "x"})
        deciding.join()
    assert isinstance(answer, Answer)
    assert getattr(answer.data, "status", "") == "rejected"
    assert "rejected; nothing was applied" in answer.output


def test_the_wait_ends_with_pending(project: Path) -> None:
    with Workspace(project) as workspace:
        began = time.monotonic()
        answer = call(Desk(workspace, wait=0.3), "append_file", {"path": "a.py", "content": "x"})
    assert isinstance(answer, Answer)
    assert getattr(answer.data, "status", "") == "pending"
    assert time.monotonic() - began >= 0.3


def test_what_was_proposed_is_kept_with_the_bytes_it_was_made_from(project: Path) -> None:
    number = done(project, "append_file", path="a.py", content="x")["data"]["proposal_id"]
    (project / "a.py").write_bytes(b"other\n")
    with Workspace(project) as workspace, Store.open(workspace) as store:
        assert Inbox(store).originals(number) == {"a.py": b"one\r\ntwo\r\none\r\n"}
        assert Inbox(store).plan(number).files[0].path == "a.py"


def test_proposals_of_many_agents_at_once_are_all_kept(project: Path) -> None:
    write(project, {f"{i}.txt": "x\n" for i in range(8)})
    agents = [
        threading.Thread(target=answered, args=(project, "append_file", {"path": f"{i}.txt", "content": "y"}))
        for i in range(8)
    ]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    with Workspace(project) as workspace:
        assert len(inbox(workspace)) == 8


def test_a_store_that_cannot_be_used_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path, {"not-a-directory": ""})
    monkeypatch.setenv("XDG_STATE_HOME", os.fspath(tmp_path / "not-a-directory"))
    error = refused(project, "append_file", path="a.py", content="x")
    assert error["code"] == "IO_ERROR"
    assert "XDG_STATE_HOME" in error["suggestion"]
    assert done(project, "grep", pattern="one")["data"]["total_matches"] == 2
