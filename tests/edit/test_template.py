"""References in a replacement mean what they say, or are refused with the place."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tui.edit.template import BadReplacement, Template, read_template

PATTERN = regex.compile(r"(?P<year>\d+)-(\d+)(-x)?")
(MATCH,) = PATTERN.finditer("2024-05")


def read(text: str, *, literal: bool = False, dollar: bool = True) -> Template:
    template = read_template(text, PATTERN, literal=literal, dollar=dollar)
    assert isinstance(template, Template), template
    return template


def expanded(text: str, *, literal: bool = False, dollar: bool = True) -> str:
    return read(text, literal=literal, dollar=dollar).expanded(lambda group: MATCH[group] or "", "\n")


def refused(text: str, *, dollar: bool = True) -> BadReplacement:
    bad = read_template(text, PATTERN, literal=False, dollar=dollar)
    assert isinstance(bad, BadReplacement), bad
    return bad


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\2/\1", "05/2024"),
        (r"\g<2>/\g<year>", "05/2024"),
        ("$2/$1", "05/2024"),
        ("${2}/${year}0", "05/20240"),
        (r"\0 $0 \g<0> ${0}", "2024-05 2024-05 2024-05 2024-05"),
        (r"[\3]", "[]"),  # a group that took no part
        (r"\10 $20", "20240 050"),  # no group 10 or 20: the first digit counts
        (r"a\tb\\n\n", "a\tb\\n\n"),
        (r"$$1 \$1 $ $x US$", "$1 $1 $ $x US$"),
        ("", ""),
    ],
)
def test_references(text: str, expected: str) -> None:
    assert expanded(text) == expected


def test_two_digits_where_there_are_so_many_groups() -> None:
    pattern = regex.compile("()" * 9 + "(x)")
    template = read_template("$10$1", pattern, literal=False, dollar=True)
    assert isinstance(template, Template)
    assert template.parts == (10, 1)


def test_for_agents_a_dollar_is_a_dollar() -> None:
    assert expanded(r"$1 ${year} $$ \1", dollar=False) == "$1 ${year} $$ 2024"


@given(st.text())
def test_a_literal_is_inserted_as_it_is(text: str) -> None:
    assert expanded(text, literal=True) == text.replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("text", "position", "told"),
    [
        (r"ab\4", 2, "no group 4"),
        ("$4", 0, "no group 4"),
        (r"\g<4>", 0, "no group 4"),
        (r"x\g<month>", 1, "no group called month"),
        ("${month}", 0, "no group called month"),
        ("${}", 0, "no group called nothing"),
        ("${year", 0, "does not end"),
        (r"\g<year", 0, "does not end"),
        (r"\gyear", 0, "does not end"),
        (r"\g<>", 0, "no group called nothing"),
        (r"a\q", 1, r"\q means nothing"),
        ("a\\", 1, "backslash at the end"),
        ("$year", 0, "could be the group or the text"),
        (r"\g<99999999999999999999>", 0, "no group called 9999"),
    ],
)
def test_what_is_no_reference_is_refused_with_its_place(text: str, position: int, told: str) -> None:
    bad = refused(text)
    assert bad.position == position
    assert told in str(bad)
    assert f"at position {position}" in str(bad)


def test_the_refusal_says_which_groups_there_are() -> None:
    assert "1 (year), 2, 3" in refused("$7").hint


@given(st.text(alphabet="\\$g<>{}0123yearn\n\ud800\udcff é"), st.booleans())
def test_anything_typed_is_read_or_refused(text: str, dollar: bool) -> None:
    template = read_template(text, PATTERN, literal=False, dollar=dollar)
    if isinstance(template, Template):
        template.expanded(lambda group: MATCH[group] or "", "\r\n")


@given(st.lists(st.sampled_from([r"\1", r"\2", r"\g<year>", r"\\", r"\n", r"\t", "a", "-", " "])))
def test_the_common_ground_means_what_it_means_in_python(parts: list[str]) -> None:
    text = "".join(parts)
    assert expanded(text, dollar=False) == MATCH.expand(text)


def test_line_ends_are_written_as_asked() -> None:
    assert read(r"a\nb\r\nc").expanded(str, "\r\n") == "a\r\nb\r\nc"
