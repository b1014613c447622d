"""Foreign text as segments: harmless whatever it is, and the quick way draws what the careful one draws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style

from tui.app.render import Mark, segments
from tui.text import is_plain, visible

anything = st.text(st.characters(codec=None, exclude_categories=()))
mostly_ascii = st.text(st.characters(max_codepoint=0x7F)) | anything
BOLD = Style(bold=True)


def shown(drawn: list[Segment]) -> str:
    return "".join(segment.text for segment in drawn)


@given(mostly_ascii, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=4))
def test_any_text_is_drawn_visibly_wherever_marks_cut_it(text: str, edges: list[tuple[int, int]]) -> None:
    marks = [Mark(min(edge), max(edge), BOLD) for edge in edges]
    drawn = segments(text, marks=marks)
    assert is_plain(shown(drawn))
    assert "\t" not in shown(drawn)
    if "\t" not in text:
        assert shown(drawn) == visible(text)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_a_text_is_drawn_alike_alone_and_beside_what_takes_the_careful_way(text: str) -> None:
    assert shown(segments(text + "é")) == shown(segments(text)) + "é"


def test_tabs_go_to_the_next_column_of_four() -> None:
    assert shown(segments("\ta\tbcd\te")) == "    a   bcd e"
    assert shown(segments("日\ta")) == "日  a"


def test_a_mark_styles_its_columns_and_no_others() -> None:
    drawn = segments("one two", marks=[Mark(4, 7, BOLD)])
    assert [(segment.text, bool(segment.style and segment.style.bold)) for segment in drawn] == [
        ("one ", False),
        ("two", True),
    ]
