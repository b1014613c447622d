"""The keepers, seen from the session: who keeps which shelf, who is asked what, and who has died."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import tui
from tui.search.files import Limits
from tui.search.live.alone import Part, wait_for
from tui.search.live.events import Checked, Event, Found, Listed, ListingEnded, Lost, Ready, WentStale
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
    separated,
)
from tui.search.live.packed import BlockHits, Left
from tui.search.live.shelf import Shelf
from tui.search.matcher import Matcher
from tui.search.skipped import Reason, Skipped
from tui.search.walk import Scope
from tui.workspace import Workspace

LOADS_AT_ONCE = 2
_SECONDS_TO_END = 2.0
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[4:]; from tui.search.live.keeper import main; "
    "main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
)


@dataclass(eq=False)
class _Keeper:
    """One process, and what it was asked for."""

    index: int
    process: subprocess.Popen[bytes]
    channel: Channel[Reply]
    shelves: dict[int, Shelf] = field(default_factory=dict)
    loading: set[int] = field(default_factory=set)
    search: _SearchAnswer | None = None
    waiting: list[Part] = field(default_factory=list)
    scanned: int = 0

    def has_enough_to_scan(self) -> bool:
        """Each scan is a fork, so while more is being read it waits for half as much again as has
        been scanned: the first shelf is scanned at once, and thousands take only a dozen forks."""
        return bool(self.waiting) and (not self.loading or len(self.waiting) * 2 > self.scanned)


class _Answer:
    """What is being told on a socket of its own."""

    def __init__(self, keeper: _Keeper) -> None:
        self.keeper = keeper
        self.done = False
        mine, self.theirs = socket.socketpair()
        self.channel: Channel[Reply] = Channel(mine, replies)

    def heard(self, reply: Reply) -> list[Event]:
        raise NotImplementedError

    def broken(self) -> list[Event]:
        """The one who answered died."""
        raise NotImplementedError


class _SearchAnswer(_Answer):
    def __init__(self, keeper: _Keeper, generation: int, parts: Sequence[Part]) -> None:
        super().__init__(keeper)
        self.generation = generation
        self.left = {shelf.number: (shelf, wanted) for shelf, wanted in parts}

    def heard(self, reply: Reply) -> list[Event]:
        if not isinstance(reply, Hits):
            return []
        part = self.left.pop(reply.hits.block, None)
        return [Found(self.generation, part[0], reply.hits)] if part else []

    def broken(self) -> list[Event]:
        self.keeper.waiting[:0] = self.left.values()
        return []


class _WalkAnswer(_Answer):
    def __init__(self, keeper: _Keeper, listing: int) -> None:
        super().__init__(keeper)
        self._listing = listing
        self._skipped: list[Skipped] = []
        self._directories: tuple[str, ...] = ()
        self._problem = ""

    def heard(self, reply: Reply) -> list[Event]:
        match reply:
            case Paths(paths):
                return [Listed(self._listing, separated(paths))]
            case Directories(paths):
                self._directories = tuple(separated(paths) or [""])
            case NotEntered(path, left):
                self._skipped.append(Skipped(os.fsdecode(path), left.reason, left.detail))
            case WalkFailed(message):
                self._problem = message
            case Done():
                return [ListingEnded(self._listing, tuple(self._skipped), self._problem, self._directories)]
        return []

    def broken(self) -> list[Event]:
        return [ListingEnded(self._listing, broken=True)]


class _CheckAnswer(_Answer):
    def heard(self, reply: Reply) -> list[Event]:
        if isinstance(reply, Stale) and reply.block in self.keeper.shelves:
            return [WentStale(self.keeper.shelves[reply.block], separated(reply.paths))]
        return [Checked()] if isinstance(reply, Done) else []

    def broken(self) -> list[Event]:
        return [Checked()]


class Crew:
    """As many keepers as there are processors to use."""

    def __init__(self, workspace: Workspace, limits: Limits, size: int) -> None:
        self._workspace = workspace
        self._limits = limits
        self._numbers = count(1)
        self._generation = 0
        self._matcher: Matcher | None = None
        self._answers: list[_Answer] = []
        self._deadly: Shelf | None = None
        self._keepers = [self._started(index) for index in range(size)]

    @property
    def processes(self) -> list[int]:
        return [keeper.process.pid for keeper in self._keepers]

    def _started(self, index: int) -> _Keeper:
        mine, theirs = socket.socketpair()
        with theirs:
            arguments = [str(theirs.fileno()), str(self._workspace.fd), self._workspace.root]
            home = str(Path(tui.__file__).parent.parent)
            process = subprocess.Popen(
                [sys.executable, "-S", "-c", _PROGRAM, *arguments, home, *filter(None, sys.path)],
                pass_fds=(theirs.fileno(), self._workspace.fd),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONUTF8": str(sys.flags.utf8_mode)},
                start_new_session=True,
            )
        keeper = _Keeper(index, process, Channel(mine, replies))
        keeper.channel.send(Start(self._limits.file_size, self._limits.seconds_per_file))
        return keeper

    def has_room(self) -> bool:
        return any(len(keeper.loading) < LOADS_AT_ONCE for keeper in self._keepers)

    def load(self, shelf: Shelf, most: int | None) -> None:
        keeper = min(self._keepers, key=lambda keeper: len(keeper.loading))
        self._number(shelf, keeper)
        self._say(keeper, Load(shelf.number, joined(shelf.paths), most))

    def renew(self, shelf: Shelf, old: Shelf, stale: frozenset[str]) -> None:
        keeper = self._keepers[old.keeper]
        keeper.shelves.pop(old.number, None)
        self._number(shelf, keeper)
        self._say(keeper, Renew(shelf.number, old.number, joined(shelf.paths), joined(stale)))

    def _number(self, shelf: Shelf, keeper: _Keeper) -> None:
        shelf.keeper, shelf.number = keeper.index, next(self._numbers)
        keeper.shelves[shelf.number] = shelf
        keeper.loading.add(shelf.number)

    def forget(self, shelves: Sequence[Shelf]) -> None:
        for keeper in self._keepers:
            numbers = [shelf.number for shelf in shelves if shelf.keeper == keeper.index]
            for number in numbers:
                keeper.shelves.pop(number, None)
                keeper.loading.discard(number)
            if numbers:
                self._say(keeper, Forget(numbers))

    def forget_findings(self) -> None:
        for keeper in self._keepers:
            self._say(keeper, ForgetFindings())

    def search(self, generation: int, matcher: Matcher, parts: Sequence[Part]) -> None:
        """More to scan for a search; a new generation ends the one before."""
        if generation != self._generation:
            self.cancel()
        self._generation, self._matcher = generation, matcher
        for shelf, wanted in parts:
            self._keepers[shelf.keeper].waiting.append((shelf, wanted))

    def cancel(self) -> None:
        for keeper in self._keepers:
            keeper.waiting.clear()
            keeper.scanned = 0
            if keeper.search is not None:
                self._drop(keeper.search)
                keeper.search = None
                self._say(keeper, Cancel())

    def walk(self, listing: int, scope: Scope) -> None:
        self._ask(_WalkAnswer(self._keepers[listing % len(self._keepers)], listing), Walk.of(scope))

    def check(self, shelves: Sequence[Shelf]) -> None:
        for keeper in self._keepers:
            numbers = [shelf.number for shelf in shelves if shelf.keeper == keeper.index]
            self._ask(_CheckAnswer(keeper), Check(numbers))

    def close(self) -> None:
        """Each keeper ends when its socket is closed; one that does not is killed."""
        for answer in self._answers:
            answer.channel.close()
        for keeper in self._keepers:
            keeper.channel.close()
        for keeper in self._keepers:
            try:
                keeper.process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                keeper.process.kill()
                keeper.process.wait()

    def events(self, wake: socket.socket, timeout: float | None, other: int) -> list[Event]:
        """What has been told, after waiting for it or for the owner."""
        self._send_searches()
        channels: dict[int, Callable[[], list[Event]]] = {}
        for keeper in self._keepers:
            channels[keeper.channel.fileno()] = lambda keeper=keeper: self._listen(keeper)  # type: ignore[misc]
        for answer in self._answers:
            channels[answer.channel.fileno()] = lambda answer=answer: self._hear(answer)  # type: ignore[misc]
        events: list[Event] = []
        for descriptor in wait_for([wake.fileno(), other, *channels], timeout):
            if descriptor in channels:
                events += channels[descriptor]()
        return events

    def _listen(self, keeper: _Keeper) -> list[Event]:
        received = keeper.channel.receive()
        if received is None:
            return self._replaced(keeper)
        events: list[Event] = []
        for reply in received:
            if isinstance(reply, Loaded):
                keeper.loading.discard(reply.block)
                shelf = keeper.shelves.get(reply.block)
                if shelf is not None:
                    events.append(Ready(shelf, reply.files, reply.size, reply.left))
        return events

    def _hear(self, answer: _Answer) -> list[Event]:
        if answer not in self._answers:
            return []
        received = answer.channel.receive()
        events: list[Event] = []
        for reply in received or ():
            events += answer.heard(reply)
            answer.done = answer.done or isinstance(reply, Done)
        if received is None or answer.done:
            self._drop(answer)
            if answer.keeper.search is answer:
                answer.keeper.search = None
            if not answer.done:
                events += answer.broken()
                if isinstance(answer, _SearchAnswer):
                    events += self._given_up(answer)
        return events

    def _given_up(self, answer: _SearchAnswer) -> list[Event]:
        """Where two scans in a row died at the same shelf, the third is done without it."""
        waiting = answer.keeper.waiting
        if not waiting:
            return []
        shelf, wanted = waiting[0]
        if self._deadly is not shelf:
            self._deadly = shelf
            return []
        waiting.pop(0)
        files = range(len(shelf.paths)) if wanted is None else sorted(wanted)
        left = tuple(
            Left(file, Reason.OUT_OF_MEMORY, "the process that searched it was ended") for file in files
        )
        return [Found(answer.generation, shelf, BlockHits(shelf.number, left=left))]

    def _replaced(self, keeper: _Keeper) -> list[Event]:
        """A keeper died. What it kept has to be read again, by another one in its place."""
        keeper.channel.close()
        keeper.process.kill()
        keeper.process.wait()
        events: list[Event] = []
        for answer in [answer for answer in self._answers if answer.keeper is keeper]:
            self._drop(answer)
            events += answer.broken()
        self._keepers[keeper.index] = self._started(keeper.index)
        return [*events, Lost(list(keeper.shelves.values()))]

    def _send_searches(self) -> None:
        for keeper in self._keepers:
            if keeper.search is None and self._matcher is not None and keeper.has_enough_to_scan():
                keeper.search = _SearchAnswer(keeper, self._generation, keeper.waiting)
                parts = [
                    (shelf.number, None if wanted is None else array("I", sorted(wanted)).tobytes())
                    for shelf, wanted in keeper.waiting
                ]
                keeper.scanned += len(parts)
                keeper.waiting.clear()
                self._ask(keeper.search, Search.of(self._matcher.query, parts))

    def _ask(self, answer: _Answer, request: Request) -> None:
        self._answers.append(answer)
        with answer.theirs:
            self._say(answer.keeper, request, answer.theirs)

    def _drop(self, answer: _Answer) -> None:
        self._answers.remove(answer)
        answer.channel.close()

    def _say(self, keeper: _Keeper, request: Request, *ends: socket.socket) -> None:
        with suppress(OSError):  # it died, which is noticed when it is listened to
            keeper.channel.send(request, *ends)
