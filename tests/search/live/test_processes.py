"""Processes that are killed, patterns without an end, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import write
from tests.search.live.sessions import PATIENCE, answer, found, loaded, session_on, with_keepers
from tests.search.test_grep import CATASTROPHES
from tui.search.files import Limits
from tui.search.live.state import Phase
from tui.search.query import Query
from tui.search.skipped import Reason

SOON = 20.0  # a bound on liveness, not a measurement: these patterns would run for years


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return False
    return state not in ("Z", "X")


def children(process: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def eventually(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("query", "text"), CATASTROPHES, ids=lambda value: value.pattern if isinstance(value, Query) else ""
)
def test_a_pattern_without_an_end_does_not_delay_the_next_query(
    tree: Path, query: Query, text: str, where: str
) -> None:
    write(tree, {"before": "aa\n", "catastrophe": text, "later": "aa\n"})
    with session_on(tree, limits=Limits(seconds_per_file=None)) as session:
        loaded(session)
        session.submit(query)
        with pytest.raises(TimeoutError):
            session.wait(timeout=0.5)
        began = time.monotonic()
        assert answer(session, "aa").matches >= 2
        assert time.monotonic() - began < SOON


def test_a_pattern_without_an_end_is_given_up_after_its_time_and_other_files_are_searched(
    tree: Path, where: str
) -> None:
    write(tree, {"before": "aa\n", "catastrophe": "a" * 80 + "b", "later": "aa\n"})
    with session_on(tree, limits=Limits(seconds_per_file=0.3)) as session:
        snapshot = answer(session, r"(a|aa)+$")
        assert snapshot.phase is Phase.COMPLETE
        assert list(found(snapshot)) == ["before", "later"]
        assert [(skipped.path, skipped.reason) for skipped in snapshot.left_out()] == [
            ("catastrophe", Reason.TIMED_OUT)
        ]
        assert answer(session, r"(a|aa)+b").matches == 1


def test_a_small_workspace_starts_no_process_until_a_pattern_needs_one(tree: Path) -> None:
    write(tree, {"a": "aa\n", "b": "a" * 80 + "b\n"})
    with session_on(tree) as session:
        for pattern in ("a", "b", r"a+b", r"\w+", r"(?i)A"):
            answer(session, pattern)
        assert session.processes == []
        session.submit(Query(r"(a|aa)+$"))
        eventually(lambda: session.processes)


def test_a_killed_keeper_is_replaced_and_the_search_completes(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_keepers(monkeypatch)
    write(tree, {f"f{index:04}": "needle\n" * 20 for index in range(1500)})
    with session_on(tree) as session:
        loaded(session)
        first = session.processes
        session.submit(Query("needle"))
        os.kill(first[0], signal.SIGKILL)
        assert session.wait(timeout=PATIENCE).matches == 30_000 or answer(session, "needle").matches == 30_000
        eventually(lambda: first[0] not in session.processes)
        assert answer(session, "needl").matches == 30_000
        os.kill(session.processes[1], signal.SIGKILL)
        assert answer(session, "eedle").matches == 30_000


def test_keepers_that_keep_dying_end_in_streaming_not_in_failure(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_keepers(monkeypatch)
    write(tree, {f"f{index:04}": "needle\n" for index in range(600)})
    with session_on(tree) as session:
        for _ in range(5):
            loaded(session)
            victim = session.processes[0]
            os.kill(victim, signal.SIGKILL)
            eventually(lambda victim=victim: victim not in session.processes)
        assert answer(session, "needle").matches == 600
        assert loaded(session).loading.bytes == 0


def test_a_scan_that_is_killed_is_done_again_and_given_up_at_last(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_keepers(monkeypatch)
    write(tree, {"a": "aaaa\n", "b": "a" * 80 + "b\n"})
    with session_on(tree, limits=Limits(seconds_per_file=None)) as session:
        loaded(session)
        session.submit(Query(r"(a|aa)+$"))
        killed: set[int] = set()
        deadline = time.monotonic() + SOON
        while session.snapshot().phase is not Phase.COMPLETE and time.monotonic() < deadline:
            for keeper in session.processes:
                for child in set(children(keeper)) - killed:
                    time.sleep(0.05)
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                    killed.add(child)
            time.sleep(0.01)
        snapshot = session.wait(timeout=PATIENCE)
        assert snapshot.phase is Phase.COMPLETE
        assert {skipped.reason for skipped in snapshot.left_out()} == {Reason.OUT_OF_MEMORY}
        assert len(killed) >= 2


def test_closing_leaves_no_process(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_keepers(monkeypatch)
    write(tree, {"b": "a" * 80 + "b\n"})
    with session_on(tree, limits=Limits(seconds_per_file=None)) as session:
        loaded(session)
        session.submit(Query(r"(a|aa)+$"))
        eventually(lambda: any(children(keeper) for keeper in session.processes))
        processes = [
            *session.processes,
            *(child for keeper in session.processes for child in children(keeper)),
        ]
    eventually(lambda: not any(map(is_running, processes)))


OWNER = """
import sys, time
from tests.search.live.sessions import session_on, loaded
from tui.search.files import Limits
from tui.search.live import engine
from tui.search.query import Query
from pathlib import Path
engine.SMALL_FILES = -1
with session_on(Path(sys.argv[1]), limits=Limits(seconds_per_file=None)) as session:
    loaded(session)
    session.submit(Query(r"(a|aa)+$"))
    time.sleep(0.5)
    print(*session.processes, flush=True)
    time.sleep(60)
"""


def test_when_the_owner_is_killed_its_processes_end(tree: Path) -> None:
    write(tree, {"b": "a" * 80 + "b\n"})
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tree)], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        keepers = [int(pid) for pid in owner.stdout.readline().split()]
        scans = [child for keeper in keepers for child in children(keeper)]
        assert len(keepers) == 2
        assert scans
        owner.kill()
    eventually(lambda: not any(map(is_running, [*keepers, *scans])))
