"""The files that a patch touches, as they are after each of its sections, and the edits that lead there.

A patch may come back to a file: a section starts from what the ones before it left. Only a copy starts from
the file as it is now, as git has it. What comes out names each path once.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from tui.edit.plan import FileEdit, FileState, Splice, create, delete, spliced
from tui.errors import NotFoundError, RedlineError
from tui.review.patches.document import Document, parted_lines
from tui.review.patches.filepatch import FilePatch, Kind, PatchError
from tui.review.patches.placing import put_hunks
from tui.review.patches.texts import put_text
from tui.text import visible
from tui.workspace import Reader, explain

_NEW_FILE, _NEW_PROGRAM = 0o644, 0o755


@dataclass(slots=True, eq=False)
class Draft:
    """One file on its way. `origin` is where it lies now, None for a new one; `before` are the bytes it
    starts from. `path` is where it will lie, None if it goes."""

    origin: str | None
    before: bytes
    mode_before: int
    path: str | None
    mode: int
    document: Document | None = None

    @property
    def text(self) -> Document:
        """Its lines; BinaryFileError for what has none."""
        if self.document is None:
            self.document = Document(self.origin or self.path or "", self.before)
        return self.document

    def after(self) -> bytes:
        return spliced(self.before, self.splices())

    def splices(self) -> tuple[Splice, ...]:
        return () if self.document is None else self.document.splices()


class Drafts:
    """All files of one patch. NotFoundError, OutsideWorkspaceError and their kin for files that cannot be
    had, PatchError for what does not fit."""

    def __init__(self, reader: Reader, *, fuzz: bool, largest: int) -> None:
        self.notes: list[str] = []
        self._reader = reader
        self._fuzz = fuzz
        self._largest = largest
        self._all: list[Draft] = []
        self._at: dict[str, Draft | None] = {}  # None: it was there, and is gone

    def take(self, patch: FilePatch) -> None:
        """One section of the patch."""
        path = self._inside(patch.path)
        match patch.kind:
            case Kind.CHANGE if _begins_with_nothing(patch) and not self._is_there(path):
                draft = self._created(path)
            case Kind.CHANGE:
                draft = self._there(path)
            case Kind.CREATE:
                self._check_free(path)
                draft = self._created(path)
            case Kind.WRITE:
                self._write(path, patch)
                return
            case Kind.DELETE:
                draft = self._there(path)
            case Kind.RENAME:
                draft = self._moved(path, self._inside(patch.new_path or ""))
            case Kind.COPY:
                draft = self._copied(path, self._inside(patch.new_path or ""))
        self._change(draft, patch)
        if patch.kind is Kind.DELETE:
            self._delete(draft, patch)

    def edits(self) -> list[FileEdit]:
        """What the patch changes, in its order. Files that stay as they are are left out."""
        origins = {draft.origin for draft in self._all}
        edits = [edit for draft in self._all for edit in self._edits_of(draft, origins)]
        return [edit for edit in edits if edit.before != edit.after or edit.new_path is not None]

    def originals(self) -> dict[str, bytes]:
        return {draft.origin: draft.before for draft in self._all if draft.origin is not None}

    def _inside(self, path: str) -> str:
        inside = self._reader.workspace.relative(path)
        if not inside:
            raise PatchError("the patch names the workspace itself, or nothing, where a file should be")
        return inside

    def _read(self, path: str) -> tuple[bytes, int]:
        try:
            return self._reader.read_with_mode(path, self._largest)
        except OSError as error:
            raise self._explained(error, path) from error

    def _explained(self, error: OSError, path: str) -> RedlineError:
        explained = explain(error, path)
        if isinstance(explained, NotFoundError):
            explained.hint = "paths in a patch count from the workspace's root"
        return explained

    def _is_there(self, path: str) -> bool:
        if path in self._at:
            return self._at[path] is not None
        try:
            self._reader.status(path)
        except OSError as error:
            if error.errno == errno.ENOENT:
                return False
            raise self._explained(error, path) from error
        return True

    def _check_free(self, path: str) -> None:
        if self._is_there(path):
            raise PatchError(
                f"{visible(path)}: it is there already, and the patch would create it",
                "delete or rename one of them",
            )

    def _there(self, path: str) -> Draft:
        if path not in self._at:
            data, mode = self._read(path)
            return self._begun(Draft(path, data, mode, path, mode), path)
        draft = self._at[path]
        if draft is None:
            raise NotFoundError(f"{visible(path)}: the patch itself has deleted or moved it before")
        return draft

    def _created(self, path: str, data: bytes = b"", mode: int = _NEW_FILE) -> Draft:
        return self._begun(Draft(None, data, mode, path, mode), path)

    def _begun(self, draft: Draft, path: str) -> Draft:
        self._at[path] = draft
        self._all.append(draft)
        return draft

    def _write(self, path: str, patch: FilePatch) -> None:
        new = b"".join([raw for hunk in patch.hunks for raw in hunk.new])
        if not self._is_there(path):
            self._created(path, new)
            return
        document = self._there(path).text
        document.rewrite(0, document.count, parted_lines(new), verbatim=False)
        self.notes.append(f"{visible(path)}: it is there already; the patch gives it whole new contents")

    def _moved(self, path: str, new_path: str) -> Draft:
        draft = self._there(path)
        if new_path != path:
            self._check_free(new_path)
            draft.path = new_path
            self._at[path] = None
            self._at[new_path] = draft
        return draft

    def _copied(self, path: str, new_path: str) -> Draft:
        self._check_free(new_path)
        data, mode = self._read(path)
        return self._created(new_path, data, _NEW_PROGRAM if mode & 0o100 else _NEW_FILE)

    def _change(self, draft: Draft, patch: FilePatch) -> None:
        if patch.hunks:
            self.notes += put_hunks(draft.text, patch.hunks, fuzz=self._fuzz)
        for edit in patch.edits:
            self.notes += put_text(draft.text, edit, fuzz=self._fuzz)
        if patch.executable is not None:
            draft.mode = _with_executable(draft.mode, patch.executable)

    def _delete(self, draft: Draft, patch: FilePatch) -> None:
        path = draft.path or ""
        if patch.emptied and draft.after():
            raise PatchError(
                f"{visible(path)}: the patch deletes it, but it holds more than the patch knows of",
                "make the patch anew from the file as it is",
            )
        draft.path = None
        self._at[path] = None

    def _edits_of(self, draft: Draft, origins: set[str | None]) -> Iterator[FileEdit]:
        """A file that takes the place of another one, or whose place is taken, is not moved there: the
        contents of both paths change."""
        origin, path = draft.origin, draft.path
        if origin is None:
            if path is not None and path not in origins:
                yield create(path, draft.after(), draft.mode)
            return
        taker = self._at[origin]
        if path is not None and path != origin and path not in origins and taker is None:
            yield _changed(draft, origin, draft, path)
            return
        if taker is None:
            yield delete(origin, draft.before, draft.mode_before)
        else:
            yield _changed(draft, origin, taker)
        if path is not None and path not in origins:
            yield create(path, draft.after(), draft.mode)


def _begins_with_nothing(patch: FilePatch) -> bool:
    hunks_do = len(patch.hunks) == 1 and not patch.hunks[0].old and not patch.hunks[0].at
    return hunks_do or bool(patch.edits and not patch.edits[0].old)


def _with_executable(mode: int, executable: bool) -> int:
    """Whoever may read a program may run it."""
    return mode | (mode & 0o444) >> 2 if executable else mode & ~0o111


def _changed(draft: Draft, origin: str, now: Draft, new_path: str | None = None) -> FileEdit:
    """The file at the draft's origin, which holds `now` what another draft or itself has become."""
    splices = draft.splices() if now is draft else (Splice(0, len(draft.before), now.after()),)
    after = FileState.of(spliced(draft.before, splices), now.mode)
    return FileEdit(origin, FileState.of(draft.before, draft.mode_before), after, splices, new_path)
