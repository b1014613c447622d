"""`read_file`: lines of a file, numbered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from tui.agents.answer import Answer
from tui.agents.desk import Desk
from tui.agents.files import read_text
from tui.agents.kinds import FilePath
from tui.agents.room import fitting
from tui.agents.tool import READING, Parameters, tool
from tui.errors import InvalidRangeError
from tui.search.decoding import split_lines
from tui.text import cut_around, holds_bytes, visible

MOST_LINES = 2000
_LINE = 2000


class ReadFileParameters(Parameters, frozen=True):
    path: Annotated[FilePath, Meta(description="File to read, relative to the workspace root.")]
    start_line: Annotated[int, Meta(ge=1, description="First line, counted from 1.")] = 1
    end_line: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Last line; without it, as many as an answer holds."),
    ] = None


class ReadFileData(msgspec.Struct, frozen=True):
    """`content` is the lines `start_line` to `end_line` without numbers. `truncated` says that lines
    were asked for that did not find room."""

    path: str
    start_line: int
    end_line: int
    total_lines: int
    content: str
    truncated: bool
    suggestion: str | None


@tool(
    name="read_file",
    title="Read a file",
    description="Read a text file, or a range of its lines. Lines are numbered from 1 as edit_lines counts"
    f" them; at most {MOST_LINES:,} come at once.",
    category=READING,
    parameters=ReadFileParameters,
    returns=ReadFileData,
    summary="Read {path}",
    ends="Use terminate=false if what was read is needed for the next step. Use terminate=true if the user"
    " asked to see it.",
    hints="The number and the tab before each line are not part of the file. After an edit was applied, read"
    " again: the line numbers have changed.",
    examples={
        "A whole file": {"path": "src/main.rs"},
        "Some lines of a long one": {"path": "src/main.rs", "start_line": 120, "end_line": 180},
    },
    tags=("files", "read"),
    seeds=("002", "004"),
)
def read_file(desk: Desk, given: ReadFileParameters) -> Answer:
    file = read_text(desk, given.path)
    lines = split_lines(file.text)
    first, last = _range(given, len(lines))
    asked = lines[first - 1 : min(last, first - 1 + MOST_LINES)]
    wanted = [cut_around(line, (), _LINE)[0] for line in asked]
    shown = wanted[: fitting(wanted)]
    end = first - 1 + len(shown)
    cut = [number for number, line in enumerate(shown, first) if line != lines[number - 1]]
    truncated = end < last or bool(cut)
    suggestion = f"go on with start_line {end + 1}" if end < last else None
    warnings = (*_told_of_cuts(cut), *_told_of_bytes(shown))
    data = ReadFileData(file.path, first, end, len(lines), "\n".join(shown), truncated, suggestion)
    message = _message(file.path, data)
    rows = [f"{number:>6}\t{line}" for number, line in enumerate(shown, first)]
    output = "\n".join([*(rows or [message]), *filter(None, [suggestion]), *warnings])
    return Answer(message, output, data, warnings)


def _told_of_cuts(lines: list[int]) -> Iterator[str]:
    if lines:
        numbers = ", ".join(map(str, lines[:5])) + (" ..." if len(lines) > 5 else "")
        yield f"shown only in part, over {_LINE:,} characters: line {numbers}; do not write these lines back"


def _told_of_bytes(lines: list[str]) -> Iterator[str]:
    if any(map(holds_bytes, lines)):
        yield "bytes that are not UTF-8 are shown as \\xNN; do not write these lines back"


def _range(given: ReadFileParameters, total: int) -> tuple[int, int]:
    """The lines asked for. A last line past the end means up to the end."""
    last = total if given.end_line is None else min(given.end_line, total)
    if given.end_line is not None and given.end_line < given.start_line:
        raise InvalidRangeError(
            f"line {given.start_line} comes after line {given.end_line}: the file has lines 1 to {total}",
            "give the first line first",
        )
    if given.start_line > max(total, 1):
        raise InvalidRangeError(
            f"there is no line {given.start_line}: the file has lines 1 to {total}"
            if total
            else f"there is no line {given.start_line}: the file is empty",
            "start at a line that is there",
        )
    return given.start_line, last


def _message(path: str, data: ReadFileData) -> str:
    if not data.total_lines:
        return f"{visible(path)} is empty"
    return f"Lines {data.start_line} to {data.end_line} of {data.total_lines} of {visible(path)}"
