"""What is looked at: a title, and below it a file, or words where there is none to look at."""

from __future__ import annotations

from collections.abc import Callable

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

_READING_SHOWS = 0.25

Read = Callable[[str, Callable[[], bool]], Document]
"""Reads the file at a path, in a thread, until that is no longer wanted."""


class PreviewPane(Vertical):
    """Files are read behind the screen; what was shown stays until the next one is there."""

    class DocumentRead(Message):
        """The file to be previewed, as it is now."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    def __init__(self, words: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words = words
        self._looked_at: tuple[str, int] | None = None
        self._line_wanted: int | None = None

    def compose(self) -> ComposeResult:
        yield TwoEnds("", id="preview-title", classes="pane-title")
        yield Words(self._words, id="welcome")
        yield Preview(id="preview")

    def on_mount(self) -> None:
        self.preview.display = False

    @property
    def preview(self) -> Preview:
        return self.query_one(Preview)

    @property
    def _title(self) -> TwoEnds:
        return self.query_one("#preview-title", TwoEnds)

    def show_words(self, words: str) -> None:
        """Nothing is looked at."""
        self._looked_at = None
        self.preview.display = False
        welcome = self.query_one("#welcome", Words)
        welcome.display = True
        welcome.say(words)
        self._title.say("", "")

    def look_at(self, path: str, line: int, read: Read, *, again: bool) -> None:
        """Show a line (from 0) of a file; `again` reads it anew also where it is the same place."""
        self.query_one("#welcome").display = False
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
        work = lambda: self._read(path, read)  # noqa: E731
        self.run_worker(work, group="preview", thread=True, exclusive=True, exit_on_error=False)

    def _say_reading(self, path: str) -> None:
        """A file that takes a while is not to be taken for the one before."""
        if self._looked_at is not None and self._looked_at[0] == path != self.preview.document.path:
            self.preview.show(Document(path, problem="reading …"), 0)
            self._title.say(path, "")

    def _read(self, path: str, read: Read) -> None:
        worker = get_current_worker()
        document = read(path, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(self.DocumentRead(document))

    @on(DocumentRead)
    def _document_read(self, message: DocumentRead) -> None:
        message.stop()
        document = message.document
        if self._looked_at is None or document.path != self._looked_at[0]:
            return
        self.preview.show(document, self._line_wanted)
        self._line_wanted = None
        hits = f" · {counted(len(document.hits), 'hit')}" if document.hits else ""
        self._title.say(document.path, f"{document.about}{hits}")
