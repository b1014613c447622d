"""The system's refusals in the words of the person whose files they are about."""

from __future__ import annotations

import errno
from types import TracebackType

from tui.edit.places import out_of_reach
from tui.edit.plan import StaleError
from tui.errors import RedlineError
from tui.text import visible

_HINTS = {
    errno.ENOSPC: "free some space on that disk and apply again",
    errno.EDQUOT: "free some of your quota on that disk and apply again",
    errno.EROFS: "the filesystem is mounted read-only",
    errno.EACCES: "change the permissions of its directory, or leave it out",
    errno.EMFILE: "raise the limit of open files (ulimit -n) and apply again",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f) and apply again",
}


class ApplyError(RedlineError):
    """The system refused a step. Everything was taken back."""


class naming:  # noqa: N801 - reads as a phrase where it is used
    """Errors of the system inside tell which path they are about: `with naming(path):`.

    A path that can no longer be reached was moved, removed or replaced by someone: it is stale.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            if out_of_reach(error):
                raise StaleError([(self._path, "its directory was moved, removed or replaced")]) from error
            why = (error.strerror or str(error)).lower()
            hint = _HINTS.get(error.errno or 0, "")
            raise ApplyError(f"nothing was changed: {visible(self._path)}: {why}", hint) from error
