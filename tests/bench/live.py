"""The live search session, beside a new ripgrep for every query."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from tests.bench.find import EVERYTHING, RG
from tests.bench.memory import kept_by
from tests.bench.table import Row, alternating, program
from tui.search.files import Limits
from tui.search.globs import PathFilter, Reading, compile_globs
from tui.search.live.session import Session
from tui.search.live.state import Phase, Snapshot
from tui.search.query import Case, Query
from tui.search.walk import Scope
from tui.workspace import Workspace

LIMITS = Limits(file_size=16 << 20)
ENOUGH = 1 << 40
BUDGET = 128 << 20
PATIENCE = 300.0
SETTLED = 2.0
CATASTROPHE = Query(r"(?:\w+\s*)+\x01")

WARM: list[tuple[str, Query, list[str], float]] = [
    ("new literal, some hits", Query("schedule_timeout"), ["schedule_timeout"], 0.5),
    ("new literal, more hits", Query("EXPORT_SYMBOL_GPL"), ["EXPORT_SYMBOL_GPL"], 0.5),
    ("new literal, no hits", Query("no_such_text_anywhere"), ["no_such_text_anywhere"], 0.5),
    ("new literal, very many hits", Query("int"), ["int"], 0.5),
    (
        "new regex with a literal",
        Query(r"(struct|union)\s+\w+_ops"),
        [r"(struct|union)\s+\w+_ops"],
        1.0,
    ),
    ("new regex that begins with a class", Query(r"\w+_ops\b"), [r"\w+_ops\b"], 1.0),
    ("new literal, any case", Query("todo", case=Case.INSENSITIVE), ["-i", "todo"], 1.0),
    ("new literal, smart case", Query("schedul", case=Case.SMART), ["-S", "schedul"], 1.0),
    (
        "new long literal, any case",
        Query("copyright_holder", case=Case.INSENSITIVE),
        ["-i", "copyright_holder"],
        1.0,
    ),
]
REFINED: list[tuple[Query, Query, list[str]]] = [
    (Query("schedule_timeout"), Query("schedule_timeout_"), []),
    (Query("EXPORT_SYMBOL_GP"), Query("EXPORT_SYMBOL_GPL"), []),
    (Query("schedul", case=Case.SMART), Query("schedule", case=Case.SMART), ["-S"]),
    (Query("retur"), Query("return"), []),
]


def rows(tree: Path, rounds: int) -> Iterator[Row]:
    yield _first(tree, rounds)
    with _session(tree) as session:
        session.wait(lambda snapshot: snapshot.loading.complete, PATIENCE)
        yield from _memory(session, "memory beyond the text, nothing searched")
        yield from _listing(session, tree, rounds)
        yield from _warm(session, tree, rounds)
        yield from _refined(session, tree, rounds)
        yield _first_hits(session, rounds)
        yield from _sizes(session, rounds)
        yield _stall(session, "longest stall while very many hits come", Query("int"))
        yield from _memory(session, "memory beyond the text, very many hits")
        yield _stall(session, "longest stall with a pattern without an end", CATASTROPHE, 1.0)
        yield _ended(session)
    yield from _streaming(tree, rounds)


@contextmanager
def _session(tree: Path, budget: int = ENOUGH) -> Iterator[Session]:
    with (
        Workspace(tree) as workspace,
        Session(workspace, scope=EVERYTHING, budget=budget, limits=LIMITS) as session,
    ):
        yield session


def _first(tree: Path, rounds: int) -> Row:
    query = Query("schedule_timeout")

    def search() -> None:
        with _session(tree) as session:
            session.submit(query, EVERYTHING)
            session.wait(timeout=PATIENCE)
            times.append(time.perf_counter())

    times: list[float] = []
    best = float("inf")
    rg = program([*RG, "--json", query.pattern], tree)
    theirs = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        rg()
        theirs = min(theirs, time.perf_counter() - began)
        began = time.perf_counter()
        search()
        best = min(best, times[-1] - began)
    return Row("first complete search, nothing in memory", best, theirs, "rg --json", aim=2.5)


def _sizes(session: Session, rounds: int) -> Iterator[Row]:
    """The same query in larger and larger parts of the tree: the time for a million hits stays."""
    for share in (4, 2, 1):
        part = Scope(
            files=PathFilter(wanted=lambda path, share=share: crc32(os.fsencode(path)) % share == 0),  # type: ignore[misc]
            ignore_files=False,
            default_exclusions=False,
        )
        best = float("inf")
        for _ in range(rounds):
            session.forget_findings()
            _answer(session, None, part)
            began = time.perf_counter()
            hits = _answer(session, Query("return"), part).matches
            best = min(best, time.perf_counter() - began)
        yield Row(f"return, in 1/{share} of the files: a million hits", best / hits * 1e6, None, "", hits)


def _streaming(tree: Path, rounds: int) -> Iterator[Row]:
    """With less memory than text, most of it is read again for every query."""
    with _session(tree, BUDGET) as session:
        session.wait(lambda snapshot: snapshot.loading.complete, PATIENCE)
        query = Query("schedule_timeout")
        hits = _answer(session, query).matches
        ours, theirs = alternating(
            _new(session, query), program([*RG, "--json", query.pattern], tree), rounds
        )
        yield Row("new literal, 128 MB of text in memory", ours, theirs, "rg --json", hits)
        yield from _memory(session, "memory beyond these 128 MB")


def _answer(session: Session, query: Query | None, scope: Scope = EVERYTHING) -> Snapshot:
    session.submit(query, scope)
    snapshot = session.wait(timeout=PATIENCE)
    assert snapshot.phase in (Phase.COMPLETE, Phase.IDLE), snapshot.phase
    return snapshot


def _new(session: Session, query: Query) -> Callable[[], None]:
    """A query that nothing is known of yet, however often it is asked."""

    def ask() -> None:
        session.forget_findings()
        _answer(session, query)

    return ask


def _warm(session: Session, tree: Path, rounds: int) -> Iterator[Row]:
    for name, query, arguments, aim in WARM:
        hits = _answer(session, query).matches
        ours, theirs = alternating(_new(session, query), program([*RG, "--json", *arguments], tree), rounds)
        yield Row(name, ours, theirs, "rg --json", hits, aim)


def _refined(session: Session, tree: Path, rounds: int) -> Iterator[Row]:
    for before, after, options in REFINED:
        best = theirs = float("inf")
        rg = program([*RG, "--json", *options, after.pattern], tree)
        for _ in range(rounds):
            _new(session, before)()
            began = time.perf_counter()
            hits = _answer(session, after).matches
            best = min(best, time.perf_counter() - began)
            began = time.perf_counter()
            rg()
            theirs = min(theirs, time.perf_counter() - began)
        case = ", smart case" if options else ""
        yield Row(f"one letter more: {after.pattern}{case}", best, theirs, "rg --json", hits, 0.1)
    ours, theirs = alternating(
        lambda: _answer(session, Query("retur")), program([*RG, "--json", "retur"], tree), rounds
    )
    yield Row("one letter back: retur", ours, theirs, "rg --json", aim=0.1)


def _listing(session: Session, tree: Path, rounds: int) -> Iterator[Row]:
    scope = Scope(
        files=compile_globs(["**/*.{c,py}"], Reading.ANCHORED), ignore_files=False, default_exclusions=False
    )
    for name, chosen, arguments in (
        ("list all files, warm", EVERYTHING, []),
        ("glob **/*.{c,py}, warm", scope, ["-g", "*.{c,py}"]),
    ):
        found = 0

        def ask(chosen: Scope = chosen) -> None:
            nonlocal found
            found = sum(1 for _ in _answer(session, None, chosen).files)

        ours, theirs = alternating(ask, program([*RG, "--files", *arguments], tree), rounds)
        yield Row(name, ours, theirs, "rg --files", found, 3.0)


def _first_hits(session: Session, rounds: int) -> Row:
    best = float("inf")
    for _ in range(rounds):
        session.forget_findings()
        began = time.perf_counter()
        asked = session.submit(Query("int"), EVERYTHING)
        session.wait(lambda it, asked=asked: it.generation == asked and it.matches > 0, PATIENCE)  # type: ignore[misc]
        best = min(best, time.perf_counter() - began)
        session.wait(timeout=PATIENCE)
    return Row("first hits of very many", best, 0.05, "50 ms", aim=1.0)


def _stall(session: Session, name: str, query: Query, seconds: float | None = None) -> Row:
    """The longest gap between two ticks of a thread that only wants to tick, as an app's does."""
    session.forget_findings()
    session.submit(query, EVERYTHING)
    began = last = time.perf_counter()
    longest = 0.0
    while True:
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        snapshot = session.snapshot()
        if snapshot.query == query and snapshot.phase is Phase.COMPLETE:
            break
        if seconds is not None and now - began > seconds:
            break
    return Row(name, longest, 0.05, "50 ms", snapshot.matches, 1.0)


def _ended(session: Session) -> Row:
    """From the next submit to its complete answer, while a pattern without an end runs."""
    began = time.perf_counter()
    _answer(session, Query("no_such_text_anywhere_else"))
    return Row("the next search after such a pattern", time.perf_counter() - began, None, "rg --json")


def _memory(session: Session, name: str) -> Iterator[Row]:
    time.sleep(SETTLED)
    kept = kept_by(session.processes)
    if kept is not None:
        text = session.snapshot().loading.bytes
        yield Row(name, (kept - text) / 1e6, 200.0, f"text is {text / 1e6:,.0f} MB", aim=1.0, unit="MB")
