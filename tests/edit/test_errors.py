"""Whatever the system refuses, at whatever step: all old, no temporary file, and a message that helps."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.edit.faults import as_user, fail_at, in_child, needs_strace, traced, turning_points
from tests.edit.worlds import World, replaced
from tui.edit.apply import apply
from tui.edit.failures import ApplyError
from tui.edit.plan import EditPlan, create
from tui.edit.store import StoreError
from tui.workspace import Workspace

TOLD = ("ApplyError", "StoreError", "RedlineError")
ERRORS = ["ENOSPC", "EACCES", "EROFS", "EIO", "EDQUOT", "EMFILE", "EFBIG"]


def refuse(base: Path, call: str, when: int, error: str) -> None:
    """One call fails once. Either all is as it was and the error is told, or the batch was past its
    commit, or the call was one that may fail."""
    world = World(base)
    ended = fail_at(world.apply, call, when, error)
    if ended.error:
        assert ended.error.split(": ")[0] in TOLD, ended.error
        assert "Traceback" not in ended.error
        assert world.tree() == world.old, (call, when, error)
        assert not world.settle()
    else:
        assert ended.well
        assert {path: what for path, what in world.tree().items() if ".redline-" not in path} == world.new
        assert world.settle()


def refusals(base: Path) -> list[tuple[str, int]]:
    calls = traced(World(base / "counted").apply)
    return [(call, when) for call, when in calls if call != "unlink"]


@needs_strace
def test_each_mutating_call_refused_once(tmp_path: Path) -> None:
    """The errors take turns; the long version tries every one at every call."""
    for number, (call, when) in enumerate(turning_points(refusals(tmp_path))):
        refuse(tmp_path / str(number), call, when, ERRORS[number % len(ERRORS)])


@pytest.mark.slow
@needs_strace
@pytest.mark.parametrize("error", ERRORS)
def test_each_mutating_call_refused_once_with_every_error(error: str, tmp_path: Path) -> None:
    for number, (call, when) in enumerate(refusals(tmp_path)):
        refuse(tmp_path / str(number), call, when, error)


@needs_strace
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["fchmod", "fsync", "renameat2", "mkdirat"])
def test_every_error_at_each_step_names_path_and_cause(call: str, error: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    ended = fail_at(world.apply, call, 3 if call == "fsync" else 1, error)
    words = os.strerror(getattr(__import__("errno"), error)).lower()
    assert words in ended.error, ended.error
    assert not world.settle()


@needs_strace
def test_a_refused_descriptor_is_told_and_takes_nothing_with_it(tmp_path: Path) -> None:
    """EMFILE at any open, also of those that only read."""
    for when in range(1, 50):
        world = World(tmp_path / str(when))
        ended = fail_at(world.apply, "openat", when, "EMFILE")
        assert ended.well or ended.error.split(": ")[0] in TOLD, ended.error
        world.settle()


def limited_apply(world: World, size: int) -> Callable[[], object]:
    """RLIMIT_FSIZE: the write that crosses it is cut short, the next one fails."""

    def act() -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        return world.apply()

    return act


@needs_strace
def test_a_write_cut_short_by_a_limit(tmp_path: Path) -> None:
    world = World(tmp_path)
    (world.root / "large.txt").write_bytes(b"needle" + bytes(range(256)) * 4000)
    world.old = world.tree()
    world.plan = EditPlan("large", (replaced(world.root, "large.txt"), replaced(world.root, "a.txt")))
    for size in (900_000, 60_000):  # too small for the temporary file; for the journal already
        ended = in_child(limited_apply(world, size), "-e", "trace=write")
        assert ended.error.split(": ")[0] in ("ApplyError", "StoreError"), ended.error
        assert not world.settle()


def test_a_full_disk(tmp_path: Path) -> None:
    """A real one: a filesystem of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a filesystem to be filled")
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "redline-test", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no filesystem can be mounted here")
    try:
        for number in range(8):
            (small / f"{number}.txt").write_bytes(b"needle" * 16_000)
        plan = EditPlan("eight", tuple(replaced(small, f"{number}.txt") for number in range(8)))
        with Workspace(small) as workspace, pytest.raises(ApplyError) as caught:
            apply(workspace, plan)
        assert "no space left" in str(caught.value)
        assert "free some space" in caught.value.hint
        assert {path.name for path in small.iterdir()} == {f"{number}.txt" for number in range(8)}
        assert {path.read_bytes() for path in small.iterdir()} == {b"needle" * 16_000}
    finally:
        subprocess.run(["umount", small], check=False)


def test_a_directory_without_write_permission(tmp_path: Path) -> None:
    world = World(tmp_path / "shared")
    if os.geteuid() == 0:
        for path in [tmp_path, *tmp_path.rglob("*")]:
            os.chown(path, 12345, 12345)
        for parent in [*tmp_path.parents][:3]:
            parent.chmod(parent.stat().st_mode | 0o011)
    (world.root / "src").chmod(0o555)
    world.old = world.tree()
    with as_user(12345), pytest.raises(ApplyError) as caught:
        world.apply()
    assert "permission denied" in str(caught.value)
    with as_user(12345):
        assert not world.settle()


@needs_strace
def test_the_store_refused_before_anything_is_touched(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.state.parent.mkdir(exist_ok=True)
    world.state.write_bytes(b"a file where the state directory should be")
    with pytest.raises(StoreError) as caught:
        world.apply()
    assert "redline.db" in str(caught.value)
    assert "XDG_STATE_HOME" in caught.value.hint
    assert world.tree() == world.old


def test_a_callback_that_raises_takes_everything_back(tmp_path: Path) -> None:
    world = World(tmp_path)

    def fail(progress: object) -> None:
        if getattr(progress, "step", "") == "replacing" and getattr(progress, "done", 0) == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        world.within(lambda workspace: apply(workspace, world.plan, progress=fail))
    assert world.tree() == world.old
    assert not world.settle()


def test_new_directories_go_with_a_batch_that_fails(tmp_path: Path) -> None:
    world = World(tmp_path)
    plan = EditPlan("two", (create("x/y/z.txt", b"z\n"), create("x/" + "n" * 300, b"too long a name\n")))
    with pytest.raises(ApplyError) as caught:
        world.within(lambda workspace: apply(workspace, plan))
    assert "file name too long" in str(caught.value)
    assert world.tree() == world.old
