"""Edits as JSON, in the shapes and spellings that tools and models use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write
from tests.review.patches.trees import after, refused, take, tree_after
from tui.errors import NotFoundError
from tui.review.patches.formats import Format
from tui.review.patches.incoming import PatchError

EDIT = {"oldText": "two", "newText": "2"}


@pytest.mark.parametrize(
    "patch",
    [
        {"path": "f", "edits": [EDIT]},
        [{"path": "f", "edits": [EDIT]}],
        {"files": [{"path": "f", "edits": [EDIT]}]},
        {"edits": [{"path": "f", **EDIT}]},
        {"path": "f", **EDIT},
        [{"path": "f", **EDIT}],
        {"path": "f", "edits": [{"old_text": "two", "new_text": "2"}]},
        {"file_path": "f", "old_string": "two", "new_string": "2", "replace_all": False},
    ],
)
def test_shapes(tree: Path, patch: Any) -> None:
    write(tree, {"f": "one\ntwo three\n"})
    got = take(tree, json.dumps(patch))
    assert got.format is Format.JSON_EDITS
    assert tree_after(tree, got)["f"][0] == b"one\n2 three\n"
    assert after(tree, f"```json\n{json.dumps(patch, indent=1)}\n```\n")["f"] == b"one\n2 three\n"


def edits(*pairs: tuple[str, str], path: str = "f", **more: Any) -> str:
    return json.dumps(
        {"path": path, "edits": [{"oldText": old, "newText": new, **more} for old, new in pairs]}
    )


@pytest.mark.parametrize(
    ("old", "change", "new"),
    [
        (b"a b c\n", ("b", "B"), b"a B c\n"),
        (b"a\nb\nc\n", ("a\nb", "x"), b"x\nc\n"),
        (b"a\nb\nc\n", ("\nb", ""), b"a\nc\n"),
        (b"a\nb\n", ("a\n", ""), b"b\n"),
        (b"a\nb\n", ("a\nb\n", ""), b""),
        (b"a\nb\n", ("b\n", "b"), b"a\nb"),
        (b"a\nb", ("b", "b\n"), b"a\nb\n"),
        (b"a\nb", ("b\n", "c\n"), b"a\nc"),  # the file ends as it did
        (b"a\nb", ("b\n", "c\nd\n"), b"a\nc\nd"),
        (b"a\r\nb\r\n", ("a\nb", "x\ny"), b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", ("b", "b\nc"), b"a\r\nb\r\nc\r\n"),
        (b"a\nb\n", ("b", "b\r\nc"), b"a\nb\nc\n"),
        (b"a\r\nb\r\n", ("a\r\nb\r\n", "a\nb\n"), b"a\nb\n"),  # said with its line ends, so they change
        (b"a\nb\na\r\nb\r\n", ("a\r\nb", "x"), b"a\nb\nx\r\n"),
        (b"\xef\xbb\xbfa\n", ("a", "b"), b"\xef\xbb\xbfb\n"),
        (b"\xef\xbb\xbfa\n", ("\ufeffa\n", "\ufeffb\n"), b"\xef\xbb\xbfb\n"),
        (b"\xff a \x80\n", ("a", "é"), b"\xff \xc3\xa9 \x80\n"),
        ("\ufeffa\r\nb\r\n".encode("utf-16-le"), ("b", "ü\nc"), "\ufeffa\r\nü\r\nc\r\n".encode("utf-16-le")),
        (b"", ("", "a\r\nb"), b"a\r\nb"),
        (b"a\r\r\nb\n", ("a\r\r\nb", "c"), b"c\n"),
    ],
)
def test_text_within_and_across_lines(tree: Path, old: bytes, change: tuple[str, str], new: bytes) -> None:
    write(tree, {"f": old})
    assert after(tree, edits(change))["f"] == new


def test_edits_build_on_each_other(tree: Path) -> None:
    write(tree, {"f": "a\n"})
    assert after(tree, edits(("a", "b b2"), ("b2", "c"), ("b c\n", "d\ne\n"))) == {"f": b"d\ne\n"}


def test_many_edits_find_their_places_all_the_same(tree: Path) -> None:
    """After a while words are counted, to look at less."""
    write(tree, {"f": "".join(f"x = call({number}, y);\n" for number in range(300))})
    order = [*range(150), *range(299, 149, -1)]
    pairs = [(f"call({number}, y)", f"call(y, z{number})\nmore({number}, 1)") for number in order]
    new = "".join(f"x = call(y, z{number})\nmore({number}, 1);\n" for number in range(300))
    assert after(tree, edits(*pairs))["f"].decode() == new
    assert "edit 301 is there more than once" in refused(tree, edits(*pairs, ("7, 1)", "")), PatchError)
    assert "edit 301 is not in the file" in refused(tree, edits(*pairs, ("(7, y)", "")), PatchError)


def test_a_new_file(tree: Path) -> None:
    assert after(tree, edits(("", "a\nb"), ("b", "c"), path="d/n")) == {"d/n": b"a\nc"}


def test_replace_all(tree: Path) -> None:
    write(tree, {"f": "a b\r\nxaax\r\nlast"})
    assert after(tree, edits(("a", "A\nA"), replace_all=True)) == {
        "f": b"A\r\nA b\r\nxA\r\nAA\r\nAx\r\nlA\r\nAst"
    }
    assert "is not in the file" in refused(tree, edits(("q", "A"), replace_all=True), PatchError)


def test_absent_or_twice(tree: Path) -> None:
    write(tree, {"f": "one\ntwo\n  three\ntwo two\n"})
    told = refused(tree, edits(("one", "1"), ("two", "2")), PatchError)
    assert "f: the old text of edit 2 is there more than once: lines 2, 4 and 4" in told
    assert "replace_all" in told
    told = refused(tree, edits(("one\nthree\n", "1")), PatchError)
    assert "f: the old text of edit 1 is not in the file; nearest like it is line" in told
    assert "--fuzz" in told
    assert "has no old text, but the file is not empty" in refused(tree, edits(("", "1")), PatchError)


def test_fuzz(tree: Path) -> None:
    write(tree, {"f": "def f():\n    a()\n    b()\n"})
    got = take(tree, edits(("a()\nb()", "a()\nc()")), fuzz=True)
    assert tree_after(tree, got)["f"][0] == b"def f():\n    a()\nc()\n"
    assert got.notes == ("f: edit 1 was placed by ignoring whitespace: look closely",)


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ([1], "item 1 of the JSON is not an object"),
        ([], "there is no change in this patch"),
        ({"path": "f"}, "item 1 of the JSON has no oldText"),
        ({"path": "f", "edits": {}}, "item 1 of the JSON: edits is not a list"),
        ({"path": "f", "edits": ["x"]}, "edit 1 of item 1 of the JSON is not an object"),
        ({"path": 3, "edits": []}, "item 1 of the JSON: path is not a text"),
        ({"path": "f", "edits": []}, "changes nothing"),
        ({"path": "f", "mode": 1, "edits": []}, "item 1: unknown key mode"),
        ({"files": [], "x\x1b": 1}, "the JSON: unknown key x\\x1b"),
        ({"path": "f", "edits": [{**EDIT, "replaceAll": True}]}, "edit 1 of item 1: unknown key replaceAll"),
        ({"path": "f", "edits": [{**EDIT, "replace_all": 1}]}, "replace_all is neither true nor false"),
        ({"path": "f", "edits": [{**EDIT, "old_text": "x"}]}, "has both oldText and old_text"),
        ({"path": "f", "edits": [{"oldText": "two"}]}, "edit 1 of item 1 of the JSON has no newText"),
        ({"edits": [EDIT]}, "item 1 of the JSON has no path"),
    ],
)
def test_refused(tree: Path, patch: Any, told: str) -> None:
    write(tree, {"f": "two\n"})
    assert told in refused(tree, json.dumps(patch), PatchError)


def test_a_missing_file_is_named(tree: Path) -> None:
    assert refused(tree, edits(("a", "b"), path="gone"), NotFoundError).startswith("gone: no such file")
