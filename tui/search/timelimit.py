"""A limit in wall time that holds inside the regex engine.

The `regex` module's own time-out counts processor time of the whole process. In the main thread a
real-time alarm is exact instead: the engine looks for pending signals while it matches, so the
handler's exception ends a match that would otherwise run for years. Other threads cannot receive
signals and fall back on the module's time-out.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitError(Exception):
    """The work took longer than it was allowed."""


def _expired(signum: int, frame: FrameType | None) -> None:
    raise TimeLimitError


class TimeLimit:
    """Installed once around a search, armed around each piece of work in it."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._by_alarm = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, _expired)
        self._by_alarm = True
        try:
            yield
        finally:
            self._by_alarm = False
            signal.signal(signal.SIGALRM, before)

    @property
    def engine_timeout(self) -> float | None:
        """What to give the regex engine as its time-out."""
        return None if self._by_alarm else self.seconds

    @contextmanager
    def armed(self) -> Iterator[None]:
        """TimeLimitError from within once the time is up."""
        if not self._by_alarm or self.seconds is None:
            try:
                yield
            except TimeoutError:
                raise TimeLimitError from None
            return
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
