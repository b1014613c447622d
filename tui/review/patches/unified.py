"""Unified diffs, git's and others, read from whatever text they stand in.

A hunk is exactly as long as its header says. So the signature of a mail, a fence or prose after it is no part
of it; and a hunk that is longer or shorter than it says is refused, for nobody can tell what was meant.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import regex

from tui.review.patches import names
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
from tui.review.patches.names import NOWHERE, Named
from tui.text import counted, visible

_HUNK = regex.compile(rb"@@ -(\d{1,12})(?:,(\d{1,12}))? \+(\d{1,12})(?:,(\d{1,12}))? @@")
_INDEX_MODE = regex.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+ (\d+)\s*")
_BINARY = (b"GIT binary patch", b"Binary files ")
_COMBINED = (b"diff --cc ", b"diff --combined ", b"@@@ ")

_SYMBOLIC_LINK, _SUBMODULE = 0o120000, 0o160000
_PLAIN_FILE, _PERMISSIONS = 0o100000, 0o777


def parse(patch: bytes) -> list[FilePatch]:
    return _Parser(split_lines(patch)).files()


@dataclass(slots=True)
class _Section:
    """What the lines before the hunks of one file say. `modes` are all it names, `mode` is the new one."""

    line: int
    header: names.Names | None = None
    created: bool = False
    deleted: bool = False
    copied: bool = False
    old_path: str | None = None
    new_path: str | None = None
    modes: list[bytes] = field(default_factory=list)
    mode: bytes | None = None
    sides: tuple[Named, Named] | None = None


class _Parser:
    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> list[FilePatch]:
        found: list[FilePatch] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(b"diff --git "):
                found.append(self._file(self._git_section()))
            elif self._are_sides():
                found.append(self._file(self._with_sides(_Section(self._at + 1))))
            elif line.startswith(_COMBINED):
                raise self._error(
                    "a combined diff, of a merge, cannot be taken", "give the diff against one parent"
                )
            elif line.startswith(_BINARY):
                raise self._error(f"{visible(os.fsdecode(line[:300]))}: only text can be patched")
            elif _HUNK.match(line):
                raise self._error(
                    "this hunk belongs to no file", "put `--- a/path` and `+++ b/path` before it"
                )
            else:
                self._at += 1
        return found

    def _error(self, message: str, hint: str = "") -> PatchError:
        return PatchError(f"patch line {self._at + 1}: {message}", hint)

    def _line(self, ahead: int = 0) -> bytes:
        """The line, or an empty one behind the last."""
        place = self._at + ahead
        return self._lines[place] if place < len(self._lines) else b""

    def _are_sides(self) -> bool:
        return (
            self._line().startswith(b"--- ")
            and self._line(1).startswith(b"+++ ")
            and self._line(2).startswith(b"@@")
        )

    def _git_section(self) -> _Section:
        header = names.of_git_header(self._line()[len(b"diff --git ") :], self._at + 1)
        section = _Section(self._at + 1, header)
        self._at += 1
        while self._extended(section, self._line().rstrip(b"\r")):
            self._at += 1
        return self._with_sides(section) if self._are_sides() else section

    def _extended(self, section: _Section, line: bytes) -> bool:
        """Takes in one of the lines that git has between the header and the hunks, if it is one."""
        number = self._at + 1
        if line.startswith((b"new file mode ", b"deleted file mode ", b"old mode ", b"new mode ")):
            word, _, mode = line.rpartition(b" ")
            section.modes.append(mode)
            section.created |= word == b"new file mode"
            section.deleted |= word == b"deleted file mode"
            if word.startswith(b"new"):
                section.mode = mode
        elif line.startswith((b"rename from ", b"copy from ")):
            section.old_path = os.fsdecode(names.plain(line.partition(b" from ")[2], number))
            section.copied = line.startswith(b"copy")
        elif line.startswith((b"rename to ", b"copy to ")):
            section.new_path = os.fsdecode(names.plain(line.partition(b" to ")[2], number))
        elif found := _INDEX_MODE.fullmatch(line):
            section.modes.append(found[1])
        else:
            return line.startswith((b"index ", b"similarity index ", b"dissimilarity index "))
        return True

    def _with_sides(self, section: _Section) -> _Section:
        old = names.side(self._line()[4:], self._at + 1)
        new = names.side(self._line(1)[4:], self._at + 2)
        section.sides = old, new
        header = _HUNK.match(self._line(2))
        section.created |= old.name == NOWHERE or (old.undated and header is not None and header[2] == b"0")
        section.deleted |= new.name == NOWHERE or (new.undated and header is not None and header[4] == b"0")
        self._check_sides(section, old.name, new.name)
        self._at += 2
        return section

    def _check_sides(self, section: _Section, old: bytes, new: bytes) -> None:
        """The `---` and `+++` lines have to mean the file that git's own lines name."""
        if section.header is None:
            return
        if section.old_path is not None and section.new_path is not None:
            agree = _means(old, section.old_path) and _means(new, section.new_path)
        else:
            header = section.header
            agree = header.path is None or (old in (header.old, NOWHERE) and new in (header.new, NOWHERE))
        if not agree:
            told = f"{visible(os.fsdecode(old))} and {visible(os.fsdecode(new))}"
            raise self._error(f"{told} are not the files that `diff --git` names above")

    def _file(self, section: _Section) -> FilePatch:
        path, kind, new_path = self._meant(section)
        for mode in section.modes:
            self._check_mode(section, path, mode)
        if self._line().startswith(_BINARY):
            raise self._error(f"{visible(new_path or path)}: a binary patch; only text can be patched")
        executable = None if section.mode is None else bool(int(section.mode, 8) & 0o100)
        hunks = tuple(self._hunks()) if section.sides else ()
        return FilePatch(path, kind, new_path, executable, hunks, emptied=kind is Kind.DELETE)

    def _meant(self, section: _Section) -> tuple[str, Kind, str | None]:
        if section.old_path is not None and section.new_path is not None:
            return section.old_path, Kind.COPY if section.copied else Kind.RENAME, section.new_path
        if section.header is not None and section.header.path is not None:
            path = section.header.path
        elif section.sides is not None:
            path = names.of_sides(*section.sides)
        else:
            raise PatchError(f"patch line {section.line}: the file's name cannot be made out")
        if section.created and section.deleted:
            raise PatchError(f"patch line {section.line}: {visible(path)} can not be both new and deleted")
        kind = Kind.CREATE if section.created else Kind.DELETE if section.deleted else Kind.CHANGE
        return path, kind, None

    def _check_mode(self, section: _Section, path: str, written: bytes) -> None:
        try:
            mode = int(written, 8)
        except ValueError:
            mode = 0
        if mode == _SYMBOLIC_LINK:
            why = "a symbolic link, which Redline neither makes nor changes"
        elif mode == _SUBMODULE:
            why = "a submodule, which Redline does not change"
        elif mode & ~_PERMISSIONS != _PLAIN_FILE:
            why = f"the mode {visible(os.fsdecode(written[:20]))} is not that of a plain file"
        else:
            return
        raise PatchError(
            f"patch line {section.line}: {visible(path)}: {why}", "leave this file out of the patch"
        )

    def _hunks(self) -> list[Hunk]:
        hunks: list[Hunk] = []
        while self._line().startswith(b"@@"):
            hunks.append(self._hunk(f"hunk {len(hunks) + 1}"))
            blank = 0
            while self._at + blank < len(self._lines) and not self._line(blank).strip():
                blank += 1
            if _HUNK.match(self._line(blank)):
                self._at += blank
        return hunks

    def _hunk(self, name: str) -> Hunk:
        header = _HUNK.match(self._line())
        if header is None:
            shown = visible(os.fsdecode(self._line()[:60]))
            raise self._error(f"{shown} is no hunk header", "one looks like this: @@ -12,3 +12,4 @@")
        first = self._at + 1
        start, old, new = int(header[1]), int(header[2] or 1), int(header[4] or 1)
        self._at += 1
        lines = self._body(name, old, new)
        return Hunk(name, first, tuple(lines), at=max(0, start - 1) if old else start)

    def _body(self, name: str, old: int, new: int) -> list[Line]:
        """So many old and new lines, and the remarks that one of them has no line end."""
        promised = f"{name} is to have {counted(old, 'old line')} and {counted(new, 'new line')}"
        lines: list[Line] = []
        last: set[bytes] = set()  # the sides that have had their last line
        while self._at < len(self._lines):
            line = self._line()
            sign = line[:1] if line.strip(b"\r") else KEPT
            if sign == b"\\":
                self._end_without_newline(lines, last)
            elif not old and not new:
                break
            elif (
                sign not in (KEPT, REMOVED, ADDED)
                or (sign != ADDED and not old)
                or (sign != REMOVED and not new)
            ):
                raise self._error(f"{promised}, and has others")
            elif sign in last or (last and sign == KEPT):
                raise self._error(f"in {name} there are lines after the one that ends the file")
            else:
                lines.append(Line(sign, line[1:] + b"\n" if line[:1] == sign else line + b"\n"))
                old -= sign != ADDED
                new -= sign != REMOVED
            self._at += 1
        if old or new:
            raise self._error(f"{promised}, and ends before that")
        if self._goes_on():
            raise self._error(f"{promised}, and has more", "the numbers in its header have to be right")
        return lines

    def _end_without_newline(self, lines: list[Line], last: set[bytes]) -> None:
        if not lines or not lines[-1].raw.endswith(b"\n"):
            raise self._error("a remark about a line end follows no line")
        sign, raw = lines[-1]
        lines[-1] = Line(sign, raw[:-1])
        last |= {KEPT, REMOVED, ADDED} if sign == KEPT else {sign}

    def _goes_on(self) -> bool:
        """Whether the line after a hunk looks like one more of it."""
        line = self._line()
        if line.startswith(b"-"):
            return line.rstrip() not in (b"--", b"---") and not self._are_sides()
        return bool(line.strip()) and line.startswith((KEPT, ADDED))


def _means(name: bytes, path: str) -> bool:
    """Whether a name on a `---` or `+++` line is this path, as it stands or with a prefix."""
    full = os.fsencode(path)
    return name in (full, NOWHERE) or name.partition(b"/")[2] == full
