"""What lies at a path of the workspace right now: the file with its bytes, something else, or nothing.

Nothing is concluded from a name alone. A file is opened through its directory's descriptor, and its
status, bytes and attributes are all read from that one open file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tui.edit.journal import Attributes
from tui.edit.plan import FileState, digest
from tui.workspace import Directories, open_in, read_open, split

# What an attempt to reach a path gives when a directory of it is gone, a file or a link now.
_OUT_OF_REACH = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_NOTHING_THERE = (*_OUT_OF_REACH, errno.ENAMETOOLONG)


class Identity(NamedTuple):
    """Whether a file is still the very one that was read, untouched. The kernel keeps the time of
    the last change itself; no program can set it back."""

    device: int
    inode: int
    mode: int
    owner: int
    group: int
    links: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> Identity:
        return cls(
            status.st_dev,
            status.st_ino,
            status.st_mode,
            status.st_uid,
            status.st_gid,
            status.st_nlink,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )

    def same_but_moved(self, other: Identity) -> bool:
        """To move a file counts as a change of it, but of nothing else."""
        return self[:-1] == other[:-1]


class Found(NamedTuple):
    """What is at a path. Only a regular file has a state and data."""

    identity: Identity
    state: FileState | None = None
    data: bytes = b""
    attributes: Attributes | None = None

    @property
    def described(self) -> str:
        return description(self.identity.mode)


def description(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "a file"
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    return "a directory" if stat.S_ISDIR(mode) else "not a regular file"


def out_of_reach(error: OSError) -> bool:
    """Whether the error says that there is no such path, or none that may be followed."""
    return error.errno in _OUT_OF_REACH


@contextmanager
def if_reachable() -> Iterator[None]:
    """For what may be left out where the path is gone."""
    try:
        yield
    except OSError as error:
        if not out_of_reach(error):
            raise


def read_xattrs(fd: int) -> tuple[tuple[str, bytes], ...]:
    if not hasattr(os, "listxattr"):
        return ()
    try:
        return tuple((name, os.getxattr(fd, name)) for name in os.listxattr(fd))
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return ()
        raise


def look(directory: int, name: str, *, attributes: bool = False) -> Found | None:
    """What the directory holds under that name. Only a regular file is opened."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            return Found(Identity.of(status))
        fd = open_in(directory, name, os.O_RDONLY)
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return Found(Identity.of(status))
        data = read_open(fd, status.st_size, name)
        state = FileState(digest(data), len(data), status.st_mode & 0o7777)
        own = Attributes(status.st_uid, status.st_gid, read_xattrs(fd)) if attributes else None
        return Found(Identity.of(status), state, data, own)
    finally:
        os.close(fd)


class Places(Directories):
    """Looks at path after path through descriptors."""

    def look(self, path: str, *, attributes: bool = False) -> Found | None:
        """What lies at the path, reached from the root without following a link."""
        directory, name = split(path)
        try:
            fd = self.fd(directory)
        except OSError as error:
            if out_of_reach(error):
                return None
            raise
        return look(fd, name, attributes=attributes)

    def identity(self, path: str) -> Identity | None:
        """As `look`, without opening it, and resolved from the root anew."""
        try:
            return Identity.of(self.workspace.lstat(path))
        except OSError as error:
            if out_of_reach(error):
                return None
            raise
