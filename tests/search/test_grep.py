"""A search over a tree: totals, limits, what is skipped, and patterns without an end."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tests.conftest import write
from tui.search.files import Limits
from tui.search.grep import Context, Event, FileMatches, Summary, grep
from tui.search.matcher import Matcher, compile_query
from tui.search.query import Case, Query
from tui.search.skipped import Reason, Skipped
from tui.search.walk import Scope
from tui.workspace import Workspace


def searched(
    root: Path, query: Query | str, limits: Limits | None = None, context: Context | None = None
) -> list[Event]:
    matcher = compile_query(Query(query) if isinstance(query, str) else query)
    assert isinstance(matcher, Matcher)
    with Workspace(root) as workspace:
        return list(grep(workspace, matcher, Scope(), limits, context))


def summary_of(events: list[Event]) -> Summary:
    assert isinstance(events[-1], Summary)
    return events[-1]


def files_in(events: list[Event]) -> list[FileMatches]:
    return [event for event in events if isinstance(event, FileMatches)]


def skipped_in(events: list[Event]) -> dict[str, Reason]:
    return {event.path: event.reason for event in events if isinstance(event, Skipped)}


def test_totals_stay_exact_beyond_the_cap(tree: Path) -> None:
    write(tree, {f"f{index}": "hit\nmiss\nhit hit\n" for index in range(10)})
    events = searched(tree, "hit", Limits(matches=5))
    summary = summary_of(events)
    assert (summary.matches, summary.files, summary.scanned, summary.truncated) == (20, 10, 10, True)
    assert sum(len(file.matches) for file in files_in(events)) == 5
    assert [file.count for file in files_in(events)] == [2] * 10
    exact = summary_of(searched(tree, "hit", Limits(matches=20)))
    assert not exact.truncated


def test_every_file_that_is_not_searched_is_told(tree: Path) -> None:
    write(
        tree,
        {
            "binary": b"hit\0",
            "large": b"hit" * 100,
            "broken-utf16": b"\xff\xfeh",
            "late-nul": b"x" * 10000 + b"\0hit",
            "text": "hit",
        },
    )
    os.mkfifo(tree / "fifo")
    (tree / "link").symlink_to("text")
    events = searched(tree, "hit", Limits(file_size=200))
    assert skipped_in(events) == {
        "binary": Reason.BINARY,
        "large": Reason.TOO_LARGE,
        "late-nul": Reason.TOO_LARGE,
        "broken-utf16": Reason.UNDECODABLE,
        "fifo": Reason.SPECIAL,
        "link": Reason.SYMLINK,
    }
    assert [file.path for file in files_in(events)] == ["text"]
    assert summary_of(events).skipped == 6
    assert [file.path for file in files_in(searched(tree, "hit"))] == ["large", "late-nul", "text"]


def test_a_file_that_vanishes_or_turns_into_something_else_is_told(tree: Path) -> None:
    write(tree, dict.fromkeys("abcde", "hit"))
    matcher = compile_query(Query("hit"))
    assert isinstance(matcher, Matcher)
    with Workspace(tree) as workspace:
        events = grep(workspace, matcher, Scope())
        seen: list[Event] = [next(events)]
        (tree / "b").unlink()
        (tree / "c").unlink()
        os.mkfifo(tree / "c")
        (tree / "d").unlink()
        (tree / "d").symlink_to("/etc/passwd")
        seen += events
    assert [file.path for file in files_in(seen)] == ["a", "e"]
    assert skipped_in(seen) == {"b": Reason.VANISHED, "c": Reason.SPECIAL, "d": Reason.SYMLINK}


CATASTROPHES = [
    (Query(r"(a|aa)+$"), "a" * 80 + "b"),
    (Query(r"\s+$"), " " * 60_000 + "x"),
    (Query(r"\s*\n\s*x", multiline=True), "\n" * 60_000),
    (Query(r"(?:.*\n)*.*foo(?:.*\n)*bar", multiline=True), "foo\n" * 3000),
    (Query(r"(?s).*?a.*?b.*?c.*?d.*?Z"), "abcd" * 3000),
    (Query(r"<!--(?:.|\n)*?-->", multiline=True), "<!--" * 30_000),
    (Query(r"(?P<x>a|aa)(?&x)*$"), "a" * 80 + "b"),
]


@pytest.mark.parametrize(
    ("query", "text"), CATASTROPHES, ids=lambda value: value.pattern if isinstance(value, Query) else ""
)
def test_a_pattern_without_an_end_is_given_up_and_the_other_files_searched(
    tree: Path, query: Query, text: str
) -> None:
    write(tree, {"before": "aa\n", "catastrophe": text, "later": "aa\n"})
    began = time.perf_counter()
    events = searched(tree, query, Limits(seconds_per_file=0.3))
    assert time.perf_counter() - began < 3
    assert skipped_in(events) == {"catastrophe": Reason.TIMED_OUT}
    assert summary_of(events).scanned == 2


def test_the_time_limit_is_wall_time_though_the_process_is_busy_elsewhere(tree: Path) -> None:
    """Other threads burn processor time, which the engine's own time-out would count."""
    write(tree, {"slow": "a" * 80 + "b"})
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=burn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        began = time.perf_counter()
        events = searched(tree, r"(a|aa)+$", Limits(seconds_per_file=1.0))
        took = time.perf_counter() - began
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert skipped_in(events) == {"slow": Reason.TIMED_OUT}
    assert 0.95 <= took < 3


def test_the_time_limit_holds_outside_the_main_thread_too(tree: Path) -> None:
    write(tree, {"slow": "a" * 80 + "b", "text": "aa\n"})
    events: list[Event] = []
    thread = threading.Thread(
        target=lambda: events.extend(searched(tree, r"(a|aa)+$", Limits(seconds_per_file=0.3)))
    )
    thread.start()
    thread.join(10)
    assert skipped_in(events) == {"slow": Reason.TIMED_OUT}
    assert [file.path for file in files_in(events)] == ["text"]


def test_cancelling_stops_between_files_and_is_told(tree: Path) -> None:
    write(tree, {f"f{index:03}": "hit" for index in range(100)})
    matcher = compile_query(Query("hit"))
    assert isinstance(matcher, Matcher)
    seen: list[Event] = []
    with Workspace(tree) as workspace:
        for event in grep(workspace, matcher, Scope(), cancelled=lambda: len(seen) >= 3):
            seen.append(event)
    assert summary_of(seen).cancelled
    assert len(files_in(seen)) == 3


def test_context_comes_without_the_matches_themselves(tree: Path) -> None:
    write(tree, {"f": "1\n2\nhit\nhit\n5\n6\n7\nhit\n"})
    (file,) = files_in(searched(tree, "hit", context=Context(before=1, after=1)))
    assert file.context == {2: "2", 5: "5", 7: "7"}


def test_a_line_of_three_megabytes(tree: Path) -> None:
    write(tree, {"long": "x" * 3_000_000 + "needle" + "y" * 100})
    began = time.perf_counter()
    for query in (Query("needle"), Query("NEEDLE", case=Case.INSENSITIVE), Query(r"n\w+e")):
        (file,) = files_in(searched(tree, query))
        assert file.matches[0].spans[0][0] == 3_000_000
    assert time.perf_counter() - began < 10
