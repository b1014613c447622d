"""A proposal under review: hunk by hunk, line by line, in other words, with reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.edit.samples import edited_files
from tests.review.propose import change, opened, proposed
from tui.edit.choose import choose, hunk_text, reworded
from tui.edit.diff import file_diff
from tui.edit.difflines import LineKind
from tui.edit.plan import EditPlan, FileEdit
from tui.review.decisions import Verdict
from tui.review.delicate import delicate
from tui.review.review import Review
from tui.review.settling import review_of

FAR_APART = "".join(f"line {number}\n" for number in range(40))
TWICE = FAR_APART.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")


def undecided(root: Path, *edits: FileEdit) -> Review:
    def read(edit: FileEdit) -> bytes:
        return b"" if edit.before is None else (root / edit.path).read_bytes()

    review = Review("a change", read, Verdict.UNDECIDED)
    for edit in edits:
        review.add(edit, len(file_diff(edit, read(edit)).ids))
    return review


@pytest.fixture
def review(tree: Path) -> Review:
    """One file with two hunks."""
    write(tree, {"a.txt": FAR_APART})
    return undecided(tree, change(tree, "a.txt", TWICE))


def result(review: Review) -> str:
    (edit,) = review.accepted().files
    return edit.new_bytes(review.read(edit)).decode()


def test_nothing_undecided_is_in_the_plan(review: Review) -> None:
    assert review.accepted().files == ()
    assert review.totals() == (0, 0, 2, 1, 2)
    first, _ = review.diff(0).hunks
    review.decide_hunk(0, first.id, Verdict.ACCEPTED)
    assert result(review) == FAR_APART.replace("line 3\n", "LINE 3\n")
    assert review.totals() == (1, 1, 2, 1, 1)


def test_a_hunk_is_taken_line_by_line(review: Review) -> None:
    first, second = review.diff(0).hunks
    added = [place for place, line in enumerate(first.lines) if line.kind is LineKind.ADDED]
    review.decide_lines(0, first.id, added)
    assert result(review) == FAR_APART.replace("line 3\n", "line 3\nLINE 3\n")
    assert review.files[0].verdict is None
    review.decide_lines(0, first.id, [])
    assert review.verdict(0, first.id) is Verdict.REJECTED
    assert review.verdict(0, second.id) is Verdict.UNDECIDED


def test_a_hunk_is_accepted_in_other_words(review: Review) -> None:
    first, second = review.diff(0).hunks
    review.reword(0, second.id, hunk_text(second).replace("LINE 30", "line thirty\nand more"))
    assert result(review) == FAR_APART.replace("line 30\n", "line thirty\nand more\n")
    assert review.decision(0, second.id).word == "edited"
    shown = review.diff(0)
    assert [hunk.id for hunk in shown.hunks] == [first.id, second.id]
    assert "line thirty" in [line.text for line in shown.hunks[1].lines]
    review.decide_hunk(0, first.id, Verdict.ACCEPTED)
    assert "LINE 3\n" in result(review)
    assert "line thirty\n" in result(review)


@given(edited_files(), st.data())
@settings(max_examples=150)
def test_a_hunk_reworded_as_it_was_proposed_is_that_hunk(
    case: tuple[bytes, FileEdit], draw: st.DataObject
) -> None:
    old, edit = case
    diff = file_diff(edit, old)
    plain = [hunk for hunk in diff.hunks if all("\ufeff" not in line.text for line in hunk.lines)]
    if edit.before is None or edit.after is None or not plain:
        return
    hunk = draw.draw(st.sampled_from(plain))
    texts = {hunk.id: hunk_text(hunk)}
    if not texts[hunk.id]:
        return
    others = [name for name in diff.ids if name != hunk.id]
    try:
        chosen = choose(edit, old, others, {}, texts)
    except Exception as error:
        assert "encoding" in str(error)
        return
    assert chosen is not None
    assert chosen.new_bytes(old) == edit.new_bytes(old)
    again = next(each for each in reworded(edit, old, texts).hunks if each.id == hunk.id)
    assert hunk_text(again) == hunk_text(hunk)


def test_accept_all_takes_what_is_left_and_only_that(review: Review) -> None:
    first, _ = review.diff(0).hunks
    review.decide_hunk(0, first.id, Verdict.REJECTED)
    assert review.decide_all(Verdict.ACCEPTED) == 0
    assert result(review) == FAR_APART.replace("line 30\n", "LINE 30\n")
    review.decide_all(Verdict.REJECTED)
    assert result(review) == FAR_APART.replace("line 30\n", "LINE 30\n")


DELICATE = {
    ".github/workflows/ci.yml": "continuous integration",
    "sub/.gitattributes": "git's own files",
    ".git/config": "git's own files",
    ".husky/pre-commit": "hooks",
    "tools/hooks/post-merge": "hooks",
    "CLAUDE.md": "instructions to agents",
    "docs/AGENTS.md": "instructions to agents",
    ".claude/settings.json": "instructions to agents",
    "pyproject.toml": "dependencies",
    "web/package.json": "dependencies",
    "Cargo.lock": "dependencies",
    "requirements-dev.txt": "dependencies",
    "Makefile": "run by tools",
    ".vscode/tasks.json": "a hidden directory",
}


@pytest.mark.parametrize(("path", "why"), DELICATE.items())
def test_what_can_do_more_than_it_shows_is_marked(tree: Path, path: str, why: str) -> None:
    assert delicate(change(tree, path, "new\n")) == why


def test_executables_are_marked(tree: Path) -> None:
    write(tree, {"run": "#!/bin/sh\n", "plain.txt": "x\n"})
    (tree / "run").chmod(0o755)
    assert delicate(change(tree, "run", "#!/bin/sh\nrm -rf .\n")) == "executable"
    assert delicate(change(tree, "plain.txt", "y\n")) == ""
    assert delicate(change(tree, "src/new.py", "y\n")) == ""


def test_accept_all_covers_what_is_delicate_only_after_a_look(tree: Path) -> None:
    write(tree, {"a.txt": "one\n", "pyproject.toml": "two\n"})
    review = undecided(tree, change(tree, "a.txt", "1\n"), change(tree, "pyproject.toml", "2\n"))
    assert review.decide_all(Verdict.ACCEPTED) == 1
    assert [edit.path for edit in review.accepted().files] == ["a.txt"]
    review.look(1, review.diff(1).hunks[0].id)
    assert review.decide_all(Verdict.ACCEPTED) == 0
    assert [edit.path for edit in review.accepted().files] == ["a.txt", "pyproject.toml"]


def test_every_hunk_of_a_delicate_file_needs_its_own_look(tree: Path) -> None:
    write(tree, {"pyproject.toml": FAR_APART})
    review = undecided(tree, change(tree, "pyproject.toml", TWICE))
    review.look(0, review.diff(0).hunks[0].id)
    assert review.decide_all(Verdict.ACCEPTED) == 1
    assert review.accepted().files == ()


def test_rejecting_all_needs_no_look(tree: Path) -> None:
    write(tree, {"pyproject.toml": "two\n"})
    review = undecided(tree, change(tree, "pyproject.toml", "2\n"))
    assert review.decide_all(Verdict.REJECTED) == 0
    assert review.totals().undecided == 0


def test_identical_hunks_are_found_wherever_they_are(tree: Path) -> None:
    write(tree, {"a.txt": FAR_APART, "b.txt": "line 3\nx\n", "c.txt": "other\n", ".ci/d": "line 3\n"})
    review = undecided(
        tree,
        change(tree, "a.txt", TWICE),
        change(tree, "b.txt", "LINE 3\nx\n"),
        change(tree, "c.txt", "OTHER\n"),
        change(tree, ".ci/d", "LINE 3\n"),
    )
    first = review.diff(0).hunks[0].id
    review.decide_hunk(0, first, Verdict.ACCEPTED)
    assert [place for place, _ in review.alike(0, first)] == [1]
    review.look(3, review.diff(3).hunks[0].id)
    assert [place for place, _ in review.alike(0, first)] == [1, 3]


def test_what_was_said_is_there_again_in_the_next_sitting(tree: Path) -> None:
    write(tree, {"a.txt": FAR_APART, "b.txt": "x\n"})
    number = proposed(tree, {"a.txt": TWICE, "b.txt": "y\n"}).id
    case = opened(tree, number)
    review = review_of(case)
    first, second = review.diff(0).hunks
    review.decide_hunk(0, first.id, Verdict.REJECTED)
    review.give_reason(0, first.id, "not now")
    review.reword(0, second.id, hunk_text(second).replace("LINE", "Line"))
    review.decide_file(1, Verdict.ACCEPTED)
    review.give_reason_for_all("in general")
    from tui.edit.store import Store
    from tui.review.proposals import Inbox
    from tui.workspace import Workspace

    with Workspace(tree) as workspace, Store.open(workspace) as store:
        Inbox(store).keep(case, review.take_said(), "someone")
    again = review_of(opened(tree, number))
    assert again.reason == "in general"
    assert [again.decision(0, hunk.id) for hunk in (first, second)] == [
        review.decision(0, hunk.id) for hunk in (first, second)
    ]
    assert again.accepted() == review.accepted()
    assert again.take_said() == []


def test_a_plan_of_thousands_of_hunks_is_decided_at_once(tree: Path) -> None:
    lines = [f"line {number}\n" for number in range(16_000)]
    write(tree, {"a.txt": "".join(lines)})
    lines[::8] = [line.upper() for line in lines[::8]]
    review = undecided(tree, change(tree, "a.txt", "".join(lines)))
    assert review.totals().all_edits == 2_000
    for hunk in review.diff(0).hunks[:20]:
        review.decide_hunk(0, hunk.id, Verdict.REJECTED)
    review.decide_all(Verdict.ACCEPTED)
    assert review.totals() == (1_980, 1, 2_000, 1, 0)
    EditPlan("", review.accepted().files).check()
