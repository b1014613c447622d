"""The store: private, durable, and clear about what is wrong with it."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.edit.faults import as_user, fail_at, needs_strace, snapshot
from tests.edit.worlds import World
from tui.edit.lock import BusyError, locked
from tui.edit.store import FORMAT, Store, StoreError, state_directory
from tui.workspace import Workspace


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def database(world: World) -> Path:
    return Path(state_directory(str(world.root)), "redline.db")


def test_it_lies_under_the_state_home_for_its_owner_only(world: World) -> None:
    world.apply()
    path = database(world)
    assert path.parent.parent == world.state / "redline"
    assert path.parent.name.startswith("workspace-")
    assert len(path.parent.name) == len("workspace-") + 16
    for directory in (world.state, path.parent.parent, path.parent):
        assert directory.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_a_relative_state_home_is_ignored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative/path")
    monkeypatch.setenv("HOME", "/somewhere")
    assert state_directory("/x").startswith("/somewhere/.local/state/redline/x-")


def test_two_workspaces_of_one_name_do_not_share_it() -> None:
    assert state_directory("/a/project") != state_directory("/b/project")
    assert os.path.basename(state_directory("/")).startswith("root-")
    assert "\x1b" not in state_directory("/a/\x1b[31m\udce9")


def test_it_may_lie_inside_the_workspace(world: World) -> None:
    world.state = world.root / "state"
    world.apply()
    assert {path: what for path, what in world.tree().items() if not path.startswith("state")} == world.new


def test_it_is_durable_and_in_write_ahead_mode(world: World) -> None:
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        assert store.rows("PRAGMA journal_mode") == [("wal",)]
        assert store.rows("PRAGMA synchronous") == [(2,)]
        assert store.rows("PRAGMA user_version") == [(FORMAT,)]
        assert store.rows("PRAGMA auto_vacuum") == [(2,)]


def test_a_damaged_store_is_told_and_nothing_is_touched(world: World) -> None:
    world.apply()
    world.undo()
    database(world).write_bytes(b"this is no database, but long enough to look like a file of one" * 20)
    for act in (world.apply, world.recover):
        with pytest.raises(StoreError) as caught:
            act()
        assert str(database(world)) in str(caught.value)
        assert "damaged" in str(caught.value)
        assert "move that file away" in caught.value.hint
    assert world.tree() == world.old


def test_a_store_damaged_inside_is_told(world: World) -> None:
    world.apply()
    with database(world).open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 8192 * 4)
    with pytest.raises(StoreError) as caught:
        world.undo()
    assert "damaged" in str(caught.value)
    assert world.tree() == world.new


def test_a_newer_store_is_left_alone(world: World) -> None:
    world.apply()
    world.undo()
    connection = sqlite3.connect(database(world))
    connection.execute("PRAGMA user_version=99")
    connection.close()
    before = database(world).read_bytes()
    with pytest.raises(StoreError) as caught:
        world.apply()
    assert f"newer Redline (format 99; this one knows {FORMAT})" in str(caught.value)
    assert database(world).read_bytes() == before
    assert world.tree() == world.old


def test_a_half_made_store_is_completed(world: World) -> None:
    """A crash right after the file was made: empty, no table in it."""
    database(world).parent.mkdir(parents=True)
    database(world).touch()
    assert world.recover() is None
    world.apply()
    assert world.settle()


@pytest.mark.skipif(os.geteuid() != 0, reason="drops from root to another user")
def test_a_state_directory_that_is_not_writable(world: World, tmp_path: Path) -> None:
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chown(path, 12345, 12345)
    for parent in [*tmp_path.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    world.state.mkdir(mode=0o755)
    with as_user(12345), pytest.raises(StoreError) as caught:
        world.apply()
    assert "permission denied" in str(caught.value)
    assert "XDG_STATE_HOME" in caught.value.hint
    assert world.tree() == world.old


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_state_directory_of_another_user_is_not_trusted(world: World) -> None:
    world.apply()
    world.undo()
    os.chown(database(world).parent, 12345, 12345)
    with pytest.raises(StoreError) as caught:
        world.apply()
    assert "belongs to another user (12345)" in str(caught.value)
    assert world.tree() == world.old


def test_another_writer_is_waited_for_and_then_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.edit.store.BUSY_SECONDS", 0.2)
    world.apply()
    world.undo()
    other = sqlite3.connect(database(world), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        world.apply()
    assert "another program has been writing" in str(caught.value)
    other.execute("ROLLBACK")
    other.close()
    assert world.tree() == world.old
    world.apply()
    assert world.tree() == world.new


@needs_strace
def test_a_full_disk_for_the_journal(world: World) -> None:
    world.apply()
    world.undo()
    for when in (1, 2, 6):
        ended = fail_at(world.apply, "pwrite64", f"{when}+", "ENOSPC")
        assert ended.error.startswith("StoreError")
        assert "disk" in ended.error
        assert world.tree() == world.old


def make_it(root: str) -> bool:
    with Workspace(root) as workspace, Store.open(workspace) as store:
        return store.rows("SELECT count(*) FROM batches") == [(0,)]


def test_many_may_make_it_at_once(world: World) -> None:
    with multiprocessing.get_context("fork").Pool(8) as pool:
        assert all(pool.map(make_it, [str(world.root)] * 24))


def test_the_lock_is_held_by_one_and_freed_at_the_end(world: World) -> None:
    with Workspace(world.root) as workspace, Store.open(workspace) as store, Store.open(workspace) as other:
        with locked(store, wait=0):
            with pytest.raises(BusyError) as caught, locked(other, wait=0):
                pass
            assert f"process {os.getpid()}" in str(caught.value)
        with locked(other, wait=0):
            pass


def test_waiting_for_the_lock_can_be_cancelled(world: World) -> None:
    with (
        Workspace(world.root) as workspace,
        Store.open(workspace) as store,
        Store.open(workspace) as other,
        locked(store, wait=0),
        pytest.raises(BusyError),
        locked(other, 60, lambda: True),
    ):
        pass


def test_the_lock_of_a_killed_process_is_free(world: World) -> None:
    code = (
        "import sys, time\nfrom tui.edit.lock import locked\nfrom tui.edit.store import Store\n"
        "from tui.workspace import Workspace\n"
        "with Store.open(Workspace(sys.argv[1])) as store, locked(store, 0):\n"
        "    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(world.root)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        with pytest.raises(BusyError), locked(store, wait=0):
            pass
        holder.kill()
        holder.communicate()
        with locked(store, wait=0):
            pass
    assert snapshot(world.root) == world.old
