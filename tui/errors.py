"""The one family of errors that Redline shows to people and agents."""

from __future__ import annotations


class RedlineError(Exception):
    """What happened, to which thing, and the way out.

    `code` is the stable name that agents see, `status` the exit status of a command that meets it;
    `hint` is a sentence that helps, or empty.
    """

    code = "IO_ERROR"
    status = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidArgumentError(RedlineError):
    code = "INVALID_ARGUMENT"


class InvalidRangeError(RedlineError):
    code = "INVALID_RANGE"


class InvalidGlobError(RedlineError):
    code = "INVALID_GLOB"


class InvalidRegexError(RedlineError):
    code = "INVALID_REGEX"


class NotFoundError(RedlineError):
    code = "NOT_FOUND"


class NotADirectoryInWorkspaceError(RedlineError):
    code = "NOT_A_DIRECTORY"


class OutsideWorkspaceError(RedlineError):
    code = "OUTSIDE_WORKSPACE"


class BinaryFileError(RedlineError):
    code = "BINARY_FILE"


class TooLargeError(RedlineError):
    code = "TOO_LARGE"
