"""The case of a match is carried over to its replacement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.edit.letters import in_case_of


@pytest.mark.parametrize(
    ("match", "new", "expected"),
    [
        ("foo", "bar", "bar"),
        ("Foo", "bar", "Bar"),
        ("FOO", "bar", "BAR"),
        ("foo", "Bar", "bar"),
        ("foo", "BAR", "bar"),
        ("Foo", "BAR", "Bar"),
        ("F", "bar", "Bar"),  # one capital begins a word
        ("fooBar", "bazQux", "bazQux"),
        ("FooBar", "bazQux", "BazQux"),
        ("fooBar", "BazQux", "bazQux"),
        ("foo_bar", "baz_qux", "baz_qux"),
        ("Foo_Bar", "baz_qux", "Baz_Qux"),
        ("FOO_BAR", "baz_qux", "BAZ_QUX"),
        ("foo-bar", "Baz-Qux", "baz-qux"),
        ("Foo-bar", "baz-qux", "Baz-qux"),
        ("Foo Bar", "baz qux", "Baz Qux"),
        ("foo", "accountHolder", "accountHolder"),  # a hump tells where a word begins
        ("Foo", "accountHolder", "AccountHolder"),
        ("FOO", "accountHolder", "ACCOUNTHOLDER"),
        ("foo", "AccountHolder", "accountHolder"),
        ("foo", "ACCOUNT_HOLDER", "account_holder"),
        ("Foo", "HTTPServer", "HTTPServer"),
        ("foo", "HTTPServer", "httpServer"),
        ("fooHTTP", "barXml", "barXML"),
        ("FooBar", "qux", "Qux"),
        ("FooBar", "one_two_three", "One_two_three"),
        ("ÉTÉ", "hiver", "HIVER"),
        ("été", "Hiver", "hiver"),
        ("42", "Bar", "Bar"),
        ("", "Bar", "Bar"),
        ("Foo", "", ""),
        ("Foo", "42", "42"),
        ("foo2", "Bar3", "bar3"),
    ],
)
def test_case_is_carried_over(match: str, new: str, expected: str) -> None:
    assert in_case_of(match, new) == expected


@given(st.text(), st.text())
def test_only_the_case_of_letters_changes(match: str, new: str) -> None:
    assert in_case_of(match, new).casefold() in (
        new.casefold(),
        new.upper().casefold(),
        new.lower().casefold(),
    )


@given(st.from_regex("[a-zA-Z_ -]*", fullmatch=True), st.from_regex("[a-zA-Z_ -]*", fullmatch=True))
def test_not_a_letter_more_or_less(match: str, new: str) -> None:
    assert in_case_of(match, new).lower() == new.lower()
