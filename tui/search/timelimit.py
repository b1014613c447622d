"""A limit in wall time that holds inside the regex engine.

The `regex` module's own time-out counts processor time of the whole process. In the main thread a
ticking alarm is exact instead: the engine looks for pending signals while it matches, so the
handler's exception ends a match that would otherwise run for years. Other threads cannot receive
signals and fall back on the module's time-out.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

_TICK = 0.02
_NEVER = float("inf")


class TimeLimitError(Exception):
    """The work took longer than it was allowed."""


class TimeLimit:
    """Installed once around a search; `with limit:` then bounds each piece of work in it.

    Arming costs no system call, so that it can be done for every file.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._allowed = _NEVER if seconds is None else seconds
        self._ends = _NEVER
        self.engine_timeout = seconds
        """What to give the regex engine as its time-out: None where the alarm does the work."""

    @contextmanager
    def installed(self) -> Iterator[None]:
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        self.engine_timeout = None
        try:
            yield
        finally:
            self.engine_timeout = self.seconds
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        if time.monotonic() >= self._ends:
            self._ends = _NEVER
            raise TimeLimitError

    def __enter__(self) -> None:
        self._ends = time.monotonic() + self._allowed

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends = _NEVER
        if kind is TimeoutError:
            raise TimeLimitError from None
