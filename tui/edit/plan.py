"""A plan: exactly which bytes of which files become which others. Plain data, frozen.

A file's change is kept as splices, stretches of the old bytes with what takes their place, beside
the digests of the whole file before and after. So a plan over ten thousand files stays small, and
still nothing but the reviewed bytes can come of it: whoever builds the new bytes checks both digests.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Sequence
from typing import Any

import msgspec

from tui.errors import RedlineError
from tui.text import visible

FORMAT = "redline-plan-1"


class StaleError(RedlineError):
    """Files are not what the plan was made from; nothing was written."""

    code = "STALE"
    status = 3

    def __init__(self, paths: Sequence[tuple[str, str]], hint: str = "") -> None:
        """`paths`: each stale path and what is different about it."""
        self.paths = tuple(paths)
        told = "; ".join(f"{visible(path)}: {why}" for path, why in self.paths[:5])
        more = f"; and {len(self.paths) - 5:,} more" if len(self.paths) > 5 else ""
        super().__init__(
            f"nothing was written: {told}{more}",
            hint or "plan the change anew, or leave these files out",
        )


class BadPlanError(RedlineError):
    """A plan that contradicts itself or was altered."""

    code = "INVALID_ARGUMENT"


class Splice(msgspec.Struct, frozen=True):
    """Bytes `start` to `end` of the old file become `new`. Offsets count from the file's first byte."""

    start: int
    end: int
    new: bytes


class FileState(msgspec.Struct, frozen=True):
    """What a file is: its contents by digest, its size and its permission bits."""

    digest: str
    size: int
    mode: int

    @classmethod
    def of(cls, data: bytes, mode: int) -> FileState:
        return cls(digest(data), len(data), mode & 0o7777)


class FileEdit(msgspec.Struct, frozen=True):
    """One file's change.

    Without `before` the file is created, without `after` it is deleted. `new_path` moves it as
    well. The splices turn the bytes of `before` (none for a new file) into those of `after`.
    """

    path: str
    before: FileState | None
    after: FileState | None
    splices: tuple[Splice, ...] = ()
    new_path: str | None = None

    def new_bytes(self, old: bytes) -> bytes:
        """The bytes after, from the bytes before; both are held to their digests."""
        if self.before is not None and digest(old) != self.before.digest:
            raise StaleError([(self.path, "changed since it was read")])
        new = spliced(old, self.splices)
        if self.after is None or digest(new) != self.after.digest:
            raise BadPlanError(f"{visible(self.path)}: the edits do not give the bytes the plan promises")
        return new


class EditPlan(msgspec.Struct, frozen=True):
    """A batch of changes that is applied whole or not at all. No path appears twice."""

    title: str
    files: tuple[FileEdit, ...]

    def to_json(self) -> bytes:
        """The saved form; its own digest makes a later alteration evident."""
        files = [_file_to_builtins(file) for file in self.files]
        body: dict[str, Any] = {"format": FORMAT, "title": _clean(self.title), "files": files}
        return msgspec.json.format(msgspec.json.encode({**body, "digest": _seal(body)}), indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> EditPlan:
        """The plan as saved, or BadPlanError."""
        try:
            body = msgspec.json.decode(data)
            if not isinstance(body, dict) or body.get("format") != FORMAT:
                raise BadPlanError(f"not a Redline plan (its format is not {FORMAT})")
            if body.pop("digest", None) != _seal(body):
                raise BadPlanError("the plan was altered after it was saved: its digest does not match")
            files = tuple(_file_from_builtins(file) for file in body["files"])
            plan = cls(str(body["title"]), files)
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadPlanError(f"not a Redline plan: {visible(str(error))}") from error
        plan.check()
        return plan

    def check(self) -> None:
        """BadPlanError if the plan contradicts itself."""
        seen: set[str] = set()
        for file in self.files:
            for path in (file.path, file.new_path):
                if path is not None and path in seen:
                    raise BadPlanError(f"{visible(path)}: named twice in one plan")
                seen.add(path or file.path)
            _check_splices(file)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def spliced(old: bytes, splices: Sequence[Splice]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for splice in splices:
        parts += (old[at : splice.start], splice.new)
        at = splice.end
    parts.append(old[at:])
    return b"".join(parts)


def modify(path: str, old: bytes, mode: int, splices: Sequence[Splice]) -> FileEdit | None:
    """The change of a file's contents; None if it changes nothing."""
    kept = tuple(splice for splice in splices if old[splice.start : splice.end] != splice.new)
    new = spliced(old, kept)
    if new == old:
        return None
    return FileEdit(path, FileState.of(old, mode), FileState.of(new, mode), kept)


def create(path: str, new: bytes, mode: int = 0o644) -> FileEdit:
    return FileEdit(path, None, FileState.of(new, mode), (Splice(0, 0, new),) if new else ())


def delete(path: str, old: bytes, mode: int) -> FileEdit:
    return FileEdit(path, FileState.of(old, mode), None)


def rename(path: str, new_path: str, old: bytes, mode: int, splices: Sequence[Splice] = ()) -> FileEdit:
    state = FileState.of(old, mode)
    after = FileState.of(spliced(old, splices), mode) if splices else state
    return FileEdit(path, state, after, tuple(splices), new_path)


def _check_splices(file: FileEdit) -> None:
    size = file.before.size if file.before else 0
    at = 0
    for splice in file.splices:
        if not at <= splice.start <= splice.end <= size:
            raise BadPlanError(f"{visible(file.path)}: its edits overlap or lie outside the file")
        at = splice.end
    if file.before is None and file.after is None:
        raise BadPlanError(f"{visible(file.path)}: neither there before nor after")


def _seal(body: dict[str, Any]) -> str:
    return digest(msgspec.json.encode(body, order="deterministic"))


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _path_to_builtins(path: str | None) -> str | dict[str, str] | None:
    """A path that is not valid UTF-8 is written as its bytes, as in `rg --json`."""
    if path is None:
        return None
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(raw).decode()}


def _path_from_builtins(value: Any) -> str:
    if isinstance(value, dict):
        try:
            return os.fsdecode(base64.b64decode(value["bytes"], validate=True))
        except binascii.Error as error:
            raise ValueError("a path is not base64") from error
    if not isinstance(value, str):
        raise ValueError("a path is neither text nor bytes")
    return value


def _file_to_builtins(file: FileEdit) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(file, path="", new_path=None))
    return {**plain, "path": _path_to_builtins(file.path), "new_path": _path_to_builtins(file.new_path)}


def _file_from_builtins(plain: dict[str, Any]) -> FileEdit:
    path = _path_from_builtins(plain["path"])
    new_path = None if plain.get("new_path") is None else _path_from_builtins(plain["new_path"])
    file = msgspec.convert({**plain, "path": "", "new_path": None}, FileEdit)
    return msgspec.structs.replace(file, path=path, new_path=new_path)
