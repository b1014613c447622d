"""The query bar: Find, Replace and Files, each with its toggles in sight."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, NamedTuple

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Label, Static

from tui.app.asked import Asked
from tui.app.widgets.safe_input import SafeInput
from tui.app.widgets.two_ends import TwoEnds
from tui.search.query import Case

_CASES = {Case.SMART: "Aa?", Case.SENSITIVE: "Aa", Case.INSENSITIVE: "aa"}


class _Toggle(NamedTuple):
    name: str
    label: str
    meaning: str


_FIELDS: tuple[tuple[str, str, tuple[_Toggle, ...]], ...] = (
    (
        "find",
        "Find",
        (
            _Toggle("regex", ".*", "regular expression (alt+r)"),
            _Toggle("case", "Aa", "case: smart, on, off (alt+c)"),
            _Toggle("word", "ab", "whole words (alt+w)"),
            _Toggle("multiline", "¶", "across lines (alt+m)"),
        ),
    ),
    ("replace", "Replace", (_Toggle("keep_case", "Aa~", "keep the case of what is replaced (alt+k)"),)),
    (
        "files",
        "Files",
        (
            _Toggle("ignore", ".gitignore", "leave out what git ignores (alt+i)"),
            _Toggle("hidden", "hidden", "include hidden files (alt+h)"),
            _Toggle("excluded", "excluded", "leave out node_modules, build ... (alt+x)"),
        ),
    ),
)


class Switch(Static):
    """A toggle: lit when it is on. A click switches it."""

    class Clicked(Message):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, toggle: _Toggle) -> None:
        super().__init__(toggle.label, id=f"toggle-{toggle.name}", classes="toggle", markup=False)
        self._name_of_toggle = toggle.name
        self.tooltip = toggle.meaning

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self._name_of_toggle))


class Field(SafeInput):
    """One line of the bar. Up and down go through what was asked before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", "Earlier search", show=False, id="field.earlier"),
        Binding("down", "later", "Later search", show=False, id="field.later"),
    ]

    class Recalled(Message):
        """An earlier (-1) or later (1) search is wanted."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def action_earlier(self) -> None:
        self.post_message(self.Recalled(-1))

    def action_later(self) -> None:
        self.post_message(self.Recalled(1))


class QueryBar(Vertical):
    """What is asked for, as one value."""

    class Changed(Message):
        """Something else is asked for."""

        def __init__(self, asked: Asked) -> None:
            super().__init__()
            self.asked = asked

    def __init__(self, asked: Asked, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.asked = asked
        self._fields = {
            name: Field(getattr(asked, name), id=name, compact=True, select_on_focus=False)
            for name, _, _ in _FIELDS
        }
        self._switches = {toggle.name: Switch(toggle) for _, _, toggles in _FIELDS for toggle in toggles}
        self._problem = TwoEnds(id="problem")

    def compose(self) -> ComposeResult:
        for name, label, toggles in _FIELDS:
            with Horizontal(classes="field"):
                yield Label(label, classes="label")
                yield self._fields[name]
                with Horizontal(classes="toggles"):
                    yield from (self._switches[toggle.name] for toggle in toggles)
        yield self._problem

    def on_mount(self) -> None:
        self._light()

    @property
    def fields(self) -> Collection[Field]:
        return self._fields.values()

    def field(self, name: str) -> Field:
        return self._fields[name]

    def ask(self, asked: Asked) -> None:
        """Put other words and toggles into the bar."""
        self.asked = asked
        with self.prevent(Input.Changed):
            for name, field in self._fields.items():
                field.value = getattr(asked, name)
        self._light()
        self.post_message(self.Changed(asked))

    def toggle(self, name: str) -> None:
        self.asked = self.asked.toggled(name)
        self._light()
        self.post_message(self.Changed(self.asked))

    def complain(self, field: str = "", problem: str = "") -> None:
        """Mark the field that cannot be used, and say why; or nothing is wrong any more."""
        for name, each in self._fields.items():
            each.set_class(name == field, "wrong")
        self._problem.say(problem)

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        name = str(message.input.id)
        if getattr(self.asked, name) != message.value:
            self.asked = msgspec.structs.replace(self.asked, **{name: message.value})
            self.post_message(self.Changed(self.asked))

    @on(Switch.Clicked)
    def _clicked(self, message: Switch.Clicked) -> None:
        message.stop()
        self.toggle(message.name)

    def _light(self) -> None:
        for name, switch in self._switches.items():
            value = getattr(self.asked, name)
            if name == "case":
                switch.update(_CASES[self.asked.case])
                value = self.asked.case is not Case.INSENSITIVE
            switch.set_class(bool(value), "on")
