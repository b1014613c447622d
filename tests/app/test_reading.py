"""Reading and moving: lists, preview, line edits, help, palette, keys, themes, editor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.dom import DOMNode

from tests.agents.calls import done
from tests.app.stage import Stage, play
from tests.conftest import write
from tests.test_config import configured
from tui.app.actions import GROUPS, REVIEW, Action
from tui.app.app import RedlineApp
from tui.app.asked import Asked
from tui.app.editor import editor_command
from tui.app.screens.help import HelpScreen
from tui.app.screens.main import MainScreen
from tui.app.screens.review import ReviewScreen
from tui.app.themes import THEMES
from tui.app.widgets.preview import WHOLE_FILE

LINES = "".join(f"line {number}\n" for number in range(1, 101))


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.py": LINES, "b/c.py": "# needle\n" + LINES, "z.txt": "needle\nneedle\n"})
    return tree


def every_action() -> list[tuple[str, Action]]:
    return [(group.title, action) for group in GROUPS for action in group.actions]


@pytest.mark.parametrize(("place", "action"), every_action(), ids=lambda value: getattr(value, "id", ""))
def test_every_action_of_the_table_is_there_to_be_done(place: str, action: Action) -> None:
    owner: type[DOMNode] = ReviewScreen if place == REVIEW.title else MainScreen
    name = action.method.partition("(")[0]
    if name.startswith("app."):
        owner, name = RedlineApp, name.removeprefix("app.")
    assert callable(getattr(owner, f"action_{name}"))
    ids = {getattr(binding, "id", "") for place in (owner, MainScreen) for binding in place.BINDINGS}
    assert action.id in ids


def test_no_key_means_two_things_in_one_place() -> None:
    for group in GROUPS:
        keys = [key for action in group.actions for key in action.keys.split(",")]
        assert len(keys) == len(set(keys)), group.title


def test_what_has_a_modifier_works_in_a_field_too() -> None:
    for _, action in every_action():
        if action.id.startswith(("app.", "search.")) and action.keys.startswith(("alt+", "ctrl+", "f")):
            assert action.priority, action.id


def test_the_inbox_lists_what_agents_propose(project: Path) -> None:
    done(project, "append_file", path="a.py", content="more")

    async def story(stage: Stage) -> None:
        await stage.press("f2")
        assert "1 proposal" in stage.text
        assert "agent: Append to a.py" in stage.text
        await stage.press("escape")
        assert isinstance(stage.app.screen, MainScreen)

    play(project, story)


def test_lists_move_with_keys_people_have_in_their_fingers(project: Path) -> None:
    async def story(stage: Stage) -> None:
        content = stage.main.content
        await stage.press("enter")
        assert content.cursor == 1
        for key, row in (
            ("j", 2),
            ("k", 1),
            ("down", 2),
            ("up", 1),
            ("G", 201),
            ("g", 0),
            ("end", 201),
            ("home", 0),
        ):
            await stage.press(key)
            assert content.cursor == row, key
        await stage.press("ctrl+d")
        half = content.cursor
        assert half > 5
        await stage.press("ctrl+u")
        assert content.cursor == 0
        await stage.press("pagedown")
        assert content.cursor > half
        await stage.press("pageup")
        assert content.cursor == 0

    play(project, story, asked=Asked(find="line"))


def test_hits_and_files_are_stepped_through(project: Path) -> None:
    async def story(stage: Stage) -> None:
        content = stage.main.content
        await stage.press("enter", "n")
        assert content.cursor == 3  # over the heading of z.txt
        await stage.press("n", "N", "N")
        assert content.cursor == 1
        await stage.press("J")
        assert content.cursor == 3
        await stage.press("K")
        assert content.cursor == 1

    play(project, story, asked=Asked(find="needle"))


def test_files_fold(project: Path) -> None:
    async def story(stage: Stage) -> None:
        content = stage.main.content
        await stage.press("enter", "left")
        assert content.line_count == 4
        assert "▸ b/c.py" in stage.text
        await stage.press("right")
        assert content.line_count == 5
        await stage.press("z")
        assert content.line_count == 2
        await stage.press("right")
        assert content.line_count == 3
        await stage.press("z")
        assert content.line_count == 5

    play(project, story, asked=Asked(find="needle"))


def test_the_preview_follows_the_cursor_and_marks_the_hits(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter")
        await stage.settled()
        preview = stage.main.preview
        assert (preview.document.path, preview.line) == ("b/c.py", 0)
        assert preview.document.hits == {0: [(2, 8)]}
        assert "Python · UTF-8 · LF · 801 bytes · 1 hit" in stage.text
        await stage.press("J")
        await stage.settled()
        assert preview.document.path == "z.txt"
        await stage.press("n")
        assert preview.line == 1

    play(project, story, asked=Asked(find="needle"))


def test_the_preview_shows_the_whole_file_or_lines_around_the_hits(project: Path) -> None:
    async def story(stage: Stage) -> None:
        preview = stage.main.preview
        await stage.press("enter", "enter")
        assert preview.line_count == 101
        await stage.press("w")
        assert preview.context == 3
        assert preview.line_count == 4
        await stage.press("plus")
        assert preview.line_count == 5
        await stage.press("minus", "minus")
        assert preview.line_count == 3
        await stage.press("w")
        assert preview.context == WHOLE_FILE

    play(project, story, asked=Asked(find="needle"))


class TestLineEdits:
    """Marked in the preview, through the same review."""

    def written(self, project: Path, keys: list[str], typed: str | None) -> str:
        async def story(stage: Stage) -> None:
            stage.main.files.focus()
            await stage.settled()
            await stage.press("enter")
            assert stage.main.preview.document.path == "a.py"
            await stage.press(*keys)
            if typed is not None:
                await stage.type(typed)
                await stage.press("ctrl+r")
            await stage.reviewing()
            await stage.press("w")
            await stage.confirmed()
            await stage.until(lambda: isinstance(stage.app.screen, MainScreen))

        play(project, story, asked=Asked(files="a.py"))
        return (project / "a.py").read_text()

    def test_delete_the_current_line(self, project: Path) -> None:
        assert self.written(project, ["j", "x"], None) == LINES.replace("line 2\n", "")

    def test_delete_marked_lines(self, project: Path) -> None:
        expected = LINES.replace("line 2\nline 3\nline 4\n", "")
        assert self.written(project, ["j", "v", "j", "j", "x"], None) == expected

    def test_insert_after_a_line(self, project: Path) -> None:
        assert self.written(project, ["i"], "new") == LINES.replace("line 1\n", "line 1\nnew\n")

    def test_change_marked_lines(self, project: Path) -> None:
        expected = LINES.replace("line 1\nline 2\n", "line 1\nline 2!\n")
        assert self.written(project, ["v", "j", "c", "ctrl+end"], "!") == expected


def test_help_names_every_key_and_action(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("f1")
        assert isinstance(stage.app.screen, HelpScreen)
        shown = "\n".join(str(widget.render()) for widget in stage.app.screen.query("Static"))
        for _, action in every_action():
            assert action.title in shown
            assert action.id in shown
        await stage.press("escape")
        assert isinstance(stage.app.screen, MainScreen)
        stage.main.files.focus()
        await stage.press("question_mark")
        assert isinstance(stage.app.screen, HelpScreen)

    play(project, story)


def test_the_palette_has_every_action(project: Path) -> None:
    async def story(stage: Stage) -> None:
        titles = {command.title for command in stage.app.get_system_commands(stage.app.screen)}
        for group in GROUPS:
            if group is not REVIEW:
                for action in group.actions:
                    assert action.title in titles or action.id == "app.palette"
        await stage.press("ctrl+p")
        await stage.type("hidden files")
        await stage.pilot.pause(0.5)
        await stage.press("enter")
        await stage.until(lambda: stage.main.query_bar.asked.hidden)

    play(project, story)


def test_themes_go_round(project: Path) -> None:
    async def story(stage: Stage) -> None:
        seen = [stage.app.theme]
        for _ in THEMES:
            await stage.press("ctrl+t")
            seen.append(stage.app.theme)
        assert seen == [*(theme.name for theme in THEMES.values()), "redline-dark"]

    play(project, story)


def test_settings_choose_theme_and_keys(project: Path) -> None:
    configured('[app]\ntheme = "light"\nfiles_as_tree = false\n\n[keys]\n"app.history" = "f6"\n')

    async def story(stage: Stage) -> None:
        assert stage.app.theme == "redline-light"
        assert not stage.main.files.as_tree
        await stage.press("f3")
        assert isinstance(stage.app.screen, MainScreen)
        await stage.press("f6")
        assert "nothing was applied" in stage.text

    play(project, story)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('[keys]\n"search.reviw" = "f5"\n', "did you mean search.review?"),
        ('[keys]\n"search.review" = "ctrl +"\n', "is no key"),
        ('[app]\ntheme = "pink"\n', "the defaults are used"),
    ],
)
def test_a_mistake_in_the_settings_is_told_and_nothing_stops(project: Path, settings: str, told: str) -> None:
    configured(settings)

    async def story(stage: Stage) -> None:
        await stage.pilot.pause(0.2)
        assert told in " ".join(stage.text.replace("▌", "").split())

    play(project, story)


def test_paths_and_lines_are_copied(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "y")
        assert stage.app.clipboard == "b/c.py"
        await stage.press("Y")
        assert stage.app.clipboard == "# needle"

    play(project, story, asked=Asked(find="needle"))


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vi", ["vi", "+7", "/w/a.py"]),
        ("emacsclient -t", ["emacsclient", "-t", "+7", "/w/a.py"]),
        ("code", ["code", "--wait", "--goto", "/w/a.py:7"]),
        ("/usr/bin/hx", ["/usr/bin/hx", "/w/a.py:7"]),
        ("", None),
    ],
)
def test_the_editor_is_opened_at_the_line(
    monkeypatch: pytest.MonkeyPatch, editor: str, command: list[str] | None
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    assert editor_command("/w/a.py", 7) == command
    monkeypatch.setenv("VISUAL", "nano")
    assert editor_command("/w/a.py", 7) == ["nano", "+7", "/w/a.py"]


def test_without_an_editor_it_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    async def story(stage: Stage) -> None:
        await stage.press("enter", "e")
        await stage.pilot.pause(0.1)
        assert "$VISUAL or $EDITOR" in stage.text

    play(project, story, asked=Asked(find="needle"))


@pytest.mark.parametrize("size", [(40, 12), (200, 60)])
def test_every_size_is_usable(project: Path, size: tuple[int, int]) -> None:
    async def story(stage: Stage) -> None:
        await stage.type("needle")
        await stage.settled()
        assert stage.main.content.size.height >= 1
        assert "needle" in stage.text
        await stage.press("ctrl+r")
        await stage.reviewing()
        await stage.press("v", "escape", "f1", "escape", "f3", "escape")

    play(project, story, size=size)


def test_the_mouse_moves_the_cursor_and_opens_the_preview(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.pilot.click("#content", offset=(10, 3))
        assert stage.main.content.cursor == 3
        await stage.settled()
        assert stage.main.preview.document.path == "z.txt"
        await stage.pilot.click("#content", offset=(10, 4), times=2)
        assert stage.app.focused is stage.main.preview

    play(project, story, asked=Asked(find="needle"))


def test_a_workspace_that_vanishes_is_told(project: Path) -> None:
    async def story(stage: Stage) -> None:
        for path in sorted(project.rglob("*"), reverse=True):
            os.rmdir(path) if path.is_dir() else path.unlink()
        os.rmdir(project)
        await stage.until(lambda: "the workspace is no longer there" in stage.text)
        await stage.press("ctrl+r")
        await stage.pilot.pause(0.3)
        assert "the workspace is no longer there" in stage.text or "nothing would change" in stage.text

    play(project, story, asked=Asked(find="needle"))
