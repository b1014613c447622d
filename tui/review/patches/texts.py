"""Edits of a stretch of text, which may begin and end in the middle of a line, put in place."""

from __future__ import annotations

from itertools import islice

from tui.review.patches.document import Document, NewLine, parted_lines
from tui.review.patches.filepatch import Hunk, PatchError, TextEdit, compared
from tui.review.patches.nearest import nearest
from tui.review.patches.placing import WOULD_LOOK, listed, put_hunks
from tui.text import visible

_MARK = b"\xef\xbb\xbf"
_PLACES_LOOKED_AT = 100


def put_text(document: Document, edit: TextEdit, *, fuzz: bool) -> list[str]:
    """Make the edit. What a person should know of it comes back. PatchError if its old text is not there, or
    more than once."""
    old, new = _plain(document, edit.old), _plain(document, edit.new)
    if not old:
        if document.count:
            raise PatchError(
                f"{visible(document.path)}: {edit.name} has no old text, but the file is not empty",
                "say which text it replaces",
            )
        document.rewrite(0, 0, parted_lines(edit.new), verbatim=True)
    elif not (places := list(islice(document.lines.offsets(old), _PLACES_LOOKED_AT))):
        if not fuzz:
            raise _absent(document, edit, old)
        return put_hunks(document, [_as_hunk(edit.name, old, new)], fuzz=True)
    elif edit.everywhere:
        _put_everywhere(document, old, new)
    else:
        at = _chosen(document, edit, places)
        if _stands_verbatim(document, edit, at):
            _put_verbatim(document, edit, at)
        else:
            _put(document, at, at + len(old), new)
    return []


def _plain(document: Document, text: bytes) -> bytes:
    """As the document's lines are joined: no byte order mark, line ends as `\\n`."""
    return (text.removeprefix(_MARK) if document.marked else text).replace(b"\r\n", b"\n")


def _as_hunk(name: str, old: bytes, new: bytes) -> Hunk:
    """The edit as if it were of whole lines, which is what it mostly is when it is not found as it stands."""
    before, after = (text.removesuffix(b"\n").split(b"\n") if text else [] for text in (old, new))
    return Hunk(name, 0, compared([line + b"\n" for line in before], [line + b"\n" for line in after]))


def _chosen(document: Document, edit: TextEdit, places: list[int]) -> int:
    exact = [at for at in places if _stands_verbatim(document, edit, at)] if len(places) > 1 else places
    best = exact or places
    if len(best) > 1:
        lines = [document.lines.line_at(at) for at in best]
        raise PatchError(
            f"{visible(document.path)}: the old text of {edit.name} is there more than once: {listed(lines)}",
            "give more of the text around it, or replace_all to change every one",
        )
    return best[0]


def _absent(document: Document, edit: TextEdit, old: bytes) -> PatchError:
    line = nearest(document.lines.texts, old.split(b"\n"), 0)
    near = "" if line is None else f"; nearest like it is line {line + 1}"
    return PatchError(
        f"{visible(document.path)}: the old text of {edit.name} is not in the file{near}", WOULD_LOOK
    )


def _stands_verbatim(document: Document, edit: TextEdit, at: int) -> bool:
    """Whether the old text stands there with its line ends too. One without any tells nothing of them."""
    if b"\n" not in edit.old:
        return False
    first = document.lines.line_at(at)
    begin = at - document.lines.offset_of(first)
    raw = b"".join([document.raw(line) for line in range(first, _stop(document, first, edit.old))])
    return raw[begin : begin + len(edit.old)] == edit.old


def _stop(document: Document, first: int, text: bytes) -> int:
    """The line after the last that a text which begins on the first one touches."""
    return min(document.count, first + text.count(b"\n") + 1)


def _put_verbatim(document: Document, edit: TextEdit, at: int) -> None:
    first = document.lines.line_at(at)
    stop = _stop(document, first, edit.old)
    begin = at - document.lines.offset_of(first)
    raw = b"".join([document.raw(line) for line in range(first, stop)])
    new = raw[:begin] + edit.new + raw[begin + len(edit.old) :]
    document.rewrite(first, stop, parted_lines(new), verbatim=True)


def _put(document: Document, start: int, end: int, new: bytes) -> None:
    """Another text from one offset of the joined lines to another, in the file's own line ends."""
    lines = document.lines
    first, stop = lines.line_at(start), min(document.count, lines.line_at(end) + 1)
    begin, finish = lines.offset_of(first), lines.offset_of(stop)
    text = lines.joined[begin:start] + new + lines.joined[end:finish]
    if stop == document.count and not document.ended:
        text = text.removesuffix(b"\n")  # the one that only joins
    *whole, last = text.split(b"\n")
    new_lines = [NewLine(line, b"\n") for line in whole]
    document.rewrite(first, stop, [*new_lines, NewLine(last, b"")] if last else new_lines, verbatim=False)


def _put_everywhere(document: Document, old: bytes, new: bytes) -> None:
    joined = document.lines.joined
    first, end = joined.find(old, 1), joined.rfind(old, 1) + len(old)
    _put(document, first, end, joined[first:end].replace(old, new))
