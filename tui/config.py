"""Settings, from a TOML file at `$XDG_CONFIG_HOME/redline/config.toml`. Each is documented beside its field.

A mistake in the file is told, with its place, and the defaults stand in: no setting is worth not starting.
"""

from __future__ import annotations

import errno
import os
import stat
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

import msgspec

from tui.text import visible

LARGEST = 1_000_000


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept for undo."""

    batches: Annotated[int, msgspec.Meta(ge=1)] = 200
    """So many of the last batches; the newest is always kept."""

    megabytes: Annotated[int, msgspec.Meta(ge=1)] = 1024
    """So much of the files' old contents, all batches together."""


class Permission(StrEnum):
    """What a tool may need to be allowed to do."""

    READ_FILES = "ReadFiles"
    WRITE_FILES = "WriteFiles"
    CREATE_FILES = "CreateFiles"
    DELETE_FILES = "DeleteFiles"


class Agents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What agents may do."""

    allow: tuple[Permission, ...] = tuple(Permission)
    """Tools that need any other permission answer PERMISSION_DENIED. Whatever is allowed, nothing is
    written before a person has reviewed it."""

    max_file_bytes: Annotated[int, msgspec.Meta(ge=1)] = 1_000_000
    """Larger files are left out of their searches, with a warning."""


class App(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the app looks and begins."""

    theme: Literal["dark", "light", "contrast", "dark-blue-orange", "light-blue-orange"] = "dark"
    """The last two show added lines blue and removed ones orange."""

    regex: bool = True
    """Whether Find begins as a regular expression rather than as plain text."""

    files_as_tree: bool = True
    """Whether the Files pane begins as a tree rather than as a list."""


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The live search of the app."""

    megabytes: Annotated[int, msgspec.Meta(ge=0)] = 1024
    """So much of the workspace's text is kept in memory; what is beyond it is read from disk for every
    query, and with 0 everything is."""

    @property
    def budget(self) -> int:
        """The same in bytes."""
        return self.megabytes << 20


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. Tables that are not there have their defaults."""

    history: History = History()
    agents: Agents = Agents()
    app: App = App()
    search: Search = Search()

    keys: dict[str, str] = {}
    """Other keys for actions of the app, by the names on its help page: `"search.review" = "f5"`."""


class Loaded(NamedTuple):
    """The settings, and what was wrong with the file, or nothing."""

    settings: Settings
    problem: str = ""


def config_path() -> str:
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home):
        home = os.path.expanduser("~/.config")
    return os.path.join(home, "redline/config.toml")


def load() -> Loaded:
    path = config_path()
    try:
        return Loaded(msgspec.toml.decode(_read(path), type=Settings))
    except FileNotFoundError as error:
        return Loaded(Settings()) if not os.path.lexists(path) else _defaults(path, error)
    except (msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
        return _defaults(path, error)


def _read(path: str) -> bytes:
    """All of it: what stands at the end of a file may be what matters most."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if status.st_size > LARGEST:
            raise OSError(errno.EFBIG, f"larger than {LARGEST:,} bytes")
        return os.read(fd, LARGEST + 1)
    finally:
        os.close(fd)


def _defaults(path: str, error: Exception) -> Loaded:
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    return Loaded(Settings(), f"{visible(path)}: {visible(why)}; the defaults are used")
