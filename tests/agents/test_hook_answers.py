"""What a hook answers: exactly what was applied; and nothing where there is nothing to review."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.hooking import LINES, PATCH, claude, denial, event, filled, hooked, passes
from tests.agents.hostile import PATHS
from tests.agents.reviews import NO, YES, deciding, end, meanwhile, no, pending
from tests.conftest import write
from tui.agents.hooks.review import Reply
from tui.errors import RedlineError
from tui.review.decisions import Decision
from tui.review.proposals import Inbox
from tui.review.receipts import State


@pytest.fixture
def project(tree: Path) -> Path:
    return filled(tree)


class TestAnswers:
    """Texts are for the agent, which must know what is on the disk now and what is not."""

    EDITS = (
        {"old_string": "line 2\n", "new_string": "LINE 2\n"},
        {"old_string": "line 28\n", "new_string": "LINE 28\n"},
    )

    def told(self, project: Path, *decisions: Decision, reason: str = "") -> str:
        with deciding(project, *decisions, reason=reason):
            return denial(hooked("claude", claude(project, "MultiEdit", edits=self.EDITS), 30))

    def test_all_of_it_applied(self, project: Path) -> None:
        told = self.told(project, YES, YES)
        assert told.startswith(
            "Redline applied this edit: do not repeat it. Proposal 1 was accepted and applied."
            " Read the file again before you change it further.\naccepted: a.txt @@"
        )
        assert "+LINE 2\n" in told
        assert "+LINE 28" in told
        assert (project / "a.txt").read_text().count("LINE") == 2

    def test_a_part_of_it_applied(self, project: Path) -> None:
        told = self.told(project, YES, no("too loud"), reason="one will do")
        assert told.startswith("Redline applied a part of this edit: do not repeat it.")
        assert "only that part was applied: one will do" in told
        assert "rejected: a.txt @@" in told
        assert ": too loud\n" in told
        assert "+LINE 2\n" in told
        assert "+LINE 28" not in told
        assert (project / "a.txt").read_text().count("LINE") == 1

    def test_rejected(self, project: Path) -> None:
        told = self.told(project, NO, no("leave it"))
        assert told.startswith("Redline did not apply this edit: do not repeat it as it is.")
        assert "was rejected; nothing was applied" in told
        assert "leave it" in told
        assert "LINE" not in (project / "a.txt").read_text()

    @pytest.mark.parametrize(
        ("state", "words"), [(State.STALE, "read the file again"), (State.WITHDRAWN, "was withdrawn")]
    )
    def test_ended_otherwise(self, project: Path, state: State, words: str) -> None:
        with meanwhile(project, lambda number: end(project, number, state, "moved on")):
            told = denial(hooked("claude", claude(project, "MultiEdit", edits=self.EDITS), 30))
        assert words in told
        assert "nothing was applied: moved on" in told

    def test_nobody_decided_in_time(self, project: Path) -> None:
        told = denial(hooked("claude", claude(project, "MultiEdit", edits=self.EDITS), 0.2))
        assert told == (
            "Redline has not applied this edit yet: do not repeat it. It waits in the inbox as proposal 1;"
            " nothing was written. Call the tool await_review with proposal_id 1, or ask the person to review"
            " it in Redline (F2)."
        )

    def test_a_store_that_fails_while_it_waits_does_not_set_the_agent_free(self, project: Path) -> None:
        """The person may be looking at the proposal already."""
        from tui.agents import outcomes

        class Failing(Inbox):
            def wait(self, *_: Any, **__: Any) -> Any:
                raise RedlineError("the disk is gone")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outcomes, "Inbox", Failing)
            told = denial(hooked("claude", claude(project, "MultiEdit", edits=self.EDITS), 5))
        assert "waits in the inbox as proposal 1" in told

    def test_a_long_answer_is_cut(self, project: Path) -> None:
        write(project, {"long.txt": ""})
        content = "".join(f"{'x' * 90} {number}\n" for number in range(2000))
        with deciding(project, YES):
            told = denial(hooked("claude", claude(project, "Write", "long.txt", content=content), 30))
        assert 4000 < len(told) < 10_000
        assert told.endswith("... (cut; read the file to see all of it)")
        assert (project / "long.txt").read_text() == content

    def test_nothing_in_the_event_decides(self, project: Path) -> None:
        raw = json.loads(claude(project, "MultiEdit", edits=self.EDITS))
        for key in ("decision", "permissionDecision", "state", "approved", "hookSpecificOutput"):
            raw[key] = raw["tool_input"][key] = "allow"
        denial(hooked("claude", json.dumps(raw).encode()))
        assert [each.state for each in pending(project)] == [State.PENDING]
        assert "LINE" not in (project / "a.txt").read_text()

    def test_words_of_the_event_are_written_out(self, project: Path) -> None:
        evil = "\x1b]0;x\x07\n\u202e"
        raw = json.loads(claude(project, "Write", f"{evil}.txt", content="x\n"))
        raw["session_id"] = evil * 100
        denial(hooked("claude", json.dumps(raw).encode()))
        (waiting,) = pending(project)
        for text in (waiting.title, waiting.note):
            assert not any(code in text for code in "\x1b\x07\n\u202e")


class TestPassing:
    @pytest.mark.parametrize(
        "raw",
        [
            {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {}},
            {"hook_event_name": "Stop"},
            {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}},
            {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "a.txt"}},
            {"hook_event_name": "PreToolUse", "tool_name": "mcp__redline__grep", "tool_input": {}},
        ],
    )
    @pytest.mark.parametrize("agent", ["claude", "codex"])
    def test_what_is_no_edit_passes_without_a_word(self, agent: str, raw: dict[str, Any]) -> None:
        assert hooked(agent, json.dumps(raw).encode()) == Reply(None)

    @pytest.mark.parametrize(
        ("path", "tool_input", "words"),
        [
            ("a.txt", {"old_string": "absent", "new_string": "x"}, "is not in the file"),
            ("a.txt", {"old_string": "line", "new_string": "x"}, "more than once"),
            ("a.txt", {"old_string": "line 2\n", "new_string": "line 2\n"}, "changes nothing"),
            ("no.txt", {"old_string": "a", "new_string": "b"}, "no such file"),
            ("data.bin", {"old_string": "a", "new_string": "b"}, "binary"),
            ("vast.txt", {"old_string": "a", "new_string": "b"}, "over the limit"),
            ("link.txt", {"old_string": "line 2\n", "new_string": "b"}, "link"),
        ],
    )
    def test_what_cannot_be_reviewed_passes_and_is_told(
        self, project: Path, path: str, tool_input: dict[str, str], words: str
    ) -> None:
        with (project / "vast.txt").open("wb") as file:
            file.truncate(17_000_000)
        (project / "link.txt").symlink_to("a.txt")
        reply = hooked("claude", claude(project, "Edit", path, **tool_input))
        assert passes(reply)
        assert words in reply.told
        assert reply.output == {"systemMessage": f"Redline: {reply.told}"}
        assert "\n" not in reply.told
        assert pending(project) == []

    def test_so_do_a_notebook_that_is_none_and_a_cell_that_is_not_there(self, project: Path) -> None:
        for path, cell in (("a.txt", "sum"), ("book.ipynb", "none"), ("book.ipynb", "cell-9")):
            raw = event(
                project, "NotebookEdit", notebook_path=str(project / path), cell_id=cell, new_source="x"
            )
            assert "no" in hooked("claude", raw).told
        assert pending(project) == []

    def test_a_file_elsewhere_is_none_of_ours(self, project: Path) -> None:
        write(project.parent, {"outside.txt": "x\n"})
        reply = hooked("claude", claude(project, "Write", "../outside.txt", content="y\n"))
        assert (reply.output, "outside the workspace" in reply.told) == (None, True)

    def test_a_write_of_the_same_content_passes(self, project: Path) -> None:
        assert hooked("claude", claude(project, "Write", content="".join(LINES))) == Reply(None)

    def test_so_does_everything_where_the_store_cannot_be_used(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        write(tmp_path, {"not-a-directory": ""})
        monkeypatch.setenv("XDG_STATE_HOME", os.fspath(tmp_path / "not-a-directory"))
        reply = hooked("claude", claude(project, "Edit", old_string="line 2\n", new_string=""))
        assert passes(reply)
        assert "not reviewed" in reply.told


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=5), some, max_size=3)
)
TOOLS = st.sampled_from(
    ["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "Bash", "shell", "Read"]
)
TEXTS = st.sampled_from(
    ["line 2\n", "", "one", "absent", "# apply_patch", PATCH.format("src/b.py")]
) | st.text(max_size=5)
INPUTS = st.fixed_dictionaries(
    {},
    optional={
        "file_path": st.sampled_from([*PATHS, "a.txt", "src/b.py", "data.bin"]) | VALUES,
        "notebook_path": st.sampled_from(["book.ipynb", "a.txt"]) | VALUES,
        "old_string": TEXTS | VALUES,
        "new_string": TEXTS | VALUES,
        "replace_all": st.booleans() | VALUES,
        "content": TEXTS | VALUES,
        "edits": st.lists(st.fixed_dictionaries({"old_string": TEXTS, "new_string": TEXTS}), max_size=3)
        | VALUES,
        "cell_id": st.sampled_from(["sum", "cell-0", "cell-99"]) | VALUES,
        "cell_number": st.integers(-2, 4) | VALUES,
        "edit_mode": st.sampled_from(["insert", "delete", "replace"]) | VALUES,
        "new_source": TEXTS | VALUES,
        "command": TEXTS | VALUES,
    },
)


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(agent=st.sampled_from(["claude", "codex"]), raw=st.binary(max_size=40) | VALUES.map(json.dumps))
def test_what_is_no_event_gets_no_decision(agent: str, raw: bytes | str) -> None:
    try:
        assert hooked(agent, raw.encode() if isinstance(raw, str) else raw) == Reply(None)
    except RedlineError as error:  # which the command tells in one line
        assert "\n" not in error.message


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(agent=st.sampled_from(["claude", "codex"]), tool=TOOLS, tool_input=INPUTS | VALUES, data=st.data())
def test_no_event_writes_and_a_decision_is_always_about_a_proposal(
    project: Path, agent: str, tool: str, tool_input: Any, data: st.DataObject
) -> None:
    before, waiting = snapshot(project), len(pending(project))
    raw = json.loads(event(project, tool))
    raw["tool_input"] = tool_input
    raw |= data.draw(st.dictionaries(st.sampled_from(["cwd", "session_id", "more"]), VALUES, max_size=1))
    try:
        reply = hooked(agent, json.dumps(raw).encode())
    except RedlineError as error:
        assert "\n" not in error.message
        return
    assert snapshot(project) == before
    proposed = len(pending(project)) - waiting if isinstance(raw["cwd"], str) else 0
    if passes(reply):
        assert proposed == 0
        assert "\n" not in reply.told
    else:
        assert "nothing was written" in denial(reply)
