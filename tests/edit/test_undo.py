"""P7: every apply can be undone, also after a restart, without touching edits made since."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.edit.faults import snapshot
from tests.edit.worlds import World, replaced
from tui.edit.apply import apply
from tui.edit.journal import State, history
from tui.edit.plan import EditPlan, FileEdit, FileState, Splice, StaleError, create, delete, modify
from tui.edit.undo import plan_undo, undo
from tui.errors import InvalidArgumentError, NotFoundError
from tui.workspace import Workspace


@pytest.fixture
def workspace(tree: Path) -> Workspace:
    write(tree, {"a.txt": "needle one\n", "b.txt": "needle two\n"})
    return Workspace(tree)


def thread(workspace: Workspace, tree: Path, path: str) -> int:
    outcome = apply(workspace, EditPlan(f"thread {path}", (replaced(tree, path),)))
    assert outcome.batch is not None
    return outcome.batch


def test_undo_and_redo_of_everything(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.apply()
    world.undo()
    assert world.tree() == world.old
    world.within(lambda workspace: undo(workspace, 2))
    assert world.tree() == world.new
    world.undo()
    assert world.tree() == world.old
    assert [batch.title.split(":")[0] for batch in world.within(history)] == [
        "Undo",
        "Redo",
        "Undo",
        "everything at once",
    ]


def test_after_a_restart(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.apply()
    code = (
        "import sys\nfrom tui.edit.undo import undo\nfrom tui.workspace import Workspace\n"
        "undo(Workspace(sys.argv[1]))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(world.root)], check=True)
    assert world.tree() == world.old


def test_the_last_batch_that_still_stands_is_chosen(workspace: Workspace, tree: Path) -> None:
    first, second = thread(workspace, tree, "a.txt"), thread(workspace, tree, "b.txt")
    assert plan_undo(workspace).batch.id == second
    undo(workspace)
    assert plan_undo(workspace).batch.id == first
    undo(workspace)
    with pytest.raises(NotFoundError) as caught:
        undo(workspace)
    assert "nothing to undo" in str(caught.value)
    assert "redline undo 4" in caught.value.hint
    redo = undo(workspace, 4).batch
    assert (tree / "a.txt").read_bytes() == b"thread one\n"
    assert plan_undo(workspace).batch.id == redo
    undo(workspace)
    assert (tree / "a.txt").read_bytes() == b"needle one\n"
    with pytest.raises(NotFoundError):
        undo(workspace)


def test_any_batch_can_be_undone_not_only_the_last(workspace: Workspace, tree: Path) -> None:
    first = thread(workspace, tree, "a.txt")
    thread(workspace, tree, "b.txt")
    undo(workspace, first)
    assert (tree / "a.txt").read_bytes() == b"needle one\n"
    assert (tree / "b.txt").read_bytes() == b"thread two\n"


def test_files_changed_since_are_named_and_not_touched(workspace: Workspace, tree: Path) -> None:
    apply(workspace, EditPlan("both", (replaced(tree, "a.txt"), replaced(tree, "b.txt"))))
    (tree / "b.txt").write_bytes(b"edited since\n")
    with pytest.raises(StaleError) as caught:
        undo(workspace)
    assert [path for path, _ in caught.value.paths] == ["b.txt"]
    assert (tree / "a.txt").read_bytes() == b"thread one\n"
    assert (tree / "b.txt").read_bytes() == b"edited since\n"


def test_the_person_may_leave_out_what_changed(workspace: Workspace, tree: Path) -> None:
    apply(workspace, EditPlan("both", (replaced(tree, "a.txt"), replaced(tree, "b.txt"))))
    (tree / "b.txt").write_bytes(b"edited since\n")
    batch, plan = plan_undo(workspace)
    kept = EditPlan(plan.title, tuple(edit for edit in plan.files if edit.path != "b.txt"))
    apply(workspace, kept, undoes=batch.id)
    assert (tree / "a.txt").read_bytes() == b"needle one\n"


def test_a_batch_is_undone_once(workspace: Workspace, tree: Path) -> None:
    thread(workspace, tree, "a.txt")
    undo(workspace, 1)
    with pytest.raises(InvalidArgumentError) as caught:
        undo(workspace, 1)
    assert "undone already, by batch 2" in str(caught.value)
    assert "redline undo 2" in caught.value.hint


def test_what_was_rolled_back_cannot_be_undone(workspace: Workspace, tree: Path) -> None:
    def stop(progress: object) -> None:
        if getattr(progress, "step", "") == "replacing":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        apply(workspace, EditPlan("failing", (replaced(tree, "a.txt"),)), progress=stop)
    assert history(workspace)[0].state == State.ROLLED_BACK
    with pytest.raises(InvalidArgumentError):
        undo(workspace, 1)
    with pytest.raises(NotFoundError):
        undo(workspace)


def test_where_nothing_was_ever_applied(workspace: Workspace) -> None:
    with pytest.raises(NotFoundError):
        plan_undo(workspace)


def test_new_directories_go_and_come_back(workspace: Workspace, tree: Path) -> None:
    before = snapshot(tree)
    apply(workspace, EditPlan("deep", (create("x/y/z.txt", b"z\n"),)))
    undo(workspace)
    assert snapshot(tree) == before
    undo(workspace, 2)
    assert (tree / "x/y/z.txt").read_bytes() == b"z\n"


def test_a_directory_that_others_use_stays(workspace: Workspace, tree: Path) -> None:
    apply(workspace, EditPlan("deep", (create("x/y/z.txt", b"z\n"),)))
    (tree / "x/theirs.txt").write_bytes(b"theirs\n")
    undo(workspace)
    assert sorted(path.name for path in (tree / "x").iterdir()) == ["theirs.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_deleted_file_comes_back_as_it_was(workspace: Workspace, tree: Path) -> None:
    path = tree / "a.txt"
    os.chown(path, 12345, 54321)
    path.chmod(0o4750)
    os.setxattr(path, "user.note", b"kept")
    apply(workspace, EditPlan("delete", (delete("a.txt", path.read_bytes(), 0o4750),)))
    assert not path.exists()
    undo(workspace)
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 54321, 0o4750)
    assert os.getxattr(path, "user.note") == b"kept"


def test_a_batch_that_made_files_read_only_can_be_undone(workspace: Workspace, tree: Path) -> None:
    old = (tree / "a.txt").read_bytes()
    edits = (
        FileEdit("a.txt", FileState.of(old, 0o644), FileState.of(old, 0o444)),
        create("new.txt", b"new\n", 0o444),
    )
    before = snapshot(tree)
    apply(workspace, EditPlan("read-only", edits))
    assert (tree / "a.txt").stat().st_mode & 0o777 == 0o444
    undo(workspace)
    assert snapshot(tree) == before


@settings(max_examples=60)
@given(old=st.binary(max_size=120), data=st.data())
def test_any_edit_there_and_back_and_there_again(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(old)), max_size=8).filter(lambda c: len(c) % 2 == 0)))
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    edit = modify("f", old, 0o644, [Splice(a, b, data.draw(st.binary(max_size=9))) for a, b in pairs])
    if edit is None or edit.before == edit.after:
        return
    root = tmp_path_factory.mktemp("there-and-back")
    (root / "f").write_bytes(old)
    with Workspace(root) as workspace:
        done = apply(workspace, EditPlan("there", (edit,)))
        new = (root / "f").read_bytes()
        back = undo(workspace, done.batch)
        assert (root / "f").read_bytes() == old
        undo(workspace, back.batch)
        assert (root / "f").read_bytes() == new


def test_the_plan_of_an_undo_holds_only_what_was_edited(workspace: Workspace, tree: Path) -> None:
    (tree / "large.txt").write_bytes(b"x" * 500_000 + b"needle" + b"y" * 500_000)
    thread(workspace, tree, "large.txt")
    _, plan = plan_undo(workspace)
    assert plan.files[0].splices == (Splice(500_000, 500_006, b"needle"),)
