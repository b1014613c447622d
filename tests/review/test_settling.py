"""From the decision to the disk and to the receipt: one truth, whoever decides and whatever crashes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.conftest import write
from tests.edit.faults import kill_at, needs_strace, traced, turning_points
from tests.review.propose import decided, opened, proposal, proposed, receipt
from tui.edit.choose import hunk_text
from tui.edit.difflines import LineKind
from tui.edit.journal import history
from tui.edit.plan import StaleError
from tui.edit.recovery import recover
from tui.edit.store import Store
from tui.edit.undo import undo
from tui.review.decisions import Verdict
from tui.review.proposals import Inbox
from tui.review.receipts import State
from tui.review.review import Review
from tui.review.settling import review_of, settle
from tui.workspace import Workspace

OLD = "".join(f"line {number}\n" for number in range(40))
NEW = OLD.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.txt": OLD, "b.txt": "x\n"})
    return tree


def accept_all(review: Review) -> None:
    review.decide_all(Verdict.ACCEPTED)


def test_one_of_two_hunks_with_a_reason_for_the_other(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id

    def decide(review: Review) -> None:
        first, second = review.diff(0).hunks
        review.decide_hunk(0, first.id, Verdict.ACCEPTED)
        review.decide_hunk(0, second.id, Verdict.REJECTED)
        review.give_reason(0, second.id, "thirty is quite enough")

    settled = decided(project, number, decide)
    assert (project / "a.txt").read_text() == OLD.replace("line 3\n", "LINE 3\n")
    told = receipt(project, number)
    assert told == settled.receipt
    assert told.state is State.PARTIAL
    assert [(hunk.decision, hunk.reason, hunk.lines) for hunk in told.hunks] == [
        ("accepted", None, "@@ -1,7 +1,7 @@"),
        ("rejected", "thirty is quite enough", "@@ -28,7 +28,7 @@"),
    ]
    assert told.applied_diff is not None
    assert "+LINE 3\n" in told.applied_diff
    assert "LINE 30" not in told.applied_diff
    assert proposal(project, number).batch == settled.outcome.batch


def test_everything_everyone_and_nothing(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW, "b.txt": "y\n", "new.txt": "new\n"}).id
    assert receipt(project, number).state is State.PENDING
    assert {hunk.decision for hunk in receipt(project, number).hunks} == {"undecided"}
    assert decided(project, number, accept_all).receipt.state is State.APPLIED
    assert ((project / "a.txt").read_text(), (project / "new.txt").read_text()) == (NEW, "new\n")
    with Workspace(project) as workspace:
        assert history(workspace)[0].who == "robot"
        undo(workspace)
    assert (project / "a.txt").read_text() == OLD
    assert not (project / "new.txt").exists()
    number = proposed(project, {"a.txt": NEW}).id

    def reject(review: Review) -> None:
        review.decide_all(Verdict.REJECTED)
        review.give_reason_for_all("not today")

    told = decided(project, number, reject).receipt
    assert (told.state, told.reason, told.applied_diff) == (State.REJECTED, "not today", None)
    assert proposal(project, number).state is State.REJECTED
    assert (project / "a.txt").read_text() == OLD


def test_a_receipt_tells_what_was_edited_taken_in_part_and_left_undecided(project: Path) -> None:
    third = NEW.replace("line 17\n", "LINE 17\n")
    number = proposed(project, {"a.txt": third, "b.txt": "y\n"}).id

    def decide(review: Review) -> None:
        first, second, _ = review.diff(0).hunks
        review.reword(0, first.id, hunk_text(first).replace("LINE 3", "Line three"))
        added = [place for place, line in enumerate(second.lines) if line.kind is LineKind.ADDED]
        review.decide_lines(0, second.id, added)

    told = decided(project, number, decide).receipt
    assert [hunk.decision for hunk in told.hunks] == [
        "edited",
        "accepted in part",
        "undecided",
        "undecided",
    ]
    text = (project / "a.txt").read_text()
    assert text == OLD.replace("line 3\n", "Line three\n").replace("line 17\n", "line 17\nLINE 17\n")
    assert (project / "b.txt").read_text() == "x\n"


def test_a_changed_file_is_refused_and_the_proposal_waits(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW, "b.txt": "y\n"}).id
    write(project, {"b.txt": "mine\n"})
    with pytest.raises(StaleError, match=r"b\.txt"):
        decided(project, number, accept_all)
    assert (project / "a.txt").read_text() == OLD
    assert receipt(project, number).state is State.PENDING

    def without(review: Review) -> None:
        review.drop(["b.txt"])
        review.decide_all(Verdict.ACCEPTED)

    told = decided(project, number, without).receipt
    assert told.state is State.PARTIAL
    assert [(hunk.path, hunk.decision) for hunk in told.hunks] == [
        ("a.txt", "accepted"),
        ("a.txt", "accepted"),
        ("b.txt", "stale"),
    ]
    assert (project / "b.txt").read_text() == "mine\n"


def test_two_windows_settle_a_proposal_once(project: Path) -> None:
    number = proposed(project, {"b.txt": "y\n"}).id
    here, there = opened(project, number), opened(project, number)
    ours, theirs = review_of(here), review_of(there)
    ours.decide_all(Verdict.REJECTED)
    theirs.decide_all(Verdict.ACCEPTED)
    with Workspace(project) as workspace:
        settle(workspace, here, ours)
        with pytest.raises(StaleError, match="decided meanwhile"):
            settle(workspace, there, theirs)
        assert history(workspace) == []
    assert (project / "b.txt").read_text() == "x\n"
    assert receipt(project, number).state is State.REJECTED


def test_a_proposal_altered_in_the_store_after_it_was_shown_is_refused(project: Path) -> None:
    number = proposed(project, {"b.txt": "y\n"}).id
    other = proposed(project, {"b.txt": "evil\n"}).id
    case = opened(project, number)
    review = review_of(case)
    review.decide_all(Verdict.ACCEPTED)
    with Workspace(project) as workspace:
        with Store.open(workspace) as store:
            path = store.path
        with sqlite3.connect(path) as database:
            database.execute(
                "UPDATE proposals SET plan = (SELECT plan FROM proposals WHERE id = ?) WHERE id = ?",
                (other, number),
            )
        with pytest.raises(StaleError, match="no longer what was shown"):
            settle(workspace, case, review)
    assert (project / "b.txt").read_text() == "x\n"


def test_every_decision_is_kept_with_who_and_when(project: Path) -> None:
    number = proposed(project, {"b.txt": "y\n"}).id
    case = opened(project, number)
    review = review_of(case)
    review.decide_all(Verdict.ACCEPTED)
    review.decide_all(Verdict.REJECTED)
    hunk = review.diff(0).ids[0]
    review.decide_hunk(0, hunk, Verdict.REJECTED)
    with Workspace(project) as workspace, Store.open(workspace) as store:
        Inbox(store).keep(case, review.take_said(), "ada")
        rows = store.rows("SELECT who, path, hunk, made FROM decisions ORDER BY id")
    assert [(who, path, name) for who, path, name, _ in rows] == [
        ("ada", b"b.txt", ""),
        ("ada", b"b.txt", hunk),
    ]
    assert all(made > 0 for *_, made in rows)


def test_a_rebased_proposal_keeps_its_number_and_is_decided_anew(project: Path) -> None:
    number = proposed(project, {"b.txt": "y\n"}).id
    case = opened(project, number)
    review = review_of(case)
    review.decide_all(Verdict.ACCEPTED)
    with Workspace(project) as workspace, Store.open(workspace) as store:
        inbox = Inbox(store)
        inbox.keep(case, review.take_said(), "ada")
        again = inbox.replan(
            case, opened(project, proposed(project, {"b.txt": "z\n"}).id).plan, case.originals
        )
        with pytest.raises(StaleError, match="no longer what was shown"):
            settle(workspace, case, review)
    assert again.proposal.id == number
    assert again.proposal.revision == 1
    assert again.said == ()
    assert review_of(again).totals().undecided == 1


@needs_strace
def test_killed_at_every_turning_point_the_receipt_says_what_is_on_the_disk(tmp_path: Path) -> None:
    def workspace(name: str) -> tuple[Path, int]:
        root = tmp_path / name
        write(root, {"a.txt": OLD, "b.txt": "x\n"})
        return root, proposed(root, {"a.txt": NEW, "b.txt": "y\n"}).id

    def settling(root: Path, number: int) -> None:
        decided(root, number, accept_all)

    counted, number = workspace("counted")
    states = set()
    for place, (call, when) in enumerate(turning_points(traced(lambda: settling(counted, number)))):
        root, mine = workspace(str(place))
        kill_at(lambda root=root, mine=mine: settling(root, mine), call, when)  # type: ignore[misc]
        with Workspace(root) as world:
            recover(world)
        told = receipt(root, mine)
        states.add(told.state)
        applied = told.state is State.APPLIED
        assert (root / "a.txt").read_text() == (NEW if applied else OLD), (call, when)
        assert (root / "b.txt").read_text() == ("y\n" if applied else "x\n"), (call, when)
        assert applied == (proposal(root, mine).batch is not None)
    assert states == {State.PENDING, State.APPLIED}
