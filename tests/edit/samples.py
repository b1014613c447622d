"""Files and edits to try things on: every encoding, every line end, and hypothesis's choice of them."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from hypothesis import strategies as st

from tui.edit.plan import FileEdit, Splice, create, delete, modify, rename
from tui.edit.replace import Replacement, compile_replacement
from tui.search.decoding import Encoding
from tui.search.matcher import Matcher, compile_query
from tui.search.query import Query

ENCODINGS = {
    "utf-8": Encoding("utf-8"),
    "utf-8 bom": Encoding("utf-8", codecs.BOM_UTF8),
    "utf-16-le": Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    "utf-16-be": Encoding("utf-16-be", codecs.BOM_UTF16_BE),
    "utf-32-le": Encoding("utf-32-le", codecs.BOM_UTF32_LE),
}

LINE_ENDS = {"LF": ("\n",), "CRLF": ("\r\n",), "CR": ("\r",), "mixed": ("\n", "\r\n", "\r", "\n", "\r\n")}


def matcher(pattern: str, **options: bool) -> Matcher:
    compiled = compile_query(Query(pattern, **options))  # type: ignore[arg-type]
    assert isinstance(compiled, Matcher), compiled
    return compiled


def replacement(
    pattern: str, new: str, *, dollar: bool = True, keep_case: bool = False, **options: bool
) -> Replacement:
    compiled = compile_replacement(new, matcher(pattern, **options), dollar=dollar, keep_case=keep_case)
    assert isinstance(compiled, Replacement), compiled
    return compiled


def text_with(lines: Iterable[str], ends: tuple[str, ...], final: bool) -> str:
    """The lines, ended in turn by each of the ends; without the final one if so wished."""
    text = "".join(line + ends[nth % len(ends)] for nth, line in enumerate(lines))
    return text if final else text.rstrip("\r\n")


def inverse(old: bytes, splices: Iterable[Splice]) -> tuple[Splice, ...]:
    """The splices that lead back."""
    back: list[Splice] = []
    ahead = 0
    for splice in splices:
        start = splice.start + ahead
        back.append(Splice(start, start + len(splice.new), old[splice.start : splice.end]))
        ahead += len(splice.new) - (splice.end - splice.start)
    return tuple(back)


_PIECES = [
    "a",
    "b",
    "ab",
    "x",
    " ",
    "foo",
    "é",
    "\U0001f600",
    "\r",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r\n",
    "\udcff",
]

texts = st.lists(st.sampled_from(_PIECES), max_size=24).map("".join)
"""Text of a UTF-8 file, with line ends of every kind and a byte that is no text."""

whole_texts = texts.map(lambda text: text.replace("\udcff", "z"))
"""Text that every encoding can hold."""


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """The bytes of a text file in some encoding."""
    encoding = ENCODINGS[draw(st.sampled_from([*ENCODINGS, "utf-8", "utf-8"]))]
    if encoding.codec == "utf-8":
        return encoding.bom + draw(texts).encode("utf-8", "surrogateescape")
    return encoding.encode(draw(whole_texts))


_LINES = [b"a\n", b"b\n", b"c\n", b"b\r\n", b"\n", b"}\n", b"a\r", b"\xff\xfe\n", b"\xc3\xa9\n", b"unended"]
raw_texts = st.lists(st.sampled_from(_LINES), max_size=14).map(b"".join)


@st.composite
def splices_of(draw: st.DrawFn, old: bytes) -> tuple[Splice, ...]:
    """Splices anywhere in these bytes, whole lines and parts of lines."""
    cuts = sorted(draw(st.lists(st.integers(0, len(old)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return tuple(
        Splice(start, end, draw(raw_texts | st.sampled_from([b"", b"x", b"\n"]))) for start, end in pairs
    )


@st.composite
def edited_files(draw: st.DrawFn, path: str = "file") -> tuple[bytes, FileEdit]:
    """Old bytes and an edit of them that changes something: any kind of edit."""
    old = draw(raw_texts)
    kind = draw(st.sampled_from(["modify", "modify", "modify", "create", "delete", "rename"]))
    if kind == "create":
        return b"", create(path, old, draw(st.sampled_from([0o644, 0o755])))
    if kind == "delete":
        return old, delete(path, old, 0o644)
    splices = draw(splices_of(old))
    if kind == "modify" and (edit := modify(path, old, 0o644, splices)):
        return old, edit
    return old, rename(path, path + " moved", old, 0o644, splices)
