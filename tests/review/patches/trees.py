"""Patches taken in over a small tree, and what the tree would then be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tui.errors import RedlineError
from tui.review.patches.incoming import Incoming, incoming
from tui.workspace import Workspace

Tree = dict[str, tuple[bytes, int]]
"""Every file by its path: its bytes and its permission bits."""


def take(root: Path, patch: str | bytes, **options: Any) -> Incoming:
    """The patch as a plan, whose originals are what lies on the disk."""
    with Workspace(root) as workspace:
        got = incoming(workspace, patch.encode() if isinstance(patch, str) else patch, **options)
    there = {edit.path: (root / edit.path).read_bytes() for edit in got.plan.files if edit.before is not None}
    assert got.originals == there
    return got


def refused(root: Path, patch: str | bytes, error: type[RedlineError], **options: Any) -> str:
    """What the person is told who hands in this patch."""
    with pytest.raises(error) as caught:
        take(root, patch, **options)
    return f"{caught.value.message} ({caught.value.hint})" if caught.value.hint else caught.value.message


def tree_of(root: Path) -> Tree:
    found = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o7777) for path in found
    }


def tree_after(root: Path, got: Incoming) -> Tree:
    """What the plan would make of the tree; every digest in it is checked."""
    tree = tree_of(root)
    for edit in got.plan.files:
        old, mode = tree.pop(edit.path, (b"", None))
        assert mode == (None if edit.before is None else edit.before.mode)
        if edit.after is not None:
            path = edit.new_path or edit.path
            assert path not in tree
            tree[path] = edit.new_bytes(old), edit.after.mode
    return tree


def after(root: Path, patch: str | bytes, **options: Any) -> dict[str, bytes]:
    """The files' bytes as the patch would leave them."""
    return {path: data for path, (data, _) in tree_after(root, take(root, patch, **options)).items()}
