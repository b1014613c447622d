"""The same lines as ripgrep, over the Python standard library and over awkward line ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.cli.run import redline
from tests.conftest import write

pytestmark = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep (rg) is not installed")

STDLIB = Path(sysconfig.get_paths()["stdlib"])
OURS = ["--no-ignore", "--no-exclude", "--exclude", "site-packages", "--exclude", "__pycache__"]
OURS += ["--exclude", "test"]  # half of it, and more of the same
THEIRS = [
    "-n",
    "--no-heading",
    "--no-config",
    "--no-ignore",
    "--crlf",
    "-g",
    "!site-packages",
    "-g",
    "!__pycache__",
    "-g",
    "!test",
]

CASES: list[list[str]] = [
    # plain strings
    ["import os"],
    ["TODO"],
    ["self._lock"],
    ["no such text anywhere"],
    ["-F", "a[0]"],
    ["-F", "(self)"],
    ["-F", "*args, **kwargs"],
    ["-F", "\\n"],
    ["-F", "é"],
    ["-F", "日本"],
    # classes, repeats, groups
    [r"\bdef\b"],
    [r"def \w+_handler"],
    [r"[A-Z]{4}\d"],
    [r"0x[0-9a-fA-F]{8}\b"],
    [r"\d{4}-\d{2}-\d{2}"],
    [r"(import|from)\s+(os|sys)\b"],
    [r"foo|bar|bazaar"],
    [r"colou?r"],
    [r"(?:ab)+c"],
    [r'"""[^"]+"""'],
    [r"lambda\s+\w+,\s*\w+:"],
    [r"[^\x00-\x7F]"],
    [r"x{3,}"],
    [r"\.\.\.$"],
    # anchors
    [r"^class \w+:"],
    [r"^\s*$"],
    [r"^$"],
    [r"\\$"],
    [r"^if __name__ =="],
    [r";$"],
    # case
    ["-i", "todo"],
    ["-i", "unicodedecodeerror"],
    ["-i", r"kelvin|disk|ask"],
    ["-i", "straße"],
    ["-S", "valueerror"],
    ["-S", "ValueError"],
    # words
    ["-w", "os"],
    ["-w", "-i", "ASCII"],
    ["-w", r"get|set"],
    ["-w", "-F", "print"],
    # inverted
    ["-v", "-F", "e"],
    # files
    ["-g", "*.txt", "the"],
    ["-g", "json/*.py", "def "],
    ["-g", "!test", "-g", "*.py", "assertEqual"],
    ["-t", "py", "coding: latin"],
    ["-t", "c", "include"],
    # unicode
    [r"\p{Greek}"],
    [r"\p{Han}"],
    [r"ä|ö|ü"],
    # multiline
    ["-U", r"try:\n\s+import"],
    ["-U", r"\{\n\s*\}"],
]


def rg(*arguments: str, cwd: Path) -> list[bytes]:
    done = subprocess.run(["rg", *arguments, "."], cwd=cwd, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    lines = [line.removesuffix(b"\r") for line in done.stdout.removesuffix(b"\n").split(b"\n") if line]
    return [line.removeprefix(b"./") for line in lines]


def ours(*arguments: str, cwd: Path) -> list[bytes]:
    ran = redline("grep", *arguments, cwd=cwd)
    assert ran.status in (0, 1), ran.err
    return [line for line in ran.out.removesuffix(b"\n").split(b"\n") if line]


def has_late_nul(line: bytes) -> bool:
    """ripgrep calls a file binary for a NUL anywhere, Redline for one in the first 8 KiB."""
    path = STDLIB / os.fsdecode(line.split(b":", 1)[0])
    return b"binary file matches" in line.lower() or (path.is_file() and b"\0" in path.read_bytes())


def has_undecodable_bytes(line: bytes) -> bool:
    """To Redline such a byte is a character that `.` matches; to ripgrep it is none."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_same_lines_over_the_standard_library(case: list[str]) -> None:
    mine = ours(*OURS, *case, cwd=STDLIB)
    theirs = rg(*THEIRS, *case, cwd=STDLIB)
    assert mine == sorted(mine, key=lambda line: line.split(b":")[0]), "not in path order"
    difference = set(mine) ^ set(theirs)
    assert [line for line in difference if not has_late_nul(line) and not has_undecodable_bytes(line)] == []
    assert len(mine) == len(set(mine))


AWKWARD: dict[str, str | bytes] = {
    "crlf.txt": b"one\r\ntwo\r\n\r\nthree\r\n",
    "mixed.txt": b"one\ntwo\r\nthree\n\r\n",
    "no-final.txt": b"one\ntwo",
    "empty.txt": b"",
    "only-newlines.txt": b"\n\n\n",
    "latin1.txt": "Käse one\nnaïve two\n".encode("latin-1"),
    "bom.txt": "\ufeffone\ntwo\n".encode(),
    "utf16.txt": "\ufeffone\ntwo Käse\n".encode("utf-16-le"),
    "utf16be.txt": "\ufeffone\r\ntwo\r\n".encode("utf-16-be"),
    "vt.txt": b"one\x0btwo\x0cthree\x85\n\xe2\x80\xa8four\n",
}


@pytest.mark.parametrize(
    "pattern", ["one", "^one$", "two$", "^$", "e$", "K[äa]se", "^three", r"\Sour", "n", "^"]
)
@pytest.mark.parametrize("flags", [[], ["-i"], ["-w"], ["-v"]], ids=["plain", "-i", "-w", "-v"])
def test_same_lines_whatever_the_line_ends(tree: Path, pattern: str, flags: list[str]) -> None:
    write(tree, AWKWARD)
    mine = ours(*flags, pattern, cwd=tree)
    theirs = rg("-n", "--no-heading", "--no-config", "--crlf", *flags, pattern, cwd=tree)
    assert sorted(mine) == sorted(theirs)


@pytest.mark.parametrize(
    "flags", [["-c"], ["-l"], ["-A", "1"], ["-B", "2"], ["-C", "1"], ["-m", "1"]], ids=" ".join
)
def test_same_output_forms(tree: Path, flags: list[str]) -> None:
    write(
        tree,
        {
            f"{name}.txt": "".join(f"line {i} {'hit' if i % n == 0 else ''}\n" for i in range(30))
            for n, name in ((3, "a"), (7, "b"), (11, "c"))
        },
    )
    mine = ours(*flags, "hit", cwd=tree)
    assert mine == rg("-n", "--no-heading", "--no-config", "--sort", "path", *flags, "hit", cwd=tree)
