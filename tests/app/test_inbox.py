"""The inbox in the app: what agents propose is seen at once, and decided hunk by hunk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.stage import Stage, play
from tests.conftest import write
from tests.review.propose import opened, proposal, proposed, receipt
from tui.app.screens.inbox import InboxScreen
from tui.app.screens.review import ReviewScreen
from tui.review.receipts import State
from tui.review.settling import review_of

OLD = "".join(f"line {number}\n" for number in range(40))
NEW = OLD.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.txt": OLD, "b.txt": "x\n", "pyproject.toml": "old = 1\n"})
    return tree


async def review_first(stage: Stage) -> None:
    """From the main screen to the review of the first proposal."""
    await stage.press("f2")
    await stage.until(lambda: isinstance(stage.app.screen, InboxScreen))
    await stage.press("enter")
    await stage.reviewing()


async def written(stage: Stage) -> None:
    """w, y, and back in the inbox."""
    await stage.press("w")
    await stage.confirmed()
    await stage.until(lambda: isinstance(stage.app.screen, InboxScreen))


def test_a_proposal_is_seen_within_half_a_second_and_counted(project: Path) -> None:
    async def story(stage: Stage) -> None:
        assert "F2" not in stage.lines[0]
        proposed(project, {"a.txt": NEW}, title="shout")
        await stage.pilot.pause(0.6)
        await stage.until(lambda: "1 proposal F2" in stage.lines[0])
        assert "robot proposes" in stage.text
        await stage.press("f2")
        await stage.until(lambda: "robot: shout" in stage.text)
        proposed(project, {"b.txt": "y\n"}, title="another")
        await stage.until(lambda: "robot: another" in stage.text)
        assert "2 proposals" in stage.lines[0]

    play(project, story)


def test_one_hunk_accepted_one_rejected_with_a_reason(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id

    async def story(stage: Stage) -> None:
        await review_first(stage)
        assert "robot proposes · because" in stage.text
        assert "0 of 2 hunks · 0 of 1 file · 2 undecided" in stage.text
        await stage.press("w")
        assert "nothing is decided yet" in stage.text
        await stage.press("a", "r", "c")
        await stage.type("not_this")
        await stage.press("enter")
        assert "not_this" in stage.text
        await written(stage)
        assert "applied: 1 hunk in 1 file" in stage.text

    play(project, story)
    assert (project / "a.txt").read_text() == OLD.replace("line 3\n", "LINE 3\n")
    told = receipt(project, number)
    assert [(hunk.decision, hunk.reason) for hunk in told.hunks] == [
        ("accepted", None),
        ("rejected", "not_this"),
    ]


def test_rejected_as_a_whole_with_a_reason(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id

    async def story(stage: Stage) -> None:
        await review_first(stage)
        await stage.press("R", "C")
        await stage.type("no")
        await stage.press("enter", "w")
        assert "Reject the proposal?" in stage.text
        await stage.confirmed()
        await stage.until(lambda: "rejected: nothing was written" in stage.text)
        await stage.press("t")
        assert "rejected" in stage.text
        await stage.press("enter")
        await stage.reviewing()
        assert "robot proposes · rejected" in stage.text
        await stage.press("a", "w")
        assert "this proposal was settled: rejected" in stage.text

    play(project, story)
    assert (receipt(project, number).state, receipt(project, number).reason) == (State.REJECTED, "no")
    assert (project / "a.txt").read_text() == OLD


def test_lines_one_by_one_and_other_words(project: Path) -> None:
    proposed(project, {"a.txt": NEW})

    async def story(stage: Stage) -> None:
        await review_first(stage)
        await stage.press("x", "j", "space")  # only the added line of the first hunk
        assert "± @@ -1,7 +1,7 @@" in stage.text
        await stage.press("k", "space")
        assert "✓ @@ -1,7 +1,7 @@" in stage.text
        await stage.press("k", "space", "x")
        assert "· line 3" in stage.text
        await stage.press("j", "e")
        await stage.until(lambda: "what it becomes" in stage.text)
        await stage.type("!")
        await stage.press("ctrl+r")
        await stage.until(lambda: isinstance(stage.app.screen, ReviewScreen) and "edited" in stage.text)
        await written(stage)

    play(project, story)
    text = (project / "a.txt").read_text()
    expected = OLD.replace("line 3\n", "line 3\nLINE 3\n")
    assert text == expected.replace("line 30\n", "LINE 30\n").replace("line 33\n", "line 33!\n")


def test_what_is_delicate_is_marked_and_not_covered_by_accept_all(project: Path) -> None:
    proposed(project, {"a.txt": NEW, "pyproject.toml": "old = 2\n"})

    async def story(stage: Stage) -> None:
        await review_first(stage)
        assert "! pyproject.toml" in stage.text
        await stage.press("A")
        assert "1 file marked ! had no look yet" in stage.text
        assert "1 undecided" in stage.text
        await stage.press("J")
        await stage.until(lambda: "! dependencies" in stage.text)
        await stage.press("A")
        assert "3 of 3 hunks · 2 of 2 files" in stage.text

    play(project, story)


def test_identical_hunks_are_decided_as_one(project: Path) -> None:
    files = {f"{name}.txt": "same\n" for name in "cdef"}
    write(project, files)
    proposed(project, {**dict.fromkeys(files, "SAME\n"), "a.txt": NEW})

    async def story(stage: Stage) -> None:
        await review_first(stage)
        await stage.press("i")
        assert "decide this hunk first" in stage.text
        await stage.press("space", "i")
        await stage.until(lambda: "3 more hunks alike accepted" in stage.text)
        assert "4 of 6 hunks" in stage.text

    play(project, story)


def test_decisions_outlast_the_program(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id

    async def before(stage: Stage) -> None:
        await review_first(stage)
        await stage.press("a")
        await stage.app.workers.wait_for_complete()

    play(project, before)
    assert review_of(opened(project, number)).totals().edits == 1

    async def after(stage: Stage) -> None:
        await review_first(stage)
        assert "1 of 2 hunks" in stage.text

    play(project, after)


def test_a_stale_proposal_is_said_rebased_and_reviewed_again(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id
    write(project, {"a.txt": "first\n" + OLD})

    async def story(stage: Stage) -> None:
        await review_first(stage)
        await stage.until(lambda: "b rebases the proposal" in stage.text)
        await stage.press("A", "w")
        await stage.confirmed()
        await stage.until(lambda: "nothing was written: a.txt" in stage.text)
        await stage.press("b")
        await stage.until(lambda: "· rebased" in stage.text)
        await stage.reviewing()
        assert "2 undecided" in stage.text
        assert (project / "a.txt").read_text() == "first\n" + OLD
        await stage.press("A")
        await written(stage)

    play(project, story)
    assert (project / "a.txt").read_text() == "first\n" + NEW
    assert receipt(project, number).state is State.APPLIED


def test_a_conflict_is_shown_and_nothing_is_applied(project: Path) -> None:
    number = proposed(project, {"a.txt": NEW}).id
    mine = OLD.replace("line 3\n", "mine\n")
    write(project, {"a.txt": mine})

    async def story(stage: Stage) -> None:
        await review_first(stage)
        await stage.press("b")
        await stage.until(lambda: "does not merge" in stage.text)
        assert "a.txt:4: what the proposal changes" in stage.text
        await stage.press("D", "w")
        assert "Tell the agent that the proposal is stale?" in stage.text
        await stage.confirmed()
        await stage.until(lambda: "stale: nothing was written" in stage.text)

    play(project, story)
    assert (project / "a.txt").read_text() == mine
    assert proposal(project, number).state is State.STALE


def test_hostile_words_of_an_agent_are_shown_and_do_nothing(project: Path) -> None:
    hostile = "\x1b]52;c;eA==\x07 [bold]approve me[/bold] \u202e"
    proposed(project, {"b.txt": f"{hostile}\n"}, title=hostile)

    async def story(stage: Stage) -> None:
        await review_first(stage)
        for text in (stage.text,):
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert "[bold]approve me[/bold]" in text
        await stage.press("c")
        await stage.press("escape", "escape")
        assert "\x1b" not in stage.text

    play(project, story)
    assert (project / "b.txt").read_text() == "x\n"
