"""Text is decoded without a loss: encoding it again gives the same bytes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.search.decoding import UndecodableError, decode, is_binary, search_form, split_lines

BOMS = [
    b"",
    codecs.BOM_UTF8,
    codecs.BOM_UTF16_LE,
    codecs.BOM_UTF16_BE,
    codecs.BOM_UTF32_LE,
    codecs.BOM_UTF32_BE,
]


@given(st.sampled_from(BOMS), st.binary(max_size=64))
def test_decoding_and_encoding_give_the_same_bytes(bom: bytes, rest: bytes) -> None:
    try:
        decoded = decode(bom + rest)
    except UndecodableError:
        return
    assert decoded.encoding.encode(decoded.text) == bom + rest


@given(
    st.text(st.characters(codec=None, exclude_categories=())),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]),
)
def test_unpaired_surrogates_survive(text: str, codec: str) -> None:
    data = ("\ufeff" + text).encode(codec, "surrogatepass")
    decoded = decode(data)
    assert decoded.encoding.encode(decoded.text) == data


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"abc", "UTF-8"),
        ("Käse".encode(), "UTF-8"),
        ("\ufeffKäse".encode(), "UTF-8 BOM"),
        ("Käse".encode("latin-1"), "UTF-8, with other bytes"),
        ("\ufeffK".encode("utf-16-le"), "UTF-16-LE"),
        ("\ufeffK".encode("utf-32-be"), "UTF-32-BE"),
    ],
)
def test_labels(data: bytes, label: str) -> None:
    assert decode(data).label == label


@pytest.mark.parametrize(
    "data", [codecs.BOM_UTF16_LE + b"a", codecs.BOM_UTF32_LE + b"\xff" * 4, codecs.BOM_UTF16_BE + b"\0a\0"]
)
def test_a_mark_that_the_bytes_do_not_keep_is_told(data: bytes) -> None:
    with pytest.raises(UndecodableError, match="not valid UTF-"):
        decode(data)


def test_binary_means_a_nul_near_the_start_without_a_wide_mark() -> None:
    assert is_binary(b"\0")
    assert is_binary(b"x" * 8191 + b"\0")
    assert not is_binary(b"x" * 8192 + b"\0")
    assert not is_binary("\ufeffabc".encode("utf-16-le"))
    assert not is_binary("\ufeffabc".encode("utf-32-le"))
    assert is_binary(codecs.BOM_UTF8 + b"\0")


@given(st.binary(max_size=64))
def test_the_search_form_has_the_same_lines(data: bytes) -> None:
    try:
        form = search_form(data)
    except UndecodableError:
        return
    if form is not None:
        lines = form.decode("utf-8", "surrogateescape").split("\n")[:-1]
        assert lines == split_lines(decode(data).text)
