"""The comparison of lines tells the truth, finds what is common, and always ends soon."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.edit.linediff import EFFORT, Range, changed

few_kinds = st.lists(st.integers(0, 3), max_size=14)


def rebuilt(old: Sequence[object], new: Sequence[object], ranges: list[Range]) -> list[object]:
    """The new lines from the old ones; fails if lines called common are not."""
    lines: list[object] = []
    at = new_at = 0
    for a, b, c, d in ranges:
        assert old[at:a] == new[new_at:c]
        assert a < b or c < d
        assert a > at or at == 0
        lines += [*old[at:a], *new[c:d]]
        at, new_at = b, d
    return [*lines, *old[at:]]


def longest_common(old: Sequence[object], new: Sequence[object]) -> int:
    row = [0] * (len(new) + 1)
    for line in old:
        above, row = row, [0]
        for place, other in enumerate(new):
            row.append(above[place] + 1 if line == other else max(above[place + 1], row[place]))
    return row[-1]


@given(few_kinds, few_kinds, st.sampled_from([0, 5, EFFORT]))
def test_the_ranges_tell_the_whole_difference(old: list[int], new: list[int], effort: int) -> None:
    assert rebuilt(old, new, changed(old, new, effort)) == new


@given(few_kinds, few_kinds)
def test_equal_lines_have_none(old: list[int], new: list[int]) -> None:
    assert (changed(old, new) == []) == (old == new)


@given(st.lists(st.sampled_from("ab"), max_size=12), st.lists(st.sampled_from("ab"), max_size=12))
def test_without_unique_lines_as_few_lines_change_as_possible(old: list[str], new: list[str]) -> None:
    old, new = old * 2, new * 2  # so that no line is unique
    kept = len(old) - sum(b - a for a, b, _, _ in changed(old, new))
    assert kept == longest_common(old, new)


def test_unique_lines_hold_the_rest_together() -> None:
    old = ["def a", "{", "}", "def b", "{", "}"]
    new = ["def a", "{", "}", "def new", "{", "}", "def b", "{", "}"]
    assert changed(old, new) == [(3, 3, 3, 6)]


@pytest.mark.parametrize("kinds", [3, 10**9])
@pytest.mark.parametrize("related", [True, False])
def test_it_ends_soon_on_long_texts(kinds: int, related: bool) -> None:
    rng = random.Random(kinds)  # noqa: S311
    old = [rng.randrange(kinds) for _ in range(50_000)]
    new = [rng.randrange(kinds) for _ in range(50_000)]
    if related:
        new = [line for line in old if rng.random() > 0.01]
    began = time.process_time()
    ranges = changed(old, new)
    assert time.process_time() - began < 2
    assert rebuilt(old, new, ranges) == new
