"""A small workspace with a batch that does everything a batch can do, for the tests of apply."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.conftest import write
from tests.edit.faults import snapshot
from tui.edit.apply import Outcome, apply
from tui.edit.journal import State, history
from tui.edit.plan import EditPlan, FileEdit, Splice, create, delete, modify, rename
from tui.edit.recovery import Recovery, recover
from tui.edit.undo import undo
from tui.workspace import Workspace

Result = TypeVar("Result")

FILES: dict[str, str | bytes] = {
    "a.txt": "first\nneedle\nlast\n",
    "src/b.py": "import needle\r\n",
    "src/gone.py": "to be deleted\n",
    "src/moved.py": "to be moved\n",
    "src/rewritten.py": "needle, moved and edited",
    "untouched.txt": "needle\n",
}


def replaced(root: Path, path: str) -> FileEdit:
    """`needle` becomes `thread` in the file as it is now."""
    old = (root / path).read_bytes()
    at = old.index(b"needle")
    edit = modify(path, old, (root / path).stat().st_mode, [Splice(at, at + 6, b"thread")])
    assert edit is not None
    return edit


class World:
    """A workspace with its own state directory, its plan, and what it looks like before and after."""

    def __init__(self, base: Path) -> None:
        self.root, self.state = base / "workspace", base / "state"
        os.environ["XDG_STATE_HOME"] = str(self.state)
        self.root.mkdir(parents=True)
        write(self.root, FILES)
        (self.root / "a.txt").chmod(0o755)
        self.old = snapshot(self.root)
        self.plan = self._plan()
        self.new = self._after()

    def _plan(self) -> EditPlan:
        root = self.root
        old = (root / "src/rewritten.py").read_bytes()
        return EditPlan(
            "everything at once",
            (
                replaced(root, "a.txt"),
                replaced(root, "src/b.py"),
                create("made/here/new.txt", b"new\n", 0o640),
                delete("src/gone.py", (root / "src/gone.py").read_bytes(), 0o644),
                rename("src/moved.py", "made/moved.py", (root / "src/moved.py").read_bytes(), 0o644),
                rename("src/rewritten.py", "src/again.py", old, 0o644, [Splice(0, 6, b"thread")]),
            ),
        )

    def _after(self) -> dict[str, tuple[object, ...]]:
        new = dict(self.old)
        regular, directory = new["a.txt"][0], new["src"][0]
        new["a.txt"] = (regular, 0o755, b"first\nthread\nlast\n")
        new["src/b.py"] = (regular, 0o644, b"import thread\r\n")
        del new["src/gone.py"]
        new["made"] = new["made/here"] = (directory, 0o755, None)
        new["made/here/new.txt"] = (regular, 0o640, b"new\n")
        new["made/moved.py"] = new.pop("src/moved.py")
        del new["src/rewritten.py"]
        new["src/again.py"] = (regular, 0o644, b"thread, moved and edited")
        return new

    def apply(self) -> Outcome:
        return self.within(lambda workspace: apply(workspace, self.plan))

    def undo(self) -> Outcome:
        return self.within(undo)

    def recover(self) -> Recovery | None:
        return self.within(recover)

    def within(self, action: Callable[[Workspace], Result]) -> Result:
        os.environ["XDG_STATE_HOME"] = str(self.state)
        with Workspace(self.root) as workspace:
            return action(workspace)

    def tree(self) -> dict[str, tuple[object, ...]]:
        return snapshot(self.root)

    def settle(self) -> bool:
        """What the next start makes of it. All old or all new, nothing left over, and the history
        says which; whether it is all new."""
        self.recover()
        assert self.recover() is None, "a second recovery found something to do"
        tree = self.tree()
        assert tree in (self.old, self.new)
        states = [batch.state for batch in self.within(history)]
        assert all(batch.tidy for batch in self.within(history))
        if tree == self.new:
            assert states == [State.COMMITTED]
        else:
            assert set(states) <= {State.ROLLED_BACK}
        return tree == self.new
