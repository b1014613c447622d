"""A query becomes a matcher or a reason with a place and a way out, and never a crash."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.search.matcher import BadPattern, Matcher, compile_query
from tui.search.query import Case, Query


@pytest.mark.parametrize(
    ("pattern", "position", "message"),
    [
        ("foo(", 4, "missing )"),
        ("foo)", 3, "unbalanced"),
        ("a[bc", 4, "unterminated"),
        ("*a", 0, "nothing to repeat"),
        ("a\\", 2, "escape"),
        ("(?P<n>a)(?P=m)", 11, "unknown group"),
        (r"\p{Nonsense}", 12, "unknown property"),
        ("a{2,1}", 2, "min repeat"),
    ],
)
def test_a_bad_pattern_says_where_and_what_to_do(pattern: str, position: int, message: str) -> None:
    bad = compile_query(Query(pattern))
    assert isinstance(bad, BadPattern)
    assert message in str(bad)
    assert f"position {position}" in str(bad)
    assert bad.hint


@pytest.mark.parametrize("whole_word", [True, False])
def test_positions_are_those_of_what_was_typed(whole_word: bool) -> None:
    bad = compile_query(Query("ab(", whole_word=whole_word))
    assert isinstance(bad, BadPattern)
    assert bad.position == 3


@pytest.mark.parametrize(
    "pattern",
    [
        "a{1000000}",
        "((((a{1000}){1000}){1000}){1000})",
        "(?:ab|cd){1000000}",
        "(?x)(?:a|b){999999}",
        r"(\w{200}){3000}",
        "x" * 20_001,
        "(" * 500 + ")" * 500,
    ],
    ids=lambda pattern: pattern[:24],
)
def test_patterns_that_would_take_all_memory_are_refused(pattern: str) -> None:
    assert isinstance(compile_query(Query(pattern)), BadPattern)


def test_refusing_them_costs_no_memory() -> None:
    """In a child with 500 MB: the engine itself needs gigabytes for this one, or dies."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20));"
        "from tui.search.matcher import *; print(compile_query(Query('(?:ab|cd){1000000}')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "multiply to too much" in done.stdout, done.stderr
    assert resource.getrusage(resource.RUSAGE_SELF)


@pytest.mark.parametrize(
    "pattern", [r"[0-9a-f]{40}|[0-9a-f]{64}", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}", "(a{50}){50}"]
)
def test_ordinary_repeat_counts_are_fine(pattern: str) -> None:
    assert isinstance(compile_query(Query(pattern)), Matcher)


@settings(max_examples=1000)
@given(
    st.text("ab(){}[]|?*+^$.\\,0129<>=!:-iPxsmQE&#\n\ud800é", max_size=20),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_any_string_gives_a_matcher_or_a_reason(
    pattern: str, literal: bool, word: bool, multiline: bool
) -> None:
    result = compile_query(Query(pattern, literal, Case.SMART, word, False, multiline))
    assert isinstance(result, Matcher | BadPattern)
    if literal:
        assert isinstance(result, Matcher)


@pytest.mark.parametrize(
    ("pattern", "ignores"),
    [
        ("foo", True),
        ("Foo", False),
        (r"\Wfoo", True),
        (r"\p{Lu}x", True),
        (r"(?P<Name>x)", True),
        ("É", False),
        (r"\x4A", True),
    ],
)
def test_smart_case_looks_at_letters_only(pattern: str, ignores: bool) -> None:
    assert Query(pattern, case=Case.SMART).ignores_case is ignores


def test_whole_word_takes_the_alternation_as_a_whole_and_survives_comments() -> None:
    for pattern in ("cat|dog", "(?x)cat | dog # animals"):
        matcher = compile_query(Query(pattern, whole_word=True))
        assert isinstance(matcher, Matcher)
        assert [m.group() for m in matcher.pattern.finditer("cat dogs dog cats")] == ["cat", "dog"]
