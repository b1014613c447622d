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

    async def _on_key(self, event: events.Key) -> None:
        if not await _obeyed(self, event):
            await super()._on_key(event)
        event.prevent_default()


class SafeTextArea(TextArea):
    """A text with control characters cannot be pasted: it could not be shown as what it is."""

    async def _on_key(self, event: events.Key) -> None:
        if not await _obeyed(self, event):
            await super()._on_key(event)
        event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if all(map(is_plain, event.text.splitlines())):
            await super()._on_paste(event)
        else:
            self.notify("not pasted: it holds control characters", severity="warning")


async def _obeyed(field: Input | TextArea, event: events.Key) -> bool:
    """Do what a key that is no letter does in a field, at once. By itself a field puts in letters at once,
    while backspace and its like go round by way of the app: of keys that come in a burst, over a slow
    line or while much is done, the letters would come first."""
    for binding in field._bindings.key_to_bindings.get(event.key, ()):
        if not binding.priority and await field.app.run_action(binding.action, field):
            event.stop()
            return True
    return False
