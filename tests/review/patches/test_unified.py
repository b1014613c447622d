"""Unified diffs as programs and people write them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import write
from tests.review.patches.trees import after, refused, take, tree_after
from tui.errors import BinaryFileError, NotFoundError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import PatchError

OLD = "one\ntwo\nthree\n"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
NEW = b"one\n2\nthree\n"


@pytest.fixture
def notes(tree: Path) -> Path:
    write(tree, {"src/notes.txt": OLD})
    return tree


@pytest.mark.parametrize(
    "header",
    [
        "--- a/src/notes.txt\n+++ b/src/notes.txt\n",
        "--- src/notes.txt\n+++ src/notes.txt\n",
        "--- ./src/notes.txt\n+++ ./src/notes.txt\n",
        "--- a/src/notes.txt\t2024-02-03 10:00:00.0 +0100\n+++ b/src/notes.txt\t2024-02-03 10:00:01\n",
        "--- src/notes.txt\t(revision 3)\n+++ src/notes.txt\t(working copy)\n",
        "--- src/notes.txt.orig\n+++ src/notes.txt\n",
        "--- was/src/notes.txt\n+++ is/src/notes.txt\n",
        '--- "a/src/notes.txt"\n+++ "b/src/\\156otes.txt"\n',
        "diff --git a/src/notes.txt b/src/notes.txt\n--- a/src/notes.txt\n+++ b/src/notes.txt\n",
        "diff --git src/notes.txt src/notes.txt\nindex 1..2 100644\n--- src/notes.txt\n+++ src/notes.txt\n",
        "diff --git i/src/notes.txt w/src/notes.txt\nindex 1..2\n--- i/src/notes.txt\n+++ w/src/notes.txt\n",
        "Index: src/notes.txt\n===========\n--- src/notes.txt\n+++ src/notes.txt\n",
    ],
)
def test_names(notes: Path, header: str) -> None:
    assert after(notes, header + HUNK) == {"src/notes.txt": NEW}


def test_a_directory_that_is_called_like_a_prefix(tree: Path) -> None:
    write(tree, {"a/x": OLD, "b/x": OLD})
    patch = f"diff --git a/x a/x\n--- a/x\n+++ a/x\n{HUNK}"
    assert after(tree, patch) == {"a/x": NEW, "b/x": OLD.encode()}


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -2 +2 @@\n-two\n+2\n",
        "@@ -2,1 +2,1 @@ def heading(): @@ -9 +9 @@\n-two\n+2\n",
        "@@ -1,3 +1,3 @@\n one\n+2\n-two\n three\n",
    ],
)
def test_hunk_headers(notes: Path, hunk: str) -> None:
    assert after(notes, f"--- a/src/notes.txt\n+++ b/src/notes.txt\n{hunk}") == {"src/notes.txt": NEW}


def test_an_empty_line_of_a_hunk_is_an_unchanged_one(tree: Path) -> None:
    """Editors and mail programs take the blank at the end of a line away."""
    write(tree, {"f": "a\n\nb\n"})
    assert after(tree, "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == {"f": b"a\n\nc\n"}


def test_only_the_changed_lines_are_spliced(tree: Path) -> None:
    write(tree, {"f": "".join(f"{number}\n" for number in range(1, 31))})
    hunks = "@@ -1,4 +1,4 @@\n 1\n-2\n+two\n 3\n 4\n@@ -10,4 +10,4 @@\n 10\n 11\n-12\n+twelve\n 13\n"
    (edit,) = take(tree, f"--- f\n+++ f\n{hunks}").plan.files
    assert [splice.new for splice in edit.splices] == [b"two\n", b"twelve\n"]
    assert [splice.end - splice.start for splice in edit.splices] == [2, 3]


def test_prose_and_fences_around_it(notes: Path) -> None:
    patch = (
        f"Here you are:\n\n```diff\n--- a/src/notes.txt\n+++ b/src/notes.txt\n{HUNK}```\n\n- enjoy\n+ relax\n"
    )
    assert after(notes, patch) == {"src/notes.txt": NEW}


def test_blank_lines_between_hunks(tree: Path) -> None:
    write(tree, {"f": "a\nb\nc\n"})
    assert after(tree, "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+A\n\n@@ -3 +3 @@\n-c\n+C\n") == {"f": b"A\nb\nC\n"}


class TestOtherPrograms:
    def test_diff_of_two_directories(self, tree: Path, tmp_path: Path) -> None:
        write(tmp_path / "old", {"same": "x\n", "d/changed": OLD, "gone": "x\n"})
        write(tmp_path / "new", {"same": "x\n", "d/changed": NEW, "come": "y"})
        command = ["diff", "-ruN", "old", "new"]
        patch = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout
        write(tree, {"same": "x\n", "d/changed": OLD, "gone": "x\n"})
        assert after(tree, patch) == {"same": b"x\n", "d/changed": NEW, "come": b"y"}

    def test_a_file_of_the_year_1970(self, notes: Path) -> None:
        dates = "\t1970-01-01 00:00:00.0 +0000"
        patch = f"--- a/src/notes.txt{dates}\n+++ b/src/notes.txt{dates}\n{HUNK}"
        assert after(notes, patch) == {"src/notes.txt": NEW}

    def test_a_mail_of_git(self, tree: Path) -> None:
        git = ["git", "-C", str(tree), "-c", "user.name=x", "-c", "user.email=x@y"]
        write(tree, {"f": OLD})
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *command], check=True)
        write(tree, {"f": NEW})
        message = "Numbers as digits\n\n--- is how a rule looks\n@@ and this is no hunk"
        subprocess.run([*git, "commit", "-qam", message], check=True)
        mail = subprocess.run(
            [*git, "format-patch", "--stdout", "-1"], check=True, capture_output=True
        ).stdout
        subprocess.run([*git, "checkout", "-q", "HEAD~"], check=True)
        assert b"\n-- \n" in mail
        got = take(tree, mail)
        assert tree_after(tree, got)["f"][0] == NEW
        assert got.plan.title == "Numbers as digits"
        assert got.format is Format.UNIFIED


class TestWholeFiles:
    def test_a_new_file(self, tree: Path) -> None:
        patch = "diff --git a/x/n b/x/n\nnew file mode 100755\n--- /dev/null\n+++ b/x/n\n@@ -0,0 +1 @@\n+a\n"
        assert tree_after(tree, take(tree, patch)) == {"x/n": (b"a\n", 0o755)}

    def test_a_new_file_by_name_alone(self, tree: Path) -> None:
        assert after(
            tree, "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        ) == {"n": b"a\nb"}

    def test_a_new_empty_file(self, tree: Path) -> None:
        assert after(tree, "diff --git a/n b/n\nnew file mode 100644\nindex 0..e69de29\n") == {"n": b""}

    def test_a_new_file_that_is_there(self, notes: Path) -> None:
        patch = "--- /dev/null\n+++ b/src/notes.txt\n@@ -0,0 +1 @@\n+a\n"
        assert "src/notes.txt: it is there already" in refused(notes, patch, PatchError)

    def test_a_deleted_file(self, notes: Path) -> None:
        patch = (
            "diff --git a/src/notes.txt b/src/notes.txt\ndeleted file mode 100644\n"
            "--- a/src/notes.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"
        )
        assert after(notes, patch) == {}
        write(notes, {"src/notes.txt": OLD + "four\n"})
        assert "holds more than the patch knows of" in refused(notes, patch, PatchError)

    def test_a_rename_alone(self, notes: Path) -> None:
        patch = (
            "diff --git a/src/notes.txt b/n\nsimilarity index 100%\nrename from src/notes.txt\nrename to n\n"
        )
        got = take(notes, patch)
        assert tree_after(notes, got) == {"n": (OLD.encode(), 0o644)}
        assert got.plan.files[0].new_path == "n"

    def test_a_rename_to_a_name_in_use(self, notes: Path) -> None:
        write(notes, {"n": "x"})
        patch = "diff --git a/src/notes.txt b/n\nrename from src/notes.txt\nrename to n\n"
        assert "n: it is there already" in refused(notes, patch, PatchError)

    def test_a_copy_starts_from_the_file_as_it_is_now(self, notes: Path) -> None:
        patch = (
            f"--- a/src/notes.txt\n+++ b/src/notes.txt\n{HUNK}"
            "diff --git a/src/notes.txt b/copy\ncopy from src/notes.txt\ncopy to copy\n"
            "--- a/src/notes.txt\n+++ b/copy\n@@ -1 +1 @@\n-one\n+1\n"
        )
        assert after(notes, patch) == {"src/notes.txt": NEW, "copy": b"1\ntwo\nthree\n"}

    def test_a_mode_alone(self, notes: Path) -> None:
        (notes / "src/notes.txt").chmod(0o640)
        patch = "diff --git a/src/notes.txt b/src/notes.txt\nold mode 100644\nnew mode 100755\n"
        assert tree_after(notes, take(notes, patch)) == {"src/notes.txt": (OLD.encode(), 0o750)}
        (notes / "src/notes.txt").chmod(0o755)
        back = "diff --git a/src/notes.txt b/src/notes.txt\nold mode 100755\nnew mode 100644\n"
        assert tree_after(notes, take(notes, back)) == {"src/notes.txt": (OLD.encode(), 0o644)}

    def test_a_binary_file_can_be_moved_but_not_changed(self, tree: Path) -> None:
        write(tree, {"x.png": b"\x89PNG\0\n"})
        move = "diff --git a/x.png b/y.png\nrename from x.png\nrename to y.png\n"
        assert after(tree, move) == {"y.png": b"\x89PNG\0\n"}
        change = "--- a/x.png\n+++ b/x.png\n@@ -1 +1 @@\n-x\n+y\n"
        assert "x.png" in refused(tree, change, BinaryFileError)

    def test_one_file_in_several_sections(self, notes: Path) -> None:
        """A section starts from what the one before left, and the plan names the file once."""
        again = "--- a/src/notes.txt\n+++ b/src/notes.txt\n@@ -2 +2,2 @@\n-2\n+zwei\n+2 1/2\n"
        got = take(notes, f"--- a/src/notes.txt\n+++ b/src/notes.txt\n{HUNK}{again}")
        assert len(got.plan.files) == 1
        assert tree_after(notes, got)["src/notes.txt"][0] == b"one\nzwei\n2 1/2\nthree\n"

    def test_changed_then_moved_then_deleted(self, tree: Path) -> None:
        write(tree, {"a": "x\n", "b": "y\n"})
        change = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+z\n"
        gone = "diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n"
        move = "diff --git a/a b/b\nrename from a\nrename to b\n"
        assert after(tree, change + gone + move) == {"b": b"z\n"}
        new = "diff --git a/b b/b\nnew file mode 100755\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+w\n"
        assert tree_after(tree, take(tree, gone + new)) == {"a": (b"x\n", 0o644), "b": (b"w\n", 0o755)}
        later = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-y\n+z\n"
        assert "b: the patch itself has deleted or moved it" in refused(tree, gone + later, NotFoundError)


GIT = "diff --git a/x b/x\n"


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (GIT + "index 1..2 100644\nGIT binary patch\nliteral 1\nIcmZ\n", "x: a binary patch"),
        (GIT + "Binary files a/x and b/x differ\n", "x: a binary patch"),
        ("Binary files x and y differ\n", "Binary files x and y differ: only text"),
        (GIT + "new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "x: a symbolic link"),
        (GIT + "index 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "x: a symbolic link"),
        (GIT + "old mode 100644\nnew mode 120000\n", "x: a symbolic link"),
        (GIT + "index 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "x: a submodule"),
        (GIT + "old mode 100644\nnew mode 104755\n", "x: the mode 104755 is not that of a plain file"),
        (GIT + "new file mode 104755\n", "x: the mode 104755"),
        (GIT + "new file mode 999\n", "x: the mode 999"),
        (GIT + "new file mode 100644\ndeleted file mode 100644\n", "x can not be both new and deleted"),
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n", "line 1: a combined diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1: this hunk belongs to no file"),
        ("--- x\n+++ x\n@@ ... @@\n-a\n+b\n", "line 3: @@ ... @@ is no hunk header"),
        (
            "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a\n+b\n",
            "hunk 1 is to have 2 old lines and 2 new lines, and ends",
        ),
        (
            "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n+c\n",
            "line 6: hunk 1 is to have 1 old line and 1 new line, and has",
        ),
        ("--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a\nb\n c\n", "line 5: hunk 1 is to have 2 old lines"),
        ("--- x\n+++ x\n@@ -1,1 +1,3 @@\n-a\n-b\n+c\n", "line 5: hunk 1 is to have 1 old line"),
        (
            "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a\n\\ No newline\n-b\n+c\n+d\n",
            "lines after the one that ends the file",
        ),
        (
            "--- x\n+++ x\n@@ -1 +1 @@\n\\ No newline\n-a\n+b\n",
            "line 4: a remark about a line end follows no line",
        ),
        (GIT + "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "a/y and b/y are not the files"),
        ("diff --git a/x b/y\n", "line 1: the file's name cannot be made out"),
        ('diff --git "a/x b/x\n', "line 1: a quoted name does not end"),
        ('--- "a/\\q"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', "\\q means nothing in a quoted name"),
    ],
)
def test_refused(tree: Path, patch: str, told: str) -> None:
    write(tree, {"x": "a\nb\nc\n", "y": "a\n"})
    assert told in refused(tree, patch, PatchError)


def test_nothing_changes(notes: Path) -> None:
    patch = "--- a/src/notes.txt\n+++ b/src/notes.txt\n@@ -2 +2 @@\n-two\n+two\n"
    assert "changes nothing" in refused(notes, patch, PatchError)


def test_a_missing_file_is_named(tree: Path) -> None:
    told = refused(tree, "--- a/gone/x\n+++ b/gone/x\n@@ -1 +1 @@\n-a\n+b\n", NotFoundError)
    assert told.startswith("gone/x: no such file")


def test_titles(notes: Path) -> None:
    write(notes, {"other": "a\n"})
    one = f"--- a/src/notes.txt\n+++ b/src/notes.txt\n{HUNK}"
    two = one + "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n"
    assert take(notes, one).plan.title == "patch of src/notes.txt"
    assert take(notes, two).plan.title == "patch of 2 files"
    assert take(notes, two, title="Given").plan.title == "Given"
