"""Faults for the tests: a real process that is killed, or is refused a system call, where we choose.

The action runs in a forked child with strace attached to it, so nothing of the code under test is
replaced: the kernel itself kills or refuses. A first run without faults lists the calls to choose from.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

MUTATING = (
    "openat,write,pwrite64,ftruncate,fsync,fdatasync,syncfs,renameat2,rename,renameat,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,fchmod,fchown,fsetxattr,fremovexattr"
)

_SET_PTRACER, _ANYONE = 0x59616D61, -1
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}


@dataclass(frozen=True)
class Ended:
    """How the child ended: `killed`, or with `error`, the class and text of what it raised, or well."""

    killed: bool
    error: str
    calls: list[tuple[str, int]]

    @property
    def well(self) -> bool:
        return not self.killed and not self.error


@functools.cache
def strace_works() -> str:
    """Empty, or why strace cannot be used here."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    probe = subprocess.run(
        ["strace", "-e", "inject=getpid:error=EPERM", "true"], capture_output=True, text=True, check=False
    )
    return "" if probe.returncode == 0 else f"strace cannot trace here: {probe.stderr.strip()}"


needs_strace = pytest.mark.skipif(bool(strace_works()), reason=strace_works() or "strace works")


def in_child(
    action: Callable[[], object], *options: str, during: Callable[[int], None] | None = None
) -> Ended:
    """Run the action in a child under strace. `during` gets the child's number while it runs."""
    with tempfile.TemporaryDirectory() as directory:
        log, report = Path(directory, "log"), Path(directory, "report")
        child, release = _forked(action, report)
        tracer = subprocess.Popen(
            ["strace", "-qq", "-p", str(child), "-o", str(log), *options], stderr=subprocess.PIPE, text=True
        )
        try:
            _wait_for_tracer(child, tracer)
            os.write(release, b"x")
            if during is not None:
                during(child)
            _, status = os.waitpid(child, 0)
            tracer.wait(10)
        finally:
            os.close(release)
            if tracer.poll() is None:
                tracer.kill()
            tracer.communicate()
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        error = report.read_text() if report.exists() else ""
        assert killed or error or os.waitstatus_to_exitcode(status) == 0, f"the child ended with {status}"
        return Ended(killed, error, _calls(log.read_text()))


def _forked(action: Callable[[], object], report: Path) -> tuple[int, int]:
    waiting, release = os.pipe()
    child = os.fork()
    if child:
        os.close(waiting)
        return child, release
    status = 1
    try:
        os.close(release)
        ctypes.CDLL(None).prctl(_SET_PTRACER, _ANYONE, 0, 0, 0)
        os.read(waiting, 1)
        action()
        status = 0
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        if not hasattr(error, "hint"):
            text += "\n" + traceback.format_exc()
        report.write_text(text)
    finally:
        os._exit(status)


def _wait_for_tracer(child: int, tracer: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 10
    while "TracerPid:\t0\n" in Path(f"/proc/{child}/status").read_text():
        if tracer.poll() is not None or time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.skip(f"strace could not attach: {tracer.communicate()[1]}")
        time.sleep(0.001)


def _calls(log: str) -> list[tuple[str, int]]:
    """Each mutating call with its number among those of the same name, as strace's `when` counts."""
    seen: dict[str, int] = {}
    calls = []
    for line in log.splitlines():
        if found := re.match(r"(\w+)\(", line):
            name = found[1]
            seen[name] = seen.get(name, 0) + 1
            if name != "openat" or "O_CREAT" in line:
                calls.append((name, seen[name]))
    return calls


def traced(action: Callable[[], object]) -> list[tuple[str, int]]:
    """The mutating system calls that the action makes when nothing goes wrong."""
    ended = in_child(action, "-e", f"trace={MUTATING}")
    assert ended.well, ended.error
    return ended.calls


def turning_points(calls: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Of writes into the store that follow each other only the first and the last: between two of them
    the store's own log is as unfinished as at the first. The long versions take every call."""
    names = ["", *(call for call, _ in calls), ""]
    return [
        call
        for before, call, after in zip(names, calls, names[2:], strict=False)
        if not before == call[0] == after == "pwrite64"
    ]


def kill_at(action: Callable[[], object], call: str, number: int) -> Ended:
    return in_child(action, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")


def fail_at(action: Callable[[], object], call: str, number: int | str, error: str) -> Ended:
    return in_child(action, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}")


def meanwhile_renaming(
    action: Callable[[], object],
    disturb: Callable[[], object],
    number: int = 1,
    kill_when: Callable[[], bool] | None = None,
) -> Ended:
    """Let something happen while the kernel holds the action at the entry of its n-th renameat2.

    With `kill_when` the action is killed as soon as that is so, before the call has returned to it.
    """
    wanted = str(_RENAMEAT2.get(platform.machine(), -1))
    if wanted == "-1":
        pytest.skip("the number of renameat2 is not known for this machine")

    def wait_and_disturb(child: int) -> None:
        _wait(lambda: Path(f"/proc/{child}/syscall").read_text().split()[0] == wanted)
        disturb()
        if kill_when is not None:
            _wait(kill_when)
            os.kill(child, signal.SIGKILL)

    delays = "delay_enter=150000" + (":delay_exit=500000" if kill_when is not None else "")
    return in_child(
        action,
        *("-e", "trace=renameat2", "-e", f"inject=renameat2:{delays}:when={number}"),
        during=wait_and_disturb,
    )


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not until():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.002)


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a directory: kind, permissions, and bytes or where a link leads."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, directories, files in os.walk(root):
        for name in [*directories, *files]:
            path = Path(directory, name)
            status = path.lstat()
            content: object = None
            if stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            found[str(path.relative_to(root))] = (
                stat.S_IFMT(status.st_mode),
                status.st_mode & 0o7777,
                content,
            )
    return found


@contextmanager
def as_user(uid: int) -> Iterator[None]:
    """Without root's powers, to which permissions are nothing; as whoever runs the tests otherwise."""
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([uid])
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
