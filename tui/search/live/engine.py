"""What the session's thread does, step by step: list, read, search, keep up with the disk, tell.

Nothing here waits but `step`, which waits for whatever comes first. Which work is done where (in this
thread or by keepers) is the crew's business; what it brings is the same.
"""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tui.errors import RedlineError
from tui.search.files import Limits
from tui.search.globs import PathFilter
from tui.search.live.alone import Alone, Part
from tui.search.live.block import LARGE
from tui.search.live.crew import Crew
from tui.search.live.events import (
    Checked,
    Event,
    Found,
    Listed,
    ListingEnded,
    Lost,
    Ready,
    TookTooLong,
    WentStale,
)
from tui.search.live.freshness import Freshness, edited
from tui.search.live.packed import BlockHits
from tui.search.live.recent import Finding, Recent
from tui.search.live.results import Results, Texts, count_left_out
from tui.search.live.selection import Selection
from tui.search.live.shelf import Catalogue, Change, Place, Shelf
from tui.search.live.state import FileList, Loading, Phase, Snapshot, Wanted
from tui.search.live.watch import Changes, Watch
from tui.search.matcher import BadPattern, compile_query
from tui.search.query import Query
from tui.search.skipped import Skipped
from tui.search.walk import Scope
from tui.workspace import Workspace

SMALL_FILES = 4000
SMALL_BYTES = 48 << 20
SHELF_BYTES = 16 << 20
MOST_MATCHES = 2_500_000
"""Where so many are found, nobody will look at them all: the search ends, and says so."""

_LEAST_ROOM = 1 << 16
_BETWEEN_SNAPSHOTS = 0.05
_BETWEEN_NEWS_OF_LOADING = 0.2
_BETWEEN_COMPARISONS = 1.0
_DEATHS_BEFORE_STREAMING = 3


@dataclass(eq=False, slots=True)
class _Search:
    """The search that the owner wants."""

    generation: int = 0
    query: Query | None = None
    phase: Phase = Phase.IDLE
    problem: BadPattern | str | None = None
    finding: Finding | None = None
    sent: set[Shelf] = field(default_factory=set)
    shown: bool = False
    matches: int = 0
    cut: bool = False
    began: float = 0.0
    seconds: float = 0.0


class Engine:
    def __init__(
        self,
        workspace: Workspace,
        scope: Scope,
        limits: Limits,
        budget: int,
        processes: int,
        *,
        publish: Callable[[Snapshot], None],
        asked: Callable[[], bool],
        woken: socket.socket,
        ask: Callable[[Callable[[], None]], None],
    ) -> None:
        self._workspace = workspace
        self._limits = limits
        self._budget = budget
        self._processes = processes
        self._publish = publish
        self._woken = woken
        self._texts = Texts(workspace, lambda path: ask(lambda: self._seen_changed(path)))
        self._crew: Alone | Crew = Alone(workspace, limits, asked)
        self._freshness = Freshness(workspace, Watch(workspace))
        self._catalogue = Catalogue()
        self._waiting: deque[Shelf] = deque()
        self._unsent: deque[Shelf] = deque()
        self._reading: dict[Shelf, int] = {}
        self._listing = 0
        self._listed: list[str] | None = None
        self._stale_listed: frozenset[str] = frozenset()
        self._not_walked: tuple[Skipped, ...] = ()
        self._scope = scope
        self._selection = Selection(scope.files)
        self._search = _Search()
        self._recent = Recent()
        self._revision = 0
        self._files = FileList()
        self._told = 0.0
        self._untold = True
        self._unsure = False
        self._directories: tuple[str, ...] | None = None
        self._compared = 0.0
        self._deaths = 0
        self._list()

    @property
    def processes(self) -> list[int]:
        return self._crew.processes if isinstance(self._crew, Crew) else []

    def close(self) -> None:
        self._crew.close()
        self._freshness.watch.close()

    # What the owner asks for

    def submit(self, generation: int, query: Query | None, scope: Scope) -> None:
        self._crew.cancel()
        if _unfiltered(scope) != _unfiltered(self._scope):
            self._scope = scope
            self._catalogue.complete = False
            self._list()
        self._scope = scope
        if scope.files != self._selection.files:
            self._selection = Selection(scope.files)
        self._search = _Search(generation, query, began=time.perf_counter())
        if query is not None and query.pattern:
            self._begin(query)
        if not self._freshness.watch.complete and time.monotonic() - self._compared > _BETWEEN_COMPARISONS:
            self.compare_with_disk()
        self._told, self._untold = 0.0, True  # once the work is given out

    def _begin(self, query: Query) -> None:
        matcher = compile_query(query)
        if isinstance(matcher, BadPattern):
            self._fail(matcher)
            return
        self._search.phase = Phase.RUNNING
        self._search.finding = finding = self._recent.finding(matcher, self._scope.files)
        if not self._freshness.watch.complete:  # what is not in memory may have changed unseen
            finding.hits = {shelf: hits for shelf, hits in finding.hits.items() if shelf.in_memory}
        self._count_again()
        self._send_again()

    def _count_again(self) -> None:
        search = self._search
        search.matches = sum(hits.matches for hits in search.finding.hits.values()) if search.finding else 0
        search.cut = search.matches > MOST_MATCHES

    def _fail(self, problem: BadPattern | str) -> None:
        self._search.phase, self._search.problem, self._search.finding = Phase.INVALID, problem, None
        self._untold = True

    def cancel(self) -> None:
        if self._search.phase is Phase.RUNNING:
            self._crew.cancel()
            self._search.phase = Phase.CANCELLED
            self._search.seconds = time.perf_counter() - self._search.began
            self._tell(now=True)

    def forget_findings(self) -> None:
        self._recent.clear()
        self._crew.forget_findings()

    def free_memory(self) -> None:
        self._budget = 0
        self._texts.clear()
        self.forget_findings()
        self._start_over([shelf for shelf in self._catalogue if shelf.in_memory])

    def compare_with_disk(self) -> None:
        if not self._catalogue.complete or self._listed is not None or self._reading or self._waiting:
            return
        self._compared = time.monotonic()
        self._unsure = False
        self._crew.check([shelf for shelf in self._catalogue if shelf.in_memory])
        self._freshness.note(Changes(set(), directories=True), at_once=True)

    def _seen_changed(self, path: str) -> None:
        self._freshness.note(edited([path]), at_once=True)

    # One step

    def step(self) -> None:
        """Give out what there is to do, wait for something, and take note of it."""
        if self._freshness.waiting() == 0.0:
            self._catch_up()
        self._give_out_work()
        self._tell()
        if not self._reading and not self._waiting and not self._is_running():
            self._keep_watch()
        for event in self._crew.events(self._woken, self._patience(), self._freshness.watch.fd):
            self._on(event)
        self._freshness.look()

    def _patience(self) -> float | None:
        due = self._freshness.waiting() if self._catalogue.complete and self._listed is None else None
        if self._untold:
            soon = max(0.0, self._next_snapshot() - time.perf_counter())
            due = soon if due is None else min(due, soon)
        return due

    def _next_snapshot(self) -> float:
        """Not before then: what is found is told often, what is read seldom, and the end at once."""
        if self._is_running():
            return self._told + _BETWEEN_SNAPSHOTS
        return self._told + _BETWEEN_NEWS_OF_LOADING if self._reading or self._waiting else 0.0

    def _is_running(self) -> bool:
        return self._search.phase is Phase.RUNNING

    def _on(self, event: Event) -> None:
        match event:
            case Ready():
                self._on_ready(event)
            case Found(generation, shelf, hits):
                self._on_found(generation, shelf, hits)
            case TookTooLong():
                self._grow()
            case Listed(listing, paths):
                if listing == self._listing:
                    self._on_listed(paths)
            case ListingEnded():
                if event.listing == self._listing:
                    self._on_listing_ended(event)
            case WentStale(_, paths):
                self._freshness.note(edited(paths), at_once=True)
            case Checked():
                pass
            case Lost(shelves):
                self._on_lost(shelves)
        self._untold = True

    # Listing

    def _list(self) -> None:
        """Walk; where files are listed already, the new listing is compared with the old one."""
        self._listing += 1
        self._listed = [] if self._catalogue.shelves else None
        self._crew.walk(self._listing, _unfiltered(self._scope))

    def _on_listed(self, paths: list[str]) -> None:
        if self._listed is not None:
            self._listed += paths
            return
        before = len(self._catalogue.shelves)
        self._catalogue.add(paths)
        self._waiting.extend(self._catalogue.shelves[before:])
        if isinstance(self._crew, Alone) and before * 256 > SMALL_FILES:
            self._grow()

    def _on_listing_ended(self, event: ListingEnded) -> None:
        if event.broken:
            self._catalogue = Catalogue() if not self._catalogue.complete else self._catalogue
            self._list()
            return
        listed, self._listed = self._listed, None
        self._not_walked = event.skipped
        self._catalogue.complete = True
        if event.problem:
            self._fail(event.problem)
        if listed is not None:
            self._apply(self._catalogue.relist(listed, self._stale_listed))
            self._waiting.extend(shelf for shelf in self._catalogue if shelf.place is Place.WAITING)
            self._stale_listed = frozenset()
        self._directories = event.directories

    def _keep_watch(self) -> None:
        """With nothing else to do: watch what was listed, then see what happened before that."""
        directories, self._directories = self._directories, None
        if directories is not None and self._freshness.watch.follow(directories):
            self._unsure = True
        if self._unsure:
            self.compare_with_disk()

    def _catch_up(self) -> None:
        """Do something about the changes on disk."""
        if not self._catalogue.complete or self._listed is not None:
            return
        task = self._freshness.task(self._catalogue, self._scope.hidden)
        if task.compare:
            self._unsure = True
        if task.relist:
            self._stale_listed = task.stale
            self._list()
        else:
            self._apply(self._catalogue.renew(self._catalogue.holding(task.stale)))

    def _apply(self, changes: list[Change]) -> None:
        """Shelves gave way to others: those are read, and searched for what is wanted now."""
        for change in changes:
            old = change.old
            self._remove(old)
            if old.in_memory and old.place is Place.READY and change.stale is not None:
                (new,) = change.new
                new.place = Place.ASKED
                self._reading[new] = old.size
                self._crew.renew(new, old, change.stale)
            else:
                self._crew.forget([old])
                self._waiting.extend(change.new)
            old.place = Place.GONE
        if changes:
            self._recent.keep_only(set(self._catalogue.shelves))
            self._run_again()

    def _remove(self, shelf: Shelf) -> None:
        self._reading.pop(shelf, None)
        self._selection.forget(shelf)
        self._search.sent.discard(shelf)

    def _run_again(self) -> None:
        """The visible query, over what has changed."""
        was_cut = self._search.cut
        self._count_again()
        if was_cut:
            self._send_again()
        if self._search.phase is Phase.COMPLETE:
            self._search.phase = Phase.RUNNING
            self._search.began = time.perf_counter()
        self._untold = True

    def _start_over(self, shelves: list[Shelf]) -> None:
        """These shelves are read anew, by whoever has room."""
        self._apply(self._catalogue.start_over(shelves))

    # Reading

    def _on_ready(self, event: Ready) -> None:
        shelf = event.shelf
        if shelf.place is not Place.ASKED:
            self._crew.forget([shelf])
            return
        self._reading.pop(shelf, None)
        if not event.files:
            self._put_aside(shelf)
            return
        if event.files < len(shelf.paths):
            self._waiting.appendleft(self._catalogue.cut(shelf, event.files))
        shelf.place = Place.READY
        shelf.size, shelf.skipped = event.size, event.skipped
        self._unsent.append(shelf)
        if isinstance(self._crew, Alone) and self._held() > SMALL_BYTES:
            self._grow()

    def _put_aside(self, shelf: Shelf) -> None:
        """Its first file alone is larger than there was room for."""
        self._crew.forget([shelf])
        if len(shelf.paths) > 1:
            self._waiting.appendleft(self._catalogue.cut(shelf, 1))
        shelf.place, shelf.put_aside = Place.WAITING, True
        self._waiting.appendleft(shelf)

    def _held(self) -> int:
        return sum(shelf.size for shelf in self._catalogue) + sum(self._reading.values())

    def _read_next(self) -> None:
        held = self._held()
        while self._waiting and self._crew.has_room():
            shelf = self._waiting.popleft()
            if shelf.place is not Place.WAITING:
                continue
            room = 0 if shelf.put_aside else min(SHELF_BYTES, self._budget - held)
            if room <= _LEAST_ROOM and not shelf.put_aside and (largest := self._largest_file()) is not None:
                self._waiting.appendleft(shelf)
                self._apply(self._catalogue.start_over([largest], put_aside=True))
                held = self._held()
                continue
            shelf.place = Place.ASKED
            shelf.in_memory = room > _LEAST_ROOM
            self._reading[shelf] = room if shelf.in_memory else 0
            held += self._reading[shelf]
            self._crew.load(shelf, room if shelf.in_memory else None)

    def _largest_file(self) -> Shelf | None:
        """The shelf that holds the largest single file in memory, if one is large."""
        alone = (
            shelf
            for shelf in self._catalogue
            if shelf.in_memory
            and shelf.place is Place.READY
            and len(shelf.paths) == 1
            and shelf.size >= LARGE
        )
        return max(alone, key=lambda shelf: shelf.size, default=None)

    def _on_lost(self, shelves: list[Shelf]) -> None:
        self._deaths += 1
        self._start_over([shelf for shelf in shelves if shelf.place is not Place.GONE])
        if self._deaths > _DEATHS_BEFORE_STREAMING:
            self.free_memory()  # whoever kills them may want just that

    def _grow(self) -> None:
        """More than this thread should do: processes take over, and read what has been read."""
        self._crew.close()
        listing = not self._catalogue.complete or self._listed is not None
        self._crew = Crew(self._workspace, self._limits, self._processes)
        self._search.sent.clear()
        self._start_over(list(self._catalogue))
        if listing:
            if not self._catalogue.complete:
                self._catalogue = Catalogue()
                self._waiting.clear()
            self._list()

    # Searching

    def _send_again(self) -> None:
        self._unsent = deque(shelf for shelf in self._catalogue if shelf.place is Place.READY)

    def _give_out_work(self) -> None:
        self._read_next()
        finding = self._search.finding
        if (
            not self._is_running()
            or finding is None
            or (self._listed is not None and not self._catalogue.complete)
        ):
            return
        try:
            unsent = () if self._search.cut else self._unsent
            parts = [part for shelf in unsent if (part := self._part(shelf, finding))]
        except RedlineError as error:
            self._fail(error.message)
            return
        self._unsent.clear()
        self._search.sent.update(shelf for shelf, _ in parts)
        if parts:
            self._crew.search(self._search.generation, finding.matcher, parts)
        complete = self._catalogue.complete and not (self._waiting or self._reading)
        if self._search.cut or (complete and not self._search.sent):
            self._search.phase = Phase.COMPLETE
            self._search.seconds = time.perf_counter() - self._search.began
            self._untold = True

    def _part(self, shelf: Shelf, finding: Finding) -> Part | None:
        """What of a shelf has to be scanned; None if all is known."""
        if shelf.place is not Place.READY or shelf in finding.hits or shelf in self._search.sent:
            return None
        wanted = self._selection.on(shelf)
        if shelf.in_memory or self._freshness.watch.complete:
            wanted = self._recent.narrowed(shelf, wanted)
        if wanted is not None and not wanted:
            finding.hits[shelf] = BlockHits(shelf.number)
            return None
        return shelf, wanted

    def _on_found(self, generation: int, shelf: Shelf, hits: BlockHits) -> None:
        search = self._search
        if generation != search.generation or search.finding is None or shelf.place is Place.GONE:
            return
        search.sent.discard(shelf)
        search.finding.hits[shelf] = hits
        search.matches += hits.matches
        if search.matches > MOST_MATCHES:
            search.cut = True
            search.sent.clear()
            self._crew.cancel()
        if hits.lines and not search.shown:
            search.shown = True
            self._told = 0.0  # the first matches are told at once

    # Telling

    def _tell(self, now: bool = False) -> None:
        if not self._untold and not now:
            return
        moment = time.perf_counter()
        if moment < self._next_snapshot() and not now:
            return
        self._told, self._untold = moment, False
        try:
            self._publish(self._snapshot())
        except RedlineError as error:
            self._selection = Selection(PathFilter())
            self._fail(error.message)

    def _snapshot(self) -> Snapshot:
        self._revision += 1
        search = self._search
        known = search.finding.hits if search.finding is not None else {}
        searched = tuple((shelf, known.get(shelf), self._selection.on(shelf)) for shelf in self._catalogue)
        not_walked = tuple(skipped for skipped in self._not_walked if self._selection.concerns(skipped))
        running = search.phase is Phase.RUNNING
        return Snapshot(
            search.generation,
            self._revision,
            search.phase,
            search.query,
            search.problem,
            Results([(shelf, hits) for shelf, hits, _ in searched if hits is not None], self._texts),
            self._file_list([(shelf, wanted) for shelf, _, wanted in searched]),
            len(not_walked) + sum(count_left_out(*one) for one in searched),
            time.perf_counter() - search.began if running else search.seconds,
            Loading.of(self._catalogue),
            not_walked,
            searched,
            search.cut,
        )

    def _file_list(self, shelves: list[tuple[Shelf, Wanted]]) -> FileList:
        """The same one as before as long as it holds the same, so that nobody has to compare."""
        if not self._files.is_of(shelves):
            self._files = FileList(shelves)
        return self._files


def _unfiltered(scope: Scope) -> Scope:
    return replace(scope, files=PathFilter())
