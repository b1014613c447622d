"""The app as a person meets it: first frame, from a key to the screen, and how long it ever stands still."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from tests.bench.change import FILES, OTHER, WORD, make_files
from tests.bench.table import Row, alternating
from tests.e2e.terminal import Terminal
from tui.app.app import RedlineApp
from tui.app.asked import Asked
from tui.app.screens.main import MainScreen
from tui.app.screens.review import ReviewScreen
from tui.config import Loaded, Settings
from tui.workspace import Workspace

TICK = 0.002
ENDLESS = "(?s)(?:a|aa|.)+?(?:b|bb|.)+?$^"
COMMON = "int"


def rows(tree: Path, rounds: int) -> Iterator[Row]:
    yield _first_frame(tree, rounds)
    yield from _keystrokes(tree, rounds)
    yield _stall("longest stall: a common word, over a million hits", tree, Asked(find=COMMON), _searched)
    yield _stall("longest stall: a pattern without end", tree, Asked(find=ENDLESS), _for_a_while)
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as scratch:
        os.environ["XDG_STATE_HOME"] = f"{scratch}/state"
        root = Path(scratch, "files")
        make_files(tree, root)
        asked = Asked(find=WORD, replace=OTHER, ignore=False)
        yield _stall(f"longest stall: {FILES:,} files reviewed and applied", root, asked, _applied)


def _first_frame(tree: Path, rounds: int) -> Row:
    def app() -> None:
        with Terminal(cwd=tree) as terminal:
            terminal.seen(lambda sent: b"Replace" in sent)

    def imports() -> None:
        subprocess.run([sys.executable, "-c", "import textual.app, textual.widgets"], check=True)

    reference = "python -c 'import textual.app, textual.widgets'"
    return Row("first frame", *alternating(app, imports, rounds), reference, aim=2.0)


def _keystrokes(tree: Path, rounds: int) -> Iterator[Row]:
    """In the real program, warm: from a key to the first screen that shows other hits than before."""
    keys = {
        "a key to the screen: a new word": ("ctrl+u", "kmalloc"),
        "a key to the screen: one letter more": ("schedul", "e"),
        "a key to the screen: one letter back": ("schedule", "\x7f"),
    }
    best = dict.fromkeys(keys, float("inf"))
    with Terminal(cwd=tree) as terminal:
        terminal.until("Type to find text", gone="…")
        for _ in range(rounds):
            for what, (before, key) in keys.items():
                terminal.send("ctrl+u", before)
                terminal.rest(1.5)
                began = time.perf_counter()
                terminal.send(key)
                terminal.seen(lambda sent: len(_HIT.findall(sent)) > 2)
                best[what] = min(best[what], time.perf_counter() - began)
                terminal.rest(0.5)
    for what, seconds in best.items():
        yield Row(what, seconds, 0.05, "50 ms", aim=1.0)


# A row of the Content pane: a line number, and behind it the line in colours of its own.
_HIT = re.compile(rb" \d+  \x1b\[")


Story = Callable[[RedlineApp], Awaitable[None]]


def _stall(work: str, tree: Path, asked: Asked, story: Story) -> Row:
    """The longest time in which the app's loop did not come round."""
    return Row(work, asyncio.run(_longest_stall(tree, asked, story)), 0.05, "50 ms", aim=1.0)


async def _longest_stall(tree: Path, asked: Asked, story: Story) -> float:
    with Workspace(tree) as workspace:
        app = RedlineApp(workspace, Asked(ignore=asked.ignore), Loaded(Settings()))
        async with app.run_test(size=(120, 40)) as pilot:
            await _until(lambda: _main(app).is_settled, 120)
            await pilot.pause(0.5)
            longest = 0.0

            async def tick() -> None:
                nonlocal longest
                while True:
                    began = time.perf_counter()
                    await asyncio.sleep(TICK)
                    longest = max(longest, time.perf_counter() - began - TICK)

            ticking = asyncio.create_task(tick())
            _main(app).query_bar.ask(asked)
            await story(app)
            ticking.cancel()
            return longest


def _main(app: RedlineApp) -> MainScreen:
    screen = app.screen_stack[-1] if len(app.screen_stack) == 1 else app.screen_stack[1]
    assert isinstance(screen, MainScreen)
    return screen


async def _until(true: Callable[[], bool], seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not true() and time.monotonic() < ends:
        await asyncio.sleep(0.01)


async def _searched(app: RedlineApp) -> None:
    await asyncio.sleep(0.1)
    await _until(lambda: _main(app).is_settled, 60)


async def _for_a_while(app: RedlineApp) -> None:
    await asyncio.sleep(3)


async def _applied(app: RedlineApp) -> None:
    await _searched(app)
    _main(app).action_review()
    await _until(lambda: isinstance(app.screen, ReviewScreen) and not app.screen.is_planning, 60)
    review = app.screen
    assert isinstance(review, ReviewScreen)
    review.write_accepted()
    await _until(lambda: isinstance(app.screen, MainScreen), 120)
