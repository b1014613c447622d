"""Reading and scanning inside the session's own thread: enough for a workspace of a few megabytes.

Work is done in small steps between two looks at what the owner asked for meanwhile. The regex engine
lets go of the interpreter's lock while it matches, and gets so little time for a file that the next
query need not wait for it; a pattern that wants more is told of, and goes to a process of its own.
"""

from __future__ import annotations

import select
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, islice

from tui.errors import RedlineError
from tui.search.files import Limits
from tui.search.live.block import Block, read_block, read_for_once, renewed, stale_in
from tui.search.live.blockscan import InterruptedScanError, scan_block
from tui.search.live.events import (
    Checked,
    Event,
    Found,
    Listed,
    ListingEnded,
    Ready,
    TookTooLong,
    WentStale,
)
from tui.search.live.known import Known
from tui.search.live.packed import BlockHits
from tui.search.live.shelf import FILES_ON_A_SHELF, Shelf
from tui.search.matcher import Matcher
from tui.search.skipped import Reason, Skipped
from tui.search.timelimit import TimeLimit
from tui.search.walk import Scope, walk
from tui.workspace import Reader, Workspace

SECONDS_HERE = 0.05

Part = tuple[Shelf, frozenset[int] | None]


class Alone:
    """One step of work for each call of `events`: first the search, then what it needs."""

    def __init__(self, workspace: Workspace, limits: Limits, interrupted: Callable[[], bool]) -> None:
        self._workspace = workspace
        self._limits = limits
        self._interrupted = interrupted
        seconds = limits.seconds_per_file
        self._out_of_time_is_final = seconds is not None and seconds <= SECONDS_HERE
        self._limits_here = (
            limits if self._out_of_time_is_final else replace(limits, seconds_per_file=SECONDS_HERE)
        )
        self._time = TimeLimit(self._limits_here.seconds_per_file)
        self._generation = 0
        self._matcher: Matcher | None = None
        self._parts: deque[Part] = deque()
        self._numbers = count(1)
        self._known = Known()
        self._unmarked: deque[Block] = deque()
        self._reading: deque[Callable[[], Iterator[Event]]] = deque()
        self._listing: Iterator[Event] = iter(())

    def has_room(self) -> bool:
        return not self._reading

    def load(self, shelf: Shelf, most: int | None) -> None:
        self._reading.append(lambda: self._load(shelf, most))

    def renew(self, shelf: Shelf, old: Shelf, stale: frozenset[str]) -> None:
        self._reading.append(lambda: self._renew(shelf, old, stale))

    def forget(self, shelves: Sequence[Shelf]) -> None:
        self._known.forget(shelf.number for shelf in shelves)
        for shelf in shelves:
            shelf.block = None

    def forget_findings(self) -> None:
        self._known.clear()

    def search(self, generation: int, matcher: Matcher, parts: Sequence[Part]) -> None:
        if generation != self._generation:
            self.cancel()
        self._generation, self._matcher = generation, matcher
        self._known.begin(matcher)
        self._parts.extend(parts)

    def cancel(self) -> None:
        self._parts.clear()

    def walk(self, listing: int, scope: Scope) -> None:
        self._listing = self._walk(listing, scope)

    def check(self, shelves: Sequence[Shelf]) -> None:
        self._reading.append(lambda: self._check(list(shelves)))

    def close(self) -> None:
        """Nothing is held."""

    def events(self, wake: socket.socket, timeout: float | None, other: int) -> list[Event]:
        """What one step brought; without work, waits for the owner."""
        if self._parts and self._matcher is not None:
            return list(self._scan(self._matcher, *self._parts.popleft()))
        listed = next(self._listing, None)
        if listed is not None:
            return [listed]
        if self._reading:
            return list(self._reading.popleft()())
        if not wait_for([wake.fileno(), other], 0 if self._unmarked else timeout) and self._unmarked:
            self._unmarked.popleft().mark_lines()
        return []

    def _load(self, shelf: Shelf, most: int | None) -> Iterator[Event]:
        if most is None:
            yield Ready(shelf, len(shelf.paths), 0, ())
            return
        with Reader(self._workspace) as reader:
            block = read_block(reader, shelf.paths, self._limits, most)
        yield self._ready(shelf, block)

    def _renew(self, shelf: Shelf, old: Shelf, stale: frozenset[str]) -> Iterator[Event]:
        with Reader(self._workspace) as reader:
            known = [old.block] if old.block is not None else []
            block = renewed(known, reader, shelf.paths, stale, self._limits)
        self.forget([old])
        yield self._ready(shelf, block)

    def _ready(self, shelf: Shelf, block: Block) -> Ready:
        shelf.block, shelf.number = block, next(self._numbers)
        self._unmarked.append(block)
        return Ready(shelf, len(block), len(block.text), block.unread())

    def _scan(self, matcher: Matcher, shelf: Shelf, wanted: frozenset[int] | None) -> Iterator[Event]:
        try:
            hits = self._hits(matcher, shelf, wanted)
        except InterruptedScanError:
            self._parts.appendleft((shelf, wanted))
            return
        if not self._out_of_time_is_final and any(left.reason is Reason.TIMED_OUT for left in hits.left):
            self.cancel()
            yield TookTooLong(self._generation)
        else:
            yield Found(self._generation, shelf, hits)

    def _hits(self, matcher: Matcher, shelf: Shelf, wanted: frozenset[int] | None) -> BlockHits:
        time, limits = self._time, self._limits_here
        if shelf.block is not None:
            return self._known.scan(shelf.number, shelf.block, wanted, time, limits, self._interrupted)
        with Reader(self._workspace) as reader:
            block = read_for_once(reader, shelf.paths, self._limits, wanted)
        hits = scan_block(shelf.number, block, matcher, wanted, time, limits, self._interrupted)
        hits.left = (*hits.left, *block.unread(wanted))
        return hits

    def _walk(self, listing: int, scope: Scope) -> Iterator[Event]:
        left_out: list[Skipped] = []
        entered: list[str] = []
        try:
            paths = walk(self._workspace, scope, left_out.append, entered.append)
            while some := list(islice(paths, FILES_ON_A_SHELF)):
                yield Listed(listing, some)
        except RedlineError as error:
            yield ListingEnded(listing, problem=error.message)
            return
        yield ListingEnded(listing, tuple(left_out), directories=tuple(entered))

    def _check(self, shelves: Sequence[Shelf]) -> Iterator[Event]:
        with Reader(self._workspace) as reader:
            for shelf in shelves:
                stale = stale_in(shelf.block, reader) if shelf.block is not None else []
                if stale:
                    yield WentStale(shelf, stale)
        yield Checked()


def wait_for(descriptors: Iterable[int], timeout: float | None) -> list[int]:
    """Those that can be read, as soon as there is one; a negative one is none."""
    poll = select.poll()
    for descriptor in descriptors:
        if descriptor >= 0:
            poll.register(descriptor, select.POLLIN)
    return [ready for ready, _ in poll.poll(None if timeout is None else int(timeout * 1000) + 1)]
