"""Help: every key, and what can be written into the fields."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from tui.app.actions import GROUPS
from tui.app.styles import style

_PATTERNS = """\
Find      a regular expression: \\bname\\b, TODO|FIXME, (?i)any.case; alt+r for plain text
Replace   $1 ${name} \\1 stand for groups, $0 for the match, $$ for a dollar
Files     *.py src/** !tests: globs between spaces or commas, ! leaves out
up, down  in a field: earlier and later searches"""


class HelpScreen(ModalScreen[None]):
    CSS_PATH = style("help")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark", "app.pop_screen", "leave", id="help.leave", key_display="esc")
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static("Redline: find, read and change code safely", classes="title", markup=False)
            yield Static(_PATTERNS, classes="patterns", markup=False)
            for group in GROUPS:
                yield Static(group.title, classes="group", markup=False)
                rows = [f"{action.shown_keys:<12} {action.title:<52} {action.id}" for action in group.actions]
                yield Static("\n".join(rows), classes="keys", markup=False)
        yield Footer(compact=True, show_command_palette=False)
