"""The colours: a dark, a light and a high-contrast theme, and two whose diffs need no red and green.

One accent colour marks what is looked for and where one is. Added and removed have their own, and
their signs `+` and `-` as well, so that no colour is needed to read a diff.
"""

from __future__ import annotations

from textual.theme import Theme

_DARK_SYNTAX = {
    "syntax-keyword": "#c792ea",
    "syntax-string": "#a5c98b",
    "syntax-comment": "#6b7380",
    "syntax-number": "#e0a37e",
    "syntax-function": "#82b1ff",
    "syntax-type": "#7fd1c7",
    "syntax-name": "#d5d9e0",
    "syntax-operator": "#9aa4b2",
}
_LIGHT_SYNTAX = {
    "syntax-keyword": "#7c3aad",
    "syntax-string": "#3d7a1f",
    "syntax-comment": "#7d8590",
    "syntax-number": "#a8531a",
    "syntax-function": "#1f5fbf",
    "syntax-type": "#0f766e",
    "syntax-name": "#24292f",
    "syntax-operator": "#57606a",
}
_RED_AND_GREEN_DARK = {
    "added": "#7fcf8f",
    "added-line": "#16261a",
    "added-word": "#2b5a35",
    "removed": "#f28b82",
    "removed-line": "#2b1a1b",
    "removed-word": "#6b2e2e",
}
_RED_AND_GREEN_LIGHT = {
    "added": "#1a7f37",
    "added-line": "#e4f5e6",
    "added-word": "#abe5b5",
    "removed": "#c0322b",
    "removed-line": "#fdeceb",
    "removed-word": "#f7b9b4",
}
_BLUE_AND_ORANGE_DARK = {
    "added": "#7ab8ff",
    "added-line": "#14233a",
    "added-word": "#24508a",
    "removed": "#ffb066",
    "removed-line": "#2e2110",
    "removed-word": "#75480f",
}
_BLUE_AND_ORANGE_LIGHT = {
    "added": "#0b5cad",
    "added-line": "#e3effc",
    "added-word": "#a8cef5",
    "removed": "#a14f00",
    "removed-line": "#fdf0e0",
    "removed-word": "#f6c994",
}
_DARK = {
    "match": "#f2b45c",
    "match-text": "#1a1408",
    "match-line": "#2a2416",
    "cursor-row": "#2a3140",
    "cursor-row-blurred": "#20252f",
    "quiet": "#6f7885",
    "rule": "#2d333d",
    "escaped": "#e58fb1",
    "footer-background": "#14171c",
    "footer-key-foreground": "#f2b45c",
    "input-selection-background": "#3d4860",
}
_LIGHT = {
    "match": "#ffd27a",
    "match-text": "#3a2a00",
    "match-line": "#fff4dc",
    "cursor-row": "#dfe6f0",
    "cursor-row-blurred": "#ebeff5",
    "quiet": "#7d8590",
    "rule": "#d5dae1",
    "escaped": "#b0266b",
    "footer-background": "#eceff3",
    "footer-key-foreground": "#9a5b00",
    "input-selection-background": "#c5d3ea",
}


def _dark(name: str, diff: dict[str, str]) -> Theme:
    return Theme(
        name=name,
        primary="#f2b45c",
        secondary="#8aa4c8",
        accent="#f2b45c",
        warning="#e0c46c",
        error="#f28b82",
        success="#7fcf8f",
        foreground="#d5d9e0",
        background="#171a20",
        surface="#1c2027",
        panel="#232831",
        dark=True,
        variables={**_DARK_SYNTAX, **_DARK, **diff},
    )


def _light(name: str, diff: dict[str, str]) -> Theme:
    return Theme(
        name=name,
        primary="#9a5b00",
        secondary="#3f5f8a",
        accent="#9a5b00",
        warning="#8a6d00",
        error="#c0322b",
        success="#1a7f37",
        foreground="#24292f",
        background="#ffffff",
        surface="#f6f8fa",
        panel="#eceff3",
        dark=False,
        variables={**_LIGHT_SYNTAX, **_LIGHT, **diff},
    )


def _contrast() -> Theme:
    return Theme(
        name="redline-contrast",
        primary="#ffd000",
        secondary="#00e5ff",
        accent="#ffd000",
        warning="#ffd000",
        error="#ff6b6b",
        success="#4dff88",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#1a1a1a",
        dark=True,
        variables={
            "syntax-keyword": "#ff9cf0",
            "syntax-string": "#b4ff8f",
            "syntax-comment": "#b8b8b8",
            "syntax-number": "#ffc58a",
            "syntax-function": "#8fd0ff",
            "syntax-type": "#80ffee",
            "syntax-name": "#ffffff",
            "syntax-operator": "#e0e0e0",
            "match": "#ffd000",
            "match-text": "#000000",
            "match-line": "#333000",
            "cursor-row": "#003a70",
            "cursor-row-blurred": "#262626",
            "quiet": "#b8b8b8",
            "rule": "#6b6b6b",
            "escaped": "#ff9cf0",
            "added": "#4dff88",
            "added-line": "#00300f",
            "added-word": "#006b22",
            "removed": "#ff8080",
            "removed-line": "#3d0000",
            "removed-word": "#8a0000",
            "footer-background": "#000000",
            "footer-key-foreground": "#ffd000",
            "input-selection-background": "#005a9e",
        },
    )


THEMES: dict[str, Theme] = {
    "dark": _dark("redline-dark", _RED_AND_GREEN_DARK),
    "light": _light("redline-light", _RED_AND_GREEN_LIGHT),
    "contrast": _contrast(),
    "dark-blue-orange": _dark("redline-dark-blue-orange", _BLUE_AND_ORANGE_DARK),
    "light-blue-orange": _light("redline-light-blue-orange", _BLUE_AND_ORANGE_LIGHT),
}
"""By the name in the settings; the last two show added blue and removed orange."""

DEFAULT = "dark"
