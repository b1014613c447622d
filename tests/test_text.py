"""P6: no byte of a file, a path or an error reaches the terminal as a control code."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tui.text import is_plain, visible, visible_with_spans

anything = st.text(st.characters(codec=None, exclude_categories=()))  # surrogates included


def test_what_it_looks_like() -> None:
    assert visible("\x1b]52;c;aGk=\x07") == r"\x1b]52;c;aGk=\x07"
    assert visible("a\u202eb\u200b\ufeff") == r"a\u202eb\u200b\ufeff"
    assert visible("\x9b31m\u2028") == r"\u009b31m\u2028"
    assert visible(b"\xff\xfe".decode("utf-8", "surrogateescape")) == r"\xff\xfe"
    assert visible("one\ntwo\r\0") == r"one\ntwo\r\0"
    assert visible("\U000e0041") == r"\U000e0041"
    assert visible("tab\tand ünïcödé 日本 👍") == "tab\tand ünïcödé 日本 👍"


def test_no_character_of_unicode_that_controls_or_hides_is_let_through() -> None:
    for code in range(0x110000):
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Cs", "Zl", "Zp") and character != "\t":
            shown = visible(character)
            assert shown.isascii(), hex(code)
            assert shown.isprintable(), hex(code)


@given(anything)
def test_what_is_shown_is_plain_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert is_plain(shown)
    assert visible(shown) == shown
    shown.encode()
    assert is_plain(text) == (shown == text)


@given(anything, st.data())
def test_spans_go_with_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown, ((first, last),) = visible_with_spans(text, [(start, end)])
    assert shown == visible(text)
    assert shown[first:last] == visible(text[start:end])
