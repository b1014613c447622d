"""The real program in a pseudo-terminal, read as a terminal reads it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

SECONDS = 30.0
KEYS = {
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "ctrl+q": "\x11",
    "ctrl+r": "\x12",
    "ctrl+u": "\x15",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
}


class Terminal:
    """`raw` is every byte that the program sent; `screen` is what a person sees."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        size: tuple[int, int] = (120, 40),
        env: dict[str, str] | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
    ) -> None:
        """`stdin` and `stdout`: descriptors in place of the terminal, which is the controlling one."""
        self.raw = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._leader, follower = pty.openpty()
        self._resize_pty(*size)
        self.attributes = termios.tcgetattr(follower)
        self._follower = follower
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui", *arguments],
            cwd=cwd,
            stdin=follower if stdin is None else stdin,
            stdout=follower if stdout is None else stdout,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
            env={**_environment(), **(env or {})},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._leader)
        os.close(self._follower)

    def _resize_pty(self, width: int, height: int) -> None:
        fcntl.ioctl(self._leader, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def resize(self, width: int, height: int) -> None:
        self._resize_pty(width, height)
        self._screen.resize(height, width)
        self.process.send_signal(signal.SIGWINCH)

    def read(self, seconds: float = 0.05) -> None:
        """Take in what has come so far."""
        while select.select([self._leader], [], [], seconds)[0]:
            try:
                chunk = os.read(self._leader, 1 << 16)
            except OSError:
                return
            self.raw += chunk
            self._stream.feed(chunk)

    def seen(self, enough: Callable[[bytes], bool]) -> None:
        """Wait until what has been sent from now on is enough; what was sent before is passed over. To
        measure with: the screen is not worked out, which takes longer than to send it."""
        sent = b""
        ends = time.monotonic() + SECONDS
        while not enough(sent):
            assert time.monotonic() < ends, sent[-200:]
            if select.select([self._leader], [], [], 0.1)[0]:
                sent += os.read(self._leader, 1 << 16)

    def rest(self, seconds: float) -> None:
        """Let it go on for so long, and pass over what it sends."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            if select.select([self._leader], [], [], left)[0]:
                os.read(self._leader, 1 << 16)

    def send(self, *keys: str) -> None:
        """Keys by name, or text."""
        for key in keys:
            os.write(self._leader, KEYS.get(key, key).encode())

    @property
    def text(self) -> str:
        self.read()
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, *words: str, gone: str | None = None) -> str:
        """Wait until all the words are on the screen (and `gone` is not)."""
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            text = self.text
            if all(word in text for word in words) and (gone is None or gone not in text):
                return text
            assert self.process.poll() is None, f"it ended:\n{text}"
        raise AssertionError(f"{words} never came:\n{self.text}")

    def ended(self) -> int:
        """Wait for the program to end; its exit status."""
        ends = time.monotonic() + SECONDS
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < ends, self.text
        self.read()
        return self.process.returncode


def person(terminal: Terminal, *steps: tuple[str, str]) -> None:
    """Each step: a key, and what is then to be seen."""
    for key, seen in steps:
        terminal.send(key)
        terminal.until(seen)


def yes(terminal: Terminal, question: str) -> None:
    """w, and the question answered by someone who has read it."""
    terminal.send("w")
    terminal.until(question)
    terminal.read(0.5)
    terminal.send("y")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
