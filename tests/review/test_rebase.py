"""A proposal carried over to files that moved on: as git merges, or not at all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.review.propose import change
from tui.edit.plan import EditPlan, FileEdit, FileState, delete, rename
from tui.review.rebase import Rebased, rebase
from tui.workspace import Workspace

BASE = "".join(f"line {number}\n" for number in range(20))


def carried(root: Path, edit: FileEdit, base: bytes | None) -> Rebased:
    originals = {} if base is None else {edit.path: base}
    with Workspace(root) as workspace:
        return rebase(workspace, EditPlan("a change", (edit,)), originals)


def test_a_change_elsewhere_in_the_file_is_kept(tree: Path) -> None:
    write(tree, {"a.txt": BASE})
    edit = change(tree, "a.txt", BASE.replace("line 15\n", "changed\n"))
    write(tree, {"a.txt": "new first line\n" + BASE.replace("line 3\n", "")})
    merged = carried(tree, edit, BASE.encode())
    assert merged.conflicts == ()
    (again,) = merged.plan.files
    now = (tree / "a.txt").read_bytes()
    assert again.before == FileState.of(now, 0o644)
    assert again.new_bytes(now).decode() == "new first line\n" + BASE.replace("line 3\n", "").replace(
        "line 15\n", "changed\n"
    )
    assert merged.originals == {"a.txt": now}


def test_the_same_lines_changed_otherwise_are_a_conflict_at_their_place(tree: Path) -> None:
    write(tree, {"a.txt": BASE})
    edit = change(tree, "a.txt", BASE.replace("line 15\n", "changed\n"))
    write(tree, {"a.txt": "more\n" + BASE.replace("line 15\n", "otherwise\n")})
    merged = carried(tree, edit, BASE.encode())
    assert [str(conflict) for conflict in merged.conflicts] == [
        "a.txt:17: what the proposal changes (line 16 of the old file) was changed here too"
    ]
    assert merged.plan.files == ()


def test_what_is_there_already_is_left_out(tree: Path) -> None:
    write(tree, {"a.txt": BASE, "b.txt": "x\n"})
    edit = change(tree, "a.txt", BASE.replace("line 15\n", "changed\n"))
    write(tree, {"a.txt": "more\n" + BASE.replace("line 15\n", "changed\n")})
    merged = carried(tree, edit, BASE.encode())
    assert merged.conflicts == ()
    assert merged.plan.files == ()
    new = change(tree, "new.txt", "new\n")
    write(tree, {"new.txt": "new\n"})
    assert carried(tree, new, None) == Rebased(EditPlan("a change", ()), {}, ())


CONFLICTS = {
    "a new file is there with other contents": "there by now, with other contents",
    "the file is gone": "it is gone",
    "what was to be deleted has changed": "to be deleted, and has changed since",
    "the new name is taken": "there is a file moved.txt by now",
    "it became binary": "no text",
    "it is another encoding": "encoding",
}


@pytest.mark.parametrize(("case", "why"), CONFLICTS.items())
def test_what_cannot_be_merged_is_named(tree: Path, case: str, why: str) -> None:
    write(tree, {"a.txt": BASE})
    base: bytes | None = BASE.encode()
    edit = change(tree, "a.txt", BASE.replace("line 15\n", "changed\n"))
    if case.startswith("a new file"):
        edit, base = change(tree, "new.txt", "mine\n"), None
        write(tree, {"new.txt": "yours\n"})
    elif case == "the file is gone":
        (tree / "a.txt").unlink()
    elif case.startswith("what was to be deleted"):
        edit = delete("a.txt", BASE.encode(), 0o644)
        write(tree, {"a.txt": "other\n"})
    elif case == "the new name is taken":
        edit = rename("a.txt", "moved.txt", BASE.encode(), 0o644)
        write(tree, {"moved.txt": "here\n"})
    elif case == "it became binary":
        write(tree, {"a.txt": b"\0binary"})
    else:
        write(tree, {"a.txt": BASE.encode("utf-16")})
    merged = carried(tree, edit, base)
    assert merged.plan.files == ()
    assert [why in conflict.why for conflict in merged.conflicts] == [True]


def test_a_deletion_of_what_is_gone_is_done_already(tree: Path) -> None:
    write(tree, {"a.txt": BASE})
    edit = delete("a.txt", BASE.encode(), 0o644)
    (tree / "a.txt").unlink()
    assert carried(tree, edit, BASE.encode()) == Rebased(EditPlan("a change", ()), {}, ())


def test_the_present_permission_bits_stay(tree: Path) -> None:
    write(tree, {"a.txt": BASE})
    edit = change(tree, "a.txt", BASE.replace("line 15\n", "changed\n"))
    (tree / "a.txt").chmod(0o600)
    (again,) = carried(tree, edit, BASE.encode()).plan.files
    assert again.before is not None
    assert again.after is not None
    assert (again.before.mode, again.after.mode) == (0o600, 0o600)


@st.composite
def versions(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A text of lines that are there once, and two that were made of it: with repeated lines there is
    more than one way to see what was changed."""
    base = [f"line {number}" for number in range(draw(st.integers(0, 12)))]

    def edited(name: str) -> list[str]:
        lines: list[str] = []
        for number, line in enumerate([*base, ""]):
            if draw(st.integers(0, 5)) == 0:
                lines.append(f"{draw(st.sampled_from(['both', name]))} before {number}")
            what = draw(st.sampled_from(["keep", "keep", "keep", "keep", "go", "change"]))
            if line and what != "go":
                lines.append(line if what == "keep" else f"{line} of {name}")
        return lines

    return base, edited("ours"), edited("theirs")


@given(versions(), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=150)
def test_what_merges_here_merges_in_git_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, lines: tuple[list[str], list[str], list[str]], end: str
) -> None:
    """We are the more careful: what git merges may be a conflict here, never the other way round."""
    tree = tmp_path_factory.mktemp("merge")
    texts = [end.join([*each, ""]).encode() for each in lines]
    if texts[2] == texts[0]:
        return
    write(tree, {"a.txt": texts[0]})
    edit = change(tree, "a.txt", texts[2])
    write(tree, {"a.txt": texts[1]})
    merged = carried(tree, edit, texts[0])
    if merged.conflicts:
        return
    write(tree, {"base": texts[0], "theirs": texts[2]})
    git = subprocess.run(
        ["git", "merge-file", "-p", "a.txt", "base", "theirs"], cwd=tree, capture_output=True, check=False
    )
    new = merged.plan.files[0].new_bytes(texts[1]) if merged.plan.files else texts[1]
    assert git.returncode == 0
    assert new == git.stdout
