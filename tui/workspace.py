"""The root directory: everything is opened beneath it, through descriptors.

A path string is never checked and then used again by name. Linux resolves it in one step
(`openat2` with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS); elsewhere each component is opened from
the descriptor of the one before with O_NOFOLLOW. Either way no link is followed and `..` never
leaves the root, whatever happens to the tree meanwhile.
"""

from __future__ import annotations

import ctypes
import errno
import os
import posixpath
import stat
import sys
from types import TracebackType
from typing import Self

from tui.errors import (
    NotADirectoryInWorkspaceError,
    NotFoundError,
    OutsideWorkspaceError,
    RedlineError,
    TooLargeError,
)
from tui.text import visible

_O_PATH = getattr(os, "O_PATH", os.O_RDONLY)
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_STEP = _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_OPENAT2 = 437  # the same number on every Linux architecture
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_PATH_MAX = 4096
_ATTEMPTS = 20
_DIRECTORIES_KEPT_OPEN = 32


class NotRegularFileError(RedlineError):
    """A directory, link, FIFO, socket or device where a file was needed; it was not read."""

    code = "INVALID_ARGUMENT"


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _Openat2:
    """The system call, or None in its place where the kernel or a sandbox does not have it."""

    def __init__(self) -> None:
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        self._syscall.restype = ctypes.c_long
        self._syscall.argtypes = [
            ctypes.c_long,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_void_p,
            ctypes.c_size_t,
        ]

    def __call__(self, directory: int, path: str, flags: int) -> int:
        how = _OpenHow(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
        raw = os.fsencode(path)
        for attempt in range(_ATTEMPTS):
            fd = int(self._syscall(_OPENAT2, directory, raw, ctypes.byref(how), ctypes.sizeof(how)))
            if fd >= 0:
                return fd
            code = ctypes.get_errno()
            # EAGAIN: names changed while they were resolved; or a lease on the file, which stays.
            if code not in (errno.EINTR, errno.EAGAIN) or attempt == _ATTEMPTS - 1:
                raise OSError(code, os.strerror(code), path)
        raise AssertionError("unreachable")

    @classmethod
    def probe(cls) -> _Openat2 | None:
        if not sys.platform.startswith("linux"):
            return None
        root = os.open("/", _STEP)
        try:
            call = cls()
            os.close(call(root, ".", _STEP))
            return call
        except OSError:
            return None
        finally:
            os.close(root)


_openat2 = _Openat2.probe()


def _open_by_component(directory: int, path: str, flags: int) -> int:
    """What openat2 does, one component at a time: for other systems and old kernels."""
    *parents, name = path.split("/")
    current = os.dup(directory)
    try:
        for parent in parents:
            step = os.open(parent, _STEP, dir_fd=current)
            os.close(current)
            current = step
        return os.open(name, flags, dir_fd=current)
    finally:
        os.close(current)


def _pieces(path: str) -> list[str]:
    """The path cut at slashes so that the kernel takes each piece; nearly always just one."""
    if len(path) * 4 < _PATH_MAX or len(os.fsencode(path)) < _PATH_MAX:
        return [path]
    pieces = [""]
    for name in path.split("/"):
        longer = f"{pieces[-1]}/{name}" if pieces[-1] else name
        if len(os.fsencode(longer)) < _PATH_MAX:
            pieces[-1] = longer
        else:
            pieces.append(name)
    return pieces


def open_beneath(directory: int, path: str, flags: int) -> int:
    """Open a normalised relative path below a directory's descriptor; never follows a link."""
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW
    *parents, last = _pieces(path)
    resolve = _openat2 or _open_by_component
    current = directory
    try:
        for parent in parents:
            step = resolve(current, parent, _STEP)
            if current != directory:
                os.close(current)
            current = step
        return resolve(current, last, flags)
    finally:
        if current != directory:
            os.close(current)


def join(directory: str, name: str) -> str:
    """A workspace path; the root itself is the empty string."""
    return f"{directory}/{name}" if directory else name


def split(path: str) -> tuple[str, str]:
    """The directory and the name of a workspace path."""
    directory, _, name = path.rpartition("/")
    return directory, name


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def explain(error: OSError, path: str) -> RedlineError:
    """An operating system's refusal in words for the person who asked."""
    shown = visible(path or ".")
    if error.errno == errno.ENOENT:
        return NotFoundError(f"{shown}: no such file or directory")
    if error.errno == errno.ENOTDIR:
        return NotADirectoryInWorkspaceError(f"{shown}: not a directory")
    if error.errno == errno.ELOOP:
        return NotRegularFileError(f"{shown}: a symbolic link, which Redline does not follow")
    if error.errno == errno.EXDEV:
        return OutsideWorkspaceError(f"{shown}: outside the workspace")
    return RedlineError(f"{shown}: {(error.strerror or str(error)).lower()}")


class Workspace:
    """A directory held open. Paths inside it are relative, use `/`, and the root is `""`."""

    def __init__(self, root: str | os.PathLike[str] = ".") -> None:
        given = os.fspath(root)
        if "\0" in given:
            raise NotFoundError(f"{visible(given)}: no path has a NUL character in it")
        try:
            self.fd = os.open(given, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise explain(error, given) from error
        self.root = os.path.realpath(given)
        self._spellings = {self.root, os.path.abspath(given)}

    @classmethod
    def held(cls, fd: int, root: str) -> Workspace:
        """A workspace whose directory another process had opened and passed on."""
        workspace = cls.__new__(cls)
        workspace.fd = fd
        workspace.root = root
        workspace._spellings = {root}
        return workspace

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def relative(self, path: str) -> str:
        """The workspace path that a person or an agent meant, or OutsideWorkspaceError.

        This reads the string only. What it names is decided when it is opened.
        """
        shown = visible(path)
        if "\0" in path:
            raise NotFoundError(f"{shown}: no path has a NUL character in it")
        if not _encodable(path):
            raise NotFoundError(f"{shown}: no file can have this name in the locale's encoding")
        inside = path
        if path.startswith("/"):
            normal = posixpath.normpath(path)
            if normal.startswith("//"):
                normal = normal[1:]
            for spelling in self._spellings:
                if normal == spelling or normal.startswith(spelling.rstrip("/") + "/"):
                    inside = normal[len(spelling.rstrip("/")) + 1 :]
                    break
            else:
                raise self._outside(shown)
        inside = posixpath.normpath(inside) if inside else "."
        if inside == ".." or inside.startswith("../"):
            raise self._outside(shown)
        return "" if inside == "." else inside

    def _outside(self, shown: str) -> OutsideWorkspaceError:
        return OutsideWorkspaceError(
            f"{shown}: outside the workspace {visible(self.root)}",
            "run redline in that directory, or name it with --root",
        )

    def open_directory(self, path: str, *, to_list: bool = True) -> int:
        """A descriptor of the directory; OSError where there is none or a link is in the way.
        Without `to_list` it serves only to open what is in it, which takes no right to read it."""
        flags = _DIRECTORY if to_list else _STEP
        if not path:
            return os.open(".", flags, dir_fd=self.fd)
        return open_beneath(self.fd, path, flags)

    def open_file(self, path: str, flags: int = os.O_RDONLY) -> int:
        """A descriptor of the regular file; anything else is refused before a byte is read."""
        fd = open_beneath(self.fd, path or ".", flags | _FILE)
        return _only_regular(fd, path)

    def lstat(self, path: str) -> os.stat_result:
        """What lies at the path itself; a link is reported as a link."""
        if not path:
            return os.fstat(self.fd)
        directory, name = split(path)
        fd = self.open_directory(directory, to_list=False)
        try:
            return os.stat(name, dir_fd=fd, follow_symlinks=False)
        finally:
            os.close(fd)

    @property
    def is_gone(self) -> bool:
        """Whether the directory was removed; the descriptor still holds what is left of it."""
        return os.fstat(self.fd).st_nlink == 0

    def check_directory(self, path: str) -> None:
        """NotFoundError or NotADirectoryInWorkspaceError where there is no directory."""
        try:
            status = self.lstat(path)
        except OSError as error:
            raise explain(error, path) from error
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryInWorkspaceError(
                f"{visible(path)}: not a directory", "give the directory that it is in"
            )

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of one file. For many files in a row, see `Reader`."""
        with Reader(self) as reader:
            return reader.read(path, limit)


def _only_regular(fd: int, path: str) -> int:
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NotRegularFileError(f"{visible(path or '.')}: not a regular file")


def open_in(directory: int, name: str, flags: int, mode: int = 0o600) -> int:
    """Open or create one name in a directory held open; never follows a link, never waits for a FIFO."""
    if "/" in name or name in ("", ".", ".."):
        raise OSError(errno.EINVAL, "not a bare name", name)
    return os.open(name, flags | _FILE, mode, dir_fd=directory)


class Directories:
    """Directories held open, the recent ones, so that work in path order resolves each once.

    A descriptor stays with its directory when the path comes to mean another one, so keep these
    only as long as that may be: for one pass over the files.
    """

    def __init__(self, workspace: Workspace, keep: int = _DIRECTORIES_KEPT_OPEN) -> None:
        self.workspace = workspace
        self._keep = keep
        self._open: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for fd in self._open.values():
            os.close(fd)
        self._open.clear()

    def fd(self, path: str) -> int:
        """The directory's descriptor, owned by this; OSError where there is none."""
        fd = self._open.get(path)
        if fd is None:
            if len(self._open) >= self._keep:
                os.close(self._open.pop(next(iter(self._open))))
            fd = self._open[path] = self._opened(path)
        return fd

    def _opened(self, path: str) -> int:
        return self.workspace.open_directory(path)

    def pair(self, path: str, other: str) -> tuple[int, int]:
        """Two directories' descriptors, both open: to open the second may have closed the first."""
        self.fd(path)
        second = self.fd(other)
        return self.fd(path), second


class Reader(Directories):
    """Reads file after file, each by its bare name from its directory's descriptor."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, keep=6)

    def _opened(self, path: str) -> int:
        return self.workspace.open_directory(path, to_list=False)

    def read(self, path: str, limit: int | None = None) -> bytes:
        """All bytes of a regular file, or OSError, NotRegularFileError, TooLargeError."""
        return self.read_with_mode(path, limit)[0]

    def read_with_mode(self, path: str, limit: int | None = None) -> tuple[bytes, int]:
        """`read`, with the permission bits that the file had then."""
        data, status = self.read_with_status(path, limit)
        return data, stat.S_IMODE(status.st_mode)

    def status(self, path: str) -> os.stat_result:
        """What lies at the path itself; a link is reported as a link."""
        directory, name = split(path)
        return os.stat(name, dir_fd=self.fd(directory), follow_symlinks=False)

    def read_with_status(self, path: str, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        """`read`, with what the file was just before its first byte was read."""
        directory, _, name = path.rpartition("/")
        if not name:
            raise NotRegularFileError(f"{visible(path or '.')}: not a regular file")
        try:
            fd = os.open(name, os.O_RDONLY | _FILE, dir_fd=self.fd(directory))
        except OSError as error:
            if error.errno != errno.EMFILE or not self._open:
                raise
            self.close()  # speed is not worth a file left out
            fd = os.open(name, os.O_RDONLY | _FILE, dir_fd=self.fd(directory))
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise NotRegularFileError(f"{visible(path)}: not a regular file")
            size = status.st_size
            if limit is not None and size > limit:
                raise too_large(path, size, limit)
            return read_open(fd, size, path, limit), status
        finally:
            os.close(fd)


def read_open(fd: int, size: int, path: str, limit: int | None = None) -> bytes:
    """All bytes of an open file that is expected to hold `size` of them."""
    data = os.read(fd, size + 1)
    if len(data) != size:  # it grew, shrank, or is one of those files that claim no size
        data = _read_rest(fd, data, path, limit)
    return data


def _read_rest(fd: int, data: bytes, path: str, limit: int | None) -> bytes:
    chunks = [data]
    total = len(data)
    while chunk := os.read(fd, 1 << 20):
        chunks.append(chunk)
        total += len(chunk)
        if limit is not None and total > limit:
            raise too_large(path, total, limit)
    return b"".join(chunks)


def too_large(path: str, size: int, limit: int) -> TooLargeError:
    return TooLargeError(f"{visible(path)}: {size:,} bytes, over the limit of {limit:,}")
