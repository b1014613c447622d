"""A text file as the reading and writing tools take it."""

from __future__ import annotations

from typing import NamedTuple

from tui.agents.answer import ToolError
from tui.agents.desk import Desk
from tui.errors import BinaryFileError, NotFoundError, TooLargeError
from tui.search.decoding import UndecodableError, decode, is_binary
from tui.search.files import SIZE_LIMIT_FOR_PEOPLE
from tui.text import holds_bytes, visible
from tui.workspace import Reader, explain

LARGEST = SIZE_LIMIT_FOR_PEOPLE


class ReadFile(NamedTuple):
    """One file with its permission bits; `path` is relative to the root, whatever was given."""

    path: str
    data: bytes
    mode: int


class TextFile(NamedTuple):
    path: str
    data: bytes
    mode: int
    text: str


def read_any(desk: Desk, given: str) -> ReadFile:
    """A regular file's bytes. NotFoundError, OutsideWorkspaceError, TooLargeError, as they come."""
    path = desk.workspace.relative(given)
    if not path:
        raise ToolError("INVALID_ARGUMENT", "path is the workspace itself", "name a file in it", "path")
    try:
        with Reader(desk.workspace) as reader:
            return ReadFile(path, *reader.read_with_mode(path, LARGEST))
    except TooLargeError as error:
        raise TooLargeError(error.message, "find the part that matters in another way") from error
    except OSError as error:
        explained = explain(error, path)
        if isinstance(explained, NotFoundError):
            explained.hint = "find the file with glob; to make a new one use create_file"
        raise explained from error


def check_text_only(path: str, text: str) -> None:
    """Text that was read with its odd bytes written out would put the writing in their place."""
    if holds_bytes(text):
        raise BinaryFileError(
            f"{visible(path)}: holds bytes that are not UTF-8, which new text would replace",
            "change the parts around them with replace_in_file",
        )


def read_text(desk: Desk, given: str) -> TextFile:
    """`read_any`, and BinaryFileError for what is no text."""
    file = read_any(desk, given)
    if is_binary(file.data):
        raise BinaryFileError(f"{visible(file.path)}: a binary file, which has no lines", "leave it alone")
    try:
        return TextFile(*file, decode(file.data).text)
    except UndecodableError as error:
        raise BinaryFileError(f"{visible(file.path)}: {error}", "leave it alone") from error
