"""One writer at a time: the workspace's lock.

It is a lock of the kernel on an open file, not a file's presence, so it ends with the process that
holds it, however that ends. The holder's process number stands in the file, to be told to others.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tui.edit.store import Store, StoreError
from tui.errors import RedlineError
from tui.text import visible

_POLL_SECONDS = 0.05
_held: set[int] = set()


class BusyError(RedlineError):
    """Another Redline is changing the same workspace."""


def _leave_to_parent() -> None:
    """A forked child shares the lock; were it to keep it open, the lock would outlive its holder."""
    for fd in _held:
        with suppress(OSError):
            os.close(fd)
    _held.clear()


os.register_at_fork(after_in_child=_leave_to_parent)


@contextmanager
def locked(store: Store, wait: float, cancelled: Callable[[], bool] | None = None) -> Iterator[None]:
    """Hold the workspace's lock; BusyError if another holder does not let go of it in `wait` seconds."""
    fd = store.open_beside("lock")
    try:
        _held.add(fd)
        deadline = time.monotonic() + wait
        while not _take(fd, store):
            if time.monotonic() >= deadline or (cancelled is not None and cancelled()):
                raise BusyError(f"{_holder(fd)} is changing this workspace", "wait for it and try again")
            time.sleep(_POLL_SECONDS)
        with suppress(OSError):  # the number only helps people; a full disk must not matter
            os.ftruncate(fd, 0)
            os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        yield
    finally:
        _held.discard(fd)
        os.close(fd)


def _take(fd: int, store: Store) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError as error:
        raise StoreError(
            f"{visible(store.directory)}: cannot be locked: {(error.strerror or str(error)).lower()}",
            "set XDG_STATE_HOME to a directory on a local disk",
        ) from error


def _holder(fd: int) -> str:
    with suppress(OSError, ValueError):
        return f"another Redline (process {int(os.pread(fd, 32, 0))})"
    return "another Redline"
