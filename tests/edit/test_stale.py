"""P3: a file that changed since it was previewed is never overwritten, whenever it changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import write
from tests.edit.faults import in_child, meanwhile_renaming, needs_strace, snapshot
from tests.edit.worlds import replaced
from tui.edit.apply import Progress, apply
from tui.edit.journal import State, history
from tui.edit.plan import EditPlan, FileEdit, StaleError, create, delete, rename
from tui.edit.recovery import recover
from tui.workspace import Workspace

Change = Callable[[Path], None]
TARGET = "dir/target.txt"
OLD = b"one needle here\n"


def edit(root: Path) -> None:
    (root / TARGET).write_bytes(b"edited by hand, with another length\n")


def edit_with_times_restored(root: Path) -> None:
    path = root / TARGET
    before = path.stat()
    path.write_bytes(b"one NEEDLE here\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def truncate(root: Path) -> None:
    os.truncate(root / TARGET, 3)


def append(root: Path) -> None:
    with (root / TARGET).open("ab") as file:
        file.write(b"one line more\n")


def remove(root: Path) -> None:
    (root / TARGET).unlink()


def replace_by_link(root: Path) -> None:
    (root.parent / "outside.txt").write_bytes(OLD)
    (root / TARGET).unlink()
    (root / TARGET).symlink_to(root.parent / "outside.txt")


def replace_by_directory(root: Path) -> None:
    (root / TARGET).unlink()
    (root / TARGET).mkdir()


def replace_by_fifo(root: Path) -> None:
    (root / TARGET).unlink()
    os.mkfifo(root / TARGET)


def replace_by_hard_link(root: Path) -> None:
    (root / TARGET).unlink()
    (root / TARGET).hardlink_to(root / "other.txt")


def change_mode(root: Path) -> None:
    (root / TARGET).chmod(0o600)


def rename_over(root: Path) -> None:
    (root / "saved.tmp").write_bytes(b"saved by an editor\n")
    (root / "saved.tmp").rename(root / TARGET)


def replace_directory_by_link(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "target.txt").write_bytes(OLD)
    (root / "dir").rename(root / "dir-moved-away")
    (root / "dir").symlink_to(outside)


CHANGES: list[Change] = [
    edit,
    edit_with_times_restored,
    truncate,
    append,
    remove,
    replace_by_link,
    replace_by_directory,
    replace_by_fifo,
    replace_by_hard_link,
    change_mode,
    rename_over,
    replace_directory_by_link,
]


@pytest.fixture
def workspace(tree: Path) -> Workspace:
    write(
        tree, {TARGET: OLD, "dir/beside.txt": OLD, "first.txt": OLD, "zlast.txt": OLD, "other.txt": "other\n"}
    )
    return Workspace(tree)


def four_files(root: Path) -> EditPlan:
    paths = ("first.txt", "dir/beside.txt", TARGET, "zlast.txt")
    return EditPlan("needles", tuple(replaced(root, path) for path in paths))


def when(step: str, change: Callable[[], None]) -> Callable[[Progress], None]:
    """A progress callback that lets the change happen as a step begins."""
    done: list[Progress] = []

    def watch(progress: Progress) -> None:
        if progress.step == step and not done:
            done.append(progress)
            change()

    return watch


def nothing_is_written(workspace: Workspace, base: Path, changed: dict[str, tuple[object, ...]]) -> None:
    assert snapshot(base / "workspace") == {
        path: what for path, what in changed.items() if ".redline-" not in path
    }
    assert {batch.state for batch in history(workspace)} <= {State.ROLLED_BACK}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("moment", ["before", "recording", "staging", "replacing"])
def test_a_changed_file_is_named_and_nothing_is_written(
    moment: str, change: Change, workspace: Workspace, tree: Path
) -> None:
    plan = four_files(tree)
    after: dict[str, tuple[object, ...]] = {}

    def happen() -> None:
        change(tree)
        after.update(snapshot(tree))

    if moment == "before":
        happen()
    with pytest.raises(StaleError) as caught:
        apply(workspace, plan, progress=when(moment, happen))
    assert TARGET in [path for path, _ in caught.value.paths]
    others = {path for path, _ in caught.value.paths} - {TARGET}
    assert others <= ({"dir/beside.txt"} if change is replace_directory_by_link else set())
    nothing_is_written(workspace, tree.parent, after)


@needs_strace
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_between_the_last_check_and_the_rename_is_found(
    change: Change, workspace: Workspace, tree: Path
) -> None:
    """The kernel is held at the very entry of the rename of that file; no check can come later."""
    plan = EditPlan("two", (replaced(tree, TARGET), replaced(tree, "first.txt")))
    after: dict[str, tuple[object, ...]] = {}

    def happen() -> None:
        change(tree)
        after.update(snapshot(tree))

    ended = meanwhile_renaming(lambda: apply(workspace, plan), happen, number=2)
    assert ended.error.startswith("StaleError"), ended.error
    assert TARGET in ended.error
    unchanged = {**after, "first.txt": (*after["first.txt"][:2], OLD)}
    nothing_is_written(workspace, tree.parent, unchanged)


@needs_strace
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_where_names_cannot_be_exchanged_a_last_check_finds_it(
    change: Change, workspace: Workspace, tree: Path
) -> None:
    """As on NFS, where the kernel refuses the exchange: all but the very last instant is covered."""
    plan = four_files(tree)

    def act() -> None:
        after: dict[str, tuple[object, ...]] = {}

        def happen() -> None:
            change(tree)
            after.update(snapshot(tree))

        try:
            apply(workspace, plan, progress=when("replacing", happen))
        except StaleError:
            nothing_is_written(workspace, tree.parent, after)
            raise

    ended = in_child(act, "-e", "trace=renameat2", "-e", "inject=renameat2:error=EINVAL")
    assert ended.error.startswith("StaleError"), ended.error
    assert TARGET in ended.error


@needs_strace
def test_a_name_taken_just_before_the_rename_is_not_overwritten(workspace: Workspace, tree: Path) -> None:
    theirs = tree / "dir/new.txt"
    for plan in (
        EditPlan("create", (create("dir/new.txt", b"ours\n"),)),
        EditPlan("move", (rename("other.txt", "dir/new.txt", b"other\n", 0o644),)),
    ):
        ended = meanwhile_renaming(partial(apply, workspace, plan), lambda: theirs.write_bytes(b"theirs\n"))
        assert ended.error.startswith("StaleError"), ended.error
        assert "already" in ended.error
        assert theirs.read_bytes() == b"theirs\n"
        theirs.unlink()
        assert (tree / "other.txt").read_bytes() == b"other\n"
        assert list(tree.rglob(".redline*")) == []


@needs_strace
def test_a_file_saved_just_before_its_deletion_is_kept(workspace: Workspace, tree: Path) -> None:
    plan = EditPlan("delete", (delete(TARGET, OLD, 0o644),))
    ended = meanwhile_renaming(lambda: apply(workspace, plan), lambda: rename_over(tree))
    assert ended.error.startswith("StaleError"), ended.error
    assert (tree / TARGET).read_bytes() == b"saved by an editor\n"
    assert list(tree.rglob(".redline*")) == []


@pytest.mark.parametrize(
    "change", [edit_with_times_restored, rename_over], ids=lambda change: change.__name__
)
@needs_strace
def test_a_crash_in_that_same_instant_loses_nobodys_bytes(
    change: Change, workspace: Workspace, tree: Path
) -> None:
    """Killed after the exchange, before the look at what came out: which is not the verified file."""
    plan = EditPlan("one", (replaced(tree, TARGET),))
    wrote: list[bytes] = []

    def happen() -> None:
        change(tree)
        wrote.append((tree / TARGET).read_bytes())

    def exchanged() -> bool:
        return b"thread" in (tree / TARGET).read_bytes()

    assert meanwhile_renaming(lambda: apply(workspace, plan), happen, kill_when=exchanged).killed
    assert exchanged()
    recovery = recover(workspace)
    assert recovery is not None
    assert recovery.batches[0].left_alone[0][0] == TARGET
    assert (tree / TARGET).read_bytes() == wrote[0]
    assert list(tree.rglob(".redline*")) == []
    assert recover(workspace) is None


@pytest.mark.parametrize("moment", ["before", "replacing"])
def test_every_stale_file_is_named(moment: str, workspace: Workspace, tree: Path) -> None:
    plan = four_files(tree)

    def change() -> None:
        (tree / "first.txt").write_bytes(b"changed")
        (tree / TARGET).unlink()
        (tree / "zlast.txt").chmod(0o640)

    if moment == "before":
        change()
    with pytest.raises(StaleError) as caught:
        apply(workspace, plan, progress=when(moment, change))
    reasons = dict(caught.value.paths)
    assert set(reasons) == {"first.txt", TARGET, "zlast.txt"}
    assert "contents" in reasons["first.txt"]
    assert "no longer there" in reasons[TARGET]
    assert "0640" in reasons["zlast.txt"]
    assert "first.txt" in str(caught.value)


@pytest.mark.parametrize(
    "edit_of",
    [
        lambda: create("other.txt", b"ours\n"),
        lambda: create("dir", b"ours\n"),
        lambda: create("first.txt/below", b"ours\n"),
        lambda: rename(TARGET, "other.txt", OLD, 0o644),
        lambda: rename(TARGET, "link", OLD, 0o644),
        lambda: create("linked/below", b"ours\n"),
    ],
)
def test_a_place_that_is_taken_is_not_overwritten(
    edit_of: Callable[[], FileEdit], workspace: Workspace, tree: Path
) -> None:
    (tree / "link").symlink_to("nowhere")
    (tree / "linked").symlink_to(tree / "dir")
    before = snapshot(tree)
    with pytest.raises(StaleError):
        apply(workspace, EditPlan("taken", (edit_of(),)))
    nothing_is_written(workspace, tree.parent, before)


def test_a_directory_moved_away_takes_no_change_along(workspace: Workspace, tree: Path) -> None:
    """Half of its files are replaced when the directory is moved; they too get their old bytes back."""
    for number in range(6):
        (tree / "dir" / f"{number}.txt").write_bytes(OLD)
    plan = EditPlan("six", tuple(replaced(tree, f"dir/{number}.txt") for number in range(6)))

    def watch(progress: Progress) -> None:
        if progress.step == "replacing" and progress.done == 3:
            replace_directory_by_link(tree)

    with pytest.raises(StaleError):
        apply(workspace, plan, progress=watch)
    moved = tree / "dir-moved-away"
    assert {path.read_bytes() for path in moved.iterdir()} == {OLD}
    assert sorted(path.name for path in (tree.parent / "outside").iterdir()) == ["target.txt"]
    assert list(tree.rglob(".redline*")) == []
