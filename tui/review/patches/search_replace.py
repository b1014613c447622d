"""aider's SEARCH/REPLACE blocks, with the path on a line before them, fenced in or not.

A block's lines are cut at the `=======` that is as wide as its `<<<<<<< SEARCH`. If there are two of them,
nobody can tell which one is text, and the block is refused.
"""

from __future__ import annotations

import os

import regex

from tui.review.patches.filepatch import FilePatch, Hunk, Kind, PatchError, compared, split_lines

_HEAD = regex.compile(rb"(<{5,9}) SEARCH>?\s*")
_FENCE = regex.compile(rb"\s*(?:`{3,}|~{3,})(.*)")
_END_OF_BLOCK = regex.compile(rb">{5,9} REPLACE")
_LINES_BACK = 4


def parse(patch: bytes) -> list[FilePatch]:
    return _Parser(split_lines(patch)).files()


class _Parser:
    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines

    def files(self) -> list[FilePatch]:
        found: list[FilePatch] = []
        path: bytes | None = None
        at = 0
        while at < len(self._lines):
            if head := _HEAD.fullmatch(self._lines[at]):
                path = self._path_before(at) or path
                if path is None:
                    raise PatchError(
                        f"patch line {at + 1}: no path stands before this block",
                        "put the file's path alone on the line before it, or before its fence",
                    )
                hunk, at = self._block(f"block {len(found) + 1}", at, len(head[1]))
                found.append(FilePatch(os.fsdecode(path), Kind.CHANGE, hunks=(hunk,)))
            at += 1
        return found

    def _block(self, name: str, head: int, width: int) -> tuple[Hunk, int]:
        """The block that begins on this line, and the line it ends on."""
        divider, end, other = b"=" * width, b">" * width + b" REPLACE", b"<" * width + b" SEARCH"
        middle = 0
        for at in range(head + 1, len(self._lines)):
            line = self._lines[at].rstrip()
            if line == end and middle:
                old, new = self._text(head + 1, middle), self._text(middle + 1, at)
                return Hunk(name, head + 1, compared(old if any(map(bytes.strip, old)) else [], new)), at
            if line == divider and middle:
                raise PatchError(
                    f"patch line {at + 1}: {name} has a second {divider.decode()}: which ends the old text?",
                    f"write this block with wider markers, such as {'<' * 9} SEARCH and {'=' * 9}",
                )
            if line == divider:
                middle = at
            if line == end or line.removesuffix(b">") == other:
                break
        missing = end if middle else divider
        raise PatchError(f"patch line {head + 1}: {name} has no line {missing.decode()}", "was it cut off?")

    def _text(self, start: int, stop: int) -> list[bytes]:
        return [line + b"\n" for line in self._lines[start:stop]]

    def _path_before(self, head: int) -> bytes | None:
        """The path on the nearest line before that is no fence, or on a fence. Beyond an empty line, only
        what can be nothing else: should the block mean that file, it must not go to the one before."""
        apart = False
        for line in self._lines[max(0, head - _LINES_BACK) : head][::-1]:
            fence = _FENCE.fullmatch(line)
            if fence is None and line.strip():
                path = _path_on(line)
                return path if path is None or not apart or _is_surely_a_path(path) else None
            apart |= fence is None
            words = fence[1].split() if fence else []
            if words and (b"." in words[-1] or b"/" in words[-1]):
                return bytes(words[-1])
        return None


def _path_on(line: bytes) -> bytes | None:
    """The path that a line is, without what chat wraps around it; None for prose."""
    line = line.lstrip(b"# \t").rstrip(b": \t\r")
    name = line.strip(b"*").rstrip(b":").strip(b"`")
    is_prose = name == line and b" " in name and not name.rpartition(b".")[2].isalnum()
    is_ornament = not name.strip(b".-=<>* ") or _END_OF_BLOCK.fullmatch(name)
    return None if is_prose or is_ornament else name


def _is_surely_a_path(name: bytes) -> bool:
    return b" " not in name and (b"/" in name or b"." in name[:-1])
