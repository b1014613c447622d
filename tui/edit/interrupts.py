"""Signals that ask the program to end, held back while a batch is applied.

Without this ctrl+c would raise KeyboardInterrupt between any two steps, in the middle of taking a
batch back as well. So it is only noted here; the work asks at points where it can stop, takes
everything back, and then the signal does what it would have done.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back(cancelled: Callable[[], bool] | None = None) -> Iterator[Callable[[], bool]]:
    """Yields the question whether to stop: because one has arrived, or because `cancelled` says so.

    In a thread other than the main one nothing is held back: Python handles signals in the main
    thread, and the work here goes on.
    """
    asked = cancelled or (lambda: False)
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    before = {number: signal.getsignal(number) for number in _ENDING}
    ours = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    try:
        for number in ours:
            signal.signal(number, note)
        yield lambda: bool(arrived) or asked()
    finally:
        for number in ours:
            signal.signal(number, before[number])
        for late in arrived:
            signal.raise_signal(late)
