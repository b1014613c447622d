"""The house: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tui

PACKAGE = Path(tui.__file__).parent
ORDER = ["errors", "text", "config", "workspace", "search", "edit", "review", "agents", "cli"]
BELOW_THE_APP = {"errors", "text", "config", "workspace", "search", "edit", "review", "app"}


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tui":
            found.add(room_of(node.module))
        elif isinstance(node, ast.Import):
            found.update(room_of(alias.name) for alias in node.names if alias.name.split(".")[0] == "tui")
    return found - {""}


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_imports_run_one_way(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room == "app":
        assert imported(path) <= BELOW_THE_APP
    elif room in ORDER:
        starts_the_app = path.relative_to(PACKAGE) in (Path("cli/app.py"), Path("cli/review.py"))
        assert imported(path) <= {*ORDER[: ORDER.index(room) + 1], *(["app"] if starts_the_app else [])}


@pytest.mark.parametrize("path", sorted((PACKAGE / "app/widgets").glob("*.py")), ids=lambda path: path.name)
def test_widgets_know_neither_screens_nor_the_app(path: Path) -> None:
    source = path.read_text()
    assert "tui.app.screens" not in source
    assert "tui.app.app" not in source


def test_the_core_and_the_command_line_load_neither_textual_nor_rich() -> None:
    modules = [
        "tui." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0].removesuffix(".py") in ORDER
    ]
    code = (
        f"import sys, importlib\nfor name in {modules!r}: importlib.import_module(name)\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"textual", "rich"} & set(done.stdout.split()) == set()


def test_files_of_the_workspace_are_opened_in_one_place_only() -> None:
    """`open` and `os.open` elsewhere would go round the confinement."""
    allowed = {"workspace.py", "config.py", "search/gitfiles.py", "edit/apply.py", "edit/store.py"}
    allowed |= {"cli/terminal.py"}  # /dev/tty
    guilty = []
    for path in PACKAGE.rglob("*.py"):
        name = str(path.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) in ("open", "io.open", "os.open")
                and ast.unparse(node.args[0]) != "os.devnull"
            ):
                guilty.append(f"{name}:{node.lineno}")
    assert [place for place in guilty if place.split(":")[0] not in allowed] == []


WRITING = {"write", "pwrite", "rename", "replace", "unlink", "remove", "mkdir", "rmdir", "link", "symlink"}
WRITING |= {"chmod", "fchmod", "chown", "fchown", "setxattr", "removexattr", "truncate", "ftruncate", "utime"}


def test_files_of_the_workspace_are_changed_by_apply_and_its_parts_only() -> None:
    parts = {f"edit/{name}.py" for name in ("apply", "moves", "recovery", "staging", "steps", "takeback")}
    own_state = {"edit/store.py", "edit/lock.py"}
    guilty = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.startswith("os.") and called.removeprefix("os.") in WRITING:
                guilty.add(str(path.relative_to(PACKAGE)))
    assert guilty <= parts | own_state
