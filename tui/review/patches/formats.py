"""The forms in which a change can be handed in, and which of them a text is."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
import regex

from tui.review.patches.filepatch import PatchError
from tui.text import visible

ACCEPTED = (
    "accepted are unified and git diffs, Codex patches (*** Begin Patch), aider's SEARCH/REPLACE blocks, "
    'Redline plans, and JSON such as {"path": "notes.txt", "edits": [{"oldText": "grey", "newText": "gray"}]}'
)


class Format(StrEnum):
    AUTO = "auto"
    UNIFIED = "unified"
    APPLY_PATCH = "apply_patch"
    SEARCH_REPLACE = "search_replace"
    JSON_EDITS = "json_edits"
    PLAN = "plan"


_SIGNS = {
    Format.UNIFIED: regex.compile(
        rb"(?m)^(?:diff --(?:git|cc|combined) |--- .*\n\+\+\+ |@@ -\d+|Binary files .* differ)"
    ),
    Format.APPLY_PATCH: regex.compile(rb"(?m)^[ \t]*\*\*\* Begin Patch[ \t\r]*$"),
    Format.SEARCH_REPLACE: regex.compile(rb"(?m)^<{5,9} SEARCH>?[ \t\r]*$"),
}
_FENCE = regex.compile(rb"(`{3,}|~{3,})[^\n]*\n")


def recognised(patch: bytes) -> Format:
    """The format that the text is in: JSON by its look, the others by the first line that only they have.
    PatchError, with what would be accepted, for a text that is none of them."""
    if not patch.strip():
        raise PatchError("the patch is empty", ACCEPTED)
    body = unfenced(patch)
    broken = ""
    if body[:1] in (b"{", b"["):
        try:
            value = json_value(body)
        except PatchError as error:
            broken = f": {error.message}"
        else:
            return Format.PLAN if isinstance(value, dict) and "format" in value else Format.JSON_EDITS
    first = {form: found.start() for form, sign in _SIGNS.items() if (found := sign.search(patch))}
    if not first:
        raise PatchError(f"this is no patch that Redline knows{broken}", ACCEPTED)
    return min(first, key=first.__getitem__)


def unfenced(patch: bytes) -> bytes:
    """The text without blanks around it and without the ``` fence that may enclose it whole."""
    body = patch.strip()
    fence = _FENCE.match(body)
    if fence is None or not body.endswith(b"\n" + fence[1]):
        return body
    return body[fence.end() : -len(fence[1])].strip()


def json_value(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError) as error:
        raise PatchError(f"not valid JSON: {visible(str(error))}", ACCEPTED) from error
    except RecursionError as error:
        raise PatchError("the JSON is nested too deeply", ACCEPTED) from error
