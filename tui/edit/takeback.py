"""What happens to one file of a batch, backward: the old file returns to its place.

This must work from the journal alone, in a process that starts after a crash at any instant, and
again after a crash in the middle of itself. So nothing is remembered: what lies at the path and
under the temporary name tells how far the step had come. A file that holds neither the old bytes
nor the new ones belongs to someone who changed it since; it is left alone, and named.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tui.edit.journal import Attributes, BatchFile
from tui.edit.moves import exchange, make_durable, move, remove
from tui.edit.places import Found, Places, look, out_of_reach
from tui.edit.plan import FileState
from tui.edit.staging import stage
from tui.edit.steps import exchange_back
from tui.workspace import join, split

# The journal's old bytes and attributes of a file, for when its old inode is no longer there:
# `git clean` removes temporary files, and not every system can exchange two names.
Originals = Callable[[BatchFile], tuple[bytes, Attributes | None]]

CHANGED_SINCE = "changed since; left as it is"
_OTHERS = "another program changed it at the same moment; its version was kept"


def is_done(places: Places, file: BatchFile) -> bool:
    """Whether the step was made, whole, and nothing of anybody else's is under the temporary name."""
    target = places.look(file.target)
    if file.after is None:
        if target is not None:
            return False
    elif target is None or target.state != file.after:
        return False
    if file.new_path is not None and places.look(file.path) is not None:
        return False
    aside = places.look(join(split(file.path)[0], file.aside))
    return aside is None or (file.before is not None and aside.state == file.before)


def take_back(places: Places, file: BatchFile, originals: Originals) -> str | None:
    """Bring the file back to what it was before the batch; or the reason why it was left alone."""
    try:
        if file.kind == "replace":
            return _take_back_replacement(places, file, originals)
        if file.kind == "move":
            return _take_back_move(places, file)
        left = None if file.before is None else _take_back_removal(places, file, originals)
        if file.after is not None:
            left = _take_back_creation(places, file) or left
        return left
    except OSError as error:
        if not out_of_reach(error):
            raise
        return None if file.before is None else "its directory is gone; left as it is"


def _take_back_replacement(places: Places, file: BatchFile, originals: Originals) -> str | None:
    directory, name = split(file.path)
    fd = places.fd(directory)
    remove(fd, _partial(file))
    here, aside = look(fd, name), look(fd, file.temporary)
    if here is not None and here.state == file.before:
        return _discard(fd, file.temporary, aside, file)
    if here is None or here.state != file.after or (aside is not None and aside.state == file.after):
        return _discard(fd, file.temporary, aside, file) or CHANGED_SINCE
    if aside is None:
        _restore(places, directory, file.temporary, file, originals)
    if not _exchange_for_old(fd, name, file):
        return CHANGED_SINCE
    return None if aside is None or aside.state == file.before else _OTHERS


def _exchange_for_old(fd: int, name: str, file: BatchFile) -> bool:
    """The new file gives way to what waits under the temporary name; False if it was changed meanwhile."""
    waiting = os.stat(file.temporary, dir_fd=fd, follow_symlinks=False).st_ino
    if not exchange(fd, name, file.temporary):
        os.rename(file.temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
        return True
    came = look(fd, file.temporary)
    if came is not None and came.state != file.after:
        exchange_back(fd, name, file.temporary, waiting)
    remove(fd, file.temporary)
    return came is None or came.state == file.after


def _take_back_removal(places: Places, file: BatchFile, originals: Originals) -> str | None:
    directory, name = split(file.path)
    fd = places.fd(directory)
    remove(fd, _partial(file))
    here, aside = look(fd, name), look(fd, file.aside)
    if here is not None:
        left = _discard(fd, file.aside, aside, file)
        return left if here.state == file.before else left or CHANGED_SINCE
    if aside is None:
        _restore(places, directory, file.aside, file, originals)
    try:
        move(fd, file.aside, fd, name)
    except FileExistsError:  # it appeared after the look: look again
        return _take_back_removal(places, file, originals)
    return None if aside is None or aside.state == file.before else _OTHERS


def _take_back_creation(places: Places, file: BatchFile) -> str | None:
    directory, name = split(file.target)
    fd = places.fd(directory)
    here, staged = look(fd, name), look(fd, file.temporary)
    if here is None and staged is not None and staged.state != file.after:
        move(fd, file.temporary, fd, name)  # a crash came between setting theirs aside and a look at it
        return CHANGED_SINCE
    if here is None or (staged is not None and staged.identity.inode != here.identity.inode):
        return _discard(fd, file.temporary, staged, file)
    remove(fd, file.temporary)  # at most a second link of the same file
    if here.state != file.after:
        return CHANGED_SINCE
    move(fd, name, fd, file.temporary)
    came = look(fd, file.temporary)
    if came is not None and came.state != file.after:
        move(fd, file.temporary, fd, name)
        return CHANGED_SINCE
    remove(fd, file.temporary)
    return None


def _take_back_move(places: Places, file: BatchFile) -> str | None:
    (directory, name), (new_directory, new_name) = split(file.path), split(file.target)
    source, target = places.pair(directory, new_directory)
    here, there = look(source, name), look(target, new_name)
    if here is None and there is not None and there.state == file.after:
        move(target, new_name, source, name)
        return None
    if here is None or here.state != file.before:
        return CHANGED_SINCE
    if there is not None and there.identity[:2] == here.identity[:2]:  # both names, for an instant
        remove(target, new_name)
    return None


def _restore(places: Places, directory: str, name: str, file: BatchFile, originals: Originals) -> None:
    """Write the old file anew from the journal. It gets its temporary name only when complete and
    durable, because whatever has that name is taken for a whole file."""
    data, attributes = originals(file)
    fd = places.fd(directory)
    stage(fd, _partial(file), data, file.before or FileState.of(data, 0o644), attributes)
    make_durable(places, [directory], [join(directory, _partial(file))])
    move(fd, _partial(file), fd, name)


def _partial(file: BatchFile) -> str:
    return f"{file.temporary}-restored"


def _discard(fd: int, name: str, found: Found | None, file: BatchFile) -> str | None:
    """Remove our temporary file. Bytes that are not ours are nobody's to throw away."""
    if found is None:
        return None
    if found.state is None or found.state not in (file.before, file.after):
        return f"another program's version of it was kept as {name}"
    remove(fd, name)
    return None
