"""P2: after a crash at any instant the next start brings all old or all new, and leaves nothing behind."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.edit.faults import (
    Ended,
    fail_at,
    in_child,
    kill_at,
    meanwhile_renaming,
    needs_strace,
    traced,
    turning_points,
)
from tests.edit.worlds import World, replaced
from tui.edit.apply import apply
from tui.edit.journal import Journal, State, history
from tui.edit.plan import EditPlan
from tui.edit.recovery import recover
from tui.edit.store import Store
from tui.edit.undo import undo
from tui.workspace import Workspace


def kill_at_each(base: Path, calls: list[tuple[str, int]]) -> None:
    """The last calls tidy up, and whether there is one call more or less of a kind differs between
    runs: a call that was not made could not be killed, and then the batch is complete."""
    assert {"renameat2", "unlinkat", "mkdirat", "openat", "fchmod"} <= {call for call, _ in calls}
    ends, killed = [], 0
    for number, (call, when) in enumerate(calls):
        world = World(base / str(number))
        ended = kill_at(world.apply, call, when)
        killed += ended.killed
        assert ended.killed or ended.well, ended.error
        ends.append(world.settle())
        assert ended.killed or ends[-1]
    assert ends == sorted(ends), "once committed, no later crash may take the batch back"
    assert {False, True} == set(ends)
    assert killed >= len(calls) - 3


@needs_strace
def test_killed_at_every_turning_point(tmp_path: Path) -> None:
    kill_at_each(tmp_path, turning_points(traced(World(tmp_path / "counted").apply)))


@pytest.mark.slow
@needs_strace
def test_killed_at_every_mutating_call(tmp_path: Path) -> None:
    kill_at_each(tmp_path, traced(World(tmp_path / "counted").apply))


@needs_strace
def test_killed_at_every_mutating_call_of_an_undo(tmp_path: Path) -> None:
    counted = World(tmp_path / "counted")
    counted.apply()
    of_sqlite = ("pwrite64", "fdatasync", "fsync", "fchown", "ftruncate")
    calls = [call for call in traced(counted.undo) if call[0] not in of_sqlite]
    for number, (call, when) in enumerate(calls):
        world = World(tmp_path / str(number))
        world.apply()
        assert kill_at(world.undo, call, when).killed
        world.recover()
        assert world.recover() is None
        newest, *_ = world.within(history)
        undone = newest.undoes is not None and newest.state == State.COMMITTED
        assert world.tree() == (world.old if undone else world.new)


@needs_strace
def test_killed_at_every_turning_point_of_the_recovery(tmp_path: Path) -> None:
    """A crash while files are being replaced, then a crash at every turning point of the start after it."""
    calls = traced(World(tmp_path / "counted").apply)
    renames = [when for call, when in calls if call == "renameat2"]
    for crash in (renames[len(renames) // 2], renames[-1]):
        counted = World(tmp_path / f"counted-{crash}")
        assert kill_at(counted.apply, "renameat2", crash).killed
        for number, (call, when) in enumerate(turning_points(traced(counted.recover))):
            world = World(tmp_path / f"{crash}-{number}")
            assert kill_at(world.apply, "renameat2", crash).killed
            assert kill_at(world.recover, call, when).killed
            world.settle()


def killed_after(seconds: float, action: Callable[[], object]) -> bool:
    """Run the action in a child and kill it after a while; whether it was still running."""
    child = os.fork()
    if not child:
        try:
            action()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def random_kills(base: Path, rounds: int) -> None:
    """Kill an apply over 300 files, or an undo of it, at a random time; settle; and again."""
    root = base / "workspace"
    for number in range(300):
        path = root / f"d{number % 17}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"needle %d\n" % number * (number % 40 + 1))
    paths = sorted(str(path.relative_to(root)) for path in root.rglob("*.txt"))
    chance = random.Random(rounds)  # noqa: S311 - the same kills every time
    with Workspace(root) as workspace:
        plan = EditPlan("300 files", tuple(replaced(root, path) for path in paths))
        old = {path: (root / path).read_bytes() for path in paths}
        new = {edit.path: edit.new_bytes(old[edit.path]) for edit in plan.files}
        apply(workspace, plan)
        begun = time.monotonic()
        undo(workspace)
        length = time.monotonic() - begun
        is_new = False
        killed = 0
        for _ in range(rounds):
            action = (lambda: undo(workspace)) if is_new else (lambda: apply(workspace, plan))
            in_time = killed_after(chance.uniform(0, length), action)
            length *= 1.0 if in_time else 0.7  # this time the machine was faster than when it was measured
            killed += in_time
            recover(workspace)
            assert recover(workspace) is None
            assert {path.name for path in root.rglob(".*")} == set()
            now = {path: (root / path).read_bytes() for path in paths}
            assert now in (old, new)
            is_new = now == new
            standing = [b for b in history(workspace) if b.state == State.COMMITTED and not b.undone_by]
            assert is_new == any(batch.undoes is None for batch in standing)
        assert killed >= rounds // 10, "the kills came too late to tell anything"


def test_killed_at_random_times(tmp_path: Path) -> None:
    random_kills(tmp_path, 10)


@pytest.mark.slow
def test_killed_at_random_times_often(tmp_path: Path) -> None:
    random_kills(tmp_path, 200)


@needs_strace
def test_a_file_changed_after_the_crash_is_left_alone_and_named(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert kill_at(world.apply, "renameat2", 3).killed
    changed = [path for path in ("a.txt", "src/b.py") if b"thread" in (world.root / path).read_bytes()]
    assert changed, "nothing had been replaced yet"
    (world.root / changed[0]).write_bytes(b"edited after the crash\n")
    recovery = world.recover()
    assert recovery is not None
    [settled] = recovery.batches
    assert [path for path, _ in settled.left_alone] == [changed[0]]
    assert changed[0] in str(recovery)
    assert (world.root / changed[0]).read_bytes() == b"edited after the crash\n"
    assert {**world.tree(), changed[0]: None} == {**world.old, changed[0]: None}
    assert world.recover() is None


@needs_strace
def test_the_journal_restores_what_a_cleaner_removed(tmp_path: Path) -> None:
    """`git clean -fdx` after a crash takes the old files, set aside under temporary names, away."""
    for crash in range(2, 8):
        world = World(tmp_path / str(crash))
        assert kill_at(world.apply, "renameat2", crash).killed
        for path in world.root.rglob(".redline-*"):
            path.unlink()
        world.settle()


@needs_strace
def test_killed_while_the_journal_restores_a_file(tmp_path: Path) -> None:
    """Half a restored file is never taken for a whole one, nor left lying about."""

    def crashed_and_cleaned(name: str) -> World:
        world = World(tmp_path / name)
        assert kill_at(world.apply, "renameat2", 2).killed
        for path in world.root.rglob(".redline-*"):
            path.unlink()
        return world

    of_sqlite = ("pwrite64", "fdatasync", "ftruncate", "fchown", "unlink")
    calls = [call for call in traced(crashed_and_cleaned("counted").recover) if call[0] not in of_sqlite]
    assert {"write", "fchmod"} <= {call for call, _ in calls}, "no file was restored"
    for number, (call, when) in enumerate(calls):
        world = crashed_and_cleaned(str(number))
        assert kill_at(world.recover, call, when).killed
        if call == "fchmod":  # and whoever edits the file now keeps the edit
            (world.root / "a.txt").write_bytes(b"edited after the crash\n")
            world.recover()
            assert (world.root / "a.txt").read_bytes() == b"edited after the crash\n"
            assert list(world.root.rglob(".redline-*")) == []
        else:
            assert not world.settle()


@needs_strace
def test_a_crash_after_the_last_rename_keeps_the_new_bytes(tmp_path: Path) -> None:
    calls = traced(World(tmp_path / "counted").apply)
    last = max(number for number, (call, _) in enumerate(calls) if call == "renameat2")
    world = World(tmp_path / "crashed")
    assert kill_at(world.apply, *calls[last + 1]).killed
    assert world.settle()


@needs_strace
def test_an_edit_in_the_very_moment_of_the_recovery_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert kill_at(world.apply, "renameat2", 2).killed
    edited = world.root / "a.txt"
    assert b"thread" in edited.read_bytes()
    ended = meanwhile_renaming(world.recover, lambda: edited.write_bytes(b"edited in that moment\n"))
    assert ended.well
    assert edited.read_bytes() == b"edited in that moment\n"
    assert list(world.root.rglob(".redline-*")) == []
    assert world.recover() is None
    with Workspace(world.root) as workspace, Store.open(workspace) as store:
        files = Journal(store).files(Journal(store).batch(1))
    assert [file.path for file in files if file.left_alone] == ["a.txt"]


@needs_strace
def test_a_live_apply_is_not_disturbed_by_a_recovery(tmp_path: Path) -> None:
    world = World(tmp_path)
    seen = []

    def look_in(child: int) -> None:
        deadline = time.monotonic() + 10
        while not any(batch.state == State.REPLACING for batch in world.within(history)):
            assert time.monotonic() < deadline
        seen.append(world.recover())

    slowly = ("-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=50000")
    assert in_child(world.apply, *slowly, during=look_in).well
    assert seen == [None]
    assert world.settle()


@needs_strace
def test_a_power_cut_finds_everything_written_in_order(tmp_path: Path) -> None:
    """What must be durable before what: read off the calls, as no test can cut the power."""
    world = World(tmp_path)
    calls = [call for call, _ in traced(world.apply)]
    first_temporary = calls.index("mkdirat")
    first_rename, last_rename = calls.index("renameat2"), len(calls) - 1 - calls[::-1].index("renameat2")
    first_removal = calls.index("unlinkat")
    assert "fdatasync" in calls[:first_temporary], "the journal before the first temporary file"
    staged = calls[first_temporary:first_rename]
    assert staged.count("fsync") >= 4, "every temporary file and its directory before the first rename"
    assert staged[-1] == "fdatasync", "that replacing begins, before it does"
    after = calls[last_rename + 1 : first_removal]
    assert "fsync" in after, "the directories before the commit"
    assert after[-1] == "fdatasync", "the commit before the old files are removed"
    assert calls[first_removal:].count("fsync") >= 2, "their removal before the batch counts as tidy"


@needs_strace
def test_without_exchange_and_syncfs_the_promise_holds(tmp_path: Path) -> None:
    """As on NFS: the kernel knows neither flag. Killed at every rename, link and removal."""

    def refused(action: Callable[[], object], kill: str, when: int) -> Ended:
        without = ("-e", "inject=renameat2:error=EINVAL", "-e", "inject=syncfs:error=ENOSYS")
        trace = ("-e", "trace=rename,renameat,renameat2,linkat,unlinkat,syncfs")
        more = ("-e", f"inject={kill}:signal=KILL:when={when}") if kill else ()
        return in_child(action, *trace, *without, *more)

    world = World(tmp_path / "well")
    ended = refused(world.apply, "", 0)
    assert ended.well
    assert world.settle()
    for number, (call, when) in enumerate(ended.calls):
        if call in ("rename", "renameat", "linkat", "unlinkat"):
            world = World(tmp_path / str(number))
            assert refused(world.apply, call, when).killed
            world.settle()


def test_nothing_is_made_for_a_workspace_that_has_no_store(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.recover() is None
    assert world.within(history) == []
    assert not world.state.exists()


def test_a_start_with_nothing_to_recover_is_cheap(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.apply()
    times = []
    for _ in range(20):
        begun = time.perf_counter()
        world.recover()
        times.append(time.perf_counter() - begun)
    assert min(times) < 0.005


@needs_strace
def test_what_cannot_be_taken_back_now_is_by_the_next_start(tmp_path: Path) -> None:
    """A disk that takes no more renames from the fourth on: not even those that would undo the first."""
    world = World(tmp_path)
    ended = fail_at(world.apply, "renameat2", "4+", "EIO")
    assert ended.error.startswith("NotTakenBackError")
    assert "input/output error" in ended.error
    assert world.tree() not in (world.old, world.new)
    assert not world.settle()


@needs_strace
def test_the_lock_dies_with_its_holder(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert kill_at(world.apply, "renameat2", 3).killed
    outcome = world.within(lambda workspace: apply(workspace, world.plan, wait=0))
    assert outcome.recovered is not None
    assert world.tree() == world.new
