"""What the session and its keepers say to each other, and how it travels.

Every message is a frame on a local stream socket: its length, then msgpack. Paths and patterns go as
bytes, because they may hold what no encoder of text accepts. A socket's descriptor can go along: what
is asked for is answered there, and the answer's end, or the death of the one who gives it, is its end.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

import msgspec

from tui.search.files import Limits
from tui.search.live.packed import BlockHits, Left
from tui.search.query import Case, Query
from tui.search.walk import Scope

Incoming = TypeVar("Incoming")

_LENGTH = 4
_AT_ONCE = 1 << 18


class Start(msgspec.Struct, tag=True):
    """The first message: the limits of every search."""

    file_size: int | None
    seconds_per_file: float | None

    @property
    def limits(self) -> Limits:
        return Limits(self.file_size, self.seconds_per_file)


class Load(msgspec.Struct, tag=True):
    """Read the first of these files as one block: at most so many bytes. None: only remember them."""

    block: int
    paths: bytes
    most: int | None


class Renew(msgspec.Struct, tag=True):
    """Make a block of these files, from the old one except for those that are stale."""

    block: int
    old: int
    paths: bytes
    stale: bytes


class Forget(msgspec.Struct, tag=True):
    blocks: list[int]


class ForgetFindings(msgspec.Struct, tag=True):
    """Look for everything anew."""


class Search(msgspec.Struct, tag=True):
    """Scan blocks, each whole (None) or some files of it. Ends the search before."""

    pattern: bytes
    literal: bool
    case: Case
    whole_word: bool
    invert: bool
    multiline: bool
    parts: list[tuple[int, bytes | None]]

    @classmethod
    def of(cls, query: Query, parts: list[tuple[int, bytes | None]]) -> Search:
        return cls(
            query.pattern.encode("utf-8", "surrogatepass"),
            query.literal,
            query.case,
            query.whole_word,
            query.invert,
            query.multiline,
            parts,
        )

    @property
    def query(self) -> Query:
        return Query(
            self.pattern.decode("utf-8", "surrogatepass"),
            self.literal,
            self.case,
            self.whole_word,
            self.invert,
            self.multiline,
        )


class Cancel(msgspec.Struct, tag=True):
    """End the search."""


class Walk(msgspec.Struct, tag=True):
    """List the files of a scope, but for its path filter."""

    path: bytes
    hidden: bool
    ignore_files: bool
    default_exclusions: bool
    max_depth: int | None

    @classmethod
    def of(cls, scope: Scope) -> Walk:
        return cls(
            os.fsencode(scope.path),
            scope.hidden,
            scope.ignore_files,
            scope.default_exclusions,
            scope.max_depth,
        )

    @property
    def scope(self) -> Scope:
        return Scope(
            os.fsdecode(self.path),
            hidden=self.hidden,
            ignore_files=self.ignore_files,
            default_exclusions=self.default_exclusions,
            max_depth=self.max_depth,
        )


class Check(msgspec.Struct, tag=True):
    """Tell which files of the blocks are no longer what was read."""

    blocks: list[int]


Request = Start | Load | Renew | Forget | ForgetFindings | Search | Cancel | Walk | Check


class Loaded(msgspec.Struct, tag=True):
    """A block is there: so many files of those named, so many bytes of text."""

    block: int
    files: int
    size: int
    left: tuple[Left, ...]


class Paths(msgspec.Struct, tag=True):
    paths: bytes


class Directories(msgspec.Struct, tag=True):
    """The directories that the walk entered."""

    paths: bytes


class NotEntered(msgspec.Struct, tag=True):
    """Something the walk left out."""

    path: bytes
    left: Left


class WalkFailed(msgspec.Struct, tag=True):
    """The directory to start from cannot be listed, and why."""

    message: str


class Stale(msgspec.Struct, tag=True):
    block: int
    paths: bytes


class Hits(msgspec.Struct, tag=True):
    hits: BlockHits


class Done(msgspec.Struct, tag=True):
    """All that was asked for has been told."""


Reply = Loaded | Paths | Directories | NotEntered | WalkFailed | Stale | Hits | Done

_encoder = msgspec.msgpack.Encoder()
requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def joined(paths: Iterable[str]) -> bytes:
    return os.fsencode("\0".join(paths))


def separated(paths: bytes) -> list[str]:
    return os.fsdecode(paths).split("\0") if paths else []


class Channel(Generic[Incoming]):
    """One end of a stream of messages."""

    def __init__(self, end: socket.socket, decoder: msgspec.msgpack.Decoder[Incoming]) -> None:
        self.socket = end
        self._decoder = decoder
        self._data = bytearray()
        self._gathered = bytearray()
        self._descriptors: deque[int] = deque()

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()
        while self._descriptors:
            os.close(self._descriptors.popleft())

    def gather(self, message: Request | Reply) -> int:
        """Get a message ready to be sent with those that follow; how many bytes are waiting now."""
        frame = _encoder.encode(message)
        self._gathered += len(frame).to_bytes(_LENGTH, "big")
        self._gathered += frame
        return len(self._gathered)

    def send(self, message: Request | Reply, *ends: socket.socket) -> None:
        """Send it, and what was gathered before. OSError where nobody listens any more."""
        self.gather(message)
        self.flush(*ends)

    def flush(self, *ends: socket.socket) -> None:
        frame, self._gathered = self._gathered, bytearray()
        sent = 0
        if ends:
            sent = socket.send_fds(self.socket, [frame], [end.fileno() for end in ends])
        self.socket.sendall(memoryview(frame)[sent:])

    def push(self) -> int:
        """Send of what was gathered as much as goes without waiting; how many bytes still wait."""
        try:
            sent = self.socket.send(self._gathered, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        del self._gathered[:sent]
        return len(self._gathered)

    def receive(self) -> list[Incoming] | None:
        """What has come, waiting for some of it; None when the other end is closed."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, _AT_ONCE, 8)
        except BlockingIOError:
            return []
        except OSError:
            return None
        self._descriptors.extend(descriptors)
        if not data:
            return None
        self._data += data
        return self._complete()

    def descriptor(self) -> socket.socket:
        """The next socket that came along with a message."""
        return socket.socket(fileno=self._descriptors.popleft())

    def _complete(self) -> list[Incoming]:
        messages = []
        at = 0
        while len(self._data) - at >= _LENGTH:
            end = at + _LENGTH + int.from_bytes(self._data[at : at + _LENGTH], "big")
            if end > len(self._data):
                break
            with memoryview(self._data) as view:
                messages.append(self._decoder.decode(view[at + _LENGTH : end]))
            at = end
        del self._data[:at]
        return messages
