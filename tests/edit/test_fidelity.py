"""Bytes outside the edited spans are identical, in every encoding and with every line end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.edit.samples import ENCODINGS, LINE_ENDS, inverse, replacement, text_with
from tui.edit.diff import file_diff
from tui.edit.lines import append, delete_lines, insert_after, replace_lines, update
from tui.edit.plan import EditPlan, FileEdit, Splice, modify, spliced
from tui.edit.replace import plan_file
from tui.search.decoding import decode, encoding_of, split_lines

LINES = ["first foo", "", "  föö \u0a0d foo\t", "\U0001f600 foo\x0c\x85\u2028 end", "last foo"]


def content(kind: str, text: str) -> bytes:
    if kind in ENCODINGS:
        return ENCODINGS[kind].encode(text)
    if kind == "latin-1":
        return text.encode("latin-1", "replace")
    if kind == "invalid utf-8":
        return text.encode().replace(b"foo", b"\xff\xfe\x80foo\xc3")
    if kind == "lone surrogate, utf-8":
        return text.encode().replace(b" end", b"\xed\xa0\x80 end")
    assert kind == "lone surrogate, utf-16"
    return b"\xff\xfe" + text.replace(" end", "\udc00\ud800 end").encode("utf-16-le", "surrogatepass")


KINDS = [*ENCODINGS, "latin-1", "invalid utf-8", "lone surrogate, utf-8", "lone surrogate, utf-16"]


def matrix() -> Iterator[tuple[str, bytes]]:
    for kind in KINDS:
        for name, ends in LINE_ENDS.items():
            for final in (True, False):
                data = content(kind, text_with(LINES, ends, final))
                yield f"{kind}, {name}{'' if final else ', no final line end'}", data
    for name, encoding in ENCODINGS.items():
        yield f"{name}, empty", encoding.encode("")


FILES = dict(matrix())

each_file = pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in FILES.items()])


def check(data: bytes, splices: tuple[Splice, ...], expected: str) -> bytes:
    """The splices make the expected text in the file's own encoding, there is a way back, the diff can
    be made, and the plan survives being saved."""
    edit = modify("file", data, 0o644, splices)
    if edit is None:
        assert decode(data).text == expected
        return data
    new = edit.new_bytes(data)
    assert new == encoding_of(data).encode(expected)
    assert spliced(new, inverse(data, edit.splices)) == data
    assert file_diff(edit, data).hunks
    assert EditPlan.from_json(EditPlan("", (edit,)).to_json()).files == (edit,)
    return new


def ended_lines(text: str) -> list[str]:
    """The lines with their own line ends."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


@each_file
def test_replacing_text(data: bytes) -> None:
    text = decode(data).text
    edit = plan_file("file", data, 0o644, replacement("foo", "bär\U0001f600", literal=True))
    check(data, edit.splices if edit else (), text.replace("foo", "bär\U0001f600"))


@each_file
def test_replacing_with_groups(data: bytes) -> None:
    expected = decode(data).text.replace("foo", "o<f>o")
    for multiline in (False, True):
        edit = plan_file("file", data, 0o644, replacement("(f)(o)o", "$2<$1>$2", multiline=multiline))
        check(data, edit.splices if edit else (), expected)


@each_file
def test_replacing_nothing_is_no_change(data: bytes) -> None:
    for multiline in (False, True):
        assert plan_file("file", data, 0o644, replacement(r"(\s|.)", "$1", multiline=multiline)) is None


@each_file
def test_deleting_a_line(data: bytes) -> None:
    lines = ended_lines(decode(data).text)
    if not lines:
        return
    expected = "".join(lines[1:])
    check(data, delete_lines(data, 1, 1), expected)


@each_file
def test_inserting_at_the_top(data: bytes) -> None:
    text = decode(data).text
    eol = "\r\n" if ended_lines(text)[:1] and ended_lines(text)[0].endswith("\r\n") else "\n"
    check(data, insert_after(data, 0, "new 1\nnew 2"), f"new 1{eol}new 2{eol}{text}")


@each_file
def test_appending(data: bytes) -> None:
    new = check_lines(data, append(data, "new\n"), [*split_lines(decode(data).text), "new"])
    assert not data or new.startswith(data)


@each_file
def test_replacing_the_last_line(data: bytes) -> None:
    lines = ended_lines(decode(data).text)
    if not lines:
        return
    last = lines[-1]
    eol = "\r\n" if last.endswith("\r\n") else "\n" if last.endswith("\n") else ""
    splices = replace_lines(data, len(lines), len(lines), "näw")
    check(data, splices, "".join(lines[:-1]) + "näw" + eol)


@each_file
def test_a_whole_new_content_given_with_plain_line_ends(data: bytes) -> None:
    """What an agent does: it reads, changes one line, and writes everything back."""
    text = decode(data).text
    given = text.replace("\r\n", "\n").replace("  f", "  F", 1)
    check(data, update(data, given), text.replace("  f", "  F", 1))


def check_lines(data: bytes, splices: tuple[Splice, ...], expected: list[str]) -> bytes:
    new = spliced(data, splices)
    told = split_lines(decode(new).text)
    if decode(data).text.endswith("\r"):  # before the new \n, this \r has become part of a line end
        expected[-2] = expected[-2].removesuffix("\r")
    assert told == expected
    return new


@pytest.mark.parametrize(
    "make",
    [
        lambda data: plan_file("file", data, 0o600, replacement("foo", "foo")),
        lambda data: modify("file", data, 0o600, update(data, decode(data).text)),
        lambda data: modify("file", data, 0o600, insert_after(data, 0, "")),
    ],
)
def test_a_change_that_changes_nothing_is_none(make: Callable[[bytes], FileEdit | None]) -> None:
    for data in FILES.values():
        assert make(data) is None
