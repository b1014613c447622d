"""A change that is written out in any format comes back as the same change."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.edit.samples import edited_files
from tests.review.patches.trees import take, tree_after, tree_of
from tests.review.patches.writers import WRITERS, Change
from tui.edit.plan import FileEdit
from tui.edit.unified import unified
from tui.review.patches.formats import Format

WORDS = st.sampled_from(
    ["a", "é", "\U0001f600", "x = {}", "", "  deep", "\ttab", "- dash", "+ plus", "@@ at", "# h"]
)


@st.composite
def changes(draw: st.DrawFn, path: str) -> Change:
    """Lines numbered apart; some go, some come, at least one stays."""
    words = draw(st.lists(WORDS, min_size=2, max_size=12))
    old = [f"{word} {number}.\n" for number, word in enumerate(words)]
    new = list(old)
    for nth in range(draw(st.integers(1, 4))):
        start = draw(st.integers(1, len(new)))
        stop = min(len(new), start + draw(st.integers(0, 2)))
        new[start:stop] = [
            f"{word} new {nth}.{n}\n" for n, word in enumerate(draw(st.lists(WORDS, max_size=2)))
        ]
    assume(old != new)
    return Change(path, old, new)


@st.composite
def sets_of_changes(draw: st.DrawFn) -> list[Change]:
    paths = draw(
        st.lists(st.sampled_from(["f", "src/a.py", "é/ü.txt", "x y.c"]), min_size=1, max_size=3, unique=True)
    )
    return [draw(changes(path)) for path in paths]


@given(sets_of_changes(), st.booleans(), st.booleans())
@settings(max_examples=40)
@pytest.mark.parametrize("form", WRITERS)
def test_every_format(form: str, changes: list[Change], returns: bool, fuzz: bool) -> None:
    """In files of either kind of line end; and nothing is placed loosely that need not be."""
    end = "\r\n" if returns and form != "plan" else "\n"
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write(root, {change.path: "".join(change.old).replace("\n", end) for change in changes})
        got = take(root, WRITERS[form](changes), fuzz=fuzz)
        assert got.format is Format(form)
        new = {change.path: "".join(change.new).replace("\n", end).encode() for change in changes}
        assert {path: data for path, (data, _) in tree_after(root, got).items()} == new
        assert got.notes == ()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True), st.sampled_from([3, 1]), st.data())
@settings(max_examples=40)
def test_patches_of_redlines_own(numbers: list[int], context: int, data: st.DataObject) -> None:
    """Of any bytes; files are created, deleted and moved as well."""
    cases: list[tuple[bytes, FileEdit]] = [
        data.draw(edited_files(path=f"d{number}/f {number}")) for number in numbers
    ]
    assume(not any(old.startswith(b"\xff\xfe") for old, _ in cases))  # which would be UTF-16
    assume(any(edit.new_path or edit.before != edit.after for _, edit in cases))
    with tempfile.TemporaryDirectory() as directory:
        root, new = Path(directory, "old"), Path(directory, "new")
        for old, edit in cases:
            if edit.before is not None:
                write(root, {edit.path: old})
            if edit.after is not None:
                write(new, {edit.new_path or edit.path: edit.new_bytes(old)})
                (new / (edit.new_path or edit.path)).chmod(edit.after.mode)
        root.mkdir(exist_ok=True)
        got = take(root, b"".join(unified(edit, old, context) for old, edit in cases))
        assert tree_after(root, got) == tree_of(new)
