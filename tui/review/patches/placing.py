"""Where in a file each hunk goes, and the hunks put there.

A hunk goes to the line it states if its old lines stand there; else to the one place where they do. If they
stand nowhere or at several places it is refused: a patch is never put where it merely fits best. Old lines
match by what they say. If their line ends are the file's too, the new lines are taken byte for byte;
otherwise they get the file's own line ends, and the file ends as it did, with or without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from tui.review.patches.document import Document, Way, parted
from tui.review.patches.filepatch import ADDED, KEPT, REMOVED, Hunk, Line, PatchError
from tui.review.patches.nearest import nearest
from tui.text import counted, visible

_MARK = b"\xef\xbb\xbf"
_LINES_TOLD = 5
_LINES_DROPPED = 2
_BLANKS: tuple[tuple[Way, str], ...] = (
    (bytes.rstrip, "blanks at the ends of lines"),
    (bytes.strip, "whitespace"),
)

WOULD_LOOK = (
    "`redline review --fuzz` would look for it with whitespace ignored and with fewer lines around it"
)


class Placed(NamedTuple):
    """A hunk and the line it goes to. `verbatim` if its line ends are the file's; None without old lines."""

    line: int
    hunk: Hunk
    verbatim: bool | None


def put_hunks(document: Document, hunks: Iterable[Hunk], *, fuzz: bool) -> list[str]:
    """Make the hunks' changes, in the order of the file. What a person should know of it comes back.
    PatchError if a hunk has no place, or more than one."""
    placing = _Placing(document, fuzz)
    placed = [placing.place(hunk) for hunk in hunks]
    told = [each.verbatim for each in placed if each.verbatim is not None]
    for line, hunk, verbatim in sorted(placed, key=lambda each: each.line)[::-1]:
        _put(document, line, hunk, verbatim=bool(told) and all(told) if verbatim is None else verbatim)
    return placing.notes


class _Placing:
    """Hunk after hunk, each after the one before."""

    def __init__(self, document: Document, fuzz: bool) -> None:
        self.notes: list[str] = []
        self._document = document
        self._fuzz = fuzz
        self._floor = 0  # the line after the last hunk
        self._drift = 0  # how much further down than stated the last one was

    def place(self, hunk: Hunk) -> Placed:
        hunk, at_top = self._without_mark(hunk)
        if not hunk.old:
            return self._inserted(hunk)
        if at_top:
            line = 0 if not self._floor and self._document.lines.stand_at(_texts(hunk), 0) else None
        else:
            hunk, line = self._anywhere(hunk)
        if line is None:
            raise self._absent(hunk)
        if hunk.at is not None:
            self._drift = line - hunk.at
            if self._drift:
                way = "down" if self._drift > 0 else "up"
                self._note(f"{hunk.name} was found {counted(abs(self._drift), 'line')} further {way}")
        self._floor = line + len(hunk.old)
        return Placed(line, hunk, self._is_verbatim(hunk, line))

    def _anywhere(self, hunk: Hunk) -> tuple[Hunk, int | None]:
        """The hunk as it could be placed, and the line; None if it has no place."""
        start, old = self._after_headings(hunk), _texts(hunk)
        line = self._stated(hunk, old)
        line = self._found(hunk, old, start) if line is None else line
        return self._loosely(hunk, start) if line is None and self._fuzz else (hunk, line)

    def _note(self, note: str) -> None:
        self.notes.append(f"{visible(self._document.path)}: {note}")

    def _error(self, message: str, hint: str = "") -> PatchError:
        return PatchError(f"{visible(self._document.path)}: {message}", hint)

    def _is_verbatim(self, hunk: Hunk, line: int) -> bool:
        return all(raw == self._document.raw(place) for place, raw in enumerate(hunk.old, line))

    def _stated(self, hunk: Hunk, old: list[bytes]) -> int | None:
        line = hunk.at
        if line is None or line < self._floor or not self._document.lines.stand_at(old, line):
            return None
        return line if self._fits(hunk, line) else None

    def _fits(self, hunk: Hunk, line: int) -> bool:
        """A hunk that is to end the file, or whose last old line has no line end, has to be at its end."""
        at_end = line + len(hunk.old) == self._document.count
        return at_end or not (hunk.at_end or not hunk.old[-1].endswith(b"\n"))

    def _found(self, hunk: Hunk, old: list[bytes], start: int, way: Way | None = None) -> int | None:
        """The one place from `start` on where these lines stand."""
        lines = self._document.lines if way is None else self._document.view(way)
        places = (line for line in lines.places(old, start) if self._fits(hunk, line))
        if hunk.headings:
            return self._first(hunk, places)
        several: list[int] = []
        exact: list[int] = []
        for line in places:
            several.append(line)
            if self._is_verbatim(hunk, line):
                exact.append(line)
            if len(exact) > _LINES_TOLD:
                break
        best = exact or several
        if len(best) > 1:
            raise self._error(
                f"the old text of {hunk.told} is there more than once: {listed(best)}",
                "give more of the lines around it",
            )
        return best[0] if best else None

    def _first(self, hunk: Hunk, places: Iterator[int]) -> int | None:
        """After a heading the first place counts, for that is what headings are for."""
        found = list(islice(places, 2))
        if len(found) > 1:
            self._note(
                f"{hunk.name} was put at line {found[0] + 1}; its old text is at line {found[1] + 1} too"
            )
        return found[0] if found else None

    def _after_headings(self, hunk: Hunk) -> int:
        line = self._floor
        for heading in hunk.headings:
            found = next(self._document.lines.places([heading], line), None)
            for way, told in _BLANKS if self._fuzz and found is None else ():
                found = next(self._document.view(way).places([way(heading)], line), None)
                if found is not None:
                    self._note(f"the heading of {hunk.name} was found by ignoring {told}: look closely")
                    break
            if found is None:
                shown = visible(heading[:60].decode("utf-8", "surrogateescape"))
                near = self._near([heading], line)
                raise self._error(
                    f"the line @@ {shown} of {hunk.told} is not in the file{near}", self._hint()
                )
            line = found + 1
        return line

    def _loosely(self, hunk: Hunk, start: int) -> tuple[Hunk, int | None]:
        for way, told in _BLANKS:
            line = self._found(hunk, [way(text) for text in _texts(hunk)], start, way)
            if line is not None:
                self._note(f"{hunk.name} was placed by ignoring {told}: look closely")
                return hunk, line
        front, back = (min(kept, _LINES_DROPPED) for kept in hunk.context)
        drops = [(a, b) for a in range(front + 1) for b in range(back + 1) if a + b]
        for a, b in sorted(drops, key=sum):
            fewer = hunk.trimmed(a, b)
            line = self._found(fewer, _texts(fewer), start) if fewer.old else None
            if line is not None:
                self._note(f"{hunk.name} was placed without {a + b} of the lines around it: look closely")
                return fewer, line
        return hunk, None

    def _inserted(self, hunk: Hunk) -> Placed:
        """A hunk without old lines has only what it states, or the end of the file."""
        count = self._document.count
        if hunk.at is not None:
            line = hunk.at + self._drift
            if not self._floor <= line <= count:
                raise self._error(
                    f"{hunk.told} adds lines after line {hunk.at}, where it has no place",
                    f"the file has {counted(count, 'line')}; hunks have to be in order",
                )
            if self._drift:
                self._note(
                    f"{hunk.name} was placed without its surrounding lines, as far off as the one before"
                )
            self._floor = line
            return Placed(line, hunk, None)
        if hunk.at_end:
            if hunk.headings:
                self._note(f"{hunk.name} has no old lines: it was put at the end of the file, as Codex does")
            return Placed(count, hunk, None)
        if count:
            raise self._error(
                f"{hunk.told} has no old text, but the file is not empty", "say which lines it replaces"
            )
        return Placed(0, hunk, None)

    def _without_mark(self, hunk: Hunk) -> tuple[Hunk, bool]:
        """A patch of bytes has the byte order mark in its first line; here it is part of none. With it comes
        whether the hunk had the mark, and so can only stand at the top."""
        old, new = hunk.old, hunk.new
        if not self._document.marked or not old or not old[0].startswith(_MARK):
            return hunk, False
        if not new or not new[0].startswith(_MARK):
            self._document.marked = False
        return replace(hunk, lines=tuple(_unmarked(hunk.lines))), True

    def _absent(self, hunk: Hunk) -> PatchError:
        old, lines = _texts(hunk), self._document.lines
        what = f"the old text of {hunk.told} is"
        before = [line for line in islice(lines.places(old), _LINES_TOLD) if line < self._floor]
        if before:
            return self._error(
                f"{what} only before the hunk above it: {listed(before)}", "put the hunks in order"
            )
        new = [parted(raw).text for raw in hunk.new]
        there = next(lines.places(new, self._floor), None) if new and new != old else None
        if there is not None:
            return self._error(
                f"{what} not in the file; its new text is, at line {there + 1}", "was it applied before?"
            )
        if next(lines.places(old, self._floor), None) is not None:
            return self._error(f"{what} in the file, but not at its end", "was the file changed since?")
        return self._error(f"{what} not in the file{self._near(old, hunk.at or self._floor)}", self._hint())

    def _near(self, old: Sequence[bytes], hint: int) -> str:
        line = nearest(self._document.lines.texts, old, hint)
        return "" if line is None else f"; nearest like it is line {line + 1}"

    def _hint(self) -> str:
        return "make the patch anew from the file as it is" if self._fuzz else WOULD_LOOK


def _put(document: Document, line: int, hunk: Hunk, *, verbatim: bool) -> None:
    old, new = hunk.old, hunk.new
    reaches_end = line + len(old) == document.count
    ended = document.ended
    if new and (not document.count or _is_ended(old) != _is_ended(new)):
        ended = _is_ended(new)
    for start, stop, added in reversed(list(hunk.runs())):
        document.rewrite(line + start, line + stop, [parted(raw) for raw in added], verbatim=verbatim)
    if reaches_end and not verbatim:
        document.end(ended)


def _is_ended(lines: Sequence[bytes]) -> bool:
    return not lines or lines[-1].endswith(b"\n")


def _unmarked(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines without the mark that the first old and the first new line begin with. One that only the old
    text begins with carries its mark into the text."""
    first_old = first_new = True
    for sign, raw in lines:
        bare = raw.removeprefix(_MARK)
        if sign == ADDED:
            yield Line(sign, bare if first_new else raw)
        elif sign == KEPT and first_old and not first_new:
            yield from (Line(REMOVED, bare), Line(ADDED, raw))
        else:
            yield Line(sign, bare if first_old else raw)
        first_old, first_new = first_old and sign == ADDED, first_new and sign == REMOVED


def _texts(hunk: Hunk) -> list[bytes]:
    return [parted(raw).text for raw in hunk.old]


def listed(lines: Sequence[int]) -> str:
    """Lines, counted from 0 here, as people count and read them."""
    told = [str(line + 1) for line in lines[:_LINES_TOLD]]
    if len(lines) > _LINES_TOLD:
        told.append("more")
    return f"line {told[0]}" if len(told) == 1 else f"lines {', '.join(told[:-1])} and {told[-1]}"
