"""A patch in any known format, turned into a plan over the workspace's files as they are now."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec
import regex

from tui.edit.plan import BadPlanError, EditPlan, digest
from tui.errors import RedlineError, TooLargeError
from tui.review.patches import apply_patch, json_edits, search_replace, unified
from tui.review.patches.drafts import Drafts
from tui.review.patches.filepatch import FilePatch, PatchError
from tui.review.patches.formats import ACCEPTED, Format, recognised, unfenced
from tui.search.decoding import UndecodableError, decode, encoding_of
from tui.search.files import SIZE_LIMIT_FOR_PEOPLE
from tui.text import counted, visible
from tui.workspace import Reader, Workspace

__all__ = ["Incoming", "PatchError", "incoming"]

LARGEST: Final = SIZE_LIMIT_FOR_PEOPLE

_PARSERS: Mapping[Format, Callable[[bytes], list[FilePatch]]] = {
    Format.UNIFIED: unified.parse,
    Format.APPLY_PATCH: apply_patch.parse,
    Format.SEARCH_REPLACE: search_replace.parse,
    Format.JSON_EDITS: json_edits.parse,
}
_BARE_LINE_END = regex.compile(rb"(?<!\r)\n")
_SUBJECT = regex.compile(rb"(?m)^Subject: (?:\[[^\]\n]*\] *)*+([^\n]+)$")
_HEADER = 4000
_LONGEST_TITLE = 100


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a patch comes to. `originals` are the bytes before, of each file of the plan that is there now as
    the plan has it; `notes` are what a person should know of how the patch was placed."""

    plan: EditPlan
    originals: Mapping[str, bytes]
    format: Format
    notes: tuple[str, ...]


def incoming(
    workspace: Workspace,
    patch: bytes,
    *,
    format: Format = Format.AUTO,  # noqa: A002
    title: str = "",
    fuzz: bool = False,
    largest: int = LARGEST,
) -> Incoming:
    """The plan that a patch comes to. With `fuzz` a hunk that is not found as it stands is looked for with
    whitespace ignored and with fewer lines around it. `largest` is the size that a file may have.

    Nothing is written. PatchError for a patch that cannot be read, does not fit, or changes nothing;
    NotFoundError, OutsideWorkspaceError, BinaryFileError, TooLargeError and others for the files it names.
    """
    patch = _as_utf8(patch)
    found = recognised(patch) if format is Format.AUTO else format
    with Reader(workspace) as reader:
        if found is Format.PLAN:
            return _saved_plan(reader, patch, title, largest)
        files = _PARSERS[found](_with_bare_line_ends(patch))
        if not files:
            raise PatchError(f"there is no change in this patch (read as {found})", ACCEPTED)
        drafts = Drafts(reader, fuzz=fuzz, largest=largest)
        for file in files:
            drafts.take(file)
    edits = drafts.edits()
    if not edits:
        raise PatchError("the patch changes nothing", "the files hold its new text already")
    plan = EditPlan(title or _title(patch, edits[0].path, len(edits)), tuple(edits))
    plan.check()
    named = {edit.path for edit in edits}
    originals = {path: data for path, data in drafts.originals().items() if path in named}
    return Incoming(plan, originals, found, tuple(drafts.notes))


def _as_utf8(patch: bytes) -> bytes:
    """Some shells save what a program prints as UTF-16."""
    encoding = encoding_of(patch)
    if encoding.codec == "utf-8":
        return patch.removeprefix(encoding.bom)
    try:
        return decode(patch).text.encode("utf-8", "surrogatepass")
    except UndecodableError as error:
        raise PatchError(f"the patch cannot be read: {error}", ACCEPTED) from error


def _with_bare_line_ends(patch: bytes) -> bytes:
    """A patch whose every line ends in `\\r\\n` got that on its way here."""
    return patch if _BARE_LINE_END.search(patch) else patch.replace(b"\r\n", b"\n")


def _title(patch: bytes, path: str, files: int) -> str:
    subject = _SUBJECT.search(patch, 0, _HEADER)
    if subject and b"=?" not in subject[1]:
        return visible(os.fsdecode(subject[1].strip()))[:_LONGEST_TITLE]
    return f"patch of {visible(path)}" if files == 1 else f"patch of {counted(files, 'file')}"


def _saved_plan(reader: Reader, patch: bytes, title: str, largest: int) -> Incoming:
    """A plan of Redline's own. Whether it is still fresh is seen when it is applied."""
    plan = EditPlan.from_json(unfenced(patch))
    if not plan.files:
        raise PatchError("the plan changes nothing")
    originals: dict[str, bytes] = {}
    for edit in plan.files:
        for path in (edit.path, edit.new_path):
            if path is not None and (not path or reader.workspace.relative(path) != path):
                raise BadPlanError(f"{visible(path)}: not a path as plans write it, such as dir/name")
        if edit.before is None:
            continue
        if edit.before.size > largest:
            raise TooLargeError(
                f"{visible(edit.path)}: {edit.before.size:,} bytes, over the limit of {largest:,}"
            )
        try:
            data = reader.read(edit.path, largest)
        except (OSError, RedlineError):
            continue
        if digest(data) == edit.before.digest:
            originals[edit.path] = data
    named = msgspec.structs.replace(plan, title=title) if title else plan
    return Incoming(named, originals, Format.PLAN, ())
