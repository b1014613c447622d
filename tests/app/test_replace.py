"""Replacing in the app: seen before it is written, switched off one by one, undone with a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.app.stage import Stage, play
from tests.conftest import write
from tui.app.asked import Asked
from tui.app.screens.confirm import ConfirmScreen
from tui.app.screens.main import MainScreen
from tui.app.screens.review import ReviewScreen
from tui.edit.journal import history
from tui.workspace import Workspace

FILES = {
    "a.py": "one foo\ntwo foo foo\n" + "x\n" * 10 + "three foo\n",
    "b.py": "only foo\n",
    "c.md": "foo in prose\n",
}
FOO = Asked(find="foo", replace="bar")


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, FILES)
    return tree


def contents(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.iterdir())}


def batches(root: Path) -> int:
    with Workspace(root) as workspace:
        return len(history(workspace))


def test_rows_and_preview_show_old_and_new_as_one_types(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("tab")
        await stage.type("bar")
        await stage.settled()
        assert "one foobar" in stage.text
        assert "- one foo" in stage.text
        assert "+ one bar" in stage.text
        assert "5 of 5 chosen · ctrl+r review" in stage.text

    play(project, story, asked=Asked(find="foo"))


def test_a_bad_replacement_is_told(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("tab")
        await stage.type("$1")
        await stage.pilot.pause(0.2)
        assert "invalid replacement" in stage.text
        assert stage.main.query_bar.field("replace").has_class("wrong")

    play(project, story, asked=Asked(find="foo"))


def test_reviewed_confirmed_applied_and_undone(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        assert "6 of 6 edits · 3 of 3 files" in stage.text
        assert "+ one bar" in stage.text
        await stage.press("w")
        assert "Apply 6 edits in 3 files?" in stage.text
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project) == {name: text.replace("foo", "bar") for name, text in FILES.items()}
        await stage.until(lambda: "Applied: 6 edits in 3 files" in stage.text)
        await stage.until(lambda: "no matches" in stage.text)
        await stage.press("escape", "enter")
        stage.main.files.focus()
        await stage.press("u")
        await stage.reviewing()
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project) == FILES

    play(project, story, asked=FOO)


def test_leaving_writes_nothing(project: Path) -> None:
    async def story(stage: Stage) -> None:
        for leaving in ("escape", "q"):
            await stage.press("ctrl+r")
            await stage.reviewing()
            await stage.press(leaving)
            assert isinstance(stage.app.screen, MainScreen)
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("w")
        await stage.pilot.pause(0.4)
        await stage.press("n")
        assert stage.review
        await stage.press("w", "escape")
        assert stage.review
        assert contents(project) == FILES
        assert batches(project) == 0

    play(project, story, asked=FOO)


def test_enter_pastes_and_keys_typed_ahead_never_confirm(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        for key in ("w", "y"):  # in one breath: the y was typed before the question could be read
            stage.app.post_message(events.Key(key, key))
        early = events.Key("y", "y")
        await stage.until(lambda: not isinstance(stage.app.screen, ReviewScreen))
        stage.app.screen.post_message(early)  # it reaches the question, but was typed before that was there
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, ConfirmScreen)
        await stage.pilot.pause(0.4)
        await stage.press("enter", "space")
        stage.app.screen.post_message(events.Paste("y"))
        stage.app.post_message(events.Paste("y\n"))
        await stage.pilot.pause(0.2)
        assert isinstance(stage.app.screen, ConfirmScreen)
        assert contents(project) == FILES
        await stage.press("escape")
        await stage.press("enter")
        assert stage.review
        assert contents(project) == FILES

    play(project, story, asked=FOO)


def test_hits_files_and_all_can_be_left_out(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "space")
        assert "4 of 5 chosen" in stage.text
        await stage.press("J", "s")
        assert "3 of 5 chosen" in stage.text
        await stage.press("d")
        assert "2 of 5 chosen" in stage.text or "3 of 5 chosen" in stage.text
        await stage.press("a")
        assert "5 of 5 chosen" in stage.text
        await stage.press("a")
        assert "0 of 5 chosen" in stage.text
        await stage.press("a")
        assert "5 of 5 chosen" in stage.text

    play(project, story, asked=FOO)


def test_what_is_left_out_stays_out_when_the_replacement_and_the_search_change(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "space")  # a.py, line 1
        await stage.press("J", "s")  # b.py
        await stage.press("slash", "tab")
        await stage.type("s")
        await stage.settled()
        assert "3 of 5 chosen" in stage.text
        await stage.press("shift+tab", "end")
        await stage.type("|nothing")
        await stage.settled()
        assert "3 of 5 chosen" in stage.text
        await stage.press("ctrl+r")
        await stage.reviewing()
        assert "4 of 4 edits · 2 of 2 files" in stage.text
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project)["a.py"].startswith("one foo\ntwo bars bars\n")
        assert contents(project)["b.py"] == "only foo\n"

    play(project, story, asked=FOO)


def test_hunks_and_files_are_switched_in_the_review(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("space")
        assert "3 of 6 edits · 3 of 3 files" in stage.text
        assert "✗ @@" in stage.text
        await stage.press("space", "j", "r")
        assert "5 of 6 edits" in stage.text
        await stage.reviewing()
        await stage.press("K", "J", "s")
        assert "4 of 6 edits · 2 of 3 files" in stage.text
        await stage.press("R")
        assert "0 of 6 edits" in stage.text
        await stage.press("w")
        assert "nothing is accepted" in stage.text
        await stage.press("A")
        assert "6 of 6 edits" in stage.text

    play(project, story, asked=FOO)


def test_only_the_accepted_hunks_are_written(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("space", "w")
        assert "Apply 3 edits in 3 files?" in stage.text
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project)["a.py"] == FILES["a.py"].replace("three foo", "three bar")

    play(project, story, asked=FOO)


def test_the_diff_is_unified_or_side_by_side(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        assert not any("one foo" in line and "one bar" in line for line in stage.lines)
        await stage.press("v")
        assert any("one foo" in line and "one bar" in line for line in stage.lines)

    play(project, story, asked=FOO)


def test_a_file_changed_while_the_review_is_open_is_refused_and_named(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        write(project, {"b.py": "only foo, and more\n"})
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: "nothing was written: b.py: its contents changed" in stage.text)
        assert contents(project) == {**FILES, "b.py": "only foo, and more\n"}
        assert batches(project) == 0
        await stage.press("D")
        assert "5 of 5 edits · 2 of 2 files" in stage.text
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project)["b.py"] == "only foo, and more\n"
        assert contents(project)["c.md"] == "bar in prose\n"

    play(project, story, asked=FOO)


def test_an_empty_replacement_deletes_after_review(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project)["b.py"] == "only \n"

    play(project, story, asked=Asked(find="foo"))


def test_nothing_to_find_is_nothing_to_review(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        assert "Nothing to review" in stage.text
        assert isinstance(stage.app.screen, MainScreen)

    play(project, story)


def test_the_history_shows_batches_and_undoes_and_redoes(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("f3")
        assert "nothing was applied in this workspace yet" in stage.text
        await stage.press("escape", "ctrl+r")
        await stage.reviewing()
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        for expected in (FILES, {name: text.replace("foo", "bar") for name, text in FILES.items()}):
            await stage.press("f3")
            assert "replace foo by bar" in stage.text
            await stage.press("u")
            await stage.reviewing()
            await stage.press("space", "w")
            assert "Undo 6 edits in 3 files?" in stage.text
            await stage.confirmed()
            await stage.until(lambda: "changed back, as batch" in stage.text)
            await stage.press("escape")
            assert contents(project) == expected

    play(project, story, asked=FOO)


def test_keep_case_is_a_toggle(project: Path) -> None:
    write(project, {"d.py": "foo Foo FOO\n"})

    async def story(stage: Stage) -> None:
        await stage.press("alt+k")
        await stage.settled()
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        assert contents(project)["d.py"] == "bar Bar BAR\n"

    play(project, story, asked=FOO)


def test_what_is_left_out_is_not_shown_as_changed_in_the_preview(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "s")
        await stage.settled()
        assert stage.main.preview.document.edits == {}
        await stage.press("s")
        await stage.settled()
        assert stage.main.preview.document.edits

    play(project, story, asked=FOO)


def test_a_review_asked_for_while_typing_is_of_all_that_was_typed(project: Path) -> None:
    """Field, search and review in one breath: the plan is of the whole result, with what the fields say."""
    write(project, {f"many/{i}.txt": "foo\n" for i in range(300)})

    async def story(stage: Stage) -> None:
        for key in ["f", "o", "o", "tab", "b", "a", "r", "ctrl+r"]:
            stage.app.simulate_key(key)
        await stage.reviewing()
        assert "replace foo by bar" in stage.text
        assert "306 of 306 edits · 303 of 303 files" in stage.text

    play(project, story)


def test_files_that_are_refused_can_be_dropped(project: Path) -> None:
    (project / "b.py").chmod(0o444)

    async def story(stage: Stage) -> None:
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("w")
        await stage.confirmed()
        await stage.until(lambda: "read-only" in stage.text)
        assert contents(project) == FILES
        await stage.press("D")
        assert "5 of 5 edits · 2 of 2 files" in stage.text

    play(project, story, asked=FOO)
