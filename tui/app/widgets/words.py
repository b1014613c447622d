"""A line or a few of words that may come from anywhere: names, messages, titles."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.text import visible


class Words(Static):
    """Text made visible, and never read as markup."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(Content(shown(text)), id=id, classes=classes)
        self._said = text

    def say(self, text: str, *, same_size: bool = False) -> None:
        """`same_size`: it needs no more room than what it said before, so that nothing has to be laid out."""
        if text != self._said:
            self._said = text
            self.update(Content(shown(text)), layout=not same_size)


def shown(text: str) -> str:
    """Made visible, but for line ends, which are ours."""
    return "\n".join(map(visible, text.split("\n")))
