"""Agents and a person at once: the real MCP client, the real server, and the app in a real terminal."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_mcp import connected
from tests.conftest import write
from tests.e2e.terminal import Terminal, person, yes

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")

LINES = "".join(f"line {number}\n" for number in range(1, 31))
BOTH = {"line 2\n": "LINE 2\n", "line 28\n": "LINE 28\n"}


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.txt": LINES, "b.txt": LINES})
    return tree


def patch(path: str, edits: dict[str, str]) -> dict[str, str]:
    replaced = [{"oldText": old, "newText": new} for old, new in edits.items()]
    return {"patch": json.dumps({"path": path, "edits": replaced}), "title": f"shout in {path}"}


async def proposed(client: Any, path: str, edits: dict[str, str]) -> dict[str, Any]:
    result = await client.call_tool("propose_patch", patch(path, edits))
    assert not result.is_error, result.content
    return dict(result.structured_content)


async def awaited(client: Any, number: int) -> dict[str, Any]:
    result = await client.call_tool("await_review", {"proposal_id": number, "wait_seconds": 30})
    return dict(result.structured_content)


def answer_yes(terminal: Terminal, question: str, then: str) -> None:
    yes(terminal, question)
    terminal.until(then)


def test_one_of_two_hunks_with_a_reason_while_the_agent_waits(project: Path) -> None:
    def decide(terminal: Terminal) -> None:
        terminal.until("1 proposal F2")
        person(terminal, ("f2", "shout in a.txt"), ("enter", "@@ -25"))
        person(terminal, ("a", "1 undecided"), ("r", "1 of 2 hunks · 1 of 1 file"), ("c", "Why is this hunk"))
        person(terminal, ("too loud", "too loud"), ("enter", "✗ @@ -25,6 +25,6 @@  too loud"))
        answer_yes(terminal, "Apply 1 hunk in 1 file?", "applied: 1 hunk")

    async def story() -> dict[str, Any]:
        with Terminal(cwd=project) as terminal:
            await asyncio.to_thread(terminal.until, "2 files")
            async with connected(project, "--wait", "40", name="kimi") as client:
                call = asyncio.create_task(proposed(client, "a.txt", BOTH))
                await asyncio.to_thread(decide, terminal)
                told = await call
            terminal.send("ctrl+q")
        return told

    told = asyncio.run(story())
    assert told["status"] == "partial"
    assert [(hunk["path"], hunk["decision"], hunk["reason"]) for hunk in told["hunks"]] == [
        ("a.txt", "accepted", None),
        ("a.txt", "rejected", "too loud"),
    ]
    assert "+LINE 2\n" in told["applied_diff"]
    assert "LINE 28" not in told["applied_diff"]
    assert (project / "a.txt").read_text() == LINES.replace("line 2\n", "LINE 2\n")


def test_time_outs_a_killed_app_a_rejection_a_rebase_and_two_agents(project: Path) -> None:
    def reject_after_a_crash(to_it: list[str]) -> None:
        with Terminal(cwd=project) as killed:
            killed.until("2 proposals F2")
            person(killed, ("f2", "shout in a.txt"))
            killed.send(*to_it)
            person(killed, ("enter", "? @@ -25"), ("r", "1 undecided"))
            killed.read(0.5)
        with Terminal(cwd=project) as terminal:
            terminal.until("2 proposals F2")
            person(terminal, ("f2", "shout in a.txt"))
            terminal.send(*to_it)
            person(terminal, ("enter", "✗ @@ -1"), ("R", "✗ @@ -25"))
            answer_yes(terminal, "Reject the proposal?", "rejected: nothing was written")
            write(project, {"b.txt": "first\n" + LINES})
            person(terminal, ("enter", "b rebases the proposal"), ("b", "· rebased"), ("A", "2 of 2 hunks"))
            answer_yes(terminal, "Apply 2 hunks in 1 file?", "applied: 2 hunks")
            terminal.send("ctrl+q")

    async def story() -> tuple[dict[str, Any], dict[str, Any]]:
        async with (
            connected(project, "--wait", "0.1", name="kimi") as one,
            connected(project, "--wait", "0.1", name="lima") as other,
        ):
            first, second = await asyncio.gather(proposed(one, "a.txt", BOTH), proposed(other, "b.txt", BOTH))
            assert (first["status"], second["status"]) == ("pending", "pending")
            came_later = first["proposal_id"] > second["proposal_id"]
            await asyncio.to_thread(reject_after_a_crash, ["j"] if came_later else [])
            return await asyncio.gather(
                awaited(one, first["proposal_id"]), awaited(other, second["proposal_id"])
            )

    rejected, rebased = asyncio.run(story())
    by_name = {told["files"][0]: told for told in (rejected, rebased)}
    assert by_name["a.txt"]["status"] == "rejected"
    assert {hunk["decision"] for hunk in by_name["a.txt"]["hunks"]} == {"rejected"}
    assert by_name["b.txt"]["status"] == "applied"
    assert (project / "a.txt").read_text() == LINES
    expected = "first\n" + LINES.replace("line 2\n", "LINE 2\n").replace("line 28\n", "LINE 28\n")
    assert (project / "b.txt").read_text() == expected
