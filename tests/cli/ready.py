"""The command with its modules loaded, ready to run many times: each run is a forked child of its own.

A start of the interpreter and its imports is most of what a short command costs, and hundreds of tests
start one. The child has the caller's directory, environment and descriptors, and ends as the command
does. What depends on how the interpreter starts is tested with the real thing.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from threading import Lock
from typing import IO, NamedTuple

_SECONDS = 120.0
_LOADED = ("grep", "glob", "replace", "edit", "apply", "history", "undo", "inbox", "tools", "tool", "hook")


class Ended(NamedTuple):
    status: int
    out: bytes
    err: bytes


class Ready:
    """A process that waits to be told what to run. One run at a time."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        self._lock = Lock()
        subprocess.Popen(
            [sys.executable, "-m", "tests.cli.ready", str(theirs.fileno())], pass_fds=[theirs.fileno()]
        )
        theirs.close()
        ours.settimeout(_SECONDS)

    def run(self, arguments: Sequence[str | bytes], cwd: str, stdin: bytes) -> Ended:
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            asked = {
                "arguments": [os.fsdecode(argument) for argument in arguments],
                "cwd": cwd,
                "environment": dict(os.environ),
            }
            with self._lock:
                packed = json.dumps(asked).encode()
                socket.send_fds(self._socket, [packed], [file.fileno() for file in (given, out, err)])
                status = int(self._socket.recv(100))
            return Ended(status, _all(out), _all(err))


@functools.cache
def ready() -> Ready:
    """One for each process that runs tests."""
    return Ready()


def _all(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _serve(connection: socket.socket) -> None:
    while True:
        packed, fds, _, _ = socket.recv_fds(connection, 1 << 20, 3)
        if not packed:
            return
        child = os.fork()
        if not child:
            connection.close()
            _be_the_command(json.loads(packed), fds)
        for fd in fds:
            os.close(fd)
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def _be_the_command(asked: dict[str, object], fds: list[int]) -> None:
    for stream, fd in enumerate(fds):
        os.dup2(fd, stream)
        os.close(fd)
    os.chdir(str(asked["cwd"]))
    os.environ.clear()
    os.environ.update(asked["environment"])  # type: ignore[call-overload]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["redline", *asked["arguments"]]  # type: ignore[misc]
    sys.stdin, sys.stdout, sys.stderr = (open(fd, mode) for fd, mode in enumerate("rww"))  # noqa: SIM115
    try:
        from tui.cli.main import main

        status = main(sys.argv[1:])
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        status = 1
    os._exit(status)


if __name__ == "__main__":
    from importlib import import_module

    from tui.cli.main import COMMANDS

    for _name in _LOADED:
        import_module(COMMANDS[_name].split(":")[0])
    _serve(socket.socket(fileno=int(sys.argv[1])))
