"""Searching in the app: what is typed is found, at once and exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.stage import Stage, play
from tests.conftest import write
from tui.app.asked import Asked
from tui.app.widgets.query_bar import Field
from tui.search.query import Case


@pytest.fixture
def project(tree: Path) -> Path:
    write(
        tree,
        {
            "src/app.py": "import os\n\n\ndef run():\n    # TODO: one\n    return os  # TODO: two\n",
            "src/lib/tools.py": "def tool():\n    pass  # todo later\n",
            "notes.md": "# Notes\n\nTODO write\n",
            "data.bin": b"\0TODO\n",
            ".hidden.py": "TODO hidden\n",
            "build/out.py": "TODO built\n",
        },
    )
    return tree


def test_one_types_at_once_and_sees_the_matches(project: Path) -> None:
    async def story(stage: Stage) -> None:
        assert isinstance(stage.app.focused, Field)
        assert stage.app.focused.id == "find"
        await stage.type("TODO")
        await stage.settled()
        assert "3 matches · 2 files" in stage.text
        assert "1 skipped F4" in stage.text
        assert "Content 3" in stage.text
        assert any("TODO: one" in line for line in stage.lines)

    play(project, story)


def test_smart_case_is_the_default_and_alt_c_changes_it(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.type("todo")
        await stage.settled()
        assert "4 matches · 3 files" in stage.text
        await stage.press("alt+c")
        await stage.settled()
        assert stage.main.query_bar.asked.case is Case.SENSITIVE
        assert "1 match · 1 file" in stage.text

    play(project, story)


@pytest.mark.parametrize(
    ("key", "name", "pattern", "before", "after"),
    [
        ("alt+r", "regex", "TODO.", "3 matches", "no matches"),
        ("alt+w", "word", "TOD", "4 matches", "no matches"),
        ("alt+m", "multiline", r"run\(\):\n", "no matches", "1 match"),
        ("alt+h", "hidden", "TODO", "3 matches", "4 matches"),
        ("alt+x", "excluded", "TODO", "3 matches", "4 matches"),
    ],
)
def test_each_toggle_has_its_key(
    project: Path, key: str, name: str, pattern: str, before: str, after: str
) -> None:
    async def story(stage: Stage) -> None:
        was = getattr(stage.main.query_bar.asked, name)
        assert before in stage.text
        await stage.press(key)
        await stage.settled()
        assert getattr(stage.main.query_bar.asked, name) is not was
        assert after in stage.text

    case = Case.INSENSITIVE if name == "word" else Case.SENSITIVE
    play(project, story, asked=Asked(find=pattern, case=case))


def test_ignored_files_come_with_alt_i(project: Path) -> None:
    write(project, {".gitignore": "notes.md\n"})

    async def story(stage: Stage) -> None:
        assert "2 matches · 1 file" in stage.text
        await stage.press("alt+i")
        await stage.settled()
        assert "3 matches · 2 files" in stage.text

    play(project, story, asked=Asked(find="TODO"))


def test_a_toggle_can_be_clicked(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.pilot.click("#toggle-hidden")
        await stage.settled()
        assert stage.main.query_bar.asked.hidden

    play(project, story)


def test_files_narrow_the_search(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("tab", "tab")
        await stage.type("*.md")
        await stage.settled()
        assert "1 match · 1 file" in stage.text
        assert "Files 1" in stage.text

    play(project, story, asked=Asked(find="TODO"))


def test_with_nothing_to_find_it_is_a_file_browser(project: Path) -> None:
    async def story(stage: Stage) -> None:
        assert not stage.main.content.display
        assert "▸ src/" in stage.text
        assert "Type to find text" in stage.text
        await stage.press("enter")
        assert stage.app.focused is stage.main.files
        await stage.press("down", "down", "right", "down")
        assert "lib/" in stage.text
        await stage.press("t")
        assert any(line.startswith(" src/lib/tools.py") for line in stage.lines)

    play(project, story)


def test_an_invalid_pattern_is_told_at_its_place_and_the_results_stay(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.type("(")
        await stage.pilot.pause(0.2)
        assert "invalid regex at position 5: missing )" in stage.text
        assert stage.main.query_bar.field("find").has_class("wrong")
        assert "TODO: one" in stage.text
        await stage.press("backspace")
        await stage.settled()
        assert "invalid regex" not in stage.text
        assert not stage.main.query_bar.field("find").has_class("wrong")

    play(project, story, asked=Asked(find="TODO"))


def test_an_invalid_glob_is_told(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("tab", "tab")
        await stage.type("[a")
        await stage.pilot.pause(0.2)
        assert "a [ is not closed by a ]" in stage.text
        assert stage.main.query_bar.field("files").has_class("wrong")

    play(project, story, asked=Asked(find="TODO"))


def test_no_matches_says_what_could_be_loosened(project: Path) -> None:
    async def story(stage: Stage) -> None:
        assert "no matches · try empty Files, hidden files (alt+h)" in stage.text

    play(project, story, asked=Asked(find="absent", files="*.py"))


def test_the_cursor_stays_on_its_line_when_the_search_changes(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "J", "n")
        hit = stage.main.content.current
        assert hit is not None
        row = stage.main.content.text(hit)
        assert row is not None
        assert (row.path, row.line) == ("src/app.py", 6)
        await stage.press("slash")
        await stage.type(": t")
        await stage.settled()
        hit = stage.main.content.current
        assert hit is not None
        row = stage.main.content.text(hit)
        assert row is not None
        assert (row.path, row.line) == ("src/app.py", 6)

    play(project, story, asked=Asked(find="TODO"))


def test_files_that_change_on_disk_are_found_anew_without_being_asked(project: Path) -> None:
    async def story(stage: Stage) -> None:
        write(project, {"new.py": "# TODO more\n# TODO and more\n"})
        await stage.until(lambda: "5 matches · 3 files" in stage.text)
        (project / "new.py").unlink()
        await stage.until(lambda: "3 matches · 2 files" in stage.text)

    play(project, story, asked=Asked(find="TODO"))


def test_a_file_deleted_while_it_is_looked_at_is_told(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter")
        assert stage.main.preview.document.path == "notes.md"
        (project / "notes.md").unlink()
        await stage.until(
            lambda: stage.main.preview.document.path == "src/app.py" or "no such file" in stage.text
        )

    play(project, story, asked=Asked(find="TODO"))


def test_earlier_searches_come_back_with_up_and_down(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.type("import")
        await stage.settled()
        await stage.press("enter")
        await stage.app.workers.wait_for_complete()
        await stage.press("slash", "end", "ctrl+u")
        await stage.type("tool")
        await stage.settled()
        await stage.press("up")
        await stage.settled()
        assert stage.main.query_bar.field("find").value == "import"
        await stage.press("down")
        await stage.settled()
        assert stage.main.query_bar.field("find").value == "tool"

    play(project, story)


def test_a_search_is_saved_under_a_name_and_asked_again(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("ctrl+s")
        await stage.press("ctrl+u")
        await stage.type("my todos")
        await stage.press("enter")
        await stage.app.workers.wait_for_complete()
        await stage.press("slash", "ctrl+u")
        await stage.settled()
        await stage.press("ctrl+o")
        assert "my todos" in stage.text
        await stage.press("enter")
        await stage.settled()
        assert stage.main.query_bar.asked.find == "TODO"
        await stage.press("ctrl+o", "x")
        assert "nothing is saved yet" in stage.text

    play(project, story, asked=Asked(find="TODO"))


def test_what_was_skipped_is_one_key_away_and_another_includes_it(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("f4")
        assert "data.bin" in stage.text
        assert "binary" in stage.text
        await stage.press("h")
        await stage.settled()
        assert stage.main.query_bar.asked.hidden
        assert "4 matches" in stage.text

    play(project, story, asked=Asked(find="TODO"))


def test_a_larger_size_limit_is_one_key_away(project: Path) -> None:
    write(project, {"large.txt": "x" * 17_000_000 + "\nTODO large\n"})

    async def story(stage: Stage) -> None:
        assert "3 matches" in stage.text
        await stage.press("f4")
        assert "large.txt" in stage.text
        await stage.press("plus")
        await stage.until(lambda: "4 matches" in stage.text)

    play(project, story, asked=Asked(find="TODO"))


def test_escape_goes_back_one_step_at_a_time(project: Path) -> None:
    async def story(stage: Stage) -> None:
        await stage.press("enter", "enter", "v")
        preview = stage.main.preview
        steps = [(preview, True), (preview, False), (stage.main.content, False)]
        for focused, marked in steps:
            assert (stage.app.focused, preview.mark is not None) == (focused, marked)
            await stage.press("escape")
        assert stage.app.focused is stage.main.query_bar.field("find")
        await stage.press("escape")
        assert stage.main.query_bar.asked.find == ""

    play(project, story, asked=Asked(find="TODO"))
