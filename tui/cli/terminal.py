"""The terminal for an app whose standard streams are pipes: a patch comes in, a receipt goes out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tui.errors import RedlineError

_STREAMS = (0, 1, 2)


@contextmanager
def on_the_terminal() -> Iterator[None]:
    """Keyboard and screen are the terminal that the command was started from; afterwards the streams
    are what they were."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise RedlineError(
            "a review needs a terminal, and there is none here",
            "propose it instead, with the tool propose_patch, and review it in the app (F2)",
        ) from error
    kept = {stream: os.dup(stream) for stream in _STREAMS if not os.isatty(stream)}
    try:
        for stream in kept:
            os.dup2(terminal, stream)
        yield
    finally:
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)
        os.close(terminal)
