"""Temporary files: complete, with all that belongs to the file they will stand for.

A replacement keeps the permission bits, the owner, the group and every extended attribute (access
control lists among them) of the file it replaces. What cannot be kept is not lost silently: the
file is refused. The exceptions are labels that the system's own policy assigns to every new file
(`security.selinux`, `security.SMACK64`) where the policy forbids to set them, and the checksums
`security.ima` and `security.evm`, which the kernel computes from the contents.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from tui.edit.journal import Attributes
from tui.edit.places import read_xattrs
from tui.edit.plan import FileState
from tui.errors import RedlineError
from tui.text import visible
from tui.workspace import open_in

_FROM_CONTENTS = {"security.ima", "security.evm"}
_FROM_POLICY = {"security.selinux", "security.SMACK64"}


class RefusedError(RedlineError):
    """Files that Redline does not replace, being what they are; nothing was written."""

    code = "PERMISSION_DENIED"
    status = 3

    def __init__(self, paths: Sequence[tuple[str, str]]) -> None:
        """`paths`: each refused path and the reason."""
        self.paths = tuple(paths)
        told = "; ".join(f"{visible(path)}: {why}" for path, why in self.paths[:5])
        more = f"; and {len(self.paths) - 5:,} more" if len(self.paths) > 5 else ""
        super().__init__(
            f"nothing was written: {told}{more}", "leave these files out, or change what they are"
        )


class CannotKeepError(Exception):
    """Something of the old file that the new one cannot be given."""


def stage(directory: int, name: str, data: bytes, state: FileState, like: Attributes | None) -> int:
    """Write a temporary file that could take the place of one with these attributes; its inode.

    The order matters: to write takes the set-user-id bit and file capabilities away, and so does a
    change of owner. Until the end nobody else may read it.
    """
    fd = open_in(directory, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        _write(fd, data, name)
        if like is not None:
            _give_owner(fd, like)
            _give_xattrs(fd, like)
        os.fchmod(fd, state.mode)
        status = os.fstat(fd)
        if status.st_mode & 0o7777 != state.mode:
            raise CannotKeepError(f"its permission bits {state.mode:04o} cannot be kept")
        return status.st_ino
    finally:
        os.close(fd)


def _write(fd: int, data: bytes, name: str) -> None:
    rest = memoryview(data)
    while rest:
        written = os.write(fd, rest)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        rest = rest[written:]


def _give_owner(fd: int, like: Attributes) -> None:
    status = os.fstat(fd)
    if (status.st_uid, status.st_gid) == (like.uid, like.gid):
        return
    try:
        os.fchown(fd, like.uid, like.gid)
    except PermissionError:
        raise CannotKeepError(f"its owner {like.uid}:{like.gid} cannot be kept") from None


def _give_xattrs(fd: int, like: Attributes) -> None:
    own = dict(read_xattrs(fd))  # a directory's default access control list has come by itself
    for name, value in like.xattrs:
        if own.pop(name, None) == value or name in _FROM_CONTENTS:
            continue
        try:
            os.setxattr(fd, name, value)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.EACCES, errno.ENOTSUP) and name not in _FROM_POLICY:
                raise CannotKeepError(f"its extended attribute {visible(name)} cannot be kept") from error
            if name not in _FROM_POLICY:
                raise
    for name in own:
        if name not in _FROM_CONTENTS | _FROM_POLICY:
            os.removexattr(fd, name)
