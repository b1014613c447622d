"""Agents' own edits, caught by a hook: what becomes of each event, and that a broken one stops nobody."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.hostile import PATHS
from tests.agents.reviews import NO, YES, deciding, end, meanwhile, no, pending
from tests.agents.reviews import opened as opened_proposal
from tests.conftest import write
from tui.agents.hooks.events import Event, may_edit, read
from tui.agents.hooks.review import Reply, reviewed
from tui.errors import RedlineError
from tui.review.decisions import Decision
from tui.review.proposals import Inbox
from tui.review.receipts import State
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


@pytest.fixture
def project(tree: Path) -> Path:
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
        shown = opened_proposal(workspace, waiting.id)
    files: dict[str, bytes | None] = {}
    for edit in shown.plan.files:
        files[edit.path] = None
        if edit.after is not None:
            files[edit.new_path or edit.path] = edit.new_bytes(shown.originals.get(edit.path, b""))
    return files


def claude(root: Path, tool: str, path: str = "a.txt", **tool_input: Any) -> bytes:
    return event(root, tool, file_path=str(root / path), **tool_input)


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n one\n-two\n+2\n*** End Patch"


class TestClaude:
    @pytest.mark.parametrize(
        ("tool", "path", "tool_input", "result"),
        [
            ("Edit", "src/b.py", {"old_string": "two", "new_string": "2"}, b"one\r\n2\r\n"),
            ("Edit", "src/b.py", {"old_string": "one\ntwo\n", "new_string": "1\n2\n"}, b"1\r\n2\r\n"),
            (
                "Edit",
                "src/b.py",
                {"old_string": "o", "new_string": "0", "replace_all": True},
                b"0ne\r\ntw0\r\n",
            ),
            ("Edit", "new/c.py", {"old_string": "", "new_string": "c\n"}, b"c\n"),
            (
                "MultiEdit",
                "src/b.py",
                {
                    "edits": [
                        {"old_string": "one", "new_string": "three"},
                        {"old_string": "three", "new_string": "3"},
                        {"old_string": "two", "new_string": "2", "replace_all": False},
                    ]
                },
                b"3\r\n2\r\n",
            ),
            ("Write", "src/b.py", {"content": "one\nthree\n"}, b"one\r\nthree\r\n"),
            ("Write", "new/c.py", {"content": "c\n"}, b"c\n"),
            ("Write", "empty", {"content": "x"}, b"x"),
        ],
    )
    def test_an_edit_is_proposed_and_not_made(
        self, project: Path, tool: str, path: str, tool_input: dict[str, Any], result: bytes
    ) -> None:
        before = (project / path).read_bytes() if (project / path).exists() else None
        told = denial(hooked("claude", claude(project, tool, path, **tool_input)))
        (waiting,) = pending(project)
        assert would_write(project) == {path: result}
        assert (waiting.agent, waiting.note) == ("claude", "claude session 0b1c")
        assert path in waiting.title
        assert f"waits in the inbox as proposal {waiting.id}; nothing was written" in told
        assert "await_review" in told
        assert ((project / path).read_bytes() if (project / path).exists() else None) == before

    @pytest.mark.parametrize(
        ("tool_input", "cells"),
        [
            ({"cell_id": "sum", "new_source": "2 + 2\n3"}, ["# Größe\ntext", "2 + 2\n3"]),
            ({"cell_number": 0, "new_source": "# Two"}, ["# Two", "1 + 1"]),
            ({"cell_id": "cell-1", "new_source": "x"}, ["# Größe\ntext", "x"]),
            ({"cell_id": "intro", "edit_mode": "delete"}, ["1 + 1"]),
            ({"new_source": "first", "edit_mode": "insert"}, ["first", "# Größe\ntext", "1 + 1"]),
            (
                {"cell_id": "intro", "new_source": "y", "edit_mode": "insert", "cell_type": "markdown"},
                ["# Größe\ntext", "y", "1 + 1"],
            ),
            (
                {"cell_number": 2, "new_source": "end", "edit_mode": "insert"},
                ["# Größe\ntext", "1 + 1", "end"],
            ),
        ],
    )
    def test_a_cell_of_a_notebook(self, project: Path, tool_input: dict[str, Any], cells: list[str]) -> None:
        raw = event(project, "NotebookEdit", notebook_path=str(project / "book.ipynb"), **tool_input)
        denial(hooked("claude", raw))
        new = would_write(project)["book.ipynb"]
        assert new is not None
        notebook = json.loads(new)
        assert ["".join(cell["source"]) for cell in notebook["cells"]] == cells
        assert len({cell["id"] for cell in notebook["cells"]}) == len(cells)
        assert {key: value for key, value in notebook.items() if key != "cells"} == {
            key: value for key, value in NOTEBOOK.items() if key != "cells"
        }

    def test_the_diff_of_a_notebook_shows_the_cell_alone(self, project: Path) -> None:
        raw = event(
            project, "NotebookEdit", notebook_path=str(project / "book.ipynb"), cell_id="sum", new_source="2"
        )
        denial(hooked("claude", raw))
        (waiting,) = pending(project)
        assert (waiting.added, waiting.removed) == (3, 10)
        new = would_write(project)["book.ipynb"] or b""
        assert b'"execution_count": null' in new
        assert "Größe".encode() in new

    def test_a_cell_that_becomes_text_has_no_outputs(self, project: Path) -> None:
        path = str(project / "book.ipynb")
        raw = event(
            project, "NotebookEdit", notebook_path=path, cell_id="sum", new_source="t", cell_type="markdown"
        )
        denial(hooked("claude", raw))
        cell = json.loads(would_write(project)["book.ipynb"] or b"")["cells"][1]
        assert set(cell) == {"cell_type", "id", "metadata", "source"}

    def test_the_repository_around_is_the_workspace(self, project: Path) -> None:
        for part in ("objects", "refs"):
            (project / ".git" / part).mkdir(parents=True)
        write(project, {".git/HEAD": "ref: refs/heads/main\n"})
        raw = event(
            project, "Edit", "src", file_path=str(project / "a.txt"), old_string="line 2\n", new_string=""
        )
        denial(hooked("claude", raw))
        assert len(pending(project)) == 1

    def test_a_path_may_be_spelled_by_way_of_a_link(self, project: Path) -> None:
        alias = project.parent / "alias"
        alias.symlink_to(project)
        raw = claude(project, "Edit", old_string="line 2\n", new_string="").replace(
            json.dumps(str(project / "a.txt")).encode(), json.dumps(str(alias / "a.txt")).encode()
        )
        denial(hooked("claude", raw))
        assert would_write(project)["a.txt"] == "".join(LINES).replace("line 2\n", "").encode()


class TestCodex:
    def shown(self, root: Path, tool: str, command: object, where: str = "") -> Reply:
        return hooked("codex", event(root, tool, where, command=command))

    @pytest.mark.parametrize(
        ("tool", "command", "where"),
        [
            ("apply_patch", PATCH.format("src/b.py"), ""),
            ("apply_patch", PATCH.format("b.py"), "src"),
            ("apply_patch", PATCH.format("{root}/src/b.py"), ""),
            ("apply_patch", PATCH.format("../src/./b.py"), "src"),
            ("Bash", f"apply_patch <<'EOF'\n{PATCH.format('src/b.py')}\nEOF\n", ""),
            ("Bash", f'cd src && apply_patch <<"PATCH"\n{PATCH.format("b.py")}\nPATCH', ""),
            ("Bash", f"apply_patch '{PATCH.format('src/b.py')}'", ""),
            ("shell", ["apply_patch", PATCH.format("src/b.py")], ""),
            ("shell", ["bash", "-lc", f"apply_patch <<EOF\n{PATCH.format('src/b.py')}\nEOF"], ""),
        ],
    )
    def test_a_patch_is_proposed_and_not_made(
        self, project: Path, tool: str, command: object, where: str
    ) -> None:
        (project / ".git").mkdir()
        write(project, {".git/HEAD": "", ".git/objects/x": "", ".git/refs/x": ""})
        named = json.loads(json.dumps(command).replace("{root}", str(project)))
        told = denial(self.shown(project, tool, named, where))
        (waiting,) = pending(project)
        assert would_write(project) == {"src/b.py": b"one\r\n2\r\n"}
        assert (waiting.agent, waiting.note) == ("codex", "codex session 0b1c")
        assert f"proposal {waiting.id}" in told

    def test_files_that_come_go_and_move(self, project: Path) -> None:
        patch = (
            "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Delete File: empty\n"
            "*** Update File: src/b.py\n*** Move to: src/c.py\n@@\n-two\n+2\n*** End Patch"
        )
        denial(self.shown(project, "apply_patch", patch))
        assert would_write(project) == {
            "new.txt": b"x\n",
            "empty": None,
            "src/b.py": None,
            "src/c.py": b"one\r\n2\r\n",
        }

    @pytest.mark.parametrize(
        "command",
        [
            "ls -la",
            "grep apply_patch README.md",
            "apply_patch --help",
            f"apply_patch <<EOF\n{PATCH.format('src/b.py')}\nEOF\nrm -rf src",
            f"apply_patch <<EOF\n{PATCH.format('src/b.py')}\nEOF\nrm -rf src\nEOF",
            f"apply_patch <<EOF && make\n{PATCH.format('src/b.py')}\nEOF",
            "apply_patch <<EOF\n",
            "apply_patch 'unclosed",
            ["ls"],
            [],
            [1, 2],
            {"a": 1},
            7,
        ],
    )
    def test_what_is_no_patch_alone_passes(self, project: Path, command: object) -> None:
        assert self.shown(project, "Bash", command) == Reply(None)
        assert pending(project) == []

    def test_a_patch_of_other_places_is_none_of_ours(self, project: Path) -> None:
        reply = self.shown(project, "apply_patch", PATCH.format("/elsewhere/b.py"))
        assert passes(reply)
        assert (reply.output, "outside the workspace" in reply.told) == (None, True)

    def test_a_patch_of_here_and_elsewhere_has_to_be_split(self, project: Path) -> None:
        patch = PATCH.format("src/b.py").replace("*** End", "*** Add File: /elsewhere/c.py\n+x\n*** End")
        told = denial(self.shown(project, "apply_patch", patch))
        assert "/elsewhere/c.py, which is not in it; make two patches of it" in told
        assert pending(project) == []


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


def test_the_root_is_the_directory_where_there_is_no_repository(project: Path) -> None:
    assert Event("PreToolUse", "Edit", {}, str(project / "src")).root == str(project / "src")
    assert os.path.isabs(Event("PreToolUse", "Edit", {}).root)
