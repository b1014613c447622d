"""Whatever a patch says: nothing outside is read, nothing hangs, the answer is a plan or one clear error."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.review.patches.trees import refused, take, tree_after
from tests.review.patches.writers import WRITERS, Change
from tui.errors import NotADirectoryInWorkspaceError, NotFoundError, OutsideWorkspaceError, RedlineError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import Incoming, PatchError, incoming
from tui.text import is_plain
from tui.workspace import NotRegularFileError, Workspace

CANARY = "CANARY"
MANY = [3_000, pytest.param(10_000, marks=pytest.mark.slow)]

PATHS = [
    "../outside/canary",
    "src/../../outside/canary",
    "a/../../outside/canary",
    "{outside}/canary",
    "{root}/../outside/canary",
    "//{outside}/canary",
    "link/canary",
    "leaf",
    "src/up/canary",
    "canary\0",
    "src/a\0/../../outside/canary",
    "\0",
    "..",
    ".",
    "/",
    "",
    "src",
    "fifo",
    "loop/x",
    "x" * 5000,
    "d/" * 5000 + "x",
    "src/f/beneath-a-file",
    "\x1b[31mred\x07",
    "\u202egnp.exe",
    "\\\\server\\share",
    "~/canary",
]


@pytest.fixture(scope="module")
def snare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with links out of it, beside a file that must never be read."""
    base = tmp_path_factory.mktemp("snare")
    root = base / "workspace"
    write(base, {"outside/canary": f"{CANARY}\n", "x": CANARY, "workspace/canary": "a\n"})
    write(root, {"f": "a\nb\r\nc", "src/f": "a\n"})
    (root / "link").symlink_to(base / "outside")
    (root / "leaf").symlink_to(base / "outside" / "canary")
    (root / "src/up").symlink_to("../../outside")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "fifo")
    return root


def sections(path: str, old: str = CANARY) -> dict[str, str]:
    """A change of this file in each format, and its deletion, creation, renaming and copying."""
    quoted = '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(path)) + '"'
    prefixed = quoted.replace('"', '"a/', 1), quoted.replace('"', '"b/', 1)
    hunk = f"@@ -1 +1 @@\n-{old}\n+b\n"
    return {
        "unified": f"--- {prefixed[0]}\n+++ {prefixed[1]}\n{hunk}",
        "bare": f"--- {quoted}\n+++ {quoted}\n{hunk}",
        "git": f"diff --git {prefixed[0]} {prefixed[1]}\nold mode 100644\nnew mode 100755\n",
        "create": f"--- /dev/null\n+++ {prefixed[1]}\n@@ -0,0 +1 @@\n+b\n",
        "delete": f"--- {prefixed[0]}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{old}\n",
        "rename": f"diff --git {prefixed[0]} b/new\nrename from {quoted}\nrename to new\n",
        "rename to": f"diff --git a/src/f {prefixed[1]}\nrename from src/f\nrename to {quoted}\n",
        "copy": f"diff --git {prefixed[0]} b/new\ncopy from {quoted}\ncopy to new\n",
        "copy to": f"diff --git a/src/f {prefixed[1]}\ncopy from src/f\ncopy to {quoted}\n",
        "codex": f"*** Begin Patch\n*** Update File: {path}\n-{old}\n+b\n*** End Patch\n",
        "codex add": f"*** Begin Patch\n*** Add File: {path}\n+b\n*** End Patch\n",
        "codex delete": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n",
        "block": f"`{path}`\n<<<<<<< SEARCH\n{old}\n=======\nb\n>>>>>>> REPLACE\n",
        "json": json.dumps({"path": path, "edits": [{"oldText": old, "newText": "b"}]}),
        "json new": json.dumps({"path": path, "edits": [{"oldText": "", "newText": "b"}]}),
    }


def answer(root: Path, patch: bytes, **options: bool) -> Incoming | RedlineError:
    """A plan or one of Redline's errors, in words that can go to a terminal; anything else fails the test."""
    with Workspace(root) as workspace:
        try:
            return incoming(workspace, patch, **options)  # type: ignore[arg-type]
        except RedlineError as error:
            assert is_plain(error.message.replace("\n", "")), error.message
            return error


@pytest.mark.parametrize("path", PATHS)
def test_nothing_outside_is_read(snare: Path, path: str) -> None:
    given = path.replace("{outside}", str(snare.parent / "outside")).replace("{root}", str(snare))
    for kind, patch in sections(given).items():
        got = answer(snare, patch.encode())
        if isinstance(got, Incoming):
            assert CANARY not in str(got.plan) + str(got.originals), (kind, patch)
            for edit in got.plan.files:
                for name in filter(None, (edit.path, edit.new_path)):
                    assert not name.startswith(("/", "..", "link/", "src/up/", "loop")), (kind, patch)
        else:
            assert "1 (patch" not in got.message or "canary" not in given, (kind, got.message)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("../outside/canary", OutsideWorkspaceError),
        ("/etc/passwd", OutsideWorkspaceError),
        ("link/canary", NotADirectoryInWorkspaceError),
        ("leaf", NotRegularFileError),
        ("src", NotRegularFileError),
        ("fifo", NotRegularFileError),
        ("\0", NotFoundError),
        ("gone\x1b[0m", NotFoundError),
    ],
)
def test_each_refusal_names_the_path(snare: Path, path: str, error: type[RedlineError]) -> None:
    shown = path.replace("\0", "\\0").replace("\x1b", "\\x1b")
    for kind in ("unified", "codex", "block", "json"):
        assert shown in refused(snare, sections(path)[kind], error)


def test_a_new_file_beneath_a_link(snare: Path) -> None:
    for kind in ("create", "codex add", "json new", "rename to", "copy to"):
        assert isinstance(
            answer(snare, sections("link/new")[kind].encode()), NotADirectoryInWorkspaceError
        ), kind


def test_a_link_is_not_made(tree: Path) -> None:
    patch = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    assert "l: a symbolic link" in refused(tree, patch, PatchError)


def test_halves_of_characters(tree: Path) -> None:
    write(tree, {"f": "a\n"})
    for patch in (
        b'{"path": "f", "edits": [{"oldText": "a", "newText": "\\ud800"}]}',
        b'{"path": "\\udcff", "edits": []}',
        b'{"path": "\xed\xa0\x80", "edits": []}',
    ):
        assert isinstance(answer(tree, patch), PatchError)


def many_hunks(form: str, lines: list[str]) -> bytes:
    """Every second line changed; of the unified diff each hunk is a line off."""
    if form != "unified":
        return WRITERS[form](
            [Change("f", lines, [f"{n}\n" if n % 2 else line for n, line in enumerate(lines)])]
        )
    hunks = [f"@@ -{n},2 +{n},2 @@\n {lines[n]}-{lines[n + 1]}+{n + 1}\n" for n in range(0, len(lines), 2)]
    return ("--- a/f\n+++ b/f\n" + "".join(hunks)).encode()


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("form", ["unified", "apply_patch", "search_replace", "json_edits"])
def test_thousands_of_hunks(tree: Path, form: str, many: int) -> None:
    lines = [f"line {number:06} of the file\n" for number in range(2 * many)]
    write(tree, {"f": "".join(lines)})
    patch = many_hunks(form, lines)
    began = time.monotonic()
    got = take(tree, patch)
    assert time.monotonic() - began < many / 1000
    assert tree_after(tree, got)["f"][0].count(b"line") == many
    assert len(got.plan.files[0].splices) == many


@pytest.mark.parametrize("many", MANY)
def test_thousands_of_files(tree: Path, many: int) -> None:
    patch = "".join(f"--- /dev/null\n+++ b/d{n % 9}/{n}\n@@ -0,0 +1 @@\n+x\n" for n in range(many))
    began = time.monotonic()
    assert len(take(tree, patch).plan.files) == many
    assert time.monotonic() - began < many / 1000


HUGE = "y" * 3_000_000


@pytest.mark.parametrize(
    "patch",
    [
        f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{HUGE}\n+{HUGE}z\n",
        f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{HUGE}q\n+x\n",
        f"f\n<<<<<<< SEARCH\n{HUGE}q\n=======\nx\n>>>>>>> REPLACE\n",
        f"{HUGE}\n<<<<<<< SEARCH\nq\n=======\nx\n>>>>>>> REPLACE\n",
        "*" * 3_000_000 + "\n<<<<<<< SEARCH\nq\n=======\nx\n>>>>>>> REPLACE\n",
        json.dumps({"path": "f", "edits": [{"oldText": "y" * 2_999_999 + "q", "newText": ""}]}),
        json.dumps({"path": "f", "edits": [{"oldText": "y", "newText": "zz", "replace_all": True}]}),
        "diff --git " + "a " * 1_000_000 + "\n",
        f'--- "{HUGE}\n+++ x\n@@ -1 +1 @@\n',
        "[" * 3_000_000,
        '{"a":' * 500_000,
        "```" + "\n```\n x" * 400_000,
        "\n" * 3_000_000 + "x",
        "--- a\n" * 500_000,
        "@@ -" + "1" * 3_000_000,
        f"Subject: {'[a] ' * 500_000}\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n",
        "f\n<<<<<<< SEARCH\n" * 100_000,
    ],
)
def test_huge_lines_and_endless_beginnings(tree: Path, patch: str) -> None:
    write(tree, {"f": HUGE + "\n"})
    began = time.monotonic()
    answer(tree, patch.encode(), fuzz=True)
    assert time.monotonic() - began < 5


SEEDS = [
    *[
        writer([Change("f", ["a\n", "b\n", "c\n"], ["a\n", "B\n", "c\n", "d\n"])])
        for writer in WRITERS.values()
    ],
    *[patch.encode() for patch in sections("src/f", "a").values()],
]
PIECES = [
    *(
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"+",
        b"-",
        b" ",
        b"@@",
        b"@@ -1 +1 @@",
        b"@@ -0,0 +9,9 @@\n",
        b"***",
        b"=======\n",
    ),
    *(
        b"--- /dev/null\n",
        b"+++ b/../x\n",
        b"\\ No newline at end of file\n",
        b"*** End of File\n",
        b"../",
        b'"',
        b"\\",
    ),
    *(
        b"<<<<<<< SEARCH\n",
        b">>>>>>> REPLACE\n",
        b"rename to ../x\n",
        b"new file mode 120000\n",
        b"copy from f\n",
    ),
    *(b"{", b"}", b"[", b'"edits"', b"null", b"99999999999", b"\xef\xbb\xbf", b"f", b"a\n"),
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid patch with stretches of it removed, doubled, or replaced."""
    patch = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(patch)))
        end = min(len(patch), start + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(PIECES) | st.just(patch[start:end] * 2) | st.binary(max_size=4))
        patch = patch[:start] + new + patch[end:]
    return patch


@given(mutated() | st.binary(max_size=80) | st.text(max_size=60).map(str.encode), st.booleans())
@settings(max_examples=300)
def test_any_text_gives_a_plan_or_an_error(snare: Path, patch: bytes, fuzz: bool) -> None:
    got = answer(snare, patch, fuzz=fuzz)
    if isinstance(got, Incoming):
        assert CANARY not in str(got.originals)
        for edit in got.plan.files if got.format is not Format.PLAN else ():
            assert edit.after is None or edit.new_bytes(got.originals.get(edit.path, b"")) is not None


@given(st.sampled_from(list(Format)), mutated() | st.binary(max_size=60))
@settings(max_examples=150)
def test_any_text_said_to_be_of_any_format(snare: Path, form: Format, patch: bytes) -> None:
    answer(snare, patch, format=form)  # type: ignore[arg-type]
