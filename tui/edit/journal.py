"""The journal: every batch that was applied, with the old bytes, so that it can be taken back.

A batch passes through these states, each written durably before the next step is taken:

    preparing   the old bytes are being kept, then temporary files staged; no file is replaced
    replacing   everything is staged and durable; files are being moved into place
    committed   every file has its new bytes
    rolled_back every file has its old bytes (but for those named as left alone)

`tidy` is set once no temporary file can be left. A batch that is not tidy is unfinished business,
which recovery settles at the next start.

Old bytes are recorded file by file, in transactions of a few tens of megabytes: memory and SQLite's
log stay small whatever the batch holds, and another program that stores a proposal meanwhile waits
for a fraction of a second only. A batch that breaks off between two of them is still `preparing`.
"""

from __future__ import annotations

import enum
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from tui.edit.answers import Answers, check_open, settle_with
from tui.edit.plan import FileState, Splice
from tui.edit.store import Store
from tui.errors import NotFoundError
from tui.workspace import Workspace, split

LARGEST_ORIGINAL = 900_000_000  # SQLite holds no value over 1,000,000,000 bytes
_BYTES_A_TRANSACTION = 32 << 20
_IDLE_SPACE = 256 << 20


class State(enum.StrEnum):
    PREPARING = "preparing"
    REPLACING = "replacing"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled_back"


class Attributes(msgspec.Struct, frozen=True, array_like=True):
    """What belongs to a file beside its bytes and its permission bits."""

    uid: int
    gid: int
    xattrs: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """One line of the history. `undone_by` is the batch that took it back and was not itself undone."""

    id: int
    when: datetime
    who: str
    title: str
    state: State
    tidy: bool
    files: int
    size: int
    undoes: int | None
    undone_by: int | None
    token: str


@dataclass(frozen=True, slots=True)
class BatchFile:
    """One file of a batch: what became of it, and the name its temporary file has meanwhile."""

    number: int
    path: str
    new_path: str | None
    before: FileState | None
    after: FileState | None
    temporary: str
    left_alone: str | None = None

    @property
    def kind(self) -> str:
        """`create`, `delete`, `replace`, `move`, or `rewrite`: moved and given other bytes or bits."""
        if self.before is None:
            return "create"
        if self.after is None:
            return "delete"
        if self.new_path is None:
            return "replace"
        return "move" if self.before == self.after else "rewrite"

    @property
    def target(self) -> str:
        """The path it has afterwards."""
        return self.new_path or self.path

    @property
    def aside(self) -> str:
        """The name under which the old file waits until the batch is committed."""
        return f"{self.temporary}-old" if self.kind == "rewrite" else self.temporary

    @property
    def temporaries(self) -> set[tuple[str, str]]:
        """The directory and name of every temporary file it may have."""
        return {(split(self.target)[0], self.temporary), (split(self.path)[0], self.aside)}


class Original(NamedTuple):
    """What the journal keeps of one file: enough to restore it, and to reverse its edits."""

    file: BatchFile
    attributes: Attributes | None
    splices: tuple[Splice, ...]
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Retention:
    """How much of the past is kept. The newest batch and unfinished ones always are."""

    batches: int = 200
    size: int = 1 << 30


def history(workspace: Workspace, limit: int | None = None) -> list[Batch]:
    """A workspace's batches, newest first; where nothing was ever applied, none."""
    store = Store.existing(workspace)
    if store is None:
        return []
    with store:
        return Journal(store).history(limit)


class Journal:
    """The batches in a store. Whoever writes here holds the workspace's lock."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # Writing

    def begin(
        self, *, who: str, title: str, undoes: int | None = None, answers: Answers | None = None
    ) -> Batch:
        """StaleError if the proposal that it answers is not open any more, or not what was shown."""
        now, token = time.time(), secrets.token_hex(8)
        proposal, _, outcome, receipt = answers or (None, "", None, None)
        with self._store.transaction() as database:
            if answers is not None:
                check_open(database, answers)
            row = database.execute(
                "INSERT INTO batches (created, who, title, state, undoes, token, proposal, outcome, receipt)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    now,
                    _text(who),
                    _text(title),
                    State.PREPARING,
                    undoes,
                    token,
                    proposal,
                    outcome,
                    receipt,
                ),
            )
            number = int(row.lastrowid or 0)
        return self.batch(number)

    def record(self, batch: Batch, originals: Iterable[Original], directories: Sequence[str]) -> None:
        """Keep what the batch will replace, and which directories it will make; durable on return."""
        waiting = iter(originals)
        with self._store.transaction() as database:
            database.executemany(
                "INSERT INTO directories (batch, path) VALUES (?, ?)",
                [(batch.id, os.fsencode(path)) for path in directories],
            )
            more = _insert_some(database, batch.id, waiting)
        while more:
            with self._store.transaction() as database:
                more = _insert_some(database, batch.id, waiting)

    def advance(self, batch: Batch, state: State, *, tidy: bool = False) -> None:
        """The batch's new state; durable on return, and with a commit the proposal it carries out is
        settled."""
        with self._store.transaction() as database:
            if state is State.COMMITTED:
                settle_with(database, batch.id)
            database.execute(
                "UPDATE batches SET state = ?, tidy = ? WHERE id = ?", (state, int(tidy), batch.id)
            )

    def roll_back(self, batch: Batch, left_alone: Sequence[tuple[str, str]]) -> None:
        """Every file is as it was; only the old bytes of those left alone are still of use."""
        with self._store.transaction() as database:
            database.executemany(
                "UPDATE files SET left_alone = ? WHERE batch = ? AND path = ?",
                [(_text(why), batch.id, os.fsencode(path)) for path, why in left_alone],
            )
            database.execute(
                "DELETE FROM originals WHERE file IN"
                " (SELECT id FROM files WHERE batch = ? AND left_alone IS NULL)",
                (batch.id,),
            )
            database.execute(
                "UPDATE batches SET state = ?, tidy = 1, size ="
                " (SELECT coalesce(sum(length(bytes)), 0) FROM originals JOIN files ON file = files.id"
                " WHERE batch = batches.id) WHERE id = ?",
                (State.ROLLED_BACK, batch.id),
            )

    def prune(self, retention: Retention) -> int:
        """Forget the oldest batches that the retention does not cover; how many."""
        forgotten = []
        kept = size = 0
        for number, tidy, its_size in self._store.rows("SELECT id, tidy, size FROM batches ORDER BY id DESC"):
            size += its_size
            if kept and tidy and (kept >= retention.batches or size > retention.size):
                forgotten.append(number)
                size -= its_size
            else:
                kept += 1
        for number in reversed(forgotten):  # one by one, so that other writers never wait long
            with self._store.transaction() as database:
                database.execute("DELETE FROM batches WHERE id = ?", (number,))
        if forgotten:
            self._store.give_back_space(_IDLE_SPACE)
        return len(forgotten)

    # Reading

    def history(self, limit: int | None = None) -> list[Batch]:
        """The batches, newest first."""
        rows = self._store.rows(
            "SELECT id, created, who, title, state, tidy, files, size, undoes, token FROM batches"
            " ORDER BY id DESC"
        )
        undone_by = _undone_by(rows)
        return [_batch(row, undone_by) for row in rows[:limit]]

    def batch(self, number: int) -> Batch:
        history = self.history()
        for batch in history:
            if batch.id == number:
                return batch
        there = f"there are {history[-1].id} to {history[0].id}" if history else "there is none yet"
        raise NotFoundError(f"no batch {number} in the history: {there}", "see `redline history`")

    def unfinished(self) -> list[Batch]:
        """What a crash left to settle, newest first, the order in which to take things back."""
        if not self._store.rows("SELECT 1 FROM batches WHERE NOT tidy LIMIT 1"):
            return []
        return [batch for batch in self.history() if not batch.tidy]

    def files(self, batch: Batch) -> list[BatchFile]:
        """The batch's files in the order they were applied."""
        rows = self._store.rows(
            "SELECT number, path, new_path, before_digest, before_size, before_mode,"
            " after_digest, after_size, after_mode, left_alone FROM files WHERE batch = ? ORDER BY number",
            (batch.id,),
        )
        return [_file(row, batch.token) for row in rows]

    def directories(self, batch: int) -> list[str]:
        """The directories that the batch made, or was about to make, outermost first."""
        rows = self._store.rows("SELECT path FROM directories WHERE batch = ? ORDER BY path", (batch,))
        return [os.fsdecode(path) for (path,) in rows]

    def old_bytes(self, batch: Batch, file: BatchFile) -> bytes:
        """The file's bytes as they were before the batch."""
        rows = self._store.rows(
            "SELECT bytes FROM originals JOIN files ON file = files.id WHERE batch = ? AND number = ?",
            (batch.id, file.number),
        )
        if not rows:
            raise NotFoundError(f"batch {batch.id} keeps no old bytes of its file {file.number}")
        return bytes(rows[0][0])

    def attributes(self, batch: int, path: str) -> Attributes | None:
        """Owner and extended attributes of a file as they were before the batch."""
        rows = self._store.rows(
            "SELECT attributes FROM files WHERE batch = ? AND path = ?", (batch, os.fsencode(path))
        )
        if not rows or rows[0][0] is None:
            return None
        return msgspec.msgpack.decode(rows[0][0], type=Attributes)

    def reversed_splices(self, batch: Batch) -> Iterator[tuple[BatchFile, tuple[Splice, ...]]]:
        """For each file the splices that turn its new bytes into the old ones.

        Only the stretches that were edited are read, so this costs no more than the plan did.
        """
        ids = self._store.rows("SELECT id, stretches FROM files WHERE batch = ? ORDER BY number", (batch.id,))
        for file, (row, packed) in zip(self.files(batch), ids, strict=True):
            stretches = msgspec.msgpack.decode(packed or b"\x90", type=list[tuple[int, int, int]])
            if file.kind in ("create", "move"):
                yield file, ()
            elif file.kind == "delete":
                old = self.old_bytes(batch, file)
                yield file, (Splice(0, 0, old),) if old else ()
            else:
                yield file, tuple(self._reversed(row, stretches))

    def _reversed(self, row: int, stretches: list[tuple[int, int, int]]) -> Iterator[Splice]:
        if not stretches:
            return
        moved = 0  # how far the edits before have shifted what follows
        with self._store.blob("originals", "bytes", row) as blob:
            for start, end, length in stretches:
                blob.seek(start)
                yield Splice(start + moved, start + moved + length, blob.read(end - start))
                moved += length - (end - start)


def _insert_some(database: sqlite3.Connection, batch: int, originals: Iterator[Original]) -> bool:
    """Rows for as many files as one transaction should hold; whether there may be more."""
    count = size = 0
    for original in originals:
        row = database.execute(
            "INSERT INTO files (batch, number, path, new_path, before_digest, before_size, before_mode,"
            " after_digest, after_size, after_mode, attributes, stretches)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _row(batch, original),
        )
        if original.data is not None:
            database.execute(
                "INSERT INTO originals (file, bytes) VALUES (?, ?)", (row.lastrowid, original.data)
            )
            size += len(original.data)
        count += 1
        if size >= _BYTES_A_TRANSACTION:
            break
    database.execute(
        "UPDATE batches SET files = files + ?, size = size + ? WHERE id = ?", (count, size, batch)
    )
    return size >= _BYTES_A_TRANSACTION


def _row(batch: int, original: Original) -> tuple[Any, ...]:
    file = original.file
    before = msgspec.structs.astuple(file.before) if file.before else (None, None, None)
    after = msgspec.structs.astuple(file.after) if file.after else (None, None, None)
    stretches = [(splice.start, splice.end, len(splice.new)) for splice in original.splices]
    return (
        batch,
        file.number,
        os.fsencode(file.path),
        None if file.new_path is None else os.fsencode(file.new_path),
        *before,
        *after,
        None if original.attributes is None else msgspec.msgpack.encode(original.attributes),
        msgspec.msgpack.encode(stretches) if stretches else None,
    )


def _batch(row: tuple[Any, ...], undone_by: dict[int, int]) -> Batch:
    number, created, who, title, state, tidy, files, size, undoes, token = row
    when = datetime.fromtimestamp(created, UTC)
    by = undone_by.get(number)
    return Batch(number, when, who, title, State(state), bool(tidy), files, size, undoes, by, token)


def _undone_by(rows: Iterable[tuple[Any, ...]]) -> dict[int, int]:
    """Which committed batch took which other back. Newest first, so that an undo which was itself
    undone is known before it could count."""
    undone: dict[int, int] = {}
    for number, _, _, _, state, *_, undoes, _ in rows:
        if state == State.COMMITTED and undoes is not None and number not in undone:
            undone.setdefault(undoes, number)
    return undone


def _file(row: tuple[Any, ...], token: str) -> BatchFile:
    number, path, new_path, *states, left_alone = row
    before, after = (
        None if digest is None else FileState(digest, size, mode)
        for digest, size, mode in (states[:3], states[3:])
    )
    moved = None if new_path is None else os.fsdecode(new_path)
    return BatchFile(
        number, os.fsdecode(path), moved, before, after, temporary_name(token, number), left_alone
    )


def temporary_name(token: str, number: int) -> str:
    """The temporary file of a batch's file: hidden, and no name that anyone else would choose."""
    return f".redline-{token}-{number}"


def _text(text: str) -> str:
    """SQLite takes no lone surrogates, which a path in a title may bring along."""
    return text.encode("utf-8", "replace").decode()
