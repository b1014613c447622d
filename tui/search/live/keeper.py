"""A process that keeps a share of the workspace's text, and scans it.

A plain string it looks for itself, block by block, and between two blocks listens to the session. For
a pattern that might have no end it forks. It has a single thread, so that is safe; the child sees the
text as it is at that moment without a copy, and can be killed, and nothing has to be read again.
The keeper ends when the session's end of its socket is closed, whatever became of the session.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Generator

from tui.errors import RedlineError
from tui.search.files import Limits
from tui.search.live.block import Block, read_block, read_for_once, renewed, stale_in
from tui.search.live.blockscan import scan_block
from tui.search.live.known import Known
from tui.search.live.messages import (
    Cancel,
    Channel,
    Check,
    Directories,
    Done,
    Forget,
    ForgetFindings,
    Hits,
    Load,
    Loaded,
    NotEntered,
    Paths,
    Renew,
    Reply,
    Request,
    Search,
    Stale,
    Start,
    Walk,
    WalkFailed,
    joined,
    replies,
    requests,
    separated,
)
from tui.search.live.narrowing import surely_ends
from tui.search.live.packed import Left, numbers
from tui.search.live.telling import BYTES_TOGETHER, SECONDS_TOGETHER, Telling
from tui.search.matcher import BadPattern, Matcher, compile_query
from tui.search.skipped import Skipped
from tui.search.timelimit import TimeLimit
from tui.search.walk import walk
from tui.workspace import Reader, Workspace

PATHS_AT_ONCE = 256
_QUIET = 0.2
_PR_SET_PDEATHSIG = 1
_NICE = 10  # who draws what is found, and takes the next key, comes before who finds more

Answer = Generator[Reply, None, None]


class _OrphanedError(Exception):
    """The keeper of this child is gone."""


class Keeper:
    def __init__(self, workspace: Workspace, channel: Channel[Request]) -> None:
        self._workspace = workspace
        self._channel = channel
        self._limits = Limits()
        self._blocks: dict[int, Block] = {}
        self._unread: dict[int, list[str]] = {}
        self._to_read: deque[Load | Renew] = deque()
        self._unmarked: deque[int] = deque()
        self._known = Known()
        self._telling: Telling | None = None
        self._search: int | None = None
        self._children: set[int] = set()

    def run(self) -> None:
        quiet = False
        while True:
            self._bury()
            telling = self._telling
            blocked = [telling.channel] if telling is not None and telling.blocked else []
            busy = bool(self._to_read) or (telling is not None and not blocked)
            idle = (0 if quiet else _QUIET) if self._unmarked else None
            heard, free, _ = select.select([self._channel], blocked, [], 0 if busy else idle)
            quiet = not (heard or busy)
            if heard:
                received = self._channel.receive()
                if received is None:
                    return
                for request in received:
                    self._obey(request)
            elif telling is not None and (free or not blocked):
                if not telling.step():
                    self._end_search()
            elif self._to_read:
                self._read(self._to_read.popleft())
            elif self._unmarked and (block := self._blocks.get(self._unmarked.popleft())) is not None:
                block.mark_lines()

    def end(self) -> None:
        for child in self._children:
            os.kill(child, signal.SIGKILL)

    def _obey(self, request: Request) -> None:
        match request:
            case Start():
                self._limits = request.limits
            case Load() | Renew():
                self._to_read.append(request)
            case Forget(blocks):
                self._known.forget(blocks)
                for number in blocks:
                    self._blocks.pop(number, None)
                    self._unread.pop(number, None)
                self._to_read = deque(load for load in self._to_read if load.block not in blocks)
            case ForgetFindings():
                self._known.clear()
            case Search():
                self._end_search()
                self._start_search(request)
            case Cancel():
                self._end_search()
            case Walk():
                self._answer(lambda: self._walk(request))
            case Check(blocks):
                self._answer(lambda: self._check(blocks))

    def _read(self, request: Load | Renew) -> None:
        paths = separated(request.paths)
        if isinstance(request, Load) and request.most is None:
            self._unread[request.block] = paths
            self._channel.send(Loaded(request.block, len(paths), 0, ()))
            return
        with Reader(self._workspace) as reader:
            if isinstance(request, Load):
                block = read_block(reader, paths, self._limits, request.most or 0)
            else:
                self._known.forget([request.old])
                old = self._blocks.pop(request.old, None)
                stale = set(separated(request.stale))
                block = renewed([old] if old else [], reader, paths, stale, self._limits)
        self._blocks[request.block] = block
        self._unmarked.append(request.block)
        self._channel.send(Loaded(request.block, len(block), len(block.text), block.unread()))

    def _start_search(self, request: Search) -> None:
        matcher = compile_query(request.query)
        if isinstance(matcher, BadPattern):  # never: the session asks only for what it has compiled
            return
        self._known.begin(matcher)
        if surely_ends(matcher.query) and all(self._is_at_hand(number) for number, _ in request.parts):
            channel: Channel[Reply] = Channel(self._channel.descriptor(), replies)
            self._telling = Telling(channel, self._scan(request, matcher))
        else:
            self._search = self._answer(lambda: self._scan(request, matcher))

    def _is_at_hand(self, number: int) -> bool:
        """In memory, or a single file, which is soon read."""
        return number in self._blocks or len(self._unread.get(number, ())) <= 1

    def _answer(self, work: Callable[[], Answer]) -> int:
        """A child that does the work and tells the results to the socket that came with the request."""
        end = self._channel.descriptor()
        keeper = os.getpid()
        child = os.fork()
        if child:
            end.close()
            self._children.add(child)
            return child
        try:
            _die_with(keeper)
            self._channel.close()
            answer: Channel[Reply] = Channel(end, replies)
            _tell(answer, work(), lambda: os.getppid() == keeper)
        finally:
            os._exit(0)

    def _end_search(self) -> None:
        if self._telling is not None:
            self._telling.close()
            self._telling = None
        if self._search in self._children:
            os.kill(self._search, signal.SIGKILL)
            os.waitpid(self._search, 0)
            self._children.discard(self._search)
        self._search = None

    def _bury(self) -> None:
        for child in list(self._children):
            if os.waitpid(child, os.WNOHANG)[0]:
                self._children.discard(child)

    def _scan(self, request: Search, matcher: Matcher) -> Answer:
        limit = TimeLimit(self._limits.seconds_per_file)
        with limit.installed(), Reader(self._workspace) as reader:
            for number, wanted in request.parts:
                files = None if wanted is None else frozenset(numbers(wanted))
                block = self._blocks.get(number)
                if block is not None:
                    yield Hits(self._known.scan(number, block, files, limit, self._limits))
                elif number in self._unread:  # else it was forgotten meanwhile
                    block = read_for_once(reader, self._unread[number], self._limits, files)
                    hits = scan_block(number, block, matcher, files, limit, self._limits)
                    hits.left = (*hits.left, *block.unread(files))
                    yield Hits(hits)

    def _walk(self, request: Walk) -> Answer:
        left_out: list[Skipped] = []
        paths: list[str] = []
        entered: list[str] = []
        try:
            for path in walk(self._workspace, request.scope, left_out.append, entered.append):
                paths.append(path)
                if len(paths) == PATHS_AT_ONCE:
                    yield Paths(joined(paths))
                    paths = []
        except RedlineError as error:
            yield WalkFailed(error.message)
            return
        if paths:
            yield Paths(joined(paths))
        yield Directories(joined(entered))
        for skipped in left_out:
            yield NotEntered(os.fsencode(skipped.path), Left(0, skipped.reason, skipped.detail))

    def _check(self, blocks: list[int]) -> Answer:
        with Reader(self._workspace) as reader:
            for number in blocks:
                block = self._blocks.get(number)
                stale = stale_in(block, reader) if block is not None else []
                if stale:
                    yield Stale(number, joined(stale))


def _tell(answer: Channel[Reply], messages: Answer, go_on: Callable[[], bool] = lambda: True) -> None:
    """The first message at once, then some together, so that the listener is not woken for each."""
    flushed = 0.0
    for message in messages:
        waiting = answer.gather(message)
        if waiting > BYTES_TOGETHER or time.monotonic() - flushed > SECONDS_TOGETHER:
            answer.flush()
            flushed = time.monotonic()
            if not go_on():
                return
    answer.send(Done())


def _die_with(parent: int) -> None:
    """Where the system can see to it, the child ends together with its keeper."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise _OrphanedError


def main(control: int, directory: int, root: str) -> None:
    """The process: a socket and the workspace's directory are inherited."""
    gc.disable()
    os.nice(_NICE)
    workspace = Workspace.held(directory, root)
    channel = Channel(socket.socket(fileno=control), requests)
    keeper = Keeper(workspace, channel)
    try:
        keeper.run()
    except OSError:
        pass  # the session is gone
    finally:
        keeper.end()
