"""Line edits: insert, delete, replace, append, and a whole new content, as splices.

Lines are numbered from 1 and end at `\\n`; a `\\r` before it belongs to the line end. New lines take
the file's own line end: that of the line they replace or join, else the file's most frequent, else
the content's own. A line edit leaves the end of the file as it was, with or without a line end,
whether or not the content has one. An empty content has no lines; one empty line is `\\n`.

Each function raises InvalidArgumentError for a file whose lines cannot be told apart and for content
that the file's encoding cannot hold.
"""

from __future__ import annotations

import regex

from tui.edit.layout import Layout
from tui.edit.linediff import changed
from tui.edit.plan import Splice
from tui.errors import InvalidArgumentError, InvalidRangeError
from tui.search.decoding import Encoding, UndecodableError, split_lines

Splices = tuple[Splice, ...]

_BYTES = regex.compile(r"[\udc80-\udcff]")


def insert_after(data: bytes, line: int, content: str) -> Splices:
    """The content after this line, 0 for the top. InvalidRangeError for a line that is not there."""
    layout = _layout(data)
    if not 0 <= line <= layout.count:
        raise InvalidRangeError(
            f"there is no line {line} to insert after: valid are 0 to {layout.count} for insert",
            "0 inserts at the top",
        )
    return _rewritten(layout, line, line, split_lines(content), _eol(layout, line, line, content))


def append(data: bytes, content: str) -> Splices:
    """The content after the last line, on lines of its own."""
    layout = _layout(data)
    end = layout.count
    return _rewritten(layout, end, end, split_lines(content), _eol(layout, end, end, content))


def delete_lines(data: bytes, first: int, last: int) -> Splices:
    """InvalidRangeError for lines that are not there. When the last line goes and had no line end,
    the line before it becomes a last line without one, as in an editor."""
    layout = _layout(data)
    _check_range(layout, first, last)
    return _rewritten(layout, first - 1, last, [], "")


def replace_lines(data: bytes, first: int, last: int, content: str) -> Splices:
    """InvalidRangeError for lines that are not there. Lines that stay the same keep their bytes."""
    layout = _layout(data)
    _check_range(layout, first, last)
    begin = first - 1
    new = split_lines(content)
    old = [_text(layout, line) for line in range(begin, last)]
    splices: Splices = ()
    for a, b, c, d in changed(old, new):
        eol = _eol(layout, begin + a, begin + b, content)
        splices += _rewritten(layout, begin + a, begin + b, new[c:d], eol)
    return splices


def update(data: bytes, content: str) -> Splices:
    """The whole content anew. Lines that stay the same keep their bytes; whether the file ends with
    a line end is, unlike for the line edits, what the content says."""
    layout = _layout(data)
    if layout.encoding.bom:
        content = content.removeprefix("\ufeff")
    new = [(line, True) for line in split_lines(content)]
    if new and not content.endswith("\n"):
        new[-1] = new[-1][0], False
    old = [(_text(layout, line), bool(layout.eol(line))) for line in range(layout.count)]
    splices: list[Splice] = []
    for a, b, c, d in changed(old, new):
        eol = _eol(layout, a, b, content)
        text = "".join([line + eol if ended else line for line, ended in new[c:d]])
        splices.append(Splice(layout.starts[a], layout.starts[b], _encoded(text, layout.encoding)))
    return tuple(splices)


def _layout(data: bytes) -> Layout:
    try:
        return Layout(data)
    except UndecodableError as error:
        raise InvalidArgumentError(f"its lines cannot be told apart: {error}") from error


def _check_range(layout: Layout, first: int, last: int) -> None:
    if not layout.count:
        raise InvalidRangeError(
            "the file is empty: it has no lines to delete or replace", "insert after line 0"
        )
    valid = f"the file has lines 1 to {layout.count}"
    if first > last:
        raise InvalidRangeError(f"line {first} comes after line {last}: {valid}", "give the first line first")
    for line in (first, last):
        if not 1 <= line <= layout.count:
            raise InvalidRangeError(f"there is no line {line}: {valid}", "look at the file again")


def _rewritten(layout: Layout, first: int, last: int, lines: list[str], eol: str) -> Splices:
    """Other lines in place of those from `first` (counted from 0) up to `last`, none if the two are
    the same. The file's end stays as it was."""
    if not lines and first == last:
        return ()
    start, end = layout.starts[first], layout.starts[last]
    if last == layout.count and layout.unterminated:
        if first == last:
            text = "".join([eol + line for line in lines])
        else:
            text = eol.join(lines)
            start = layout.text_end(first - 1) if first and not lines else start
    elif first == last or not lines:
        text = "".join([line + eol for line in lines])
    else:  # the last of the replaced line ends can stay
        text = eol.join(lines)
        end = layout.text_end(last - 1)
    return (Splice(start, end, _encoded(text, layout.encoding)),)


def _eol(layout: Layout, first: int, last: int, content: str) -> str:
    """The line end for lines that come in place of these, or between the two neighbours."""
    near = [*range(first, last), first - 1, last]
    for line in near:
        if 0 <= line < layout.count and (eol := layout.eol(line)):
            return eol
    at = content.find("\n")
    return layout.usual_eol() or ("\r\n" if at > 0 and content[at - 1] == "\r" else "\n")


def _text(layout: Layout, line: int) -> str:
    raw = layout.data[layout.starts[line] : layout.text_end(line)]
    return raw.decode(layout.encoding.codec, layout.encoding.errors)


def _encoded(text: str, encoding: Encoding) -> bytes:
    """The text in the file's encoding, if it would be read as the same text again. Bytes that are no
    text (as a command line hands them over) survive only among UTF-8."""
    try:
        raw = encoding.encode_part(text)
        survives = raw.decode(encoding.codec, encoding.errors) == text
    except UnicodeEncodeError:
        survives = False
    if not survives or (encoding.codec != "utf-8" and _BYTES.search(text)):
        raise InvalidArgumentError(
            f"the content holds half a character, which cannot be written as {encoding.codec.upper()}"
        )
    return raw
