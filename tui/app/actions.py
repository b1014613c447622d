"""Every action there is: one table that feeds key bindings, palette, footer and help.

Each has an id, by which the settings give it other keys (`[keys]` in the TOML file).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from textual.binding import Binding


class Action(NamedTuple):
    """`keys` are Textual's names of keys, separated by commas; `method` is what a screen calls it.
    `footer` is the word at the bottom of the screen; without one it is not shown there. What has
    `priority` is done before the focused field sees the key, so that keys typed ahead of it and after
    it go where they are meant to go."""

    id: str
    keys: str
    method: str
    title: str
    footer: str = ""
    priority: bool = False

    @property
    def shown_keys(self) -> str:
        """The keys as people write them."""
        return " ".join(map(key_name, self.keys.split(",")))


class Group(NamedTuple):
    """Actions of one place."""

    title: str
    actions: tuple[Action, ...]


EVERYWHERE = Group(
    "Everywhere",
    (
        Action("app.help", "f1", "app.help", "Help: keys and patterns", "help", priority=True),
        Action(
            "app.palette",
            "ctrl+p",
            "app.command_palette",
            "Command palette: every action by name",
            "palette",
            priority=True,
        ),
        Action("app.inbox", "f2", "app.inbox", "Inbox: what agents propose", priority=True),
        Action("app.history", "f3", "app.history", "History: what was applied, and undo", priority=True),
        Action("app.theme", "ctrl+t", "app.next_theme", "Next theme", priority=True),
        Action("app.quit", "ctrl+q", "app.quit", "Quit", priority=True),
    ),
)

SEARCH = Group(
    "Search",
    (
        Action("search.find", "/", "focus_find", "To the Find field"),
        Action("search.results", "enter", "to_results", "From a field to what was found", priority=True),
        Action("search.next-field", "tab", "app.focus_next", "Next field or pane", priority=True),
        Action(
            "search.previous-field",
            "shift+tab",
            "app.focus_previous",
            "Previous field or pane",
            priority=True,
        ),
        Action(
            "search.regex",
            "alt+r",
            "switch_option('regex')",
            "Regular expression or plain text",
            priority=True,
        ),
        Action("search.case", "alt+c", "switch_option('case')", "Case: smart, on, off", priority=True),
        Action("search.word", "alt+w", "switch_option('word')", "Whole words", priority=True),
        Action("search.multiline", "alt+m", "switch_option('multiline')", "Across lines", priority=True),
        Action(
            "search.keep-case",
            "alt+k",
            "switch_option('keep_case')",
            "Replacement keeps the case of what it replaces",
            priority=True,
        ),
        Action(
            "search.ignore",
            "alt+i",
            "switch_option('ignore')",
            "Ignore files (.gitignore) on or off",
            priority=True,
        ),
        Action("search.hidden", "alt+h", "switch_option('hidden')", "Hidden files on or off", priority=True),
        Action(
            "search.excluded",
            "alt+x",
            "switch_option('excluded')",
            "Default exclusions on or off",
            priority=True,
        ),
        Action("search.review", "ctrl+r", "review", "Review the replacement", "review", priority=True),
        Action("search.skipped", "f4", "skipped", "What was not searched, and why", priority=True),
        Action("search.save", "ctrl+s", "save_search", "Save this search", priority=True),
        Action("search.saved", "ctrl+o", "saved_searches", "Saved searches", priority=True),
        Action("search.back", "escape", "back", "One step back"),
    ),
)

RESULTS = Group(
    "Results",
    (
        Action("results.next-hit", "n", "next_hit(1)", "Next hit"),
        Action("results.previous-hit", "N", "next_hit(-1)", "Previous hit"),
        Action("results.next-file", "J", "next_file(1)", "Next file"),
        Action("results.previous-file", "K", "next_file(-1)", "Previous file"),
        Action("results.fold", "left,h", "fold", "Fold the file"),
        Action("results.unfold", "right,l", "unfold", "Unfold the file"),
        Action("results.fold-all", "z", "fold_all", "Fold or unfold all files"),
        Action("results.switch-hit", "space", "switch_hit", "Take this hit, or leave it", "take"),
        Action("results.switch-file", "s", "switch_file", "Take this file, or leave it"),
        Action("results.switch-all", "a", "switch_all", "Take all, or leave all"),
        Action("results.drop", "d", "drop", "Leave it out and go on"),
        Action("results.editor", "e", "editor", "Open in $VISUAL or $EDITOR at the line", "editor"),
        Action("results.copy-path", "y", "copy_path", "Copy the path"),
        Action("results.copy-line", "Y", "copy_line", "Copy the line"),
        Action("results.tree", "t", "tree", "Files as a tree or as a list"),
        Action("results.undo", "u", "undo", "Undo the last batch (asks first)"),
        Action("results.help", "question_mark", "app.help", "Help"),
        Action("results.quit", "q", "app.quit", "Quit"),
    ),
)

PREVIEW = Group(
    "Preview",
    (
        Action("preview.context-more", "plus", "context(1)", "More lines around the hits"),
        Action("preview.context-less", "minus", "context(-1)", "Fewer lines around the hits"),
        Action("preview.whole", "w", "whole_file", "The whole file, or only around the hits"),
        Action("preview.mark", "v", "mark", "Mark lines; j and k then extend"),
        Action("preview.insert", "i", "insert_lines", "Insert lines after the marked ones"),
        Action("preview.change", "c", "change_lines", "Change the marked lines"),
        Action("preview.delete", "x", "delete_lines", "Delete the marked lines"),
    ),
)

REVIEW = Group(
    "Review",
    (
        Action("review.next-hunk", "j,down", "next_hunk(1)", "Next hunk"),
        Action("review.previous-hunk", "k,up", "next_hunk(-1)", "Previous hunk"),
        Action("review.next-file", "J,ctrl+n", "next_file(1)", "Next file"),
        Action("review.previous-file", "K", "next_file(-1)", "Previous file"),
        Action("review.switch", "space", "switch_hunk", "Switch the hunk"),
        Action("review.accept", "a", "decide_hunk('accepted')", "Accept the hunk", "accept"),
        Action("review.reject", "r", "decide_hunk('rejected')", "Reject the hunk", "reject"),
        Action("review.accept-all", "A", "decide_all('accepted')", "Accept all that is left"),
        Action("review.reject-all", "R", "decide_all('rejected')", "Reject all that is left"),
        Action("review.file", "s", "switch_file", "Switch the file", "file"),
        Action("review.lines", "x", "lines", "Take lines of the hunk one by one", "lines"),
        Action("review.reword", "e", "reword", "Edit the proposed text of the hunk", "edit"),
        Action("review.reason", "c", "reason('hunk')", "Give a reason for the hunk", "reason"),
        Action("review.reason-for-all", "C", "reason('all')", "Give a reason for all of it"),
        Action("review.alike", "i", "alike", "Decide identical hunks like this one"),
        Action("review.rebase", "b", "rebase", "Rebase onto the files as they are now"),
        Action("review.sides", "v", "turn", "Unified or side by side", "sides"),
        Action("review.write", "w", "write", "Write what is accepted (asks first)", "write"),
        Action("review.drop-stale", "D", "drop_stale", "Drop the files that were refused"),
        Action("review.leave", "escape,q", "leave", "Leave without writing", "leave"),
    ),
)

GROUPS = (EVERYWHERE, SEARCH, RESULTS, PREVIEW, REVIEW)

_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*(?:\w+|[^\w\s,])")
_NAMES = {"question_mark": "?", "plus": "+", "minus": "-", "escape": "esc", "slash": "/", "space": "space"}


def key_name(key: str) -> str:
    return _NAMES.get(key, key.upper() if key[0] == "f" and key[1:].isdigit() else key)


def bindings(*groups: Group) -> list[Binding]:
    """The actions of some places as Textual takes them."""
    return [_binding(action) for group in groups for action in group.actions]


def _binding(action: Action) -> Binding:
    return Binding(
        action.keys,
        action.method,
        action.footer or action.title,
        show=bool(action.footer),
        priority=action.priority,
        id=action.id,
        tooltip=action.title,
        key_display=key_name(action.keys.split(",")[0]),
    )


def remapped(keys: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The keys that the settings give to actions, and what is wrong with the others."""
    known = {action.id for group in GROUPS for action in group.actions}
    good: dict[str, str] = {}
    problems: list[str] = []
    for name, key in keys.items():
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else "the help page (F1) names the actions"
            problems.append(f"[keys]: there is no action {name}; {hint}")
        elif not all(_KEY.fullmatch(part.strip()) for part in key.split(",")):
            problems.append(f"[keys]: {name} = {key!r} is no key; write it like f5, ctrl+g or alt+x")
        else:
            good[name] = key
    return good, problems
