"""Path strings that try to leave the workspace, against every parameter that could take one.

`python -m tests.agents.hostile ROOT` makes all the calls and prints the answers: to be watched from
outside by a program that sees every file that is opened.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.agents.calls import answered

CANARY = "CANARY"

PATHS = [
    "..",
    "../",
    "../outside",
    "../outside/canary.txt",
    "../workspace-sibling/canary.txt",
    "../../outside/canary.txt",
    "src/../../outside/canary.txt",
    "src/../../../../../../../../etc/passwd",
    "./../outside/canary.txt",
    "..//outside//canary.txt",
    ".././outside/./canary.txt",
    "/etc/passwd",
    "//etc/passwd",
    "///etc/passwd",
    "/",
    "/.",
    "/..",
    "{outside}/canary.txt",
    "{root}/../outside/canary.txt",
    "{root}-sibling/canary.txt",
    "{root}/link/canary.txt",
    "{root}",
    "{root}/",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/../outside/canary.txt",
    "/dev/stdin",
    "/dev/null",
    "leaf",
    "leaf/",
    "leaf/.",
    "link",
    "link/",
    "link/canary.txt",
    "link/../outside/canary.txt",
    "src/up",
    "src/up/canary.txt",
    "loop",
    "loop/loop",
    "fifo",
    "rootlink/src/a.py",
    "canary.txt\0",
    "src/a.py\0/../../outside/canary.txt",
    "\0",
    "..\\outside\\canary.txt",
    "src\\..\\..\\outside\\canary.txt",
    "C:\\Windows\\win.ini",
    "\\\\server\\share",
    "~",
    "~/canary.txt",
    "~root/.bashrc",
    "$HOME/canary.txt",
    "${HOME}/canary.txt",
    "..;/outside/canary.txt",
    "%2e%2e/outside/canary.txt",
    "%2e%2e%2foutside%2fcanary.txt",
    "..%c0%af..%c0%afoutside",
    "..%00/outside",
    ". ./outside",
    ".. /outside/canary.txt",
    "../outside/canary.txt ",
    "../outside/canary.txt.",
    "src/a.py/../../../outside/canary.txt",
    "file:///etc/passwd",
    "．．/outside/canary.txt",
    "…/outside/canary.txt",
    "\u202e../outside/canary.txt",
    "\n../outside/canary.txt",
    "-rf",
    "x" * 300,
    "a/" * 3000 + "b",
    "../" * 100 + "etc/passwd",
]

WITH_PATH: dict[str, dict[str, Any]] = {
    "grep": {"pattern": CANARY},
    "glob": {"pattern": "**/*"},
    "list_directory": {},
    "read_file": {},
    "replace_in_file": {"find": "a", "replace": "b"},
    "edit_lines": {"operation": "insert", "start_line": 0, "content": "x"},
    "create_file": {"content": "x"},
    "update_file": {"content": "x"},
    "append_file": {"content": "x"},
    "delete_file": {},
    "GrepFiles": {"pattern": "*"},
    "GrepContent": {"pattern": CANARY},
    "search-files": {"pattern": "**/*"},
}
OTHERS: list[tuple[str, str, dict[str, Any]]] = [
    ("glob", "pattern", {}),
    ("GrepFiles", "pattern", {}),
    ("search-files", "pattern", {}),
    ("search_files", "pattern", {"query": CANARY}),
    ("GrepContent", "filePattern", {"pattern": CANARY}),
]
LISTS: list[tuple[str, str, dict[str, Any]]] = [
    ("grep", "include", {"pattern": CANARY}),
    ("grep", "exclude", {"pattern": CANARY}),
    ("glob", "exclude", {"pattern": "**/*"}),
    ("search", "exclude_dirs", {"query": CANARY}),
    ("search-files", "exclude", {"pattern": "**/*"}),
]
IN_PATCHES = [
    "*** Begin Patch\n*** Update File: {path}\n@@\n+x\n*** End Patch\n",
    "*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n",
    "--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-CANARY-text\n+x\n",
    "{path}\n<<<<<<< SEARCH\nCANARY-text\n=======\nx\n>>>>>>> REPLACE\n",
]
NAME_NO_FILES = {"await_review", "list_proposals"}


def calls(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every tool with every hostile string in every parameter that names files."""
    paths = [
        path.replace("{root}", str(root)).replace("{outside}", str(root.parent / "outside")) for path in PATHS
    ]
    for path in paths:
        for tool, rest in WITH_PATH.items():
            yield tool, {"path": path, **rest}
        for tool, parameter, rest in OTHERS:
            yield tool, {parameter: path, **rest}
        for tool, parameter, rest in LISTS:
            yield tool, {parameter: [path], **rest}
        for patch in IN_PATCHES:
            yield "propose_patch", {"patch": patch.replace("{path}", path)}


def main(root: Path) -> None:
    for tool, arguments in calls(root):
        print(json.dumps([tool, arguments, answered(root, tool, arguments)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
