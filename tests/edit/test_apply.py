"""Apply: exactly the planned bytes, everything else of a file as it was, and nothing in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.edit.faults import as_user, in_child, needs_strace, snapshot
from tests.edit.worlds import World, replaced
from tui.edit.apply import CancelledError, Progress, apply
from tui.edit.journal import State, history
from tui.edit.lock import BusyError
from tui.edit.plan import (
    BadPlanError,
    EditPlan,
    FileEdit,
    FileState,
    Splice,
    StaleError,
    create,
    delete,
    modify,
    rename,
    spliced,
)
from tui.edit.staging import RefusedError
from tui.errors import OutsideWorkspaceError
from tui.workspace import Workspace

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs to be root to make such files")


@pytest.fixture
def workspace(tree: Path) -> Iterator[Workspace]:
    with Workspace(tree) as opened:
        yield opened


def one(root: Path, path: str) -> EditPlan:
    return EditPlan("one file", (replaced(root, path),))


def test_everything_a_batch_can_do(tmp_path: Path) -> None:
    world = World(tmp_path)
    outcome = world.apply()
    assert (outcome.batch, outcome.files, outcome.untidy) == (1, 6, None)
    assert world.tree() == world.new
    assert world.settle()


@settings(max_examples=60)
@given(old=st.binary(max_size=200), data=st.data())
def test_bytes_outside_the_edits_are_identical(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(old)), max_size=6).filter(lambda c: len(c) % 2 == 0)))
    splices = [
        Splice(a, b, data.draw(st.binary(max_size=20))) for a, b in zip(cuts[::2], cuts[1::2], strict=True)
    ]
    root = tmp_path_factory.mktemp("bytes")
    (root / "file").write_bytes(old)
    edit = modify("file", old, 0o644, splices)
    with Workspace(root) as workspace:
        outcome = apply(workspace, EditPlan("bytes", (edit,) if edit else ()))
    assert outcome.files == (1 if edit else 0)
    assert (root / "file").read_bytes() == spliced(old, splices)


def test_a_plan_that_changes_nothing_writes_nothing(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "same\n"})
    state = FileState.of(b"same\n", 0o644)
    before = (tree / "a.txt").stat()
    outcome = apply(workspace, EditPlan("nothing", (FileEdit("a.txt", state, state),)))
    assert (outcome.batch, outcome.files) == (None, 0)
    assert (tree / "a.txt").stat() == before
    assert history(workspace) == []


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755, 0o2755, 0o1644, 0o666])
def test_permission_bits_stay(mode: int, workspace: Workspace, tree: Path) -> None:
    write(tree, {"run.sh": "needle\n"})
    (tree / "run.sh").chmod(mode)
    apply(workspace, one(tree, "run.sh"))
    assert (tree / "run.sh").read_bytes() == b"thread\n"
    assert (tree / "run.sh").stat().st_mode & 0o7777 == mode


def test_extended_attributes_and_access_lists_stay(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n"})
    path = tree / "a.txt"
    try:
        os.setxattr(path, "user.origin", b"some \0 bytes \xff")
        os.setxattr(path, "user.empty", b"")
    except OSError:
        pytest.skip("no extended attributes on this filesystem")
    # Version 2: owner rw-, user 7 r--, group r--, mask r--, others r--
    acl = bytes.fromhex(
        "0200000001000600ffffffff020004000700000004000400ffffffff10000400ffffffff20000400ffffffff"
    )
    os.setxattr(path, "system.posix_acl_access", acl)
    before = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    assert len(before) == 3
    apply(workspace, one(tree, "a.txt"))
    assert path.read_bytes() == b"thread\n"
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == before


def test_a_directorys_default_access_list_is_not_added(workspace: Workspace, tree: Path) -> None:
    write(tree, {"dir/a.txt": "needle\n"})
    acl = bytes.fromhex(
        "0200000001000700ffffffff020007000700000004000500ffffffff10000700ffffffff20000500ffffffff"
    )
    try:
        os.setxattr(tree / "dir", "system.posix_acl_default", acl)
    except OSError:
        pytest.skip("no access control lists on this filesystem")
    apply(workspace, one(tree, "dir/a.txt"))
    assert os.listxattr(tree / "dir/a.txt") == []
    assert (tree / "dir/a.txt").stat().st_mode & 0o777 == 0o644


@root_only
def test_owner_and_group_stay(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n", "b.txt": "needle\n"})
    os.chown(tree / "a.txt", 12345, 54321)
    (tree / "a.txt").chmod(0o6755)
    apply(workspace, EditPlan("owned", (replaced(tree, "a.txt"), replaced(tree, "b.txt"))))
    status = (tree / "a.txt").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 54321, 0o6755)
    assert (tree / "b.txt").stat().st_uid == os.geteuid()


@root_only
def test_capabilities_stay(workspace: Workspace, tree: Path) -> None:
    write(tree, {"tool": "needle\n"})
    capability = bytes.fromhex("0100000200040000000000000000000000000000")
    os.setxattr(tree / "tool", "security.capability", capability)
    apply(workspace, one(tree, "tool"))
    assert os.getxattr(tree / "tool", "security.capability") == capability


@root_only
def test_an_owner_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """Someone who may write to the directory, but not give files away."""
    root = tmp_path / "workspace"
    write(root, {"theirs.txt": "needle\n", "mine.txt": "needle\n"})
    for path, owner in ((tmp_path, 777), (root, 777), (root / "theirs.txt", 778), (root / "mine.txt", 777)):
        os.chown(path, owner, owner)
    for parent in [*tmp_path.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    os.environ["XDG_STATE_HOME"] = str(tmp_path / "state")
    plan = EditPlan("both", (replaced(root, "mine.txt"), replaced(root, "theirs.txt")))
    before = snapshot(root)
    with as_user(777), Workspace(root) as workspace:
        with pytest.raises(RefusedError) as caught:
            apply(workspace, plan)
        assert caught.value.paths == (("theirs.txt", "its owner 778:778 cannot be kept"),)
        assert snapshot(root) == before
        assert [batch.state for batch in history(workspace)] == [State.ROLLED_BACK]


def test_read_only_files_are_refused_and_named(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n", "b.txt": "needle\n", "c.txt": "needle\n"})
    (tree / "a.txt").chmod(0o444)
    (tree / "c.txt").chmod(0o555)
    plan = EditPlan("three", tuple(replaced(tree, name) for name in ("a.txt", "b.txt", "c.txt")))
    before = snapshot(tree)
    with pytest.raises(RefusedError) as caught:
        apply(workspace, plan)
    assert [path for path, _ in caught.value.paths] == ["a.txt", "c.txt"]
    assert "read-only" in str(caught.value)
    assert snapshot(tree) == before


def test_a_plan_may_make_a_read_only_file_writable(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "text\n"})
    (tree / "a.txt").chmod(0o444)
    old, new = FileState.of(b"text\n", 0o444), FileState.of(b"text\n", 0o755)
    apply(workspace, EditPlan("chmod", (FileEdit("a.txt", old, new),)))
    assert (tree / "a.txt").stat().st_mode & 0o777 == 0o755


def test_hard_links_are_refused_unless_they_may_be_broken(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n"})
    (tree / "b.txt").hardlink_to(tree / "a.txt")
    for plan in (one(tree, "a.txt"), EditPlan("delete", (delete("a.txt", b"needle\n", 0o644),))):
        with pytest.raises(RefusedError) as caught:
            apply(workspace, plan)
        assert "hard links" in str(caught.value)
    apply(workspace, one(tree, "a.txt"), break_links=True)
    assert (tree / "a.txt").read_bytes() == b"thread\n"
    assert (tree / "b.txt").read_bytes() == b"needle\n"


def test_a_hard_link_can_be_moved(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n"})
    (tree / "b.txt").hardlink_to(tree / "a.txt")
    apply(workspace, EditPlan("move", (rename("a.txt", "c.txt", b"needle\n", 0o644),)))
    assert (tree / "c.txt").samefile(tree / "b.txt")


def test_a_moved_file_stays_the_same_file(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n"})
    before = (tree / "a.txt").stat()
    apply(workspace, EditPlan("move", (rename("a.txt", "deep/er/c.txt", b"needle\n", 0o644),)))
    after = (tree / "deep/er/c.txt").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_names_that_are_no_text(workspace: Workspace, tree: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \x1b[31m\n.txt")
    (tree / name).write_bytes(b"needle\n")
    apply(workspace, EditPlan(f"in {name}", (replaced(tree, name),)))
    assert (tree / name).read_bytes() == b"thread\n"
    (tree / name).write_bytes(b"needle\n")
    plan = one(tree, name)
    (tree / name).write_bytes(b"changed\n")
    with pytest.raises(StaleError) as caught:
        apply(workspace, plan)
    assert "\x1b" not in str(caught.value)
    assert caught.value.paths[0][0] == name


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/passwd", "a/../../out.txt", "./a.txt", "a//b", "", "a/", "."]
)
def test_paths_are_confined(path: str, workspace: Workspace, tree: Path) -> None:
    with pytest.raises((OutsideWorkspaceError, BadPlanError)):
        apply(workspace, EditPlan("out", (create(path, b"x"),)))
    with pytest.raises((OutsideWorkspaceError, BadPlanError)):
        apply(workspace, EditPlan("out", (rename("a.txt", path, b"x", 0o644),)))
    assert not (tree.parent / "out.txt").exists()


def test_a_plan_whose_edits_give_other_bytes_is_refused(workspace: Workspace, tree: Path) -> None:
    write(tree, {"a.txt": "needle\n", "b.txt": "needle\n"})
    good, edit = replaced(tree, "a.txt"), replaced(tree, "b.txt")
    bad = FileEdit(edit.path, edit.before, edit.after, (Splice(0, 6, b"poison"),))
    with pytest.raises(BadPlanError):
        apply(workspace, EditPlan("tampered", (good, bad)))
    assert snapshot(tree)["a.txt"][2] == snapshot(tree)["b.txt"][2] == b"needle\n"
    assert list(tree.rglob(".redline*")) == []


@pytest.mark.parametrize("step", ["checking", "recording", "staging", "replacing"])
def test_cancelled_at_each_step(step: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    seen: list[Progress] = []

    def cancelled() -> bool:
        return bool(seen) and seen[-1].step == step and seen[-1].done == 4

    with pytest.raises(CancelledError):
        world.within(
            lambda workspace: apply(workspace, world.plan, progress=seen.append, cancelled=cancelled)
        )
    assert world.tree() == world.old
    assert not world.settle()


def test_progress_tells_every_step_in_order(tmp_path: Path) -> None:
    world = World(tmp_path)
    seen: list[Progress] = []
    world.within(lambda workspace: apply(workspace, world.plan, progress=seen.append))
    assert list(dict.fromkeys(progress.step for progress in seen)) == [
        "checking",
        "recording",
        "staging",
        "replacing",
    ]
    assert {progress.total for progress in seen} == {6}


@pytest.mark.parametrize("step", ["checking", "recording", "staging", "replacing"])
def test_ctrl_c_leaves_all_old(step: str, tmp_path: Path) -> None:
    world = World(tmp_path)

    def interrupt(progress: Progress) -> None:
        if progress.step == step and progress.done == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        world.within(lambda workspace: apply(workspace, world.plan, progress=interrupt))
    assert world.tree() == world.old
    assert not world.settle()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@needs_strace
def test_ctrl_c_after_the_last_rename_leaves_all_new(tmp_path: Path) -> None:
    world = World(tmp_path)
    ended = in_child(world.apply, "-e", "trace=renameat2", "-e", "inject=renameat2:signal=INT:when=7")
    assert ended.error.startswith("KeyboardInterrupt")
    assert world.settle()


@needs_strace
@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_while_everything_is_taken_back_does_not_stop_that(name: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    stop = ("-e", "inject=renameat2:error=EIO:when=5", "-e", f"inject=unlinkat:signal={name}:when=1")

    def act() -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.default_int_handler)
        world.apply()

    ended = in_child(act, "-e", "trace=renameat2,unlinkat", *stop)
    assert ended.error.startswith("KeyboardInterrupt")
    assert world.tree() == world.old
    assert not world.settle()


APPLY = """
import sys
from tui.edit.apply import apply
from tui.edit.plan import EditPlan
from tui.errors import RedlineError
from tui.workspace import Workspace
try:
    with Workspace(sys.argv[1]) as workspace:
        apply(workspace, EditPlan.from_json(open(sys.argv[2], "rb").read()), wait=float(sys.argv[3]))
    print("applied")
except RedlineError as error:
    print(type(error).__name__, error)
"""


def test_several_processes_at_once_one_wins(workspace: Workspace, tree: Path) -> None:
    for number in range(50):
        (tree / f"{number}.txt").write_bytes(b"needle\n")
    plan = EditPlan("fifty", tuple(replaced(tree, f"{number}.txt") for number in range(50)))
    saved = tree.parent / "plan.json"
    saved.write_bytes(plan.to_json())
    command = [sys.executable, "-c", APPLY, str(tree), str(saved), "20"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = sorted(process.communicate(timeout=30)[0] for process in running)
    assert [answer.split()[0] for answer in answers].count("applied") == 1
    assert [answer.split()[0] for answer in answers].count("StaleError") == 3
    assert {path.read_bytes() for path in tree.iterdir()} == {b"thread\n"}
    assert [batch.state for batch in history(workspace)] == [State.COMMITTED]


@needs_strace
def test_who_holds_the_lock_is_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    told: list[str] = []

    def try_too(child: int) -> None:
        deadline = time.monotonic() + 10
        while not any(batch.state == State.REPLACING for batch in world.within(history)):
            assert time.monotonic() < deadline
        with pytest.raises(BusyError) as caught:
            world.within(lambda workspace: apply(workspace, world.plan, wait=0.1))
        told.append(str(caught.value))
        assert str(child) in str(caught.value)

    slowly = ("-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=60000")
    assert in_child(world.apply, *slowly, during=try_too).well
    assert told
    assert world.settle()


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    """A worker process started in the midst of it, still alive when its parent is killed."""
    world = World(tmp_path)
    keep, release = os.pipe()
    started, starts = os.pipe()

    def fork(progress: Progress) -> None:
        if progress.step == "replacing" and progress.done == 2:
            if os.fork() == 0:
                os.close(release)
                os.write(starts, b"x")
                os.read(keep, 1)
                os._exit(0)
            os.read(started, 1)  # from here on the worker runs, and the lock is its parent's alone
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if not child:
        world.within(lambda workspace: apply(workspace, world.plan, progress=fork))
        os._exit(1)
    os.waitpid(child, 0)
    try:
        assert not world.settle()
        world.within(lambda workspace: apply(workspace, world.plan, wait=0))
        assert world.tree() == world.new
    finally:
        for end in (release, keep, started, starts):
            os.close(end)


def test_in_a_thread(tmp_path: Path) -> None:
    world = World(tmp_path)
    worker = threading.Thread(target=world.apply)
    worker.start()
    worker.join()
    assert world.tree() == world.new


def test_a_crash_is_settled_before_the_next_batch(tmp_path: Path) -> None:
    world = World(tmp_path)
    child = os.fork()
    if not child:

        def die(progress: Progress) -> None:
            if progress.step == "replacing" and progress.done == 3:
                os.kill(os.getpid(), signal.SIGKILL)

        world.within(lambda workspace: apply(workspace, world.plan, progress=die))
    os.waitpid(child, 0)
    assert world.tree() != world.old
    outcome = world.apply()
    assert outcome.recovered is not None
    assert "old bytes again" in str(outcome.recovered)
    assert world.tree() == world.new


def test_memory_does_not_grow_with_the_files(tree: Path) -> None:
    """200 files of a megabyte each, in a process that may use 120 MB more than it starts with."""
    text = b"needle" + b"x" * 1_000_000
    for number in range(200):
        (tree / f"{number}.txt").write_bytes(text)
    saved = tree.parent / "plan.json"
    saved.write_bytes(
        EditPlan("large", tuple(replaced(tree, f"{number}.txt") for number in range(200))).to_json()
    )
    # Not ru_maxrss: that begins with what the parent of the process had.
    code = APPLY + (
        "for line in open('/proc/self/status'):\n"
        "    if 'VmHWM' in line: print(int(line.split()[1]) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tree), str(saved), "0"], capture_output=True, text=True, check=True
    )
    answer, peak = done.stdout.split()
    assert answer == "applied"
    assert int(peak) < 120
