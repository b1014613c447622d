"""Changes on disk, told by the kernel: inotify on Linux. Elsewhere, and where the kernel has no watches
left, nothing is told, and the session compares with the disk when a query comes.

Exactly the directories that the walk entered are watched, each through its own descriptor, so no link
is followed and nothing outside the workspace is looked at.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from tui.workspace import Workspace, join

_MODIFY, _ATTRIBUTES, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x4000, 0x8000
_ONLY_DIRECTORY, _IS_DIRECTORY = 0x1000000, 0x40000000
_WATCHED = (
    _MODIFY
    | _ATTRIBUTES
    | _CLOSE_WRITE
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATE
    | _DELETE
    | _DELETE_SELF
    | _MOVE_SELF
    | _ONLY_DIRECTORY
)
_HEADER = struct.Struct("iIII")
_GIT_EXCLUDES = ".git/info"


@dataclass(slots=True)
class Changes:
    """What has happened since the last look. `everything`: more than the kernel could remember."""

    files: set[str]
    directories: bool = False
    everything: bool = False


class Watch:
    """The watched directories. `fd` becomes readable when something changed; -1 without inotify."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._libc: ctypes.CDLL | None = None
        self._watched: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self.fd = -1
        self.complete = False
        if sys.platform.startswith("linux"):
            self._libc = ctypes.CDLL(None, use_errno=True)
            self.fd = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        self.complete = False

    def follow(self, directories: Iterable[str]) -> bool:
        """Watch these directories and no others. True if one of them was not watched before, so that
        something may have happened in it unseen."""
        if self._libc is None or self.fd < 0:
            return False
        wanted = {*directories, _GIT_EXCLUDES}
        for path in self._numbers.keys() - wanted:
            self._libc.inotify_rm_watch(self.fd, self._numbers.pop(path))
        new = wanted - self._numbers.keys()
        added = [self._add(self._libc, path) for path in sorted(new)]
        self.complete = not wanted - self._numbers.keys() - {_GIT_EXCLUDES}
        return any(added)

    def _add(self, libc: ctypes.CDLL, path: str) -> bool:
        try:
            directory = self._workspace.open_directory(path, to_list=False)
        except OSError:
            return False
        try:
            name = f"/proc/self/fd/{directory}".encode()
            number = libc.inotify_add_watch(self.fd, name, ctypes.c_uint32(_WATCHED))
        finally:
            os.close(directory)
        if number >= 0:
            self._numbers[path] = number
            self._watched[number] = path
        return bool(number >= 0 and path != _GIT_EXCLUDES)

    def changes(self) -> Changes:
        """Everything that has been told; does not wait."""
        found = Changes(set())
        while self.fd >= 0:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                break
            at = 0
            while at < len(data):
                number, mask, _, length = _HEADER.unpack_from(data, at)
                at += _HEADER.size
                name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
                at += length
                self._note(found, number, mask, name)
        return found

    def _note(self, found: Changes, number: int, mask: int, name: str) -> None:
        directory = self._watched.get(number)
        if mask & _OVERFLOW:
            found.everything = True
        elif mask & _IGNORED:
            gone = self._watched.pop(number, None)
            if gone is not None and self._numbers.get(gone) == number:
                del self._numbers[gone]
        elif mask & (_DELETE_SELF | _MOVE_SELF):
            found.directories = True
            if directory is not None and mask & _MOVE_SELF:  # its old name may come to mean another one
                self._numbers.pop(directory, None)
        elif mask & _IS_DIRECTORY:
            found.directories = True
        elif directory is not None:
            found.files.add(join(directory, name))
