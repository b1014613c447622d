"""Searching and listing, beside ripgrep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.table import Row, alternating, program
from tui.search.files import Limits
from tui.search.globs import Reading, compile_globs
from tui.search.grep import Summary, grep
from tui.search.matcher import Matcher, compile_query
from tui.search.query import Case, Query
from tui.search.walk import Scope, walk
from tui.workspace import Workspace

# The same files for both: all but the hidden ones.
RG = ["rg", "--no-config", "--no-ignore", "--max-filesize", "16M"]
OURS = [sys.executable, "-m", "tui", "grep", "--no-ignore", "--no-exclude", "--max-filesize", "16M"]
EVERYTHING = Scope(ignore_files=False, default_exclusions=False)

QUERIES: list[tuple[str, Query, list[str]]] = [
    ("literal, some hits", Query("schedule_timeout"), ["schedule_timeout"]),
    ("literal, no hits", Query("no_such_text_anywhere"), ["no_such_text_anywhere"]),
    ("literal, many hits", Query("return"), ["return"]),
    ("literal, any case", Query("todo", case=Case.INSENSITIVE), ["-i", "todo"]),
    ("regex with a literal inside", Query(r"(struct|class)\s+\w+_ops"), [r"(struct|class)\s+\w+_ops"]),
    ("regex that begins with a class", Query(r"\w+_ops\b"), [r"\w+_ops\b"]),
    ("several words", Query("FIXME|XXX|HACK"), ["FIXME|XXX|HACK"]),
    ("whole word", Query("timeout", whole_word=True), ["-w", "timeout"]),
    ("regex without any literal", Query(r"\d{4}-\d\d-\d\d"), [r"\d{4}-\d\d-\d\d"]),
]


def rows(tree: Path, rounds: int) -> Iterator[Row]:
    with Workspace(tree) as workspace:
        yield from _listing(workspace, tree, rounds)
        command = alternating(
            program([*OURS, "schedule_timeout"], tree), program([*RG, "-n", "schedule_timeout"], tree), rounds
        )
        yield Row("redline grep, a new process", *command, "rg -n")
        for name, query, arguments in QUERIES:
            hits, search = _search(workspace, query)
            ours, theirs = alternating(search, program([*RG, "--json", *arguments], tree), rounds)
            yield Row(f"in-process: {name}", ours, theirs, "rg --json", hits())


def _listing(workspace: Workspace, tree: Path, rounds: int) -> Iterator[Row]:
    for name, scope, arguments in (
        ("list all files", EVERYTHING, []),
        (
            "glob **/*.py",
            Scope(
                files=compile_globs(["**/*.py"], Reading.ANCHORED),
                ignore_files=False,
                default_exclusions=False,
            ),
            ["-g", "*.py"],
        ),
    ):
        count = sum(1 for _ in walk(workspace, scope))
        ours, theirs = alternating(
            lambda scope=scope: sum(1 for _ in walk(workspace, scope)),  # type: ignore[misc]
            program([*RG, "--files", *arguments], tree),
            rounds,
        )
        yield Row(name, ours, theirs, "rg --files", count, aim=3.0)


def _search(workspace: Workspace, query: Query) -> tuple[Callable[[], int], Callable[[], None]]:
    matcher = compile_query(query)
    assert isinstance(matcher, Matcher)
    summaries: list[Summary] = []

    def search() -> None:
        for event in grep(workspace, matcher, EVERYTHING, Limits(file_size=16 << 20)):
            if isinstance(event, Summary):
                summaries.append(event)

    return (lambda: summaries[-1].matches), search
