"""The workspace's store: one SQLite database under the XDG state directory.

It keeps what must outlive the program and does not belong into the workspace: the journal of
applied batches with the old bytes, and what else Redline has to remember about that workspace.
One directory per workspace, `<state home>/redline/<name>-<16 hex digits>`, for its owner only.

Every refusal of the database reaches the person as a StoreError: which file, what is wrong with
it, and what to do.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from tui.errors import RedlineError
from tui.text import visible
from tui.workspace import Workspace

BUSY_SECONDS = 10.0
_PAGE = 8192  # a file of a few KB with its row falls into few pages; measured best for 10 KB files

# Each entry takes the schema one version further; `user_version` counts the entries applied. An
# entry that was ever released is never changed: a new one is added below it.
_MIGRATIONS = (
    """
    CREATE TABLE batches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created REAL NOT NULL,                  -- seconds since 1970
        who TEXT NOT NULL,
        title TEXT NOT NULL,
        state TEXT NOT NULL,                    -- see journal.State
        tidy INTEGER NOT NULL DEFAULT 0,        -- 1: no temporary file of it is left
        undoes INTEGER,
        token TEXT NOT NULL,                    -- part of the names of its temporary files
        files INTEGER NOT NULL DEFAULT 0,
        size INTEGER NOT NULL DEFAULT 0         -- of the old bytes kept
    );
    CREATE INDEX unfinished ON batches (id) WHERE NOT tidy;

    CREATE TABLE files (                        -- paths are bytes: not every name is UTF-8
        id INTEGER PRIMARY KEY,
        batch INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
        number INTEGER NOT NULL,
        path BLOB NOT NULL,
        new_path BLOB,
        before_digest TEXT, before_size INTEGER, before_mode INTEGER,
        after_digest TEXT, after_size INTEGER, after_mode INTEGER,
        attributes BLOB,                        -- owner and extended attributes of the old file
        stretches BLOB,                         -- where the edits lie: start, end, new length
        left_alone TEXT,                        -- why taking the batch back did not touch it
        UNIQUE (batch, number)
    );
    CREATE TABLE originals (                    -- apart, so that a list of files reads no contents
        file INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
        bytes BLOB NOT NULL
    );
    CREATE TABLE directories (                  -- made for new files, to be removed with them
        batch INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
        path BLOB NOT NULL,
        PRIMARY KEY (batch, path)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE proposals (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created REAL NOT NULL,                  -- seconds since 1970
        agent TEXT NOT NULL,
        title TEXT NOT NULL,
        note TEXT NOT NULL,
        state TEXT NOT NULL,                    -- see review.proposals.State
        files INTEGER NOT NULL,
        added INTEGER NOT NULL,                 -- lines
        removed INTEGER NOT NULL,
        plan BLOB NOT NULL                      -- as EditPlan.to_json writes it, with its seal
    );
    CREATE INDEX pending ON proposals (id) WHERE state = 'pending';

    CREATE TABLE proposal_originals (           -- the files' bytes that the plan was made from
        id INTEGER PRIMARY KEY,
        proposal INTEGER NOT NULL REFERENCES proposals ON DELETE CASCADE,
        path BLOB NOT NULL,
        bytes BLOB NOT NULL,
        UNIQUE (proposal, path)
    );
    """,
    """
    CREATE TABLE searches (                     -- what people asked for, to be asked again
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,                     -- empty for those that were not saved under a name
        asked TEXT NOT NULL,                    -- the fields and toggles of the query bar, as JSON
        UNIQUE (name, asked)
    );
    """,
    """
    ALTER TABLE batches ADD COLUMN proposal INTEGER;    -- which one it carries out
    ALTER TABLE batches ADD COLUMN outcome TEXT;        -- what becomes of it with the commit
    ALTER TABLE batches ADD COLUMN receipt BLOB;

    ALTER TABLE proposals ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;   -- how often it was rebased
    ALTER TABLE proposals ADD COLUMN decided REAL;
    ALTER TABLE proposals ADD COLUMN batch INTEGER;     -- what was written of it
    ALTER TABLE proposals ADD COLUMN receipt BLOB;      -- see review.receipts

    CREATE TABLE decisions (                    -- everything that was said in a review, in order
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        proposal INTEGER NOT NULL REFERENCES proposals ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        made REAL NOT NULL,
        who TEXT NOT NULL,
        path BLOB NOT NULL,                     -- empty: about the proposal as a whole
        hunk TEXT NOT NULL,                     -- empty: about every hunk of the file
        decision BLOB NOT NULL                  -- see review.decisions.Decision
    );
    CREATE INDEX said_about ON decisions (proposal, id);
    """,
)

FORMAT = len(_MIGRATIONS)
"""The version that this Redline writes."""


class StoreError(RedlineError):
    """The database cannot be used as it is."""


def state_directory(root: str) -> str:
    """Where a workspace's store lies. The name is for people; the digest of the real path tells apart."""
    raw = os.fsencode(root)
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", os.path.basename(root))[:40] or "root"
    return os.path.join(_state_home(), "redline", f"{name}-{hashlib.sha256(raw).hexdigest()[:16]}")


def has_store(root: str) -> bool:
    """Whether anything was ever stored for the workspace at this real path."""
    return os.path.lexists(os.path.join(state_directory(root), "redline.db"))


def _state_home() -> str:
    given = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):  # the XDG specification: a relative path is to be ignored
        return given
    return os.path.expanduser("~/.local/state")


class Store:
    """One open database. Use it in the thread that opened it."""

    def __init__(self, directory: str, database: sqlite3.Connection) -> None:
        self.directory = directory
        self.path = os.path.join(directory, "redline.db")
        self._database = database

    @classmethod
    def open(cls, workspace: Workspace) -> Self:
        """The workspace's store, made if it is not there."""
        directory = state_directory(workspace.root)
        path = os.path.join(directory, "redline.db")
        try:
            _make_private(directory)
            if _make_file(path):
                _sync_directory(directory)
        except OSError as error:
            raise _not_usable(path, (error.strerror or str(error)).lower()) from error
        store = cls(directory, _connect(path))
        try:
            store._prepare()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def existing(cls, workspace: Workspace) -> Self | None:
        """The workspace's store, or None where nothing was ever stored; makes nothing."""
        return cls.open(workspace) if has_store(workspace.root) else None

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is executed inside is durable when it ends, or did not happen."""
        with explained(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    with suppress(sqlite3.Error):
                        self._database.execute("ROLLBACK")
                raise

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with explained(self.path):
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def blob(self, table: str, column: str, row: int) -> Iterator[sqlite3.Blob]:
        """A large value, read in pieces."""
        with (
            explained(self.path),
            self._database.blobopen(table, column, row, readonly=True) as blob,
        ):
            yield blob

    def open_beside(self, name: str) -> int:
        """A descriptor of a file next to the database, made if it is not there, for its owner only."""
        path = os.path.join(self.directory, name)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _not_usable(path, (error.strerror or str(error)).lower()) from error

    def give_back_space(self, more_than: int) -> None:
        """Shrink the file once that many bytes of it lie idle; below, later batches fill them."""
        with explained(self.path):
            (idle,) = self._database.execute("PRAGMA freelist_count").fetchone()
            (page,) = self._database.execute("PRAGMA page_size").fetchone()
            if idle * page > more_than:  # a script: `execute` would stop after the first page
                self._database.executescript(f"PRAGMA incremental_vacuum({idle})")

    def _prepare(self) -> None:
        with explained(self.path):
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version > FORMAT:
                raise StoreError(
                    f"{visible(self.path)}: written by a newer Redline (format {version}; "
                    f"this one knows {FORMAT})",
                    "use that Redline for this workspace; nothing was changed",
                )
            if version == 0:
                self._be_write_ahead()
            self._database.execute("PRAGMA synchronous=FULL")
            self._database.execute("PRAGMA fullfsync=ON")  # macOS: to the platter, not to its cache
            self._database.execute("PRAGMA foreign_keys=ON")
            self._database.execute("PRAGMA journal_size_limit=0")  # a checkpointed log is emptied
            if version < FORMAT:
                self._migrate()

    def _be_write_ahead(self) -> None:
        """Two that make the store at once get in each other's way here, and SQLite does not wait."""
        self._database.execute(f"PRAGMA page_size={_PAGE}")
        self._database.execute("PRAGMA auto_vacuum=INCREMENTAL")
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._database.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if _primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def _migrate(self) -> None:
        with self.transaction() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            for script in _MIGRATIONS[version:]:
                for statement in _statements(script):
                    database.execute(statement)
            database.execute(f"PRAGMA user_version={max(version, FORMAT)}")


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would end the transaction they belong to."""
    waiting = ""
    for line in script.splitlines(keepends=True):
        waiting += line
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""


def _connect(path: str) -> sqlite3.Connection:
    with explained(path):
        return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)


def _make_private(directory: str) -> None:
    """The directory, with those above it, for its owner only."""
    if not os.path.isdir(directory):
        _make_directories(directory)
    status = os.stat(directory)
    if status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"its directory belongs to another user ({status.st_uid})")
    if status.st_mode & 0o077:
        os.chmod(directory, 0o700)


def _make_directories(path: str) -> None:
    """Unlike `os.makedirs`, which gives the outer ones to everybody."""
    outer = os.path.dirname(path)
    if not os.path.isdir(outer):
        _make_directories(outer)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    _sync_directory(outer)


def _make_file(path: str) -> bool:
    """Made by us, not by SQLite, for the mode; SQLite's own files beside it take the same."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        return True
    except FileExistsError:
        return False


def _sync_directory(directory: str) -> None:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _primary(error: sqlite3.Error) -> int:
    """SQLite's main error code; 0 where Python's module raised the error by itself."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def explained(path: str) -> Iterator[None]:
    """SQLite's refusals in words for the person who has to do something about them."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explanation(path, error) from error


def _explanation(path: str, error: sqlite3.Error) -> StoreError:
    code = _primary(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreError(
            f"{visible(path)}: damaged ({error})",
            "move that file away to begin a new history; earlier changes can then not be undone",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(
            f"{visible(path)}: another program has been writing to it for {BUSY_SECONDS:.0f} seconds",
            "wait for the other Redline to finish and try again",
        )
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return _not_usable(
            path, str(error), "free some space on that disk, see that it is sound, and try again"
        )
    return _not_usable(path, str(error))


def _not_usable(path: str, why: str, hint: str = "") -> StoreError:
    hint = hint or "make it writable for you, or set XDG_STATE_HOME to a directory that is"
    return StoreError(f"{visible(path)}: cannot be used: {visible(why)}", hint)
