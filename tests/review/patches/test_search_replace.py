"""SEARCH/REPLACE blocks in all the shapes that aider takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import write
from tests.review.patches.trees import after, refused, take, tree_after
from tui.errors import NotFoundError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import PatchError

BLOCK = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "before",
    [
        "src/f.txt\n",
        "```text\nsrc/f.txt\n",
        "src/f.txt\n```\n",
        "src/f.txt\n```python\n",
        "src/f.txt\n````python\n",
        "src/f.txt\n~~~~\n",
        "~~~~ text\nsrc/f.txt\n",
        "**src/f.txt**\n```\n",
        "`src/f.txt`\n```\n",
        "**`src/f.txt`**:\n```\n",
        "### src/f.txt\n```\n",
        "src/f.txt:\n```\n",
        "```src/f.txt\n",
        "```text src/f.txt\n",
        "```python\nsrc/f.txt\n```\n```python\n",
        "Here is what to do:\n\n```\nsrc/f.txt\n",
        "src/f.txt\n\n```python\n",
    ],
)
def test_where_the_path_stands(tree: Path, before: str) -> None:
    write(tree, {"src/f.txt": "one\ntwo\n"})
    got = take(tree, before + BLOCK + "```\nHope this helps.\n")
    assert got.format is Format.SEARCH_REPLACE
    assert tree_after(tree, got)["src/f.txt"][0] == b"one\n2\n"


@pytest.mark.parametrize(
    "path", ["with blank.txt", "`with blank`", "Makefile", "**a b/c d**", ".env", "x-y_z"]
)
def test_names(tree: Path, path: str) -> None:
    name = path.strip("*`")
    write(tree, {name: "two\n"})
    assert after(tree, f"{path}\n{BLOCK}") == {name: b"2\n"}


def test_later_blocks_of_the_same_file(tree: Path) -> None:
    write(tree, {"f.txt": "one\ntwo\nthree\nfour\n", "g.txt": "two\n"})
    three, four = block("three\n", "3\n"), block("four\n", "4\n")
    patch = f"f.txt\n```\n{BLOCK}\n...\n\n{three}```\nAnd then:\n```\n{four}```\ng.txt\n{BLOCK}"
    assert after(tree, patch) == {"f.txt": b"one\n2\n3\n4\n", "g.txt": b"2\n"}


def test_a_path_beyond_an_empty_line_is_not_overlooked(tree: Path) -> None:
    write(tree, {"f.txt": "one\ntwo\n", "g.txt": "two\n"})
    blocks = block("one\n", "1\n"), BLOCK, block("2\n", "3\n")
    patch = "f.txt\n{}\ng.txt\n\n```\n{}```\nWell then\n\n{}".format(*blocks)
    assert after(tree, patch) == {"f.txt": b"1\ntwo\n", "g.txt": b"3\n"}


def test_a_block_starts_from_what_the_one_before_left(tree: Path) -> None:
    write(tree, {"f": "a\nb\n"})
    got = take(tree, "f\n" + block("a\n", "c\nd\n") + block("d\nb\n", "e\n"))
    assert tree_after(tree, got)["f"][0] == b"c\ne\n"
    assert len(got.plan.files) == 1


def test_only_what_differs_is_spliced(tree: Path) -> None:
    write(tree, {"f": "a\nb\nc\nd\n"})
    (edit,) = take(tree, "f\n" + block("a\nb\nc\n", "a\nB\nc\n")).plan.files
    assert [splice.new for splice in edit.splices] == [b"B\n"]


def test_an_empty_search_makes_a_new_file(tree: Path) -> None:
    write(tree, {"empty": "", "full": "x\n"})
    assert after(tree, "d/new\n" + block("", "a\nb\n"))["d/new"] == b"a\nb\n"
    assert after(tree, "d/new\n" + block("\n", "a\n"))["d/new"] == b"a\n"
    assert after(tree, "empty\n" + block("", "a\n"))["empty"] == b"a\n"
    told = refused(tree, "full\n" + block("", "a\n"), PatchError)
    assert "full: block 1 (patch line 2) has no old text, but the file is not empty" in told


def test_a_new_file_changed_by_the_next_block(tree: Path) -> None:
    assert after(tree, "n\n" + block("", "a\nb\n") + block("b\n", "c\n")) == {"n": b"a\nc\n"}


def test_line_ends_are_the_files(tree: Path) -> None:
    write(tree, {"f": "one\r\ntwo\r\nthree"})
    patch = "f\n" + block("two\nthree\n", "2\n3\n4\n")
    assert after(tree, patch) == {"f": b"one\r\n2\r\n3\r\n4"}
    assert after(tree, patch.replace("\n", "\r\n")) == {"f": b"one\r\n2\r\n3\r\n4"}


def test_wider_markers_let_the_text_hold_narrower_ones(tree: Path) -> None:
    write(tree, {"f": "Title\n=======\n"})
    patch = "f\n<<<<<<<<< SEARCH\nTitle\n=======\n=========\nOther\n=======\n>>>>>>>>> REPLACE\n"
    assert after(tree, patch) == {"f": b"Other\n=======\n"}


def test_absent_or_twice(tree: Path) -> None:
    write(tree, {"f": "one\ntwo\nthree\ntwo\n"})
    assert "f: the old text of block 1 (patch line 2) is there more than once: lines 2 and 4" in refused(
        tree, "f\n" + BLOCK, PatchError
    )
    told = refused(tree, "f\n" + block("one\n", "1\n") + block("  three\n", "3\n"), PatchError)
    assert "the old text of block 2 (patch line 7) is not in the file; nearest like it is line 3" in told
    got = take(tree, "f\n" + block("  three\n", "  3\n"), fuzz=True)
    assert got.notes == ("f: block 1 was placed by ignoring whitespace: look closely",)


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (BLOCK, "patch line 1: no path stands before this block"),
        ("Please change this as follows\n" + BLOCK, "patch line 2: no path stands before this block"),
        ("f\n<<<<<<< SEARCH\ntwo\n", "patch line 2: block 1 has no line ======="),
        ("f\n<<<<<<< SEARCH\ntwo\n=======\n2\n", "patch line 2: block 1 has no line >>>>>>> REPLACE"),
        ("f\n<<<<<<< SEARCH\ntwo\n>>>>>>> REPLACE\n", "patch line 2: block 1 has no line ======="),
        (
            "f\n<<<<<<< SEARCH\ntwo\n=======\n2\n=======\n3\n>>>>>>> REPLACE\n",
            "line 6: block 1 has a second =======",
        ),
        ("f\n<<<<<<< SEARCH\ntwo\n=======\n2\n" + BLOCK, "block 1 has no line >>>>>>> REPLACE"),
        ("f\n" + block("two\n", "two\n"), "changes nothing"),
    ],
)
def test_refused(tree: Path, patch: str, told: str) -> None:
    write(tree, {"f": "two\n"})
    assert told in refused(tree, patch, PatchError)


def test_a_missing_file_is_named(tree: Path) -> None:
    assert refused(tree, "gone.txt\n" + BLOCK, NotFoundError).startswith("gone.txt: no such file")
