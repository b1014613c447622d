"""What an edit changes that no line shows: mode, encoding, byte order mark, line ends."""

from __future__ import annotations

from collections.abc import Iterator

from tui.edit.plan import FileEdit
from tui.search.decoding import Encoding, UndecodableError, decode, encoding_of


def notes(edit: FileEdit, old: bytes, new: bytes, binary: bool) -> Iterator[str]:
    """In words for people, the most important first."""
    if binary:
        yield "binary"
    if edit.before and edit.after and edit.before.mode != edit.after.mode:
        yield f"mode {edit.before.mode:o} -> {edit.after.mode:o}"
    if binary or edit.after is None or old == new:
        return
    before, after = encoding_of(old), encoding_of(new)
    if old and new and before.codec != after.codec:
        yield f"encoding {_name(before)} -> {_name(after)}"
    elif bool(before.bom) != bool(after.bom):
        yield f"byte order mark {'added' if after.bom else 'removed'}"
    ends = line_ends(old), line_ends(new)
    if all(ends) and ends[0] != ends[1]:
        yield f"line ends {ends[0]} -> {ends[1]}"


def line_ends(data: bytes) -> str:
    """`LF`, `CRLF`, `mixed`, or nothing where no line ends."""
    if encoding_of(data).codec == "utf-8":
        crlf, lf = data.count(b"\r\n"), data.count(b"\n")
    else:
        try:
            text = decode(data).text
        except UndecodableError:
            return ""
        crlf, lf = text.count("\r\n"), text.count("\n")
    if not lf:
        return ""
    return "LF" if not crlf else "CRLF" if crlf == lf else "mixed"


def _name(encoding: Encoding) -> str:
    return encoding.codec.upper()
