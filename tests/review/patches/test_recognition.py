"""A patch says itself what it is, and what it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import write
from tests.review.patches.trees import refused, take, tree_after
from tui.edit.plan import BadPlanError, EditPlan, Splice, create, modify
from tui.errors import OutsideWorkspaceError, TooLargeError
from tui.review.patches.formats import Format, recognised
from tui.review.patches.incoming import PatchError, incoming
from tui.workspace import Workspace

UNIFIED = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
CODEX = "*** Begin Patch\n*** Update File: f\n-a\n+b\n*** End Patch\n"
BLOCK = "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
JSON = '{"path": "f", "edits": [{"oldText": "a", "newText": "b"}]}'


@pytest.mark.parametrize(
    ("patch", "form"),
    [
        (UNIFIED, Format.UNIFIED),
        (CODEX, Format.APPLY_PATCH),
        (BLOCK, Format.SEARCH_REPLACE),
        (JSON, Format.JSON_EDITS),
        ("\ufeff" + JSON, Format.JSON_EDITS),
        (f"\n```json\n{JSON}\n```\n", Format.JSON_EDITS),
        (f"[PATCH] a mail that begins like a list\n\n{UNIFIED}", Format.UNIFIED),
        (f"{{ prose that begins like an object\n{BLOCK}", Format.SEARCH_REPLACE),
    ],
)
def test_each_by_itself_and_by_name(tree: Path, patch: str, form: Format) -> None:
    write(tree, {"f": "a\n"})
    for given in (Format.AUTO, form):
        got = take(tree, patch, format=given)
        assert got.format is form
        assert tree_after(tree, got) == {"f": (b"b\n", 0o644)}


def test_one_format_within_another() -> None:
    """The first sign counts: text that is changed may hold any other."""
    in_block = f"f\n<<<<<<< SEARCH\n{CODEX}{UNIFIED}=======\n>>>>>>> REPLACE\n"
    in_codex = f"*** Begin Patch\n*** Add File: f\n+<<<<<<< SEARCH\n{UNIFIED}"
    in_diff = f"--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n+b\n+c\n{CODEX}{BLOCK}"
    assert recognised(in_block.encode()) is Format.SEARCH_REPLACE
    assert recognised(in_codex.encode()) is Format.APPLY_PATCH
    assert recognised(in_diff.encode()) is Format.UNIFIED


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("", "the patch is empty"),
        (" \n\t\n", "the patch is empty"),
        ("make it better", "this is no patch that Redline knows"),
        ("{'path': 'f'}", "not valid JSON"),
        ('{"path": "f"', "not valid JSON"),
        ("[" * 100_000, "the JSON is nested too deeply"),
    ],
)
def test_what_is_no_patch(tree: Path, patch: str, told: str) -> None:
    message = refused(tree, patch, PatchError)
    assert told in message
    assert '{"path": "notes.txt"' in message


@pytest.mark.parametrize("form", [form for form in Format if form not in (Format.AUTO, Format.PLAN)])
def test_another_format_than_it_is_said_to_be(tree: Path, form: Format) -> None:
    assert "(" in refused(tree, "make it better", PatchError, format=form)


class TestPlans:
    def plan(self, root: Path) -> EditPlan:
        write(root, {"f": "a\n", "g": "a\n"})
        edits = [modify(path, b"a\n", 0o644, [Splice(0, 1, b"b")]) for path in ("f", "g")]
        return EditPlan("Saved", (*[edit for edit in edits if edit], create("h", b"new")))

    def test_as_saved(self, tree: Path) -> None:
        plan = self.plan(tree)
        got = take(tree, plan.to_json())
        assert got.plan == plan
        assert got.format is Format.PLAN
        assert take(tree, plan.to_json(), title="Mine").plan.title == "Mine"

    def test_what_changed_since_has_no_original(self, tree: Path) -> None:
        plan = self.plan(tree)
        write(tree, {"f": "x\n"})
        with Workspace(tree) as workspace:
            assert incoming(workspace, plan.to_json()).originals == {"g": b"a\n"}
            (tree / "g").unlink()
            assert incoming(workspace, plan.to_json()).originals == {}

    def test_refused(self, tree: Path) -> None:
        data = self.plan(tree).to_json()
        assert "altered" in refused(tree, data.replace(b"Saved", b"Other"), BadPlanError)
        assert "not a Redline plan" in refused(tree, '{"format": "other"}', BadPlanError)
        assert "changes nothing" in refused(tree, EditPlan("x", ()).to_json(), PatchError)
        assert "f: 2 bytes, over the limit" in refused(tree, data, TooLargeError, largest=1)
        outside = EditPlan("x", (create("../x", b""),)).to_json()
        refused(tree, outside, OutsideWorkspaceError)
        crooked = EditPlan("x", (create("d/../x", b""),)).to_json()
        assert "d/../x: not a path as plans write it" in refused(tree, crooked, BadPlanError)


def test_json_that_is_a_plan_only_in_name(tree: Path) -> None:
    refused(tree, json.dumps({"format": "redline-plan-1", "files": 3, "digest": "x"}), BadPlanError)
