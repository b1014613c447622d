"""Codex patches: read as Codex reads them, placed as it places them, but never by guessing at whitespace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import write
from tests.review.patches.trees import after, refused, take, tree_after
from tui.errors import NotFoundError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import PatchError

CLASSES = """class A:
    def run(self):
        return 1

class B:
    def run(self):
        return 1

    def stop(self):
        return 1
"""


def wrapped(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


@pytest.fixture
def classes(tree: Path) -> Path:
    write(tree, {"c.py": CLASSES})
    return tree


def test_everything_it_can_say(tree: Path) -> None:
    write(tree, {"u": "a\nb\n", "gone": "x\0", "from": "1\n2\n", "kept": "k"})
    patch = wrapped(
        "*** Add File: new/n\n+one\n+\n+three\n"
        "*** Delete File: gone\n"
        "*** Update File: u\n@@\n a\n-b\n+B\n"
        "*** Update File: from\n*** Move to: to/t\n@@\n-1\n+one\n 2\n"
    )
    got = take(tree, patch)
    assert got.format is Format.APPLY_PATCH
    assert {path: data for path, (data, _) in tree_after(tree, got).items()} == {
        "kept": b"k",
        "new/n": b"one\n\nthree\n",
        "u": b"a\nB\n",
        "to/t": b"one\n2\n",
    }


@pytest.mark.parametrize(
    "around",
    [
        "apply_patch <<'EOF'\n{}EOF\n",
        '<<"EOF"\n{}EOF',
        "```\n{}```\n",
        "Here is the patch:\n\n```patch\n{}```\nDone.\n",
        "  {}",
    ],
)
def test_what_it_is_wrapped_in(tree: Path, around: str) -> None:
    write(tree, {"u": "a\n"})
    assert after(tree, around.format(wrapped("*** Update File: u\n-a\n+b\n"))) == {"u": b"b\n"}


def test_blanks_around_markers(tree: Path) -> None:
    write(tree, {"u": "a\n"})
    patch = " *** Begin Patch \n *** Update File: u \n@@ \n-a\n+b\n*** End Patch  "
    assert after(tree, patch) == {"u": b"b\n"}


class TestHeadings:
    def test_the_first_place_after_it(self, classes: Path) -> None:
        patch = wrapped("*** Update File: c.py\n@@ class B:\n-        return 1\n+        return 2\n")
        got = take(classes, patch)
        new = CLASSES.splitlines()
        new[6] = "        return 2"
        assert tree_after(classes, got)["c.py"][0].decode().splitlines() == new
        assert got.notes == ("c.py: hunk 1 was put at line 7; its old text is at line 10 too",)

    def test_several_of_them(self, classes: Path) -> None:
        hunk = "@@ class B:\n@@     def stop(self):\n-        return 1\n+        return 3\n"
        got = take(classes, wrapped(f"*** Update File: c.py\n{hunk}"))
        assert tree_after(classes, got)["c.py"][0].decode().endswith("return 3\n")
        assert got.notes == ()

    def test_one_that_is_not_there(self, classes: Path) -> None:
        patch = wrapped("*** Update File: c.py\n@@ class C:\n-        return 1\n+        return 2\n")
        told = refused(classes, patch, PatchError)
        assert "c.py: the line @@ class C: of hunk 1 (patch line 3) is not in the file; nearest" in told

    def test_whitespace_only_with_fuzz(self, classes: Path) -> None:
        patch = wrapped("*** Update File: c.py\n@@ def stop(self):\n-        return 1\n+        return 2\n")
        assert "--fuzz" in refused(classes, patch, PatchError)
        got = take(classes, patch, fuzz=True)
        assert tree_after(classes, got)["c.py"][0].decode().endswith("return 2\n")
        assert got.notes == ("c.py: the heading of hunk 1 was found by ignoring whitespace: look closely",)

    def test_without_one_the_old_text_has_to_be_there_once(self, classes: Path) -> None:
        patch = wrapped("*** Update File: c.py\n@@\n-        return 1\n+        return 2\n")
        assert "more than once: lines 3, 7 and 10" in refused(classes, patch, PatchError)

    def test_what_lies_before_the_last_hunk_does_not_count(self, classes: Path) -> None:
        hunks = "@@\n-    def stop(self):\n+    def end(self):\n@@\n-        return 1\n+        pass\n"
        patch = wrapped(f"*** Update File: c.py\n{hunks}")
        assert after(classes, patch)["c.py"].decode().endswith("def end(self):\n        pass\n")


class TestTheEndOfTheFile:
    def test_the_marker(self, tree: Path) -> None:
        write(tree, {"u": "a\nx\nb\nx\n"})
        patch = "*** Update File: u\n@@\n-x\n+y\n*** End of File\n"
        assert after(tree, wrapped(patch)) == {"u": b"a\nx\nb\ny\n"}
        write(tree, {"u": "x\nb\n"})
        assert "not at its end" in refused(tree, wrapped(patch), PatchError)

    def test_nothing_old_means_the_end(self, tree: Path) -> None:
        write(tree, {"u": "a\r\nb"})
        assert after(tree, wrapped("*** Update File: u\n@@\n+x\n+y\n")) == {"u": b"a\r\nb\r\nx\r\ny"}
        got = take(tree, wrapped("*** Update File: u\n@@ a\n+x\n@@\n+y\n"))
        assert tree_after(tree, got)["u"][0] == b"a\r\nb\r\nx\r\ny"
        assert got.notes == ("u: hunk 1 has no old lines: it was put at the end of the file, as Codex does",)

    def test_it_stays_without_a_line_end(self, tree: Path) -> None:
        write(tree, {"u": "a\nb"})
        assert after(tree, wrapped("*** Update File: u\n@@\n a\n-b\n+c\n")) == {"u": b"a\nc"}


def test_an_empty_line_is_unchanged_or_only_apart(tree: Path) -> None:
    write(tree, {"u": "a\n\nb\nc\n"})
    assert after(tree, wrapped("*** Update File: u\n@@\n a\n\n-b\n+B\n\n@@\n-c\n+C\n\n")) == {
        "u": b"a\n\nB\nC\n"
    }


def test_a_new_file_in_place_of_one_that_is_there(tree: Path) -> None:
    write(tree, {"u": "a\r\nb\r\nc\r\n"})
    got = take(tree, wrapped("*** Add File: u\n+a\n+B\n+c\n"))
    (edit,) = got.plan.files
    assert edit.new_bytes(b"a\r\nb\r\nc\r\n") == b"a\r\nB\r\nc\r\n"
    assert [splice.new for splice in edit.splices] == [b"B\r\n"]
    assert got.notes == ("u: it is there already; the patch gives it whole new contents",)


def test_deleted_and_made_anew(tree: Path) -> None:
    write(tree, {"u": "a\n"})
    assert after(tree, wrapped("*** Delete File: u\n*** Add File: u\n+b\n")) == {"u": b"b\n"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("*** Begin Patch\n*** Update File: u\n@@\n-a\n+b\n", "no line *** End Patch: was it cut off?"),
        ("*** Begin Patch\n*** End Patch\n", "there is no change in this patch"),
        (wrapped("nonsense\n"), "patch line 2: nonsense begins no section"),
        (wrapped("*** Frobnicate File: u\n"), "patch line 2: *** Frobnicate File: u begins no section"),
        (wrapped("*** Update File: u\n"), "the section of u changes nothing"),
        (wrapped("*** Update File: u\n@@\n"), "hunk 1 has no lines"),
        (
            wrapped("*** Update File: u\n@@\n-a\nb\n"),
            "patch line 5: b begins neither with a blank nor with - or +",
        ),
        (wrapped("*** Add File: n\n+a\nb\n"), "patch line 4: b begins no section"),
        (wrapped("*** Update File: u\n*** Move to: v\n@@\n-a\n+b\n"), "v: it is there already"),
        (wrapped("*** Update File: .\n@@\n-a\n+b\n"), "names the workspace itself"),
    ],
)
def test_refused(tree: Path, body: str, told: str) -> None:
    write(tree, {"u": "a\n", "v": "v\n"})
    assert told in refused(tree, body, PatchError)


@pytest.mark.parametrize("section", ["*** Delete File: gone\n", "*** Update File: gone\n@@\n-a\n+b\n"])
def test_a_missing_file_is_named(tree: Path, section: str) -> None:
    assert refused(tree, wrapped(section), NotFoundError).startswith("gone: no such file")
