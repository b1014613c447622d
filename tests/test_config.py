"""Settings: what is there counts, what is wrong is told, and nothing stops."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.run import redline
from tests.conftest import write
from tui.config import Settings, config_path, load


def configured(text: str) -> None:
    path = Path(config_path())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_no_file_means_the_defaults() -> None:
    assert load() == (Settings(), "")
    assert (load().settings.history.batches, load().settings.history.megabytes) == (200, 1024)


def test_the_text_kept_in_memory_is_set_in_megabytes() -> None:
    assert load().settings.search.budget == 1 << 30
    configured("[search]\nmegabytes = 0\n")
    assert load().settings.search.budget == 0


def test_what_is_set_counts_and_the_rest_is_default() -> None:
    configured("[history]\nbatches = 3\n")
    assert load().settings.history.batches == 3
    assert load().settings.history.megabytes == 1024


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[history]\nbatchs = 3\n", "batchs"),
        ("[history]\nbatches = 'many'\n", "history.batches"),
        ("[history]\nbatches = 0\n", "history.batches"),
        ("[search]\nmegabytes = -1\n", "search.megabytes"),
        ("[histori]\n", "histori"),
        ("[history\n", "line 1"),
        ("\x1b = 1", "line 1"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_defaults_stand_in(text: str, told: str) -> None:
    configured(text)
    settings, problem = load()
    assert settings == Settings()
    assert told in problem
    assert problem.isprintable()


def test_a_directory_or_a_fifo_in_its_place_is_told() -> None:
    Path(config_path()).mkdir(parents=True)
    assert "the defaults are used" in load().problem
    Path(config_path()).rmdir()
    os.mkfifo(config_path())
    assert load().settings == Settings()


def test_the_history_keeps_as_many_batches_as_were_asked_for(tree: Path) -> None:
    configured("[history]\nbatches = 2\n")
    write(tree, {"f": "a\n"})
    for old, new in ("ab", "bc", "cd", "de"):
        assert redline("replace", old, new, "--apply", cwd=tree).status == 0
    assert [line.split()[0] for line in redline("history", cwd=tree).lines] == ["4", "3"]


def test_a_mistake_does_not_stop_a_change(tree: Path) -> None:
    configured("nonsense = 1\n")
    write(tree, {"f": "a\n"})
    ran = redline("replace", "a", "b", "--apply", cwd=tree)
    assert ran.status == 0
    assert "nonsense" in ran.err
