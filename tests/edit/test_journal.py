"""The journal and the history: what happened, who did it, and the old bytes for as long as promised."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import write
from tests.edit.faults import kill_at, needs_strace
from tests.edit.worlds import World, replaced
from tui.edit.apply import apply
from tui.edit.journal import Journal, Retention, State, history
from tui.edit.plan import EditPlan, Splice, StaleError, modify
from tui.edit.store import Store
from tui.edit.undo import undo
from tui.errors import NotFoundError
from tui.workspace import Workspace


@pytest.fixture
def workspace(tree: Path) -> Workspace:
    write(tree, {"a.txt": "needle\n", "b.txt": "needle\n"})
    return Workspace(tree)


def flip(workspace: Workspace, size: int = 1000, retention: Retention | None = None) -> int:
    """A batch that rewrites one file of that size; its number."""
    path = Path(workspace.root, "flip.bin")
    old = path.read_bytes() if path.exists() else os.urandom(size)
    path.write_bytes(old)
    new = os.urandom(size)
    edit = modify("flip.bin", old, 0o644, [Splice(0, len(old), new)])
    assert edit is not None
    path.chmod(0o644)
    outcome = apply(workspace, EditPlan("flip", (edit,)), retention=retention)
    assert outcome.batch is not None
    return outcome.batch


def test_the_history_tells_when_who_what_and_how_it_ended(workspace: Workspace, tree: Path) -> None:
    first = EditPlan("first title", (replaced(tree, "a.txt"),))
    apply(workspace, first)
    apply(workspace, EditPlan("t", (replaced(tree, "b.txt"),)), who="claude", title="its own title")
    undo(workspace, 1)
    third, second, one = history(workspace)
    assert [(b.id, b.who, b.title, b.files, b.state) for b in (one, second, third)] == [
        (1, "person", "first title", 1, State.COMMITTED),
        (2, "claude", "its own title", 1, State.COMMITTED),
        (3, "person", "Undo: first title", 1, State.COMMITTED),
    ]
    assert (one.undone_by, second.undone_by, third.undoes) == (3, None, 1)
    assert abs(datetime.now(UTC) - third.when) < timedelta(minutes=1)
    assert [batch.id for batch in history(workspace, 2)] == [3, 2]
    assert one.size == 7


def test_a_stale_plan_leaves_no_trace(workspace: Workspace, tree: Path) -> None:
    plan = EditPlan("stale", (replaced(tree, "a.txt"),))
    (tree / "a.txt").write_bytes(b"changed\n")
    with pytest.raises(StaleError):
        apply(workspace, plan)
    assert history(workspace) == []


def test_files_and_old_bytes_of_a_batch(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.apply()
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        journal = Journal(store)
        batch = journal.batch(1)
        files = journal.files(batch)
        assert [(file.path, file.kind) for file in files] == [
            ("a.txt", "replace"),
            ("made/here/new.txt", "create"),
            ("src/b.py", "replace"),
            ("src/gone.py", "delete"),
            ("src/moved.py", "move"),
            ("src/rewritten.py", "rewrite"),
        ]
        kept = {
            file.path: journal.old_bytes(batch, file) for file in files if file.kind in ("replace", "delete")
        }
        assert kept == {path: world.old[path][2] for path in kept}
        for file in files:
            if file.path in kept and file.before is not None:
                assert hashlib.sha256(kept[file.path]).hexdigest() == file.before.digest
        assert journal.directories(1) == ["made", "made/here"]
        with pytest.raises(NotFoundError):
            journal.old_bytes(batch, files[1])


def test_an_unknown_batch_names_what_there_is(workspace: Workspace, tree: Path) -> None:
    apply(workspace, EditPlan("one", (replaced(tree, "a.txt"),)))
    with Store.open(workspace) as store, pytest.raises(NotFoundError) as caught:
        Journal(store).batch(7)
    assert "no batch 7 in the history: there are 1 to 1" in str(caught.value)


@needs_strace
def test_the_old_bytes_are_kept_before_the_first_rename(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert kill_at(world.apply, "renameat2", 1).killed
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        journal = Journal(store)
        batch = journal.batch(1)
        assert (batch.state, batch.files) == (State.REPLACING, 6)
        for file in journal.files(batch):
            if file.kind not in ("create", "move"):
                assert journal.old_bytes(batch, file) == world.old[file.path][2]


def test_retention_by_count(workspace: Workspace) -> None:
    keep = Retention(batches=3)
    numbers = [flip(workspace, retention=keep) for _ in range(6)]
    assert [batch.id for batch in history(workspace)] == numbers[:2:-1]


def test_retention_by_size_keeps_the_newest_whatever_it_holds(workspace: Workspace) -> None:
    keep = Retention(size=2500)
    numbers = [flip(workspace, retention=keep) for _ in range(5)]
    assert [batch.id for batch in history(workspace)] == [numbers[-1], numbers[-2]]
    flip(workspace, retention=Retention(size=10))
    assert len(history(workspace)) == 1
    undo(workspace)


@needs_strace
def test_retention_drops_nothing_unfinished(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert kill_at(world.apply, "renameat2", 2).killed
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        journal = Journal(store)
        journal.begin(who="person", title="newer", undoes=None)
        assert journal.prune(Retention(batches=1, size=0)) == 0
        assert [batch.id for batch in journal.unfinished()] == [2, 1]


def test_what_retention_drops_gives_its_space_back(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.edit.journal._IDLE_SPACE", 1 << 20)
    for _ in range(6):
        flip(workspace, size=2_000_000)
    with Store.open(workspace) as store:
        path = Path(store.path)
    large = path.stat().st_size
    assert large > 10_000_000
    flip(workspace, size=2_000_000, retention=Retention(batches=1))
    assert path.stat().st_size < large / 2


def test_numbers_are_never_used_again(workspace: Workspace) -> None:
    keep = Retention(batches=1)
    assert [flip(workspace, retention=keep) for _ in range(3)] == [1, 2, 3]


def test_a_large_batch_is_kept_in_several_transactions(
    workspace: Workspace, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.edit.journal._BYTES_A_TRANSACTION", 10_000)
    for number in range(30):
        (tree / f"{number}.txt").write_bytes(b"needle" + bytes(number) * 90)
    old = {path.name: path.read_bytes() for path in tree.iterdir()}
    apply(workspace, EditPlan("thirty", tuple(replaced(tree, f"{number}.txt") for number in range(30))))
    assert history(workspace)[0].files == 30
    undo(workspace)
    assert {path.name: path.read_bytes() for path in tree.iterdir()} == old
