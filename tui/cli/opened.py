"""The workspace as a command opens it: whatever a crash left in it is settled first, and said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tui.cli.output import tell
from tui.edit.store import has_store
from tui.errors import RedlineError
from tui.workspace import Workspace


@contextmanager
def opened(root: str) -> Iterator[Workspace]:
    with Workspace(root) as workspace:
        try:
            _settle(workspace)
        except RedlineError as error:  # to search needs no history; to write does, and meets it again
            tell(f"{error.message}; {error.hint}" if error.hint else error.message)
        yield workspace


def _settle(workspace: Workspace) -> None:
    if has_store(workspace.root):
        from tui.edit.recovery import recover  # not needed where nothing was ever applied

        if recovery := recover(workspace):
            tell(str(recovery))
