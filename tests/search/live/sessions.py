"""Sessions for tests: what they find, in the words of the reference."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.search.reference import reference_scan
from tui.search.decoding import UndecodableError, is_binary
from tui.search.files import Limits
from tui.search.live import engine
from tui.search.live.session import DEFAULT_BUDGET, Session
from tui.search.live.state import Snapshot
from tui.search.matcher import Matcher, compile_query
from tui.search.query import Query
from tui.search.scan import Match
from tui.search.walk import Scope, walk
from tui.workspace import Workspace

PATIENCE = 60.0
SETTLED = 0.03  # a file changed a moment ago is not trusted

Found = dict[str, list[Match]]


def with_keepers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL_FILES", -1)


@contextmanager
def session_on(root: Path, budget: int = DEFAULT_BUDGET, limits: Limits | None = None) -> Iterator[Session]:
    time.sleep(SETTLED)
    with (
        Workspace(root) as workspace,
        Session(workspace, budget=budget, limits=limits, processes=2) as session,
    ):
        yield session


def answer(session: Session, query: Query | str | None, scope: Scope | None = None) -> Snapshot:
    session.submit(Query(query) if isinstance(query, str) else query, scope)
    return session.wait(timeout=PATIENCE)


def loaded(session: Session) -> Snapshot:
    return session.wait(lambda snapshot: snapshot.loading.complete, PATIENCE)


def found(snapshot: Snapshot) -> Found:
    """All matches by file, through the rows that an app would draw."""
    files: Found = {}
    for row in snapshot.results.rows(0, snapshot.matches):
        assert not row.stale, row
        files.setdefault(row.path, []).append(row.match)
    assert list(snapshot.results.paths()) == list(files)
    assert snapshot.results.counts() == [len(m) for m in files.values()]
    return files


def expected(root: Path, query: Query | str, scope: Scope | None = None) -> Found:
    matcher = compile_query(Query(query) if isinstance(query, str) else query)
    assert isinstance(matcher, Matcher)
    files: Found = {}
    with Workspace(root) as workspace:
        for path in walk(workspace, scope or Scope()):
            data = (root / path).read_bytes()
            try:
                matches = [] if is_binary(data) else reference_scan(data, matcher)
            except UndecodableError:
                continue
            if matches:
                files[path] = matches
    return files
