"""Where git keeps the ignore rules that are not in a directory of the workspace.

These files lie in `.git`, above the root or in the person's home: they are configuration, read by
name and, as git reads them, through links.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess

LARGEST_IGNORE_FILE = 200_000

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GIT_TIMEOUT = 2.0
_GIT_UNSET = 1  # the exit status of git config where a setting has no value
_REPOSITORY_VARIABLES = frozenset(("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"))


def read_ignore_file(name: str, directory: int | None, follow: bool) -> bytes:
    """All bytes of a small regular file; OSError otherwise."""
    fd = os.open(name, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW, dir_fd=directory)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = b""
        while len(data) <= LARGEST_IGNORE_FILE and (more := os.read(fd, LARGEST_IGNORE_FILE + 1)):
            data += more
        if len(data) > LARGEST_IGNORE_FILE:
            raise OSError(errno.EFBIG, f"larger than {LARGEST_IGNORE_FILE:,} bytes")
        return data
    finally:
        os.close(fd)


def common_directory(git: str, directory: int | None = None) -> str | None:
    """The directory that holds a repository's `info`, or None where `.git` is no repository's."""
    try:
        if stat.S_ISREG(os.stat(git, dir_fd=directory).st_mode):  # of a worktree or a submodule
            pointer = read_ignore_file(git, directory, follow=True)
            if not pointer.startswith(b"gitdir: "):
                return None
            git = os.path.join(os.path.dirname(git), _path_in(pointer[8:]))
        try:
            common = os.path.join(git, _path_in(read_ignore_file(f"{git}/commondir", directory, follow=True)))
        except FileNotFoundError:
            common = git
        for part in (f"{git}/HEAD", f"{common}/objects", f"{common}/refs"):
            os.stat(part, dir_fd=directory, follow_symlinks=False)
    except (OSError, ValueError):  # ValueError: a NUL in a path
        return None
    return common


def _path_in(line: bytes) -> str:
    return os.fsdecode(line.rstrip(b"\r\n"))


def directories_above(root: str) -> list[str]:
    """From the top of the repository around the root down to the root's parent. Empty where the
    root is a top itself or in no repository."""
    above: list[str] = []
    directory = root
    while common_directory(os.path.join(directory, ".git")) is None:
        if os.path.ismount(directory):  # git, too, looks no further
            return []
        directory = os.path.dirname(directory)
        above.insert(0, directory)
    return above


def global_excludes(directory: str) -> str | None:
    """The person's own ignore file: as git is configured, else where git looks by default."""
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    command = ("git", "config", "-z", "--get", "--path", "core.excludesFile")
    try:
        answer = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    except OSError:
        status = _GIT_UNSET  # there is no git
    else:
        status = answer.returncode
        if status == 0 and len(answer.stdout) > 1:
            return os.path.join(directory, os.fsdecode(answer.stdout[:-1]))
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(settings, "git/ignore") if status == _GIT_UNSET else None
