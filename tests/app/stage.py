"""The app on a stage: real files, a real session, keys pressed and screens read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from tui.app.app import RedlineApp
from tui.app.asked import Asked
from tui.app.screens.main import MainScreen
from tui.app.screens.review import ReviewScreen
from tui.config import load
from tui.workspace import Workspace

SECONDS = 20.0


class Stage:
    """What a test sees of the app."""

    def __init__(self, app: RedlineApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def main(self) -> MainScreen:
        screen = self.app.screen_stack[1]
        assert isinstance(screen, MainScreen)
        return screen

    @property
    def review(self) -> ReviewScreen:
        assert isinstance(self.app.screen, ReviewScreen), self.app.screen
        return self.app.screen

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*(_KEYS.get(character, character) for character in text))

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something is so; what it says when it never is, is the screen."""
        waited = 0.0
        while not true():
            await self.pilot.pause(0.02)
            waited += 0.02
            assert waited < SECONDS, f"never happened:\n{self.text}"
        await self.pilot.pause()

    async def settled(self) -> None:
        """The search that was asked for is complete, and the preview read."""
        await self.pilot.pause(0.05)
        await self.until(lambda: self.main.is_settled)
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def reviewing(self) -> None:
        """The review is open, its plan complete and the first diff there."""
        await self.until(lambda: isinstance(self.app.screen, ReviewScreen) and not self.review.is_planning)
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def confirmed(self) -> None:
        """Answer the question with y, as someone who has read it."""
        await self.pilot.pause(0.4)
        await self.press("y")

    @property
    def text(self) -> str:
        """The screen as text."""
        height = self.app.size.height
        compositor = self.app.screen._compositor
        lines = ["".join(segment.text for segment in strip) for strip in compositor.render_strips()]
        return "\n".join(line.rstrip() for line in lines[:height])

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


_KEYS = {" ": "space", "/": "slash", "(": "left_parenthesis", ")": "right_parenthesis", "*": "asterisk"}
_KEYS |= {
    ".": "full_stop",
    "$": "dollar_sign",
    "|": "vertical_line",
    "\\": "backslash",
    "!": "exclamation_mark",
}
_KEYS |= {"[": "left_square_bracket", "_": "underscore", ",": "comma", "?": "question_mark", "+": "plus"}

Story = Callable[[Stage], Awaitable[None]]


def play(root: Path, story: Story, size: tuple[int, int] = (120, 40), asked: Asked | None = None) -> None:
    """Open the app on a directory and let the story happen."""

    async def run() -> None:
        with Workspace(root) as workspace:
            app = RedlineApp(workspace, asked or Asked(), load())
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause()
                stage = Stage(app, pilot)
                await stage.settled()
                await story(stage)

    asyncio.run(run())
