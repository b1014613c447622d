"""Replacing across ten thousand files, beside `rg -l | xargs sed -i`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.bench.table import Row, alternating
from tui.search.walk import Scope, walk
from tui.workspace import Workspace

FILES = 10_000
SIZE = 10_000
WORD = "needle_to_replace"
OTHER = "pin_that_replaces"


def rows(tree: Path, rounds: int) -> Iterator[Row]:
    """On files of about 10 KB made of the tree's own text, each with three occurrences."""
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as scratch:
        ours, theirs = Path(scratch, "ours"), Path(scratch, "theirs")
        for root in (ours, theirs):
            make_files(tree, root)
        os.environ["XDG_STATE_HOME"] = f"{scratch}/state"
        words = _Words()
        yield Row(
            f"replace in {FILES:,} files, journalled",
            *alternating(lambda: _replace(ours, words.mine()), lambda: _sed(theirs, words.theirs()), rounds),
            "rg -l | xargs sed -i",
            FILES * 3,
            aim=2.0,
        )
        undo, again = alternating(lambda: _redline(ours, "undo"), lambda: _sed(theirs, words.theirs()), 1)
        yield Row("undo of that", undo, again, "rg -l | xargs sed -i", FILES * 3)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest process: {peak:.0f} MB, for {FILES * SIZE / 1e6:.0f} MB of files", file=sys.stderr)


class _Words:
    """What to replace by what: there and back, so that every round has the same to do."""

    def __init__(self) -> None:
        self._mine = self._theirs = False

    def mine(self) -> tuple[str, str]:
        self._mine = not self._mine
        return (WORD, OTHER) if self._mine else (OTHER, WORD)

    def theirs(self) -> tuple[str, str]:
        self._theirs = not self._theirs
        return (WORD, OTHER) if self._theirs else (OTHER, WORD)


def make_files(tree: Path, root: Path) -> None:
    with Workspace(tree) as workspace:
        paths = islice(walk(workspace, Scope(ignore_files=False)), FILES)
        samples = [(tree / path).read_bytes().replace(b"\0", b"")[: SIZE // 4] for path in paths]
    line = f"\n{WORD} = 1\n".encode()
    for index in range(FILES):
        path = root / f"d{index % 100:02}" / f"f{index:05}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        pieces = [samples[(index * 4 + piece) % len(samples)] for piece in range(4)]
        path.write_bytes(line.join(pieces))


def _replace(root: Path, words: tuple[str, str]) -> None:
    _redline(root, "replace", "-F", *words, "--apply", "--no-ignore")


def _redline(root: Path, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "tui", *arguments, "--root", root], check=True, stderr=subprocess.DEVNULL
    )


def _sed(root: Path, words: tuple[str, str]) -> None:
    find = subprocess.Popen(
        ["rg", "-l", "-0", "-F", "--no-ignore", words[0]], cwd=root, stdout=subprocess.PIPE
    )
    subprocess.run(
        ["xargs", "-0", "sed", "-i", f"s/{words[0]}/{words[1]}/g"], cwd=root, stdin=find.stdout, check=True
    )
    find.wait()
