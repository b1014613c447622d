"""The one road from a plan to the disk: the only code that changes files of the workspace.

What apply promises and how
---------------------------
- *What was reviewed is what is written.* New bytes come from the plan's splices over bytes with the
  plan's old digest, and are held to its new digest.
- *All or nothing.* (1) Under the workspace's lock every file is verified. (2) The old bytes go into
  the journal, durably. (3) Temporary files are staged beside their targets, complete with mode, owner
  and extended attributes, and synced as a group. (4) The journal notes that replacing begins; each
  staged file changes places with the old one. (5) The directories are synced, the journal notes the
  commit, and only then the old files are removed. Whatever fails before the commit, an error, a
  cancel or ctrl+c, takes everything back at once; after a kill or a power cut the next start does
  (`recovery`), from the journal and from what lies on the disk.
- *A changed file is never overwritten.* If any file is stale nothing is written and each is named.
  In step 4 the check comes after the exchange, on what came out, so there is no moment between
  check and rename; a new or moved file never takes a name that is in use. Where the filesystem
  cannot exchange names, a last check right before the rename is what remains.
- *Nothing outside the workspace.* Every name is used through the descriptor of its directory,
  resolved beneath the root without following links, and each step checks that the path still
  means that directory.
- *Refused:* files without any write permission, files with further hard links (unless
  `break_links`), and files whose owner or attributes could not be kept. A symbolic link is neither
  followed nor replaced: where the plan has a file, it is stale. A plan that changes nothing writes
  nothing.

Limits that no rename can lift: a program that holds the old file open and writes to it after step 4
writes into the old file; and when a directory is moved away in the very moment of a step, that step
is taken back where the directory is now.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from tui.edit.answers import Answers
from tui.edit.failures import ApplyError, naming
from tui.edit.interrupts import held_back
from tui.edit.journal import Batch, BatchFile, Journal, Original, Retention, State, temporary_name
from tui.edit.lock import locked
from tui.edit.moves import make_durable
from tui.edit.places import Found, Identity, Places
from tui.edit.plan import BadPlanError, EditPlan, FileEdit, StaleError
from tui.edit.recovery import (
    NotTakenBackError,
    Recovery,
    directories_of,
    discard_staged,
    settle_all,
    take_all_back,
    tidy,
)
from tui.edit.staging import CannotKeepError, RefusedError, stage
from tui.edit.steps import put_in_place
from tui.edit.store import Store
from tui.edit.takeback import CHANGED_SINCE
from tui.edit.verify import missing_directories, stale_now, verify
from tui.errors import RedlineError
from tui.text import visible
from tui.workspace import Workspace, join, split

# Directories stay open from staging to the end: should one be moved away meanwhile, its files can
# still be brought back.
_DIRECTORIES_KEPT_OPEN = 100

# Files read for the check are kept for the steps after it, as long as so much holds them; the others
# are read again. So memory has a bound, and a common batch is read once.
_BYTES_KEPT = 64 << 20


class CancelledError(RedlineError):
    """Stopped on request. Everything was taken back."""


class Progress(NamedTuple):
    """How far a batch has come: `checking`, `recording`, `staging`, `replacing`."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done. Without changes there is no batch. `recovered` tells what an earlier crash had
    left, settled before; `untidy` is an old file set aside that could not be removed yet."""

    batch: int | None
    files: int
    recovered: Recovery | None = None
    untidy: str | None = None


def apply(
    workspace: Workspace,
    plan: EditPlan,
    *,
    who: str = "person",
    title: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    undoes: int | None = None,
    answers: Answers | None = None,
    break_links: bool = False,
    wait: float = 10.0,
    retention: Retention | None = None,
) -> Outcome:
    """Make the plan's changes, all of them or none; with them, settle the proposal that they answer.

    Raises StaleError or RefusedError (naming every file at fault), ApplyError, CancelledError,
    BusyError after `wait` seconds, StoreError, BadPlanError: in each case nothing is changed.
    """
    edits = _changes(workspace, plan)
    if not edits:
        return Outcome(None, 0)
    with (
        held_back(cancelled) as stop,
        Store.open(workspace) as store,
        locked(store, wait, stop),
        Places(workspace, _DIRECTORIES_KEPT_OPEN) as places,
    ):
        journal = Journal(store)
        recovered = settle_all(workspace, journal)
        work = _Work(places, journal, edits, _Watch(progress, stop))
        work.verify(break_links=break_links, read_only=undoes is not None)
        batch = journal.begin(
            who=who, title=plan.title if title is None else title, undoes=undoes, answers=answers
        )
        untidy = work.run(batch)
        with suppress(RedlineError):  # a change that is made does not fail for what comes after
            journal.prune(retention or Retention())
        return Outcome(batch.id, len(edits), recovered, untidy)


def check(workspace: Workspace, plan: EditPlan, *, break_links: bool = False) -> None:
    """Whether the plan could be applied now: the same errors as `apply`, and nothing is written."""
    edits = _changes(workspace, plan)
    with Places(workspace) as places:
        verify(places, edits, break_links=break_links, read_only=False, each=lambda number: None)


def _changes(workspace: Workspace, plan: EditPlan) -> list[FileEdit]:
    """The edits that change anything, in path order, every path confined to the workspace."""
    plan.check()
    for edit in plan.files:
        for path in (edit.path, edit.new_path):
            if path is not None and (not path or workspace.relative(path) != path):
                raise BadPlanError(f"{visible(path)}: not a path as plans write it, such as dir/name")
    changing = [edit for edit in plan.files if edit.before != edit.after or edit.new_path is not None]
    return sorted(changing, key=lambda edit: split(edit.path))


class _Watch:
    """Tells how far the work has come, and stops it on request."""

    def __init__(self, progress: Callable[[Progress], None] | None, stop: Callable[[], bool]) -> None:
        self._progress = progress
        self._stop = stop

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(Progress(step, done, total))
        if self._stop():
            raise CancelledError("cancelled: nothing was changed")


class _Staged(NamedTuple):
    """The old file as it was when its attributes were copied, and the inode of the new one."""

    old: Identity | None
    new: int | None


class _Work:
    """One batch on its way: the steps of this module's promise, in their order."""

    def __init__(self, places: Places, journal: Journal, edits: Sequence[FileEdit], watch: _Watch) -> None:
        self._places = places
        self._journal = journal
        self._edits = edits
        self._watch = watch
        self._files: list[BatchFile] = []
        self._made: list[str] = []
        self._staged: list[_Staged] = []
        self._kept: dict[int, Found] = {}
        self._room = _BYTES_KEPT

    def verify(self, *, break_links: bool, read_only: bool) -> None:
        def each(number: int) -> None:
            self._watch("checking", number, len(self._edits))

        def keep(number: int, found: Found) -> None:
            self._room -= len(found.data)
            if self._room > 0:
                self._kept[number] = found

        with Places(self._places.workspace) as places:
            verify(places, self._edits, break_links=break_links, read_only=read_only, each=each, keep=keep)
            self._made = sorted({directory for edit in self._edits for directory in _to_make(places, edit)})

    def run(self, batch: Batch) -> str | None:
        """From the verified plan to the committed batch; or everything back, and the error."""
        self._files = [_batch_file(batch, number, edit) for number, edit in enumerate(self._edits)]
        replacing = False
        try:
            self._journal.record(batch, self._originals(), self._made)
            self._stage(batch)
            replacing = True
            self._journal.advance(batch, State.REPLACING)
            self._replace()
            self._journal.advance(batch, State.COMMITTED)
        except BaseException as error:
            self._take_back(batch, replacing, error)
            raise
        try:
            tidy(self._places, self._journal, batch, self._files)
        except (OSError, RedlineError) as error:
            return str(error)
        return None

    def _each(self, step: str) -> Iterator[tuple[BatchFile, FileEdit]]:
        for file, edit in zip(self._files, self._edits, strict=True):
            self._watch(step, file.number, len(self._files))
            yield file, edit

    def _originals(self) -> Iterator[Original]:
        for file, edit in self._each("recording"):
            with naming(file.path):
                found = self._old(file)
            if found is None:
                yield Original(file, None, edit.splices, None)
            else:
                data = None if file.kind == "move" else found.data
                yield Original(file, found.attributes, edit.splices, data)

    def _old(self, file: BatchFile) -> Found | None:
        """The file to be changed, as verified or once more held to the plan; None if it is to be created.

        That a kept one is still the same is found out when it is replaced, as for every file.
        """
        if file.before is None:
            return None
        found = self._kept.get(file.number) or self._places.look(file.path, attributes=True)
        if found is None or found.state != file.before:
            raise StaleError([(file.path, "changed while the batch was being applied")])
        return found

    def _stage(self, batch: Batch) -> None:
        """Every temporary file, complete and durable."""
        refused = []
        for path in self._made:
            with naming(path):
                directory, name = split(path)
                os.mkdir(name, dir_fd=self._places.fd(directory))
        for file, edit in self._each("staging"):
            try:
                with naming(file.path):
                    self._staged.append(self._stage_file(batch, file, edit))
            except CannotKeepError as error:
                refused.append((file.path, str(error)))
        if refused:
            raise RefusedError(refused)
        with naming("the staged files"):
            temporaries = [join(split(file.target)[0], file.temporary) for file in self._files]
            make_durable(self._places, self._changed_directories(), temporaries)

    def _stage_file(self, batch: Batch, file: BatchFile, edit: FileEdit) -> _Staged:
        found = self._old(file)
        self._kept.pop(file.number, None)
        old = None if found is None else found.identity
        if file.after is None or file.kind == "move":
            return _Staged(old, None)
        if found is not None:
            data, like = edit.new_bytes(found.data), found.attributes
        else:  # what was deleted and comes back has the owner and attributes it had
            data = edit.new_bytes(b"")
            like = None if batch.undoes is None else self._journal.attributes(batch.undoes, file.path)
        directory = self._places.fd(split(file.target)[0])
        return _Staged(old, stage(directory, file.temporary, data, file.after, like))

    def _replace(self) -> None:
        """Every file in its place, durably. No request to stop is heard after the last one."""
        for file, _ in self._each("replacing"):
            with naming(file.path):
                put_in_place(self._places, file, *self._staged[file.number])
        with naming("the replaced files"):
            make_durable(self._places, self._changed_directories())

    def _changed_directories(self) -> set[str]:
        return directories_of(self._files) | {split(path)[0] for path in self._made}

    def _take_back(self, batch: Batch, replacing: bool, error: BaseException) -> None:
        """Everything as it was. Raises where there is more to be told than the error itself."""
        left: list[tuple[str, str]] = []
        try:
            if replacing:
                left = take_all_back(self._places, self._journal, batch, self._files, self._made)
            else:
                discard_staged(self._places, self._journal, batch, self._files, self._made)
        except NotTakenBackError as worse:
            raise NotTakenBackError(f"{error}; {worse.message}", worse.hint) from error
        except (OSError, RedlineError):
            pass  # the files are back, only the journal does not say so yet: the next start sees to it
        if isinstance(error, StaleError):
            raise StaleError(self._all_stale(error, left)) from error
        if left:
            told = "; ".join(f"{visible(path)}: {why}" for path, why in left)
            raise ApplyError(f"{error}; {told}") from error

    def _all_stale(self, error: StaleError, left: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """The first stale file ended the work; the person is to know of every one, and why."""
        reasons = {**dict(left), **dict(error.paths)}
        with Places(self._places.workspace) as places, suppress(OSError):
            reasons.update(stale_now(places, self._edits))
        reasons.update((path, why) for path, why in left if why != CHANGED_SINCE)
        return sorted(reasons.items())


def _batch_file(batch: Batch, number: int, edit: FileEdit) -> BatchFile:
    name = temporary_name(batch.token, number)
    return BatchFile(number, edit.path, edit.new_path, edit.before, edit.after, name)


def _to_make(places: Places, edit: FileEdit) -> list[str]:
    if edit.after is None or (edit.before is not None and edit.new_path is None):
        return []
    with naming(edit.path):
        return missing_directories(places, edit.new_path or edit.path)
