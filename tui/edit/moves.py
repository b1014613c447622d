"""Changes of names that overwrite nothing, whatever appears meanwhile, and their durability.

Linux exchanges two names in one step, and moves a file only to a name that is free. Where the
system or the filesystem knows neither (NFS, some FUSE, other systems) the nearest that there is
does the work; each function says what is lost then.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress

from tui.edit.places import if_reachable
from tui.workspace import Directories, open_in, split

_NOREPLACE = 1
_EXCHANGE = 2
_NOT_THERE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_NO_LINKS = (*_NOT_THERE, errno.EPERM, errno.EMLINK)

# Up to so many files and directories are synced one by one: a small change should not wait for all
# that other programs have yet to write to the same disk, which is what a sync of all would do.
_ONE_BY_ONE = 16


def _function(name: str, *arguments: object) -> Callable[..., int] | None:
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        return None
    function.argtypes = list(arguments)
    function.restype = ctypes.c_int

    def call(*values: object) -> int:
        while function(*values) != 0:
            code = ctypes.get_errno()
            if code != errno.EINTR:
                return code
        return 0

    return call


_renameat2 = _function(
    "renameat2", ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint
)
_syncfs = _function("syncfs", ctypes.c_int)


def exchange(directory: int, one: str, other: str) -> bool:
    """Let two names change places in one step. False, and nothing done, where that is not possible."""
    if _renameat2 is None:
        return False
    code = _renameat2(directory, os.fsencode(one), directory, os.fsencode(other), _EXCHANGE)
    if code in _NOT_THERE:
        return False
    if code:
        raise OSError(code, os.strerror(code), one)
    return True


def move(source: int, name: str, target: int, new_name: str) -> None:
    """Give a file another name, which must be free: FileExistsError otherwise.

    Without the system's help a second link is made and the first removed, so that both names are
    there for an instant. Without links either, something that appears at the new name within that
    instant would be lost.
    """
    code = errno.ENOSYS
    if _renameat2 is not None:
        code = _renameat2(source, os.fsencode(name), target, os.fsencode(new_name), _NOREPLACE)
    if code in _NOT_THERE:
        _move_by_link(source, name, target, new_name)
    elif code:
        raise OSError(code, os.strerror(code), new_name if code == errno.EEXIST else name)


def _move_by_link(source: int, name: str, target: int, new_name: str) -> None:
    try:
        os.link(name, new_name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        os.unlink(name, dir_fd=source)
        return
    with suppress(FileNotFoundError):
        os.stat(new_name, dir_fd=target, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new_name)
    os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)


def remove(directory: int, name: str) -> None:
    """Remove a file that may be gone already."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)


def make_durable(directories: Directories, changed: Iterable[str], files: Iterable[str] = ()) -> None:
    """The files, and the entries of the changed directories, outlive a power cut from here on.

    Many are synced as a group, one call per filesystem: ten thousand files do not cost ten
    thousand waits for the disk. A path that is gone has nothing to be kept.
    """
    changed, files = sorted(set(changed)), list(files)
    if len(changed) + len(files) > _ONE_BY_ONE and _sync_filesystems(directories, changed):
        return
    for path in files:
        directory, name = split(path)
        with if_reachable():
            fd = open_in(directories.fd(directory), name, os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
    for path in changed:
        with if_reachable():
            os.fsync(directories.fd(path))


def _sync_filesystems(directories: Directories, changed: Iterable[str]) -> bool:
    """False where the system cannot; then nothing is promised yet."""
    if _syncfs is None:
        return False
    synced = set()
    for path in changed:
        with if_reachable():
            fd = directories.fd(path)
            device = os.fstat(fd).st_dev
            if device in synced:
                continue
            code = _syncfs(fd)
            if code in _NOT_THERE:
                return False
            if code:
                raise OSError(code, os.strerror(code), path)
            synced.add(device)
    return True
