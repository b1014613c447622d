"""What is looked at: a title, and below it a file, or words where there is none to look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.worker import get_current_worker

from tui.app.document import Document
from tui.app.widgets.preview import Preview
from tui.app.widgets.two_ends import TwoEnds
from tui.app.widgets.words import Words
from tui.text import counted

if TYPE_CHECKING:
    from tui.app.syntax import Colours

_READING_SHOWS = 0.25

_COLOURS_AWAITED = 0.04

Read = Callable[[str], Document]
"""Reads the file at a path; in a thread."""


class PreviewPane(Vertical):
    """Files are read behind the screen; what was shown stays until the next one is there. Colours take
    longer than all the rest: what they do not reach in a moment is shown without them first."""

    class DocumentRead(Message):
        """The file to be previewed, as it is now."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    class Coloured(Message):
        """What is in sight of a document has its colours now, or all of it."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    def __init__(self, words: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.preview = Preview(id="preview")
        self._title = TwoEnds(id="preview-title", classes="pane-title")
        self._welcome = Words(words, id="welcome")
        self._looked_at: tuple[str, int] | None = None
        self._line_wanted: int | None = None
        self._coloured: Colours = []

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._welcome
        yield self.preview

    def on_mount(self) -> None:
        self.preview.display = False

    def show_words(self, words: str) -> None:
        """Nothing is looked at."""
        self._looked_at = None
        self.preview.display = False
        self._welcome.display = True
        self._welcome.say(words)
        self._title.say("", "")

    def look_at(self, path: str, line: int, read: Read, *, again: bool) -> None:
        """Show a line (from 0) of a file; `again` reads it anew also where it is the same place."""
        self._welcome.display = False
        self.preview.display = True
        before, self._looked_at = self._looked_at, (path, line)
        if before == self._looked_at and not again:
            return
        if before is not None and before[0] == path and not again:
            self.preview.go_to(line)
            return
        if before != self._looked_at or self.preview.document.path != path:
            self._line_wanted = line
            self.set_timer(_READING_SHOWS, lambda: self._say_reading(path))
        work = lambda: self._read(path, line, read)  # noqa: E731
        self.run_worker(work, group="preview", thread=True, exclusive=True, exit_on_error=False)

    def _say_reading(self, path: str) -> None:
        """A file that takes a while is not to be taken for the one before."""
        if self._looked_at is not None and self._looked_at[0] == path != self.preview.document.path:
            self.preview.show(Document(path, problem="reading …"), 0)
            self._title.say(path, "")

    def _read(self, path: str, line: int, read: Read) -> None:
        from tui.app.syntax import colouring, lexer_for  # not needed for the first frame

        worker = get_current_worker()
        ends = time.monotonic() + _COLOURS_AWAITED
        before, coloured = self.preview.document, self._coloured
        document = read(path)
        known = coloured is before.colours and (document.path, document.lines) == (before.path, before.lines)
        if known:
            document = replace(document, colours=coloured)
        in_sight = line + self.preview.size.height
        shown = -1
        for reached in () if known else colouring(document.colours, document.lines, lexer_for(path)):
            if worker.is_cancelled:
                return
            if shown < 0 and (reached > in_sight or time.monotonic() > ends):
                shown = reached
                self.post_message(self.DocumentRead(document))
            elif 0 <= shown <= in_sight < reached:
                shown = reached
                self.post_message(self.Coloured(document))
        if not worker.is_cancelled:
            self._coloured = document.colours
            self.post_message(self.DocumentRead(document) if shown < 0 else self.Coloured(document))

    @on(DocumentRead)
    def _document_read(self, message: DocumentRead) -> None:
        message.stop()
        document, line = message.document, self._line_wanted
        if self._looked_at is None or document.path != self._looked_at[0]:
            return
        if line is not None or document != self.preview.document:
            self.preview.show(document, line)
        self._line_wanted = None
        hits = f" · {counted(len(document.hits), 'hit')}" if document.hits else ""
        self._title.say(document.path, f"{document.about}{hits}")

    @on(Coloured)
    def _has_colours(self, message: Coloured) -> None:
        message.stop()
        if message.document is self.preview.document:
            self.preview.redraw()
