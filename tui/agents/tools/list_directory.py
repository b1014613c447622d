"""`list_directory`: what a directory holds."""

from __future__ import annotations

import os
import stat
from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.kinds import PathText
from tui.agents.room import MOST_RESULTS, fitting
from tui.agents.tool import SEARCH, Parameters, tool
from tui.text import counted, visible
from tui.workspace import explain


class ListDirectoryParameters(Parameters, frozen=True):
    path: Annotated[PathText, Meta(description="Directory to list, relative to the workspace root.")] = "."


class Entry(msgspec.Struct, frozen=True):
    """`type` is file, directory, link or other; `size` in bytes is told of files."""

    name: str
    type: str
    size: int | None


class ListDirectoryData(msgspec.Struct, frozen=True):
    path: str
    entries: tuple[Entry, ...]
    total_entries: int
    truncated: bool
    suggestion: str | None


@tool(
    name="list_directory",
    title="List a directory",
    description="List everything in one directory: directories first, then files with their sizes. Hidden and"
    " ignored entries are listed too.",
    category=SEARCH,
    parameters=ListDirectoryParameters,
    returns=ListDirectoryData,
    summary="List {path}",
    ends="Use terminate=false to look further into what is there. Use terminate=true if the list is the"
    " answer.",
    hints="One level only; use glob to see files further down.",
    examples={"The workspace": {}, "A directory in it": {"path": "src/components"}},
    tags=("files", "list"),
    seeds=("002", "004"),
)
def list_directory(desk: Desk, given: ListDirectoryParameters) -> Answer:
    path = desk.workspace.relative(given.path)
    desk.workspace.check_directory(path)
    entries = sorted(_entries(desk, path), key=lambda entry: (entry.type != "directory", entry.name))
    rows = [_row(entry) for entry in entries[:MOST_RESULTS]]
    shown = tuple(entries[: fitting(rows)])
    truncated = len(shown) < len(entries)
    suggestion = "find the rest with glob, by name" if truncated else None
    data = ListDirectoryData(path or ".", shown, len(entries), truncated, suggestion)
    cut = f", showing the first {len(shown)}" if truncated else ""
    message = f"{visible(path or '.')} holds {counted(len(entries), 'entry', 'entries')}{cut}"
    return Answer(message, "\n".join([message, *rows[: len(shown)], *filter(None, [suggestion])]), data)


def _entries(desk: Desk, path: str) -> list[Entry]:
    try:
        fd = desk.workspace.open_directory(path)
    except OSError as error:
        raise explain(error, path) from error
    try:
        with os.scandir(fd) as listing:
            return [_entry(entry) for entry in listing]
    finally:
        os.close(fd)


def _entry(entry: os.DirEntry[str]) -> Entry:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return Entry(entry.name, "other", None)
    if stat.S_ISREG(status.st_mode):
        return Entry(entry.name, "file", status.st_size)
    if stat.S_ISLNK(status.st_mode):
        return Entry(entry.name, "link", None)
    return Entry(entry.name, "directory" if stat.S_ISDIR(status.st_mode) else "other", None)


def _row(entry: Entry) -> str:
    if entry.type == "directory":
        return f"{entry.name}/"
    return (
        f"{entry.name}  {entry.size:,} bytes" if entry.size is not None else f"{entry.name}  ({entry.type})"
    )
