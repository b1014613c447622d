"""Each screen in its main states, as text, at the two sizes people have most.

The pictures are in `snapshots/`. To make them anew after a change that is meant:
`REDLINE_SNAPSHOTS=write python -m tests -k screens`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.app.stage import Stage, play
from tests.conftest import write
from tests.review.propose import proposed
from tui.app.asked import Asked

SNAPSHOTS = Path(__file__).parent / "snapshots"
SIZES = [(120, 40), (80, 24)]

SAMPLE: dict[str, str | bytes] = {
    "README.md": "# Sample\n\nA color is a color.\n",
    "src/palette.py": "COLORS = {}\n\n\ndef color(name):\n    return COLORS[name]  # the color\n",
    "src/deep/mixer.py": "from palette import color\n\nprint(color('red'))\n",
    "logo.bin": b"\0\1\2",
}

PALETTE = "COLOURS = {}\n\n\ndef colour(name):\n    return COLOURS[name]  # the colour\n"

States = dict[str, tuple[Asked, Callable[[Stage], Awaitable[None]]]]


async def _nothing(stage: Stage) -> None:
    return


def _pressed(*keys: str) -> Callable[[Stage], Awaitable[None]]:
    async def press(stage: Stage) -> None:
        for key in keys:
            await stage.press(key)
            if key == "ctrl+r":
                await stage.reviewing()
        await stage.app.workers.wait_for_complete()

    return press


async def _applied(stage: Stage) -> None:
    await _pressed("ctrl+r", "w")(stage)
    await stage.confirmed()
    await stage.until(lambda: "Applied" in stage.text)
    await stage.settled()


async def _history(stage: Stage) -> None:
    await _applied(stage)
    stage.app.clear_notifications()
    await stage.press("f3")


async def _inbox(stage: Stage) -> None:
    root = Path(stage.app.workspace.root)
    proposed(root, {"src/palette.py": PALETTE, "pyproject.toml": "[project]\n"}, title="British spelling")
    await stage.until(lambda: "1 proposal F2" in stage.lines[0])
    stage.app.clear_notifications()
    await stage.press("f2")
    await stage.until(lambda: "British spelling" in stage.text)


async def _proposal(stage: Stage) -> None:
    await _inbox(stage)
    await stage.press("enter")
    await stage.reviewing()
    await stage.press("a", "K")
    await stage.reviewing()
    await stage.press("x", "space")


COLOR = Asked(find="color", replace="hue")
STATES: States = {
    "empty": (Asked(), _nothing),
    "results": (Asked(find="color"), _pressed("enter", "n")),
    "no-matches": (Asked(find="colour"), _nothing),
    "replacing": (COLOR, _pressed("enter", "space")),
    "error": (Asked(find="color("), _nothing),
    "review": (COLOR, _pressed("ctrl+r", "J")),
    "review-side-by-side": (COLOR, _pressed("ctrl+r", "J", "v", "space")),
    "confirm": (COLOR, _pressed("ctrl+r", "w")),
    "outcome": (COLOR, _applied),
    "history": (COLOR, _history),
    "skipped": (Asked(find="color"), _pressed("f4")),
    "help": (Asked(), _pressed("f1")),
    "inbox-empty": (Asked(), _pressed("f2")),
    "inbox": (Asked(), _inbox),
    "proposal": (Asked(), _proposal),
}


@pytest.mark.parametrize("name", STATES)
def test_screen(tree: Path, name: str) -> None:
    """At one size, and then made narrow, as people do."""
    write(tree, SAMPLE)
    asked, happens = STATES[name]
    shown: dict[tuple[int, int], str] = {}

    async def story(stage: Stage) -> None:
        await happens(stage)
        for size in SIZES:
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause(0.1)
            shown[size] = _steady(stage.text, tree)

    play(tree, story, size=SIZES[0], asked=asked)
    for (width, height), picture in shown.items():
        kept = SNAPSHOTS / f"{name}-{width}x{height}.txt"
        if os.environ.get("REDLINE_SNAPSHOTS") == "write":
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(picture + "\n")
        assert picture == kept.read_text().removesuffix("\n")


def _steady(text: str, root: Path) -> str:
    """Without what is another each time: where the workspace is, the date and how long it took."""
    text = re.sub(rf"{re.escape(str(root))[:20]}\S*", "WORKSPACE", text)
    text = re.sub(r"(WORKSPACE) +", r"\1 ", text)
    text = re.sub(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d", "2026-01-01 12:00", text)
    text = re.sub(r" \d s  ", " 0 s  ", text)
    return re.sub(r"\d+\.\d\d s\b", "0.00 s", text)
