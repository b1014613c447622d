"""Is every file still what the plan was made from, and one that Redline may replace?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.edit.failures import naming
from tui.edit.journal import LARGEST_ORIGINAL
from tui.edit.places import Found, Places, out_of_reach
from tui.edit.plan import FileEdit, StaleError
from tui.edit.staging import RefusedError
from tui.text import visible
from tui.workspace import split

Reasons = list[tuple[str, str]]


def verify(
    places: Places,
    edits: Sequence[FileEdit],
    *,
    break_links: bool,
    read_only: bool,
    each: Callable[[int], None],
    keep: Callable[[int, Found], None] | None = None,
) -> None:
    """StaleError or RefusedError that names every file at fault; nothing is written. `each` is told
    of every file before, `keep` is given what was found there.

    Refused are files without any write permission (unless `read_only` allows them or the plan
    makes them writable), files with further hard links, which would be cut off (unless
    `break_links`), and what cannot be read or is too large for the journal.
    """
    stale: Reasons = []
    refused: Reasons = []
    first_names: dict[tuple[int, int], str] = {}
    for number, edit in enumerate(edits):
        each(number)
        with naming(edit.path):
            try:
                found = places.look(edit.path, attributes=True)
            except PermissionError:
                refused.append((edit.path, "cannot be read: permission denied"))
                continue
            if why := difference(places, edit, found):
                stale.append((edit.path, why))
            elif found is not None and (why := _obstacle(edit, found, break_links, read_only)):
                refused.append((edit.path, why))
            elif found is not None and found.identity.links > 1:
                inode = found.identity.device, found.identity.inode
                if (other := first_names.setdefault(inode, edit.path)) != edit.path:
                    refused.append((edit.path, f"it is the same file as {visible(other)}: leave one out"))
            if found is not None and keep is not None:
                keep(number, found)
    if stale:
        raise StaleError(stale)
    if refused:
        raise RefusedError(refused)


def stale_now(places: Places, edits: Sequence[FileEdit]) -> Reasons:
    """Every file that is not what the plan was made from, and what is different."""
    return [(edit.path, why) for edit in edits if (why := difference(places, edit, places.look(edit.path)))]


def difference(places: Places, edit: FileEdit, found: Found | None) -> str | None:
    """What is different from the plan's beginning, in words; None if nothing is."""
    if edit.before is None:
        return _not_free(places, edit.path)
    if found is None:
        return "it is no longer there"
    if found.state is None:
        return f"it is {found.described} now"
    if found.state.digest != edit.before.digest:
        return "its contents changed"
    if found.state.mode != edit.before.mode:
        return f"its permissions are {found.state.mode:04o} now, they were {edit.before.mode:04o}"
    return None if edit.new_path is None else _not_free(places, edit.new_path)


def missing_directories(places: Places, path: str) -> list[str]:
    """The directories to make before a file can be created there, outermost first."""
    missing: list[str] = []
    directory = split(path)[0]
    while directory:
        try:
            places.fd(directory)
            break
        except FileNotFoundError:
            missing.append(directory)
            directory = split(directory)[0]
    return missing[::-1]


def _not_free(places: Places, path: str) -> str | None:
    there = places.identity(path)
    if there is not None:
        return "something is there already"
    try:
        missing_directories(places, path)
    except OSError as error:
        if not out_of_reach(error):
            raise
        return "a file or a link is in the place of its directory"
    return None


def _obstacle(edit: FileEdit, found: Found, break_links: bool, read_only: bool) -> str | None:
    mode = found.identity.mode
    made_writable = edit.after is not None and edit.after.mode & 0o222
    if not mode & 0o222 and not read_only and not made_writable:
        return f"it is read-only (permissions {mode & 0o7777:04o})"
    if edit.new_path is not None and edit.before == edit.after:
        return None  # moved as it is: it keeps its links, and none of its bytes need keeping
    if found.identity.links > 1 and not break_links:
        return f"it is one of {found.identity.links} hard links to the same file (--break-links separates it)"
    if found.identity.size > LARGEST_ORIGINAL:
        return f"it is larger than the journal can keep ({LARGEST_ORIGINAL:,} bytes)"
    return None
