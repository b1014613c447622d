"""Agents' own edits, caught by a hook: what each event proposes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.agents.hooking import (
    LINES,
    NOTEBOOK,
    PATCH,
    claude,
    denial,
    event,
    filled,
    hooked,
    passes,
    would_write,
)
from tests.agents.reviews import pending
from tests.conftest import write
from tui.agents.hooks.events import Event
from tui.agents.hooks.review import Reply


@pytest.fixture
def project(tree: Path) -> Path:
    return filled(tree)


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


def test_the_root_is_the_directory_where_there_is_no_repository(project: Path) -> None:
    assert Event("PreToolUse", "Edit", {}, str(project / "src")).root == str(project / "src")
    assert os.path.isabs(Event("PreToolUse", "Edit", {}).root)
