"""What waits in the inbox, told as soon as it changes, whoever changes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tui.edit.store import Store
from tui.errors import RedlineError
from tui.review.proposals import Inbox, Proposal
from tui.workspace import Workspace

_LOOK_SECONDS = 0.25


def watch_inbox(
    workspace: Workspace, tell: Callable[[Sequence[Proposal]], None], stopped: Callable[[], bool]
) -> None:
    """Tells what waits at the start, and whenever it is something else. Runs until it is stopped, in a
    thread. A store that is not there yet, or cannot be used now, is looked for again."""
    told = False
    while not stopped():
        try:
            store = Store.existing(workspace)
            if store is not None:
                told = True
                with store:
                    _follow(store, tell, stopped)
            elif not told:
                told = True
                tell(())
        except RedlineError:
            pass
        time.sleep(_LOOK_SECONDS)


def _follow(store: Store, tell: Callable[[Sequence[Proposal]], None], stopped: Callable[[], bool]) -> None:
    inbox = Inbox(store)
    version = None
    waiting: Sequence[Proposal] | None = None
    while not stopped():
        ((now,),) = store.rows("PRAGMA data_version")  # another one after anybody else has written
        if now != version:
            version = now
            found = inbox.proposals()
            if found != waiting:
                waiting = found
                tell(found)
        time.sleep(_LOOK_SECONDS)
