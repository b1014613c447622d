"""The installed command, run as a person would run it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.cli.ready import Ended, ready

COMMAND = [sys.executable, "-m", "tui"]


@dataclass(frozen=True)
class Ran:
    status: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.decode().splitlines()


def redline(*arguments: str | bytes, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """Off a terminal. With an environment of its own it is started anew."""
    if env is None:
        ran = ready().run(arguments, str(cwd), stdin)
    else:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**os.environ, **env},
            check=False,
        )
        ran = Ended(done.returncode, done.stdout, done.stderr)
    err = ran.err.decode()
    assert "Traceback" not in err, err
    return Ran(ran.status, ran.out, err)


def redline_on_a_terminal(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> Ran:
    """With stdout on a pseudo-terminal; `out` is what the terminal gets."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color", **(env or {})},
    )
    os.close(follower)
    chunks = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(leader)
    _, err = process.communicate(timeout=60)
    return Ran(process.returncode, b"".join(chunks).replace(b"\r\n", b"\n"), err.decode())
