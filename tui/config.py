"""Settings, from a TOML file at `$XDG_CONFIG_HOME/redline/config.toml`. Each is documented beside its field.

A mistake in the file is told, with its place, and the defaults stand in: no setting is worth not starting.
"""

from __future__ import annotations

import os
from typing import Annotated, NamedTuple

import msgspec

from tui.text import visible


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept for undo."""

    batches: Annotated[int, msgspec.Meta(ge=1)] = 200
    """So many of the last batches; the newest is always kept."""

    megabytes: Annotated[int, msgspec.Meta(ge=1)] = 1024
    """So much of the files' old contents, all batches together."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. Tables that are not there have their defaults."""

    history: History = History()


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
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Loaded(Settings())
    except OSError as error:
        return _defaults(path, error)
    try:
        return Loaded(msgspec.toml.decode(os.read(fd, 1 << 20), type=Settings))
    except (msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
        return _defaults(path, error)
    finally:
        os.close(fd)


def _defaults(path: str, error: Exception) -> Loaded:
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    return Loaded(Settings(), f"{visible(path)}: {visible(why)}; the defaults are used")
