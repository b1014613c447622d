"""What goes to stdout and stderr, and in which dress.

A pipe gets bytes as they are in the files, so that other programs can use them. A terminal gets
colour and text made visible, so that nothing in a file can speak to it.
"""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from io import BufferedWriter, FileIO
from typing import TYPE_CHECKING, Any

import msgspec

from tui.text import cut_around, escaped_for_json, visible, visible_with_spans

if TYPE_CHECKING:
    from typing_extensions import Buffer

MAX_SHOWN = 2000  # characters of a line on a terminal


class ReaderLeftError(Exception):
    """Whoever read our output, such as `head`, has had enough. Not an error to anyone."""


class _Pipe(FileIO):
    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise ReaderLeftError from None


@cache
def stdout() -> BufferedWriter:
    """Standard output as bytes, buffered even where Python's own is not (PYTHONUNBUFFERED): an
    unbuffered write to a pipe may write less than it was given."""
    if sys.stdout is None:  # closed by whoever started us
        return BufferedWriter(FileIO(os.devnull, "wb"))
    sys.stdout.flush()
    return BufferedWriter(_Pipe(sys.stdout.fileno(), "wb", closefd=False), 1 << 16)


class Output:
    """Standard output, knowing whether a person or a program reads it."""

    def __init__(self) -> None:
        self._stream = stdout()
        self.is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._colour = self.is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    def write(self, *parts: bytes) -> None:
        self._stream.write(b"".join(parts))

    def line(self, *parts: bytes) -> None:
        self._stream.write(b"".join((*parts, b"\n")))

    def json(self, value: Any) -> None:
        """One object on a line. On a terminal what is unsafe is written as JSON's own escapes."""
        encoded = msgspec.json.encode(value)
        if self.is_terminal:
            encoded = escaped_for_json(encoded.decode()).encode()
        self._stream.write(encoded + b"\n")

    def path(self, path: str) -> bytes:
        return self._dressed("1", visible(path)) if self.is_terminal else os.fsencode(path)

    def number(self, number: int | str) -> bytes:
        return self._dressed("2", str(number))

    def text(self, text: str, spans: Iterable[tuple[int, int]] = ()) -> bytes:
        """A line of a file, its matches marked where a person reads it."""
        if not self.is_terminal:
            return to_bytes(text)
        text, spans = cut_around(text, tuple(spans), MAX_SHOWN)
        text, spans = visible_with_spans(text, spans)
        parts, at = [], 0
        for start, end in spans:
            parts += [text[at:start].encode("utf-8", "replace"), self._dressed("1;31", text[start:end])]
            at = end
        return b"".join([*parts, text[at:].encode("utf-8", "replace")])

    def styled(self, code: str, text: str) -> bytes:
        """A line of our own making that quotes a file."""
        return self._dressed(code, visible(text)) if code else visible(text).encode("utf-8", "replace")

    def _dressed(self, code: str, text: str) -> bytes:
        raw = text.encode("utf-8", "replace")
        return b"\x1b[%sm%s\x1b[0m" % (code.encode(), raw) if self._colour and text else raw


def as_typed(argument: str) -> str:
    """An argument as UTF-8, like the files, whatever the locale makes of it."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """The bytes that a file's text was read from, or its UTF-8. Half a UTF-16 pair stays what it is."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def json_text(text: str) -> dict[str, str]:
    """Text, or the bytes in base64 where it is no valid text, as in `rg --json`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return {"bytes": base64.b64encode(to_bytes(text)).decode()}
    return {"text": text}


def tell(message: str) -> None:
    """A line for the person, on stderr."""
    if stdout.cache_info().currsize:
        with suppress(OSError):  # told by whoever writes the results
            stdout().flush()  # what the message is about comes before it
    if sys.stderr is not None:
        with suppress(OSError):  # a message that cannot be told must not cost the results
            sys.stderr.write(f"redline: {message}\n")
            sys.stderr.flush()
