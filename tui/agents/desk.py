"""What a tool works with: the workspace, who is asking, what that agent may do, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tui.config import Agents, Permission
from tui.workspace import Workspace

SECONDS = 45.0
"""A search that takes longer is stopped and says so: agents' clients give up after a minute."""


@dataclass(frozen=True, slots=True)
class Desk:
    """`wait` is how long a change may wait for its review before the answer is `pending`, unless it is
    `stopped`; `waits_for` is told the number of what it waits for. `task` is the call at hand in one line,
    the title of what it proposes; `ends` is when it has to be done."""

    workspace: Workspace
    agent: str = "agent"
    granted: frozenset[Permission] = frozenset(Permission)
    largest_file: int = Agents().max_file_bytes
    wait: float = 0.0
    stopped: Callable[[], bool] = lambda: False
    waits_for: Callable[[int], None] = lambda _: None
    task: str = ""
    ends: float = float("inf")

    def is_out_of_time(self) -> bool:
        return time.monotonic() > self.ends or self.stopped()

    def lateness(self) -> tuple[str, ...]:
        """What to tell of a search that was stopped."""
        if not self.is_out_of_time():
            return ()
        told = f"stopped after {SECONDS:.0f} seconds: what is told here is only what was found by then"
        return (f"{told}; simplify the pattern, or narrow the search",)
