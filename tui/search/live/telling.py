"""An answer told a piece at a time, by one who has other things to do between the pieces.

Nothing here waits: the session may itself be waiting for the one who tells.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress

from tui.search.live.messages import Channel, Done, Reply

BYTES_TOGETHER = 1 << 16
SECONDS_TOGETHER = 0.01


class Telling:
    """`blocked`: nothing more is worked out before the listener has taken what there is."""

    def __init__(self, channel: Channel[Reply], messages: Generator[Reply, None, None]) -> None:
        self.channel = channel
        self.blocked = False
        self._messages = messages
        self._all_known = False
        self._pushed = 0.0

    def step(self) -> bool:
        """The next piece. False when all is told, or nobody listens any more."""
        with suppress(OSError):
            waiting = 0 if self.blocked else self._next()
            if self.blocked or waiting > BYTES_TOGETHER or time.monotonic() - self._pushed > SECONDS_TOGETHER:
                waiting = self.channel.push()
                self._pushed = time.monotonic()
                self.blocked = waiting > 0 and (self._all_known or waiting > BYTES_TOGETHER)
            return waiting > 0 or not self._all_known
        return False

    def close(self) -> None:
        self._messages.close()
        self.channel.close()

    def _next(self) -> int:
        message = next(self._messages, None)
        if message is None:
            self._all_known = True
            self._pushed = 0.0  # the end is told at once
            message = Done()
        return self.channel.gather(message)
