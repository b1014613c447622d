"""Events as agents tell them, and what the hook answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.agents.reviews import opened, pending
from tests.conftest import write
from tui.agents.hooks.events import may_edit, read
from tui.agents.hooks.review import Reply, reviewed
from tui.workspace import Workspace

LINES = [f"line {number}\n" for number in range(1, 31)]
NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Größe\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "id": "sum",
            "metadata": {},
            "outputs": [{"output_type": "stream", "text": ["2\n"]}],
            "source": ["1 + 1"],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n one\n-two\n+2\n*** End Patch"


def filled(tree: Path) -> Path:
    """The workspace that the events are about."""
    write(tree, {"a.txt": "".join(LINES), "src/b.py": b"one\r\ntwo\r\n", "data.bin": b"\0\1\2", "empty": ""})
    write(tree, {"book.ipynb": json.dumps(NOTEBOOK, indent=1, ensure_ascii=False) + "\n"})
    return tree


def event(root: Path, tool: str, where: str = "", **tool_input: Any) -> bytes:
    return json.dumps(
        {
            "session_id": "0b1c",
            "transcript_path": None,
            "cwd": str(root / where),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": "t1",
            "permission_mode": "bypassPermissions",
        }
    ).encode()


def hooked(agent: str, raw: bytes, wait: float = 0.0) -> Reply:
    """What the command does with an event, in this process."""
    event = read(raw)
    if event is None or not may_edit(agent, event):
        return Reply(None)
    with Workspace(event.root) as workspace:
        return reviewed(agent, workspace, event, wait)


def denial(reply: Reply) -> str:
    assert reply.output is not None, reply
    decision = reply.output["hookSpecificOutput"]
    assert (decision["hookEventName"], decision["permissionDecision"]) == ("PreToolUse", "deny")
    reason: str = decision["permissionDecisionReason"]
    return reason


def passes(reply: Reply) -> bool:
    return "hookSpecificOutput" not in (reply.output or {})


def would_write(root: Path) -> dict[str, bytes | None]:
    """The files as the one proposal that waits would make them."""
    (waiting,) = pending(root)
    with Workspace(root) as workspace:
        shown = opened(workspace, waiting.id)
    files: dict[str, bytes | None] = {}
    for edit in shown.plan.files:
        files[edit.path] = None
        if edit.after is not None:
            files[edit.new_path or edit.path] = edit.new_bytes(shown.originals.get(edit.path, b""))
    return files


def claude(root: Path, tool: str, path: str = "a.txt", **tool_input: Any) -> bytes:
    return event(root, tool, file_path=str(root / path), **tool_input)
