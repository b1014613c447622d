"""Whatever was asked before, and wherever it is scanned, a query finds what the reference finds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import write
from tests.search.live.sessions import PATIENCE, answer, expected, found, session_on, with_keepers
from tests.search.reference import reference_scan
from tests.search.test_scan import files, patterns, queries
from tui.search.files import Limits
from tui.search.live import candidates
from tui.search.live.block import Block, read_block
from tui.search.live.blockscan import Scan, scan_block
from tui.search.live.narrowing import lies_within
from tui.search.live.packed import BlockHits, numbers, spans_of
from tui.search.live.spotting import spotter
from tui.search.live.state import Phase
from tui.search.matcher import BadPattern, Matcher, compile_query
from tui.search.query import Case, Query
from tui.search.scan import Span
from tui.search.skipped import Reason
from tui.search.timelimit import TimeLimit
from tui.workspace import Reader, Workspace

corpora = st.lists(files, min_size=1, max_size=6)


def edited(query: Query, how: str) -> Query:
    """One keystroke or one switch more."""
    if how == "back":
        return replace(query, pattern=query.pattern[:-1])
    if how in ("literal", "whole_word", "invert", "multiline"):
        return replace(query, **{how: not getattr(query, how)})  # type: ignore[arg-type]
    if how in tuple(Case):
        return replace(query, case=Case(how))
    return replace(query, pattern=query.pattern + how)


keystrokes = st.lists(
    st.sampled_from(
        [*"akKsSib_ .", "\u212a", "ß", "back", "back", "literal", "whole_word", "invert", "multiline", *Case]
    ),
    max_size=8,
)


def check_sequence(root: Path, query: Query, edits: list[str], budget: int) -> None:
    with session_on(root, budget) as session:
        for how in ["", *edits]:
            query = edited(query, how) if how else query
            snapshot = answer(session, query)
            if not query.pattern:
                assert snapshot.phase is Phase.IDLE
            elif isinstance(compile_query(query), BadPattern):
                assert snapshot.phase is Phase.INVALID
            else:
                assert snapshot.phase is Phase.COMPLETE
                assert found(snapshot) == expected(root, query)


def corpus_in(root: Path, corpus: list[bytes]) -> None:
    write(root, {f"d{index % 2}/f{index}": data for index, data in enumerate(corpus)})
    for path in root.rglob("*"):
        os.utime(path, (1, 1))


@settings(max_examples=60)
@given(corpora, queries, keystrokes, st.sampled_from([0, 100_000, 1 << 30]))
def test_any_sequence_of_edits_finds_what_the_reference_finds(
    corpus: list[bytes], query: Query, edits: list[str], budget: int
) -> None:
    with tempfile.TemporaryDirectory() as root:
        corpus_in(Path(root), corpus)
        check_sequence(Path(root), query, edits, budget)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora, queries, keystrokes, st.sampled_from([0, 1 << 30]))
def test_so_do_keepers(
    monkeypatch: pytest.MonkeyPatch, corpus: list[bytes], query: Query, edits: list[str], budget: int
) -> None:
    with_keepers(monkeypatch)
    with tempfile.TemporaryDirectory() as root:
        corpus_in(Path(root), corpus)
        check_sequence(Path(root), query, edits, budget)


def block_of(corpus: list[bytes]) -> Block:
    with tempfile.TemporaryDirectory() as root:
        write(Path(root), {f"f{index:03}": data for index, data in enumerate(corpus)})
        with Workspace(root) as workspace, Reader(workspace) as reader:
            return read_block(reader, sorted(path.name for path in Path(root).iterdir()), Limits())


Told = dict[int, list[tuple[int, tuple[Span, ...]]]]


def told_of(hits: BlockHits) -> Told:
    lines = iter(zip(numbers(hits.lines), spans_of(hits, 0, hits.matches), strict=True))
    return {
        file: [next(lines) for _ in range(count)]
        for file, count in zip(numbers(hits.files), numbers(hits.counts), strict=True)
    }


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora, queries, st.sampled_from([0, 20, 1 << 16]), st.booleans())
def test_a_joined_block_holds_the_matches_of_its_files_and_no_others(
    monkeypatch: pytest.MonkeyPatch, corpus: list[bytes], query: Query, together: int, marked: bool
) -> None:
    matcher = compile_query(query)
    if isinstance(matcher, BadPattern):
        return
    monkeypatch.setattr(candidates, "_ENOUGH", together)
    block = block_of(corpus)
    if marked:
        block.mark_lines()
    hits = scan_block(1, block, matcher, None, TimeLimit(None), Limits())
    scanned = {
        index: [(match.line, match.spans) for match in reference_scan(data, matcher)]
        for index, data in enumerate(corpus)
        if index not in block.skipped
    }
    assert told_of(hits) == {index: matches for index, matches in scanned.items() if matches}


def test_of_files_that_are_matched_together_only_the_one_without_an_end_is_left() -> None:
    matcher = compile_query(Query(r"_ops(a|aa)+$|x_ops"))
    assert isinstance(matcher, Matcher)
    block = block_of([b"\nx_ops\n", b"_ops" + b"a" * 80 + b"b\n", b"x_ops x_ops\n"])
    hits = scan_block(1, block, matcher, None, TimeLimit(0.1), Limits(seconds_per_file=0.1))
    assert told_of(hits) == {0: [(2, ((0, 5),))], 2: [(1, ((0, 5), (6, 11)))]}
    assert [(left.file, left.reason) for left in hits.left] == [(1, Reason.TIMED_OUT)]


@settings(max_examples=300)
@given(queries, st.one_of(queries, patterns.map(Query)), keystrokes, files)
def test_what_is_said_to_lie_within_does(old: Query, new: Query, edits: list[str], data: bytes) -> None:
    for query in (new, *(edited(old, how) for how in edits)):
        one, other = compile_query(query), compile_query(old)
        if isinstance(one, Matcher) and isinstance(other, Matcher) and lies_within(one, other):
            inside, around = reference_scan(data, one), reference_scan(data, other)
            assert around or not inside
            assert query.multiline or {match.line for match in inside} <= {match.line for match in around}


@settings(max_examples=250)
@given(corpora, queries, st.one_of(queries, patterns.map(Query)), keystrokes, st.sets(st.integers(0, 5)))
def test_the_lines_of_one_search_are_enough_for_a_narrower_one(
    corpus: list[bytes], old: Query, new: Query, edits: list[str], wanted: set[int]
) -> None:
    block = block_of(corpus)
    files = {file for file in wanted if file < len(corpus)} or None
    around = compile_query(old)
    if isinstance(around, BadPattern) or old.multiline:
        return
    scan = Scan(block, around, TimeLimit(None), Limits())
    scan.files(None)
    lines = scan.packer.matching_lines()
    assert lines is not None
    for query in (old, new, *(edited(old, how) for how in edits)):
        matcher = compile_query(query)
        if isinstance(matcher, Matcher) and lies_within(matcher, around):
            narrower = Scan(block, matcher, TimeLimit(None), Limits())
            narrower.lines(lines, files)
            full = scan_block(1, block, matcher, files, TimeLimit(None), Limits())
            assert narrower.packer.hits(1) == full


@pytest.mark.parametrize(
    ("old", "new", "within"),
    [
        (Query("ab"), Query("abc"), True),
        (Query("ab"), Query("xab"), True),
        (Query("abcd"), Query(r"abcd\d+"), True),
        (Query("ab"), Query("ab", whole_word=True), True),
        (Query("ab"), Query("ABC", case=Case.INSENSITIVE), False),
        (Query("ab", case=Case.INSENSITIVE), Query("ABC"), True),
        (Query("ab", case=Case.INSENSITIVE), Query("abc", case=Case.INSENSITIVE), True),
        (Query("ab", whole_word=True), Query("abc", whole_word=True), False),
        (Query("ab", invert=True), Query("abc", invert=True), False),
        (Query(r"a\w"), Query(r"a\wc"), False),
    ],
)
def test_which_queries_lie_within_others(old: Query, new: Query, within: bool) -> None:
    one, other = compile_query(new), compile_query(old)
    assert isinstance(one, Matcher)
    assert isinstance(other, Matcher)
    assert lies_within(one, other) is within


@given(
    st.lists(
        st.sampled_from([b"ab", b"AB", b"a", b"b", b"\n", b"\0", b"x" * 700, b"x" * 140_000]), max_size=9
    ),
    st.lists(st.sampled_from([b"ab", b"b", b"aba", b"a\0"]), min_size=1, max_size=2),
    st.booleans(),
)
def test_spotting_finds_every_place_however_far_apart(
    pieces: list[bytes], needles: list[bytes], caseless: bool
) -> None:
    text = bytearray(b"".join(pieces))
    haystack = text.lower() if caseless else text
    spots = spotter(haystack, tuple(needles), b"\0" in text)
    at = 0
    while True:
        places = [place for needle in needles if (place := haystack.find(needle, at)) >= 0]
        assert spots.next(at) == min(places, default=-1)
        if not places:
            break
        at = min(places) + 1


STDLIB = Path(sysconfig.get_paths()["stdlib"])


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep (rg) is not installed")
def test_the_same_counts_as_ripgrep_over_the_standard_library(where: str) -> None:
    cases = [
        ["import os"],
        ["no such text"],
        ["-i", "todo"],
        ["-w", "self"],
        [r"def \w+_handler"],
        [r"^\s*$"],
    ]
    with session_on(STDLIB / "email") as session:
        for case in cases:
            query = Query(
                case[-1], case=Case.INSENSITIVE if "-i" in case else Case.SENSITIVE, whole_word="-w" in case
            )
            done = subprocess.run(
                ["rg", "--no-config", "--no-ignore", "--crlf", "-c", "-g", "!__pycache__", *case],
                cwd=STDLIB / "email",
                capture_output=True,
                text=True,
                check=False,
            )
            counts = dict(line.rsplit(":", 1) for line in done.stdout.splitlines())
            session.submit(query)
            ours = session.wait(timeout=PATIENCE).results
            assert dict(zip(ours.paths(), map(str, ours.counts()), strict=True)) == counts
        assert session.processes or where == "alone"


def test_a_zero_byte_far_into_a_text_hides_nothing() -> None:
    line = b"x" * 79 + b"\n"
    block = block_of([line * 2000 + b"\0 needle\n" + line * 20 + b"needle\n", line * 20 + b"needle\n"])
    for case in Case:
        matcher = compile_query(Query("needle", case=case))
        assert isinstance(matcher, Matcher)
        hits = scan_block(1, block, matcher, None, TimeLimit(None), Limits())
        assert list(numbers(hits.lines)) == [2001, 2022, 21]


@given(st.lists(st.integers(0, 1500), max_size=8), st.data())
def test_marked_lines_are_counted_as_they_are(lengths: list[int], data: st.DataObject) -> None:
    block = block_of([b"".join(b"x" * length + b"\n" for length in lengths)])
    start = data.draw(st.integers(0, len(block.text)))
    end = data.draw(st.integers(start, len(block.text)))
    block.mark_lines()
    assert block.line_ends(start, end) == block.text.count(b"\n", start, end)
