"""No path string, link or race takes a tool out of the workspace."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from itertools import islice
from pathlib import Path

import pytest

from tests.agents.calls import answered, refused
from tests.agents.hostile import CANARY, LISTS, NAME_NO_FILES, OTHERS, PATHS, WITH_PATH, calls
from tests.conftest import write
from tui.agents.registry import registry

ROUNDS = 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with links that lead out of it, between neighbours that hold the secret."""
    root = tmp_path / "workspace"
    write(
        tmp_path,
        {"outside/canary.txt": f"{CANARY}-text\n", "workspace-sibling/canary.txt": f"{CANARY}-text\n"},
    )
    write(tmp_path, {"workspace/src/a.py": "a = 1\n", "workspace/sub/b.py": "b = 1\n"})
    (root / "leaf").symlink_to("../outside/canary.txt")
    (root / "link").symlink_to("../outside")
    (root / "src/up").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to("loop")
    (root / "rootlink").symlink_to(".")
    os.mkfifo(root / "fifo")
    return root


def neighbours(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for place in ("outside", "workspace-sibling")
        for path in (root.parent / place).iterdir()
    }


def test_there_are_many_hostile_paths_against_every_tool() -> None:
    assert len(set(PATHS)) >= 40
    attacked = set(WITH_PATH) | {tool for tool, *_ in OTHERS + LISTS} | {"propose_patch"}
    assert attacked == set(registry()) - NAME_NO_FILES


def test_every_parameter_that_names_files_is_attacked() -> None:
    names = {"path", "include", "exclude", "exclude_dirs", "filePattern"}
    for tool in registry().values():
        theirs = set(tool.parameters.__struct_encode_fields__) & names
        tried = {parameter for name, parameter, _ in OTHERS + LISTS if name == tool.name}
        assert theirs <= tried | ({"path"} if tool.name in WITH_PATH else set())


def test_nothing_of_the_outside_is_told_or_changed(root: Path) -> None:
    before = neighbours(root)
    for tool, arguments in islice(calls(root), 0, None, 2):  # the other test makes all of them
        answer = answered(root, tool, arguments)
        told = json.dumps(answer.get("data", {}))
        asked = json.dumps(arguments)
        assert f"{CANARY}-text" not in told, (tool, asked)
        assert "root:x:0" not in told, (tool, asked)
    assert neighbours(root) == before


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_nothing_of_the_outside_is_even_opened(root: Path, tmp_path: Path) -> None:
    log = tmp_path / "strace.log"
    watched = ["strace", "-f", "-y", "-qq", "-e", "trace=open,openat,openat2,creat", "-o", str(log)]
    command = [*watched, sys.executable, "-m", "tests.agents.hostile", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    opened = re.findall(r"= \d+<([^>]*)>", log.read_text())
    assert any(str(root) in path for path in opened), "nothing was watched"
    guilty = [path for path in opened if "/outside" in path or "-sibling" in path or path == "/etc/passwd"]
    assert guilty == []


@pytest.mark.parametrize("tool", [name for name in WITH_PATH if name != "list_directory"])
def test_dotdot_is_refused_by_name(root: Path, tool: str) -> None:
    error = refused(root, tool, path="../outside/canary.txt", **WITH_PATH[tool])
    assert error["code"] == "OUTSIDE_WORKSPACE"
    dialect = tool in ("GrepFiles", "GrepContent")
    expected = "Error: path must be under the workspace." if dialect else "../outside/canary.txt: outside"
    assert error["message"].startswith(expected)


def test_a_parent_swapped_for_a_link_meanwhile_leads_nowhere(root: Path) -> None:
    """`sub` is now a directory with b.py, now a link to the outside, where there is a b.py too."""
    (root.parent / "outside/b.py").write_text(f"{CANARY}-text\n")
    before = neighbours(root)
    stop = threading.Event()

    def swap() -> None:
        real, link = root / "sub", root / "sub.link"
        while not stop.is_set():
            os.rename(real, root / "sub.real")
            link.symlink_to("../outside")
            os.rename(link, real)
            real.unlink()
            os.rename(root / "sub.real", real)

    swapping = threading.Thread(target=swap)
    swapping.start()
    answers = 0
    try:
        for _ in range(ROUNDS):
            for tool in ("read_file", "replace_in_file", "delete_file", "grep", "update_file", "append_file"):
                answer = answered(root, tool, {"path": "sub/b.py", **WITH_PATH[tool]})
                assert CANARY not in json.dumps(answer.get("data", {}).get("content", ""))
                assert f"{CANARY}-text" not in json.dumps(answer)
                answers += answer["ok"]
            for tool in ("grep", "GrepContent", "search-files", "list_directory", "create_file"):
                path = "sub/new.py" if tool == "create_file" else "sub"
                answer = answered(root, tool, {"path": path, **WITH_PATH[tool]})
                assert f"{CANARY}-text" not in json.dumps(answer)
                assert "canary.txt" not in json.dumps(answer.get("data", {}))
    finally:
        stop.set()
        swapping.join()
    assert answers > 0, "the path was never what it should be: nothing was tried"
    assert neighbours(root) == before
