"""`redline hook`, as an agent starts it: one event in, one answer out, and never in the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.reviews import YES, deciding, no, pending
from tests.cli.run import Ran, redline
from tests.conftest import write


@pytest.fixture
def project(tree: Path) -> Path:
    lines = [f"line {number}\n" for number in range(1, 31)]
    write(tree, {"a.txt": "".join(lines), "data.bin": b"\0\1"})
    return tree


def edit(root: Path, path: str = "a.txt", old: str = "line 2\n", **more: Any) -> bytes:
    value = {
        "session_id": "0b1c",
        "cwd": str(root),
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(root / path), "old_string": old, "new_string": "LINE 2\n"},
        **more,
    }
    return json.dumps(value).encode()


def answer(ran: Ran) -> dict[str, Any]:
    (line,) = ran.lines
    value: dict[str, Any] = json.loads(line)
    return value


def reason(ran: Ran) -> str:
    assert ran.status == 0
    decision = answer(ran)["hookSpecificOutput"]
    assert set(decision) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (decision["hookEventName"], decision["permissionDecision"]) == ("PreToolUse", "deny")
    return str(decision["permissionDecisionReason"])


def test_an_accepted_edit_is_applied_once_and_the_agent_is_told(project: Path) -> None:
    with deciding(project, YES):
        ran = redline("hook", "claude", "--wait", "30", cwd=project.parent, stdin=edit(project))
    assert reason(ran).startswith("Redline applied this edit: do not repeat it. Proposal 1 was accepted")
    assert "+LINE 2\n" in reason(ran)
    assert (project / "a.txt").read_text().startswith("line 1\nLINE 2\nline 3\n")


def test_a_rejected_patch_is_told_with_the_reason(project: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 2\n+2\n*** Add File: b.txt\n+b\n*** End Patch"
    raw = edit(project, tool_name="apply_patch", tool_input={"command": patch})
    with deciding(project, no("keep it"), no("not this one")):
        ran = redline("hook", "codex", "--wait", "30", cwd=project.parent, stdin=raw)
    assert "nothing was applied" in reason(ran)
    assert "keep it" in reason(ran)
    assert "rejected: b.txt" in reason(ran)
    assert not (project / "b.txt").exists()


def test_past_the_wait_the_edit_stays_in_the_inbox(project: Path) -> None:
    ran = redline("hook", "claude", "--wait", "0.1", cwd=project, stdin=edit(project))
    assert "waits in the inbox as proposal 1; nothing was written" in reason(ran)
    assert [each.agent for each in pending(project)] == ["claude"]


def test_another_workspace_may_be_named(project: Path) -> None:
    raw = edit(project, cwd=str(project.parent))
    ran = redline("hook", "claude", "--wait", "0", "--root", str(project), cwd=project.parent, stdin=raw)
    assert "proposal 1" in reason(ran)
    assert len(pending(project)) == 1


BROKEN = {
    "nothing": b"",
    "no JSON": b'{"tool_name": ',
    "no object": b"[1, 2]",
    "bytes": b"\xff\xfe\x00",
    "deep": b"[" * 100_000,
    "half a character": b'{"hook_event_name": "PreToolUse", "tool_name": "\\ud800"}',
    "no tool": b'{"hook_event_name": "PreToolUse"}',
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_event_stops_nobody(project: Path, raw: bytes) -> None:
    ran = redline("hook", "claude", cwd=project, stdin=raw)
    assert (ran.status, ran.out) == (0, b"")
    assert ran.err.startswith("redline: not reviewed: the event")
    assert ran.err.count("\n") == 1


def test_what_cannot_be_reviewed_passes_and_the_person_is_told(project: Path) -> None:
    for raw, words in (
        (edit(project, "data.bin"), "data.bin: a binary file"),
        (edit(project, old="absent"), "not in the file"),
        (edit(project, tool_input={"file_path": 7}), "the input of Edit is not as expected"),
        (edit(project, cwd=str(project / "gone"), tool_input={}), "no such file or directory"),
    ):
        ran = redline("hook", "claude", cwd=project, stdin=raw)
        assert ran.status == 0
        assert words in ran.err
        assert ran.err.count("\n") == 1
        assert b"hookSpecificOutput" not in ran.out
    assert pending(project) == []


def test_what_is_no_edit_passes_without_a_word(project: Path) -> None:
    for raw in (edit(project, tool_name="Read"), b'{"hook_event_name": "Stop"}'):
        ran = redline("hook", "claude", cwd=project, stdin=raw)
        assert (ran.status, ran.out, ran.err) == (0, b"", "")


def test_an_agent_it_does_not_know_is_a_usage_error(project: Path) -> None:
    ran = redline("hook", "hal", cwd=project)
    assert ran.status == 2
    assert "'claude', 'codex'" in ran.err
