"""Changes written out in each format, for the tests to read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui.edit.linediff import Range, changed
from tui.edit.plan import EditPlan, FileEdit, Splice, modify
from tui.edit.unified import unified


class Change(NamedTuple):
    """A text file, all of whose lines are different, before and after."""

    path: str
    old: list[str]
    new: list[str]

    @property
    def edit(self) -> FileEdit:
        old, new = ("".join(lines).encode() for lines in (self.old, self.new))
        edit = modify(self.path, old, 0o644, [Splice(0, len(old), new)])
        assert edit is not None
        return edit

    def hunks(self) -> list[Range]:
        """What changes, with the line before it, so that no old text is empty."""
        return [(max(0, a - 1), b, max(0, c - 1), d) for a, b, c, d in changed(self.old, self.new)]


def as_unified(changes: Sequence[Change]) -> bytes:
    return b"".join(unified(change.edit, "".join(change.old).encode()) for change in changes)


def as_apply_patch(changes: Sequence[Change]) -> bytes:
    lines = ["*** Begin Patch\n"]
    for change in changes:
        lines.append(f"*** Update File: {change.path}\n")
        for a, b, c, d in change.hunks():
            lines += [
                "@@\n",
                *(f"-{line}" for line in change.old[a:b]),
                *(f"+{line}" for line in change.new[c:d]),
            ]
    return "".join([*lines, "*** End Patch\n"]).encode()


def as_search_replace(changes: Sequence[Change]) -> bytes:
    lines: list[str] = []
    for change in changes:
        for a, b, c, d in change.hunks():
            lines += [
                f"{change.path}\n```\n<<<<<<< SEARCH\n",
                *change.old[a:b],
                "=======\n",
                *change.new[c:d],
            ]
            lines.append(">>>>>>> REPLACE\n```\n")
    return "".join(lines).encode()


def as_json_edits(changes: Sequence[Change]) -> bytes:
    files = [
        {
            "path": change.path,
            "edits": [
                {"oldText": "".join(change.old[a:b]), "newText": "".join(change.new[c:d])}
                for a, b, c, d in change.hunks()
            ],
        }
        for change in changes
    ]
    return json.dumps(files).encode()


def as_plan(changes: Sequence[Change]) -> bytes:
    return EditPlan("x", tuple(change.edit for change in changes)).to_json()


WRITERS: dict[str, Callable[[Sequence[Change]], bytes]] = {
    "unified": as_unified,
    "apply_patch": as_apply_patch,
    "search_replace": as_search_replace,
    "json_edits": as_json_edits,
    "plan": as_plan,
}
