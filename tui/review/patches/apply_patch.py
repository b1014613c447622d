"""Codex's apply_patch: sections between `*** Begin Patch` and `*** End Patch`, whatever is around them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tui.review.patches.filepatch import (
    ADDED,
    KEPT,
    REMOVED,
    FilePatch,
    Hunk,
    Kind,
    Line,
    PatchError,
    split_lines,
)
from tui.text import visible

_BEGIN, _END = b"*** Begin Patch", b"*** End Patch"
_ADD, _DELETE, _UPDATE = b"*** Add File: ", b"*** Delete File: ", b"*** Update File: "
_MOVE, _END_OF_FILE = b"*** Move to: ", b"*** End of File"
_ENVIRONMENT = b"*** Environment ID:"
_SECTIONS = "a section begins with `*** Add File: path`, `*** Delete File: path` or `*** Update File: path`"


def parse(patch: bytes) -> list[FilePatch]:
    return list(_Parser(split_lines(patch)).files())


class _Parser:
    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            if self._line().strip() == _BEGIN:
                yield from self._sections()
            self._at += 1

    def _line(self) -> bytes:
        if self._at >= len(self._lines):
            raise PatchError(f"the patch has no line {_END.decode()}: was it cut off?", "give it whole")
        return self._lines[self._at]

    def _error(self, message: str, hint: str = "") -> PatchError:
        return PatchError(f"patch line {self._at + 1}: {message}", hint)

    def _sections(self) -> Iterator[FilePatch]:
        self._at += 1
        while (line := self._line().strip()) != _END:
            self._at += 1
            if line.startswith(_ADD):
                yield self._added(_path(line, _ADD))
            elif line.startswith(_DELETE):
                yield FilePatch(_path(line, _DELETE), Kind.DELETE)
            elif line.startswith(_UPDATE):
                yield self._updated(_path(line, _UPDATE))
            elif line and not line.startswith(_ENVIRONMENT):
                self._at -= 1
                raise self._error(f"{visible(os.fsdecode(line[:60]))} begins no section", _SECTIONS)

    def _added(self, path: str) -> FilePatch:
        first = self._at + 1
        lines: list[Line] = []
        while self._line().startswith(b"+"):
            lines.append(Line(ADDED, self._line()[1:] + b"\n"))
            self._at += 1
        return FilePatch(path, Kind.WRITE, hunks=(Hunk("its text", first, tuple(lines)),))

    def _updated(self, path: str) -> FilePatch:
        new_path = None
        line = self._line().rstrip()
        if line.startswith(_MOVE):
            new_path = _path(line, _MOVE)
            self._at += 1
        hunks: list[Hunk] = []
        while not self._ends_section():
            if self._line().strip():
                hunks.append(self._hunk(f"hunk {len(hunks) + 1}"))
            else:
                self._at += 1
        if not hunks and new_path is None:
            raise self._error(f"the section of {visible(path)} changes nothing")
        return FilePatch(path, Kind.CHANGE if new_path is None else Kind.RENAME, new_path, hunks=tuple(hunks))

    def _ends_section(self) -> bool:
        line = self._line().rstrip()
        return line == _END or line.startswith((_ADD, _DELETE, _UPDATE))

    def _hunk(self, name: str) -> Hunk:
        first = self._at + 1
        headings: list[bytes] = []
        while (line := self._line().rstrip()) == b"@@" or line.startswith(b"@@ "):
            headings += [line[3:]] if line[3:] else []
            self._at += 1
        lines = self._body()
        if not lines:
            raise self._error(f"{name} has no lines", "its lines begin with a blank, with - or with +")
        at_end = self._line().rstrip() == _END_OF_FILE
        self._at += at_end
        nothing_old = all(sign == ADDED for sign, _ in lines)
        return Hunk(name, first, tuple(lines), headings=tuple(headings), at_end=at_end or nothing_old)

    def _body(self) -> list[Line]:
        """Lines up to the next heading or section. An empty line is an unchanged one; at the end of a hunk it
        only sets the next one apart."""
        lines: list[Line] = []
        empty = 0
        while not self._ends_section():
            line = self._line()
            if line.startswith(b"@@") or line.rstrip() == _END_OF_FILE:
                break
            sign = line[:1]
            if not line.strip(b"\r"):
                empty += 1
            elif sign in (KEPT, REMOVED, ADDED):
                lines += [Line(KEPT, b"\n")] * empty
                lines.append(Line(sign, line[1:] + b"\n"))
                empty = 0
            else:
                shown = visible(os.fsdecode(line[:60]))
                raise self._error(f"{shown} begins neither with a blank nor with - or +")
            self._at += 1
        return lines


def _path(line: bytes, marker: bytes) -> str:
    return os.fsdecode(line[len(marker) :].strip())
