"""The session's manners: phases, generations, scopes, limits, rows, memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import write
from tests.search.live.sessions import PATIENCE, answer, expected, found, loaded, session_on
from tui.search.files import Limits
from tui.search.globs import Reading, compile_globs
from tui.search.live import engine
from tui.search.live.block import LARGE
from tui.search.live.session import Session
from tui.search.live.state import Phase, Snapshot
from tui.search.matcher import BadPattern
from tui.search.query import Query
from tui.search.skipped import Reason
from tui.search.walk import Scope
from tui.workspace import Workspace

TREE: dict[str, str | bytes] = {
    "a.py": "needle\nhay\nneedle needle\n",
    "b/c.py": "hay\n",
    "b/d.txt": "a needle é needle\r\n",
    "b/.hidden": "needle\n",
    "binary": b"needle\0",
    "broken": b"\xff\xfen",
    "node_modules/x.js": "needle\n",
    "utf16": "\ufeffneedle\n".encode("utf-16-le"),
}


def test_an_answer_with_exact_totals_and_what_was_left_out(tree: Path, where: str) -> None:
    write(tree, TREE)
    with session_on(tree) as session:
        snapshot = answer(session, "needle")
        assert snapshot.phase is Phase.COMPLETE
        assert found(snapshot) == expected(tree, "needle")
        assert (snapshot.matches, snapshot.results.files, snapshot.skipped) == (4, 3, 2)
        assert {skipped.path: skipped.reason for skipped in snapshot.left_out()} == {
            "binary": Reason.BINARY,
            "broken": Reason.UNDECODABLE,
        }
        assert list(snapshot.files) == ["a.py", "b/c.py", "b/d.txt", "binary", "broken", "utf16"]


def test_a_bad_pattern_is_a_phase_with_a_reason(tree: Path) -> None:
    write(tree, TREE)
    with session_on(tree) as session:
        snapshot = answer(session, "(")
        assert snapshot.phase is Phase.INVALID
        assert isinstance(snapshot.problem, BadPattern)
        assert answer(session, "needle").matches == 4
        assert answer(session, "").phase is Phase.IDLE


def test_a_directory_that_is_not_there_is_told(tree: Path, where: str) -> None:
    write(tree, TREE)
    with session_on(tree) as session:
        snapshot = answer(session, "needle", Scope(path="nowhere"))
        assert snapshot.phase is Phase.INVALID
        assert "nowhere" in str(snapshot.problem)
        assert answer(session, "needle", Scope(path="b")).matches == 1


@pytest.mark.parametrize(
    "scope",
    [
        Scope(hidden=True),
        Scope(default_exclusions=False),
        Scope(path="b"),
        Scope(max_depth=1),
        Scope(files=compile_globs(["*.py"], Reading.ANYWHERE)),
        Scope(files=compile_globs(["!b"], Reading.ANYWHERE)),
    ],
    ids=["hidden", "excluded", "path", "depth", "glob", "not b"],
)
def test_a_scope_counts_and_going_back_too(tree: Path, scope: Scope, where: str) -> None:
    write(tree, TREE)
    with session_on(tree) as session:
        plain = found(answer(session, "needle"))
        assert found(answer(session, "needle", scope)) == expected(tree, "needle", scope)
        listed = answer(session, None, scope)
        assert listed.phase is Phase.IDLE
        assert set(expected(tree, "", scope)) <= set(listed.files)
        assert found(answer(session, "needl", scope)) == expected(tree, "needl", scope)
        assert found(answer(session, "needle")) == plain


def test_rows_and_files_are_found_by_their_number(tree: Path, where: str) -> None:
    write(tree, {f"d{index % 7}/f{index:04}": "x\nhit\n" * (index % 4) for index in range(900)})
    with session_on(tree) as session:
        snapshot = answer(session, "hit")
        results = snapshot.results
        rows = results.rows(0, results.matches)
        assert len(rows) == results.matches == sum(index % 4 for index in range(900))
        assert results.rows(500, 20) == rows[500:520]
        assert results.rows(results.matches - 2, 20) == rows[-2:]
        paths = list(results.paths())
        assert len(paths) == results.files
        counts = results.counts()
        for index in (0, 1, 300, len(paths) - 1):
            first = sum(counts[:index])
            assert results.path(index) == paths[index] == rows[first].path
            lines = [row.line for row in rows if row.path == paths[index]]
            assert results.line_numbers(first, counts[index]) == lines
        assert snapshot.files[3] == list(snapshot.files)[3]
        assert snapshot.files[-2:] == list(snapshot.files)[-2:]


def test_a_large_file_makes_room_for_small_ones(tree: Path, where: str) -> None:
    """It is read for each query instead, and only if the query may find something in it."""
    large = b"hay and hay\n" * (LARGE // 12) + b"a needle\n"
    write(
        tree,
        {f"d/f{index:02}": b"x" * 99_990 + b"\nneedles\n" for index in range(30)} | {"a": large, "e": large},
    )
    with session_on(tree, budget=len(large) + 3_500_000) as session:
        loading = loaded(session).loading
        assert loading.files_in_memory == 31
        for query in ("needle", "needles", "need", "hay", "HAY"):
            assert found(answer(session, query)) == expected(tree, query)
        (tree / "a").write_bytes(large.replace(b"needle", b"needles"))
        (tree / "e").write_bytes(large.replace(b"needle", b"needles"))
        session.wait(lambda snapshot: snapshot.loading.complete and not snapshot.is_running, PATIENCE)
        session.refresh()
        session.submit(Query("needles"))
        session.wait(lambda snapshot: snapshot.matches == 32 and snapshot.is_complete, PATIENCE)


def test_more_matches_than_anyone_looks_at_end_the_search(
    tree: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, {f"f{index:03}": "hit\nhit it\n" for index in range(600)})
    monkeypatch.setattr(engine, "MOST_MATCHES", 700)
    with session_on(tree) as session:
        snapshot = answer(session, "hit")
        assert snapshot.cut
        assert snapshot.phase is Phase.COMPLETE
        assert 700 < snapshot.matches < 1200 + 512
        all_of_it = answer(session, "hit it")
        assert not all_of_it.cut
        assert found(all_of_it) == expected(tree, "hit it")
        assert answer(session, "hit").cut


@pytest.mark.parametrize("budget", [0, 200_000, 1 << 30], ids=["none", "little", "enough"])
def test_the_budget_changes_nothing_but_the_memory(tree: Path, budget: int, where: str) -> None:
    write(tree, {f"f{index:03}": f"line {index}\nneedle\n" + "x" * 5000 for index in range(600)})
    with session_on(tree, budget) as session:
        assert found(answer(session, "needle")) == expected(tree, "needle")
        assert found(answer(session, "line 5")) == expected(tree, "line 5")
        assert found(answer(session, "line 59")) == expected(tree, "line 59")
        loading = loaded(session).loading
        assert loading.files == 600
        assert loading.bytes <= budget
        assert (loading.files_in_memory == 600) is (budget == 1 << 30)


def test_memory_can_be_freed(tree: Path, where: str) -> None:
    write(tree, {f"f{index:03}": "needle\n" * 100 for index in range(300)})
    with session_on(tree) as session:
        assert loaded(session).loading.bytes == 300 * 700
        before = answer(session, "needle").matches
        session.free_memory()
        session.wait(lambda snapshot: snapshot.loading.bytes == 0 and snapshot.loading.complete, PATIENCE)
        assert answer(session, "needle").matches == before == 30_000


def test_it_answers_while_it_loads_and_says_how_far_it_is(tree: Path, where: str) -> None:
    write(tree, {f"f{index:04}": "needle\n" for index in range(3000)})
    seen: list[Snapshot] = []
    with Workspace(tree) as workspace, Session(workspace, on_update=seen.append) as session:
        session.submit(Query("needle"))
        assert session.wait(timeout=PATIENCE).matches == 3000
    counts = [snapshot.loading.files for snapshot in seen]
    assert counts == sorted(counts)
    assert seen[-1].loading.complete


def test_generations_are_never_mixed(tree: Path, where: str) -> None:
    """Every snapshot holds matches of its own query only, however fast one types."""
    write(tree, {f"f{index:03}": "alpha\nbeta\n" * 50 for index in range(400)})
    seen: list[Snapshot] = []
    with Workspace(tree) as workspace, Session(workspace, on_update=seen.append) as session:
        words = ["alpha", "beta", "alp", "bet", "a", "b"]
        wanted = {session.submit(Query(word)): word for word in words * 5}
        last = session.wait(timeout=PATIENCE)
        for snapshot in seen:
            if snapshot.generation and snapshot.matches:
                assert snapshot.query == Query(wanted[snapshot.generation])
                for row in snapshot.results.rows(0, 5):
                    assert wanted[snapshot.generation] in row.text
    assert last.matches == expected_count(tree, words[-1])
    assert [snapshot.revision for snapshot in seen] == sorted(snapshot.revision for snapshot in seen)


def expected_count(root: Path, word: str) -> int:
    return sum(len(matches) for matches in expected(root, word).values())


def test_cancelling_is_told_and_what_was_found_stays(tree: Path) -> None:
    write(tree, {"a": "aaa\n", "b": "a" * 40 + "b\n"})
    with session_on(tree, limits=Limits(seconds_per_file=None)) as session:
        loaded(session)
        session.submit(Query(r"(a|aa)+$"))
        session.wait(lambda snapshot: bool(session.processes), PATIENCE)
        session.cancel()
        snapshot = session.wait(timeout=PATIENCE)
        assert snapshot.phase is Phase.CANCELLED
        assert answer(session, "aaa").matches == 2


def test_a_long_line_and_a_match_over_several_lines_are_drawn(tree: Path, where: str) -> None:
    write(tree, {"long": "x" * 3_000_000 + "needle\n", "lines": "a\r\nb\r\nc\r\n"})
    with session_on(tree) as session:
        (row,) = answer(session, "needle").results.rows(0, 9)
        assert row.spans == ((3_000_000, 3_000_006),)
        (row,) = answer(session, Query(r"a\nb", multiline=True)).results.rows(0, 9)
        assert row.text == "a\nb"


def test_the_owner_is_not_kept_waiting(tree: Path, where: str) -> None:
    """A liveness bound, not a measurement: the calls return while nothing is answered yet."""
    write(tree, {f"f{index:03}": "needle\n" * 1000 for index in range(300)})
    with session_on(tree) as session:
        began = time.perf_counter()
        for index in range(100):
            session.submit(Query("needle" if index % 2 else "need"))
            session.snapshot()
        assert time.perf_counter() - began < 5
        assert session.wait(timeout=PATIENCE).matches == 300_000
