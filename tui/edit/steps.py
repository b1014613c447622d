"""What happens to one file of a batch, forward: the staged file takes its place.

The old file is not overwritten but changes places with the new one (`exchange`), and only then is
looked at: what came out is held to what was verified. So nothing can slip in between a last check
and the rename; whatever did is put back, and the batch with it. How a step is taken back later,
also by another process, is the subject of `takeback`.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from tui.edit.journal import BatchFile
from tui.edit.moves import exchange, move
from tui.edit.places import Identity, Places, look
from tui.edit.plan import FileState, StaleError
from tui.edit.staging import RefusedError
from tui.workspace import split

_MEANWHILE = "changed while the batch was being applied"


def put_in_place(places: Places, file: BatchFile, old: Identity | None, new: int | None) -> None:
    """Make one change. `old` is the file that was verified, `new` the inode that was staged.

    StaleError means that this file is as it was found; the files before it are the caller's.
    """
    if file.kind == "replace":
        _replace(places, file, old, new)
    elif file.kind == "move":
        _move(places, file, old)
    else:
        if file.after is not None:
            _create(places, file)
        if file.before is not None:
            _set_aside(places, file, old)


def _replace(places: Places, file: BatchFile, old: Identity | None, new: int | None) -> None:
    directory, name = split(file.path)
    fd = places.fd(directory)
    _expect(fd, name, file.path, old)
    if exchange(fd, name, file.temporary):
        if _came_out(fd, file.temporary, file.before, old) and _is_at(places, directory, fd):
            return
        exchange_back(fd, name, file.temporary, new)
    elif _is_at(places, directory, fd) and _came_out(fd, name, file.before, old):
        os.rename(file.temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
        return
    raise StaleError([(file.path, _MEANWHILE)])


def _create(places: Places, file: BatchFile) -> None:
    directory, name = split(file.target)
    fd = places.fd(directory)
    try:
        move(fd, file.temporary, fd, name)
    except FileExistsError:
        raise StaleError([(file.target, "something is there already")]) from None
    if not _is_at(places, directory, fd):
        move(fd, name, fd, file.temporary)
        raise StaleError([(file.target, _MEANWHILE)])


def _set_aside(places: Places, file: BatchFile, old: Identity | None) -> None:
    directory, name = split(file.path)
    fd = places.fd(directory)
    _expect(fd, name, file.path, old)
    move(fd, name, fd, file.aside)
    if _came_out(fd, file.aside, file.before, old) and _is_at(places, directory, fd):
        return
    with suppress(FileExistsError):  # then both versions stay, and taking the batch back tells of it
        move(fd, file.aside, fd, name)
    raise StaleError([(file.path, _MEANWHILE)])


def _move(places: Places, file: BatchFile, old: Identity | None) -> None:
    (directory, name), (new_directory, new_name) = split(file.path), split(file.target)
    source, target = places.pair(directory, new_directory)
    _expect(source, name, file.path, old)
    try:
        move(source, name, target, new_name)
    except FileExistsError:
        raise StaleError([(file.target, "something is there already")]) from None
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        raise RefusedError(
            [(file.path, f"cannot be moved to another filesystem, at {new_directory}")]
        ) from None
    there = _is_at(places, directory, source) and _is_at(places, new_directory, target)
    if there and _came_out(target, new_name, file.before, old):
        return
    with suppress(FileExistsError):
        move(target, new_name, source, name)
    raise StaleError([(file.path, _MEANWHILE)])


def _expect(directory: int, name: str, path: str, old: Identity | None) -> None:
    """The last look before the step; where names can be exchanged, not the one that counts."""
    if Identity.of(os.stat(name, dir_fd=directory, follow_symlinks=False)) != old:
        raise StaleError([(path, _MEANWHILE)])


def _came_out(directory: int, name: str, state: FileState | None, old: Identity | None) -> bool:
    """Whether the file that now has this name is the one that was verified, byte for byte."""
    found = look(directory, name)
    if found is None or old is None:
        return False
    return found.state == state and old.same_but_moved(found.identity)


def _is_at(places: Places, path: str, fd: int) -> bool:
    """Whether the path, from the root, still means the directory in which we work."""
    here, there = os.fstat(fd), places.identity(path)
    return there is not None and (there.device, there.inode) == (here.st_dev, here.st_ino)


def exchange_back(directory: int, name: str, temporary: str, ours: int | None) -> None:
    """Give back to `name` what `temporary` holds, so that only our own file remains there.

    If another program replaces the file in these very moments, what comes out in turn is not ours:
    then its newest version is what the name is given.
    """
    expendable = ours
    while True:
        offered = os.stat(temporary, dir_fd=directory, follow_symlinks=False).st_ino
        try:
            exchange(directory, name, temporary)
        except FileNotFoundError:  # removed meanwhile: better to bring it back than to lose it
            move(directory, temporary, directory, name)
            return
        if os.stat(temporary, dir_fd=directory, follow_symlinks=False).st_ino == expendable:
            return
        expendable = offered
