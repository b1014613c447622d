"""The live search session of a workspace: its text in memory, answers as one types.

The owner (the app's thread) asks and never waits: `submit` returns at once, and what is found comes
as snapshots, to a callback in the session's own thread or when `snapshot` is called. Everything else
happens in that thread and, in a workspace of some size, in the keepers' processes.
"""

from __future__ import annotations

import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from tui.config import Search
from tui.search.files import Limits
from tui.search.live.engine import Engine
from tui.search.live.state import Phase, Snapshot
from tui.search.query import Query
from tui.search.walk import Scope
from tui.text import visible
from tui.workspace import Workspace

DEFAULT_BUDGET = Search().budget
MOST_PROCESSES = 4


class Session:
    """Walks and reads from the moment it is made. `budget` is how many bytes of text are kept in
    memory; what is beyond it is read from disk for every query. `on_update` is called with each new
    snapshot in the session's thread, several times a second while something happens."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        scope: Scope | None = None,
        budget: int = DEFAULT_BUDGET,
        limits: Limits | None = None,
        on_update: Callable[[Snapshot], None] | None = None,
        processes: int | None = None,
    ) -> None:
        self._requests: deque[Callable[[], None]] = deque()
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._generation = 0
        self._snapshot = Snapshot()
        self._changed = threading.Condition()
        self._on_update = on_update
        self._closing = False
        if processes is None:
            processes = max(1, min(MOST_PROCESSES, _processors()))
        self._engine = Engine(
            workspace,
            scope or Scope(),
            limits or Limits(),
            budget,
            processes,
            publish=self._publish,
            asked=lambda: bool(self._requests),
            woken=self._woken,
            ask=self._ask,
        )
        self._thread = threading.Thread(target=self._run, name="redline-search", daemon=True)
        self._thread.start()

    def submit(self, query: Query | None, scope: Scope | None = None) -> int:
        """Search for this from now on; the number that its snapshots carry. Without a query (or with
        an empty pattern) only the files in scope are told."""
        self._generation += 1
        generation = self._generation
        self._ask(lambda: self._engine.submit(generation, query, scope or Scope()))
        return generation

    def cancel(self) -> None:
        """End the search; what it has found stays."""
        self._ask(self._engine.cancel)

    def refresh(self) -> None:
        """Compare everything with the disk. Needed only where the system does not tell of changes."""
        self._ask(self._engine.compare_with_disk)

    def forget_findings(self) -> None:
        """Forget what the last queries found: the next one is searched for as if it were the first."""
        self._ask(self._engine.forget_findings)

    def free_memory(self) -> None:
        """Give back all text; from now on it is read from disk for every query."""
        self._ask(self._engine.free_memory)

    def snapshot(self) -> Snapshot:
        return self._snapshot

    @property
    def processes(self) -> list[int]:
        """The process ids of the keepers; none in a small workspace."""
        return self._engine.processes

    def wait(self, until: Callable[[Snapshot], bool] | None = None, timeout: float | None = None) -> Snapshot:
        """For those who may wait, unlike an app: until the last submitted search has ended, or until
        something else is true of a snapshot. TimeoutError when it takes too long."""
        until = until or self._ended
        with self._changed:
            if not self._changed.wait_for(lambda: until(self._snapshot), timeout):
                raise TimeoutError("the search is still running")
            return self._snapshot

    def _ended(self, snapshot: Snapshot) -> bool:
        return snapshot.generation == self._generation and snapshot.phase is not Phase.RUNNING

    def close(self) -> None:
        """End everything; no process and no memory is left behind."""
        self._closing = True
        self._ask(lambda: None)
        self._thread.join()
        self._wake.close()
        self._woken.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, request: Callable[[], None]) -> None:
        self._requests.append(request)
        with suppress(OSError):  # it has been woken often enough, or is closed
            self._wake.send(b"!", socket.MSG_DONTWAIT)

    def _run(self) -> None:
        try:
            while not self._closing:
                with suppress(BlockingIOError):
                    self._woken.recv(4096)
                while self._requests:
                    self._requests.popleft()()
                self._engine.step()
        except Exception as error:
            problem = f"the search ended by a mistake in Redline: {visible(repr(error))}"
            self._publish(Snapshot(self._generation, phase=Phase.INVALID, problem=problem))
            raise
        finally:
            self._engine.close()

    def _publish(self, snapshot: Snapshot) -> None:
        with self._changed:
            self._snapshot = snapshot
            self._changed.notify_all()
        if self._on_update is not None:
            self._on_update(snapshot)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
