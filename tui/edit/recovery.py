"""Unfinished batches settled: all old or all new, and nothing left lying about.

The same code takes a batch back when applying it fails and when a later start finds that a crash
cut it short. It may be run any number of times, and be cut short itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tui.edit.journal import Attributes, Batch, BatchFile, Journal, State
from tui.edit.lock import BusyError, locked
from tui.edit.moves import make_durable, remove
from tui.edit.places import Places, if_reachable
from tui.edit.staging import CannotKeepError
from tui.edit.store import Store
from tui.edit.takeback import is_done, take_back
from tui.errors import RedlineError
from tui.text import visible
from tui.workspace import Workspace, split

_REMOVERS = 4
_MANY = 200
_LATER = "the old bytes are safe in the journal; the next start of Redline tries again"


class NotTakenBackError(RedlineError):
    """Some files could not be brought back yet; the journal still has their old bytes."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How an unfinished batch ended, and which of its files were left alone and why."""

    batch: Batch
    state: State
    left_alone: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a start had to settle."""

    batches: tuple[Settled, ...]

    def __str__(self) -> str:
        """One line for the person, without control codes."""
        return "; ".join(_told(settled) for settled in self.batches)


def recover(workspace: Workspace) -> Recovery | None:
    """Settle what a crash left; None if there is nothing, or a live Redline is at work on it.

    Made for the start of every command: where nothing was ever applied it makes no database, and
    where nothing is unfinished it asks one question of it.
    """
    store = Store.existing(workspace)
    if store is None:
        return None
    with store:
        journal = Journal(store)
        if not journal.unfinished():
            return None
        try:
            with locked(store, wait=0):
                return settle_all(workspace, journal)
        except BusyError:
            return None


def settle_all(workspace: Workspace, journal: Journal) -> Recovery | None:
    """`recover` for one who holds the lock."""
    settled = []
    for batch in journal.unfinished():
        try:
            settled.append(_settle(workspace, journal, batch))
        except OSError as error:
            raise NotTakenBackError(
                f"batch {batch.id} was cut short and cannot be settled yet: {visible(_cause(error))}", _LATER
            ) from error
    told = tuple(one for one in settled if one.batch.state != State.COMMITTED)
    return Recovery(told) if told else None


def _settle(workspace: Workspace, journal: Journal, batch: Batch) -> Settled:
    files = journal.files(batch)
    with Places(workspace) as places:
        if batch.state == State.COMMITTED:
            tidy(places, journal, batch, files)
            return Settled(batch, State.COMMITTED)
        if batch.state == State.PREPARING:
            discard_staged(places, journal, batch, files, journal.directories(batch.id))
            return Settled(batch, State.ROLLED_BACK)
        if all(is_done(places, file) for file in files):
            make_durable(places, directories_of(files))
            journal.advance(batch, State.COMMITTED)
            tidy(places, journal, batch, files)
            return Settled(batch, State.COMMITTED)
        left = take_all_back(places, journal, batch, files, journal.directories(batch.id))
        return Settled(batch, State.ROLLED_BACK, tuple(left))


def take_all_back(
    places: Places, journal: Journal, batch: Batch, files: Sequence[BatchFile], made: Sequence[str]
) -> list[tuple[str, str]]:
    """Every file back to its old bytes, durably, and the directories made for it gone; the paths
    that were left alone, and why."""

    def originals(file: BatchFile) -> tuple[bytes, Attributes | None]:
        return journal.old_bytes(batch, file), journal.attributes(batch.id, file.path)

    left: list[tuple[str, str]] = []
    failed: list[tuple[str, Exception]] = []
    for file in reversed(files):
        try:
            if why := take_back(places, file, originals):
                left.append((file.path, why))
        except (OSError, RedlineError, CannotKeepError) as error:
            failed.append((file.path, error))
    if failed:
        raise _not_taken_back(failed)
    make_durable(places, directories_of(files) | _remove_directories(places, made))
    journal.roll_back(batch, left)
    return left


def discard_staged(
    places: Places, journal: Journal, batch: Batch, files: Sequence[BatchFile], made: Sequence[str]
) -> None:
    """Take back a batch that replaced nothing yet: its temporary files and new directories go."""
    _remove_temporaries(places, files)
    make_durable(places, directories_of(files) | _remove_directories(places, made))
    journal.roll_back(batch, ())


def tidy(places: Places, journal: Journal, batch: Batch, files: Sequence[BatchFile]) -> None:
    """Remove what a committed batch needs no more: the old files set aside and, when it undid the
    making of directories, those of them that are empty now."""
    if len(files) < _MANY:
        _remove_temporaries(places, files)
    else:
        _remove_many_temporaries(places.workspace, files)
    emptied = [] if batch.undoes is None else journal.directories(batch.undoes)
    make_durable(places, directories_of(files) | _remove_directories(places, emptied))
    journal.advance(batch, State.COMMITTED, tidy=True)


def _remove_temporaries(places: Places, files: Iterable[BatchFile]) -> None:
    for file in files:
        for directory, name in file.temporaries:
            with if_reachable():
                remove(places.fd(directory), name)


def _remove_many_temporaries(workspace: Workspace, files: Sequence[BatchFile]) -> None:
    """By several at a time: to remove a file is mostly to wait until the disk has given up its blocks."""
    from concurrent.futures import ThreadPoolExecutor

    def remove_share(first: int) -> None:
        with Places(workspace) as places:
            _remove_temporaries(places, files[first : first + share])

    share = -(-len(files) // _REMOVERS)
    with ThreadPoolExecutor(_REMOVERS) as pool:
        for _ in pool.map(remove_share, range(0, len(files), share)):
            pass  # an error of a share is raised here


def _remove_directories(places: Places, paths: Sequence[str]) -> set[str]:
    """The innermost first; one that holds anything, or is not there, stays as it is. The
    directories they were in."""
    for path in reversed(paths):
        directory, name = split(path)
        with suppress(OSError):
            os.rmdir(name, dir_fd=places.fd(directory))
    return {split(path)[0] for path in paths}


def directories_of(files: Iterable[BatchFile]) -> set[str]:
    return {split(path)[0] for file in files for path in (file.path, file.target)}


def _not_taken_back(failed: Sequence[tuple[str, Exception]]) -> NotTakenBackError:
    told = "; ".join(f"{visible(path)}: {visible(_cause(error))}" for path, error in failed[:5])
    more = f"; and {len(failed) - 5:,} more" if len(failed) > 5 else ""
    return NotTakenBackError(f"{len(failed):,} files could not be brought back yet: {told}{more}", _LATER)


def _cause(error: Exception) -> str:
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)


def _told(settled: Settled) -> str:
    batch = settled.batch
    what = f"batch {batch.id} ({visible(batch.title)}) had not been finished"
    if settled.state == State.COMMITTED:
        return f"{what}: every file had its new bytes, so it is done now"
    if not settled.left_alone:
        return f"{what}: every file has its old bytes again"
    left = ", ".join(f"{visible(path)} ({visible(why)})" for path, why in settled.left_alone[:5])
    more = f" and {len(settled.left_alone) - 5:,} more" if len(settled.left_alone) > 5 else ""
    return f"{what}: the files have their old bytes again, except {left}{more}"
