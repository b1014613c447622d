"""A hunk goes where its old lines are, in the file's own line ends, or nowhere."""

from __future__ import annotations

import codecs
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.review.patches.trees import after, refused, take, tree_after
from tui.edit.plan import Splice, modify
from tui.edit.unified import unified
from tui.errors import BinaryFileError, TooLargeError
from tui.review.patches.incoming import PatchError

NUMBERS = "".join(f"line {number}\n" for number in range(1, 41))


def patch_of(*hunks: str, path: str = "f") -> str:
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


def changed(old: bytes | str, patch: str | bytes, root: Path, **options: bool) -> bytes:
    write(root, {"f": old})
    return after(root, patch, **options)["f"]


class TestPlaces:
    def test_further_down(self, tree: Path) -> None:
        write(tree, {"f": "new\n" * 12 + NUMBERS})
        got = take(tree, patch_of("@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6\n"))
        assert b"line 4\nfive\nline 6" in tree_after(tree, got)["f"][0]
        assert got.notes == ("f: hunk 1 was found 12 lines further down",)

    def test_further_up(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS})
        got = take(tree, patch_of("@@ -6 +6 @@\n-line 5\n+five\n"))
        assert got.notes == ("f: hunk 1 was found 1 line further up",)

    def test_the_stated_line_decides_between_equals(self, tree: Path) -> None:
        assert changed("a\nb\na\nb\n", patch_of("@@ -3 +3 @@\n-a\n+A\n"), tree) == b"a\nb\nA\nb\n"

    def test_equals_elsewhere_are_refused_with_their_lines(self, tree: Path) -> None:
        write(tree, {"f": "b\na\nc\na\n" + "a\n" * 20})
        told = refused(tree, patch_of("@@ -1 +1 @@\n-a\n+A\n"), PatchError)
        assert (
            "f: the old text of hunk 1 (patch line 3) is there more than once: lines 2, 4, 5, 6, 7 and more"
            in told
        )

    def test_absent(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS})
        told = refused(tree, patch_of("@@ -4,3 +4,3 @@\n line 28\n-line five\n+5\n line 30\n"), PatchError)
        assert (
            "f: the old text of hunk 1 (patch line 3) is not in the file; nearest like it is line 28" in told
        )
        assert "redline review --fuzz" in told
        told = refused(tree, patch_of("@@ -4 +4 @@\n-the line 17\n+5\n"), PatchError)
        assert "nearest like it is line 17" in told
        told = refused(tree, patch_of("@@ -4 +4 @@\n-%%%%%%%%%%%\n+5\n"), PatchError)
        assert "is not in the file (" in told

    def test_applied_before(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS.replace("line 5\n", "five\n")})
        told = refused(tree, patch_of("@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6\n"), PatchError)
        assert "its new text is, at line 4 (was it applied before?)" in told

    def test_in_order(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS})
        hunks = "@@ -9 +9 @@\n-line 9\n+nine\n", "@@ -3 +3 @@\n-line 3\n+three\n"
        told = refused(tree, patch_of(*hunks), PatchError)
        assert "the old text of hunk 2 (patch line 6) is only before the hunk above it: line 3" in told

    def test_never_twice_at_one_place(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS})
        hunk = "@@ -9 +9 @@\n-line 9\n+nine\n"
        assert "hunk 2" in refused(tree, patch_of(hunk, hunk), PatchError)

    def test_lines_put_in_without_context(self, tree: Path) -> None:
        patch = patch_of("@@ -2,0 +3,1 @@\n+x\n")
        assert changed("a\nb\nc\n", patch, tree) == b"a\nb\nx\nc\n"
        write(tree, {"f": "a\n"})
        assert "f: hunk 1 (patch line 3) adds lines after line 2" in refused(tree, patch, PatchError)

    def test_lines_put_in_without_context_after_a_hunk_that_moved(self, tree: Path) -> None:
        write(tree, {"f": "new\n" + NUMBERS})
        got = take(tree, patch_of("@@ -3 +3 @@\n-line 3\n+three\n", "@@ -5,0 +6 @@\n+5 1/2\n"))
        assert b"line 5\n5 1/2\nline 6\n" in tree_after(tree, got)["f"][0]
        assert (
            got.notes[1] == "f: hunk 2 was placed without its surrounding lines, as far off as the one before"
        )

    @given(st.integers(0, 20), st.data())
    @settings(max_examples=20)
    def test_as_git_places_it(self, above: int, data: st.DataObject) -> None:
        """Lines that are there once: what stands above the file's old text moves every hunk."""
        old = NUMBERS.encode()
        cuts = sorted(data.draw(st.lists(st.integers(0, len(old)), min_size=2, max_size=6)))
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        edit = modify("f", old, 0o644, [Splice(start, end, b"<new>\n") for start, end in pairs])
        assert edit is not None
        patch = unified(edit, old)
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            write(root, {"f": b"above\n" * above + old})
            got = tree_after(root, take(root, patch))["f"][0]
            done = subprocess.run(
                ["git", "apply", "-"], input=patch, cwd=root, capture_output=True, check=False
            )
            if done.returncode == 0:  # git wants a hunk at the top of a file to stay there
                assert got == (root / "f").read_bytes()
            assert got == b"above\n" * above + edit.new_bytes(old)


class TestLineEnds:
    PATCH = patch_of("@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nBB\r\nc\r\n"),
            (b"a\nb\r\nc\n", b"a\nB\r\nBB\r\nc\n"),  # that of the replaced line
            (b"a\r\nb\r\nc", b"a\r\nB\r\nBB\r\nc"),
            (b"a\nb\nc", b"a\nB\nBB\nc"),
        ],
    )
    def test_a_bare_patch(self, tree: Path, old: bytes, new: bytes) -> None:
        assert changed(old, self.PATCH, tree) == new

    @pytest.mark.parametrize("end", [b"\n", b"\r\n"])
    def test_a_patch_that_went_through_windows(self, tree: Path, end: bytes) -> None:
        old, new = b"a\nb\nc\n".replace(b"\n", end), b"a\nB\nBB\nc\n".replace(b"\n", end)
        assert changed(old, self.PATCH.replace("\n", "\r\n"), tree) == new
        assert changed(old, codecs.BOM_UTF16_LE + self.PATCH.encode("utf-16-le"), tree) == new

    def test_a_patch_that_has_returns_where_the_file_has_none(self, tree: Path) -> None:
        patch = patch_of("@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n")
        assert changed("a\nb\nc\n", patch, tree) == b"a\nB\nc\n"

    def test_a_change_of_line_ends_is_made(self, tree: Path) -> None:
        patch = patch_of("@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n")
        assert changed("a\r\nb\r\n", patch, tree) == b"a\nb\n"

    def test_of_two_places_the_one_with_these_line_ends(self, tree: Path) -> None:
        assert changed("x\na\r\ny\na\n", patch_of("@@ -1 +1 @@\n-a\n+A\n"), tree) == b"x\na\r\ny\nA\n"

    @pytest.mark.parametrize(
        ("old", "hunk", "new"),
        [
            (b"a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"a\nc"),  # the file ends as it did
            (b"a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", b"a\nb\nc"),
            (b"a\nb", "@@ -1,2 +1 @@\n a\n-b\n", b"a"),
            (b"a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", b"a\nb\n"),
            (b"a\r\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", b"a\r\nb\r\n"),
            (b"a\nb\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", b"a\nb"),
            (b"a\r\nb\r\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", b"a\r\nb"),
            (
                b"a\nb\n",
                "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
                b"a\nc\n",
            ),
            (b"", "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", b"a"),
        ],
    )
    def test_the_end_of_the_file(self, tree: Path, old: bytes, hunk: str, new: bytes) -> None:
        assert changed(old, patch_of(hunk), tree) == new

    def test_a_last_line_is_only_found_at_the_end(self, tree: Path) -> None:
        write(tree, {"f": "b\nc\n"})
        patch = patch_of("@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+x\n")
        assert "is in the file, but not at its end" in refused(tree, patch, PatchError)


class TestEncodings:
    BOM = codecs.BOM_UTF8

    def test_bytes_around_the_edit_stay(self, tree: Path) -> None:
        old = self.BOM + b"\xff\xfe\na\r\n\x80"
        assert changed(old, patch_of("@@ -2 +2 @@\n-a\n+b\n"), tree) == self.BOM + b"\xff\xfe\nb\r\n\x80"

    @pytest.mark.parametrize(
        ("patch", "new"),
        [
            ("@@ -1 +1 @@\n-a\n+b\n", b"\xef\xbb\xbfb\n"),
            ("@@ -1 +1 @@\n-\ufeffa\n+\ufeffb\n", b"\xef\xbb\xbfb\n"),
            ("@@ -1 +1 @@\n-\ufeffa\n+a\n", b"a\n"),
            ("@@ -1 +1,2 @@\n+x\n a\n", b"\xef\xbb\xbfx\na\n"),
            ("@@ -1 +1,2 @@\n+x\n \ufeffa\n", b"x\n\xef\xbb\xbfa\n"),
            ("@@ -1 +1,2 @@\n \ufeffa\n+x\n", b"\xef\xbb\xbfa\nx\n"),
        ],
    )
    def test_byte_order_mark(self, tree: Path, patch: str, new: bytes) -> None:
        assert changed(self.BOM + b"a\n", patch_of(patch), tree) == new

    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
    def test_wide_characters(self, tree: Path, codec: str) -> None:
        old = "\ufeffa\r\né\u0a0a\r\nc".encode(codec)
        patch = patch_of("@@ -1,3 +1,4 @@\n a\n-é\u0a0a\n+ü\u0a0a\n+new\n c\n")
        assert changed(old, patch, tree) == "\ufeffa\r\nü\u0a0a\r\nnew\r\nc".encode(codec)

    def test_bytes_that_wide_characters_cannot_hold(self, tree: Path) -> None:
        write(tree, {"f": "\ufeffa\n".encode("utf-16-le")})
        told = refused(tree, b"--- f\n+++ f\n@@ -1 +1 @@\n-a\n+\xff\n", PatchError)
        assert "f: new text that is not UTF-8 cannot become UTF-16-LE" in told

    @pytest.mark.parametrize("data", [b"a\0b\n", b"\xff\xfea"])
    def test_what_is_no_text(self, tree: Path, data: bytes) -> None:
        write(tree, {"f": data})
        assert refused(tree, patch_of("@@ -1 +1 @@\n-a\n+b\n"), BinaryFileError).startswith("f: ")

    def test_what_is_too_large(self, tree: Path) -> None:
        write(tree, {"f": NUMBERS})
        told = refused(tree, patch_of("@@ -1 +1 @@\n-line 1\n+b\n"), TooLargeError, largest=100)
        assert told.startswith("f: 311 bytes")


class TestFuzz:
    INDENTED = "def f():\n    a()  \n    b()\n    c()\n"

    @pytest.mark.parametrize(
        ("hunk", "new", "note"),
        [
            (
                "@@ -2,2 +2,2 @@\n     a()\n-    b()\n+    B()\n",
                "def f():\n    a()  \n    B()\n    c()\n",
                "f: hunk 1 was placed by ignoring blanks at the ends of lines: look closely",
            ),
            (
                "@@ -2,2 +2,2 @@\n a()\n-b()\n+B()\n",
                "def f():\n    a()  \nB()\n    c()\n",
                "f: hunk 1 was placed by ignoring whitespace: look closely",
            ),
            (
                "@@ -1,3 +1,3 @@\n def g():\n     other()\n-    b()\n+    B()\n     c()\n".replace(
                    "1,3", "1,4"
                ),
                "def f():\n    a()  \n    B()\n    c()\n",
                "f: hunk 1 was placed without 2 of the lines around it: look closely",
            ),
        ],
    )
    def test_looser_and_looser(self, tree: Path, hunk: str, new: str, note: str) -> None:
        write(tree, {"f": self.INDENTED})
        assert "--fuzz" in refused(tree, patch_of(hunk), PatchError)
        got = take(tree, patch_of(hunk), fuzz=True)
        assert tree_after(tree, got)["f"][0].decode() == new
        assert note in got.notes

    def test_not_without_need(self, tree: Path) -> None:
        write(tree, {"f": "a\n"})
        assert take(tree, patch_of("@@ -1 +1 @@\n-a\n+b\n"), fuzz=True).notes == ()

    def test_only_where_it_is_one_place(self, tree: Path) -> None:
        write(tree, {"f": "x\n  a\n    a\n"})
        told = refused(tree, patch_of("@@ -1 +1 @@\n-a\n+b\n"), PatchError, fuzz=True)
        assert "more than once: lines 2 and 3" in told

    def test_never_without_any_old_line(self, tree: Path) -> None:
        write(tree, {"f": "x\ny\n"})
        told = refused(tree, patch_of("@@ -1 +1,2 @@\n a\n+b\n"), PatchError, fuzz=True)
        assert "not in the file" in told
        assert "--fuzz" not in told
