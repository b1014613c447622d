"""Fields to type in that draw what a terminal might obey as signs, whatever was pasted into them."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input, TextArea

from tui.text import is_plain, signs


class SafeInput(Input):
    """The value is as it was typed, pasted or given; only what is drawn is made safe."""

    virtual_size = Reactive(Size(0, 0), layout=False)
    """A letter more or less moves no other widget: to lay out the whole screen for each is slow."""

    @property
    def _value(self) -> Text:
        return Text(signs(self.value).replace("\t", " "), no_wrap=True, overflow="ignore", end="")


class SafeTextArea(TextArea):
    """A text with control characters cannot be pasted: it could not be shown as what it is."""

    async def _on_paste(self, event: events.Paste) -> None:
        if all(map(is_plain, event.text.splitlines())):
            await super()._on_paste(event)
        else:
            event.stop()
            event.prevent_default()
            self.notify("not pasted: it holds control characters", severity="warning")
