"""Line edits change the lines they name, in the file's own line ends, and nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edit.samples import ENCODINGS, files, inverse, whole_texts
from tui.edit.lines import append, delete_lines, insert_after, replace_lines, update
from tui.edit.plan import Splice, spliced
from tui.errors import InvalidArgumentError, InvalidRangeError
from tui.search.decoding import decode, encoding_of, split_lines


def after(data: bytes, edit: Callable[..., tuple[Splice, ...]], *arguments: object) -> bytes:
    splices = edit(data, *arguments)
    new = spliced(data, splices)
    assert spliced(new, inverse(data, splices)) == data
    return new


@pytest.mark.parametrize(
    ("data", "line", "content", "expected"),
    [
        (b"a\nb\n", 1, "x", b"a\nx\nb\n"),
        (b"a\nb\n", 1, "x\n", b"a\nx\nb\n"),
        (b"a\nb\n", 0, "x\ny", b"x\ny\na\nb\n"),
        (b"a\nb\n", 2, "x", b"a\nb\nx\n"),
        (b"a\nb", 2, "x\n", b"a\nb\nx"),  # no line end at the end before, none after
        (b"a\nb", 0, "x", b"x\na\nb"),
        (b"a", 1, "x", b"a\nx"),
        (b"", 0, "x", b"x\n"),
        (b"", 0, "x\r\ny", b"x\r\ny\r\n"),  # nothing to follow but the content itself
        (b"a\r\nb\r\n", 1, "x\ny", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"a\nb\n", 1, "x\r\ny\r\n", b"a\nx\ny\nb\n"),
        (b"a\r\nb\n", 1, "x", b"a\r\nx\r\nb\n"),  # that of the line before
        (b"a\nb\r\n", 0, "x", b"x\na\nb\r\n"),
        (b"a\r\nb", 2, "x", b"a\r\nb\r\nx"),
        (b"a\n", 1, "\n", b"a\n\n"),  # one empty line
        (b"a\n", 1, "", b"a\n"),  # no line
        (b"\xef\xbb\xbfa\n", 0, "x", b"\xef\xbb\xbfx\na\n"),  # after the byte order mark
        (b"\xef\xbb\xbf", 0, "x", b"\xef\xbb\xbfx\n"),
    ],
)
def test_insert(data: bytes, line: int, content: str, expected: bytes) -> None:
    assert after(data, insert_after, line, content) == expected


@pytest.mark.parametrize(
    ("data", "first", "last", "expected"),
    [
        (b"a\nb\nc\n", 2, 2, b"a\nc\n"),
        (b"a\nb\nc\n", 1, 3, b""),
        (b"a\nb\nc\n", 3, 3, b"a\nb\n"),
        (b"a\r\nb\nc", 3, 3, b"a\r\nb"),  # no line end at the end before, none after
        (b"a\r\nb\r\nc", 2, 3, b"a"),
        (b"a\nb", 1, 2, b""),
        (b"a\nb", 1, 1, b"b"),
        (b"\xef\xbb\xbfa\nb\n", 1, 1, b"\xef\xbb\xbfb\n"),
    ],
)
def test_delete(data: bytes, first: int, last: int, expected: bytes) -> None:
    assert after(data, delete_lines, first, last) == expected


@pytest.mark.parametrize(
    ("data", "first", "last", "content", "expected"),
    [
        (b"a\nb\nc\n", 2, 2, "x", b"a\nx\nc\n"),
        (b"a\nb\nc\n", 2, 3, "x\ny\nz\n", b"a\nx\ny\nz\n"),
        (b"a\nb\nc", 3, 3, "x\n", b"a\nb\nx"),
        (b"a\nb", 2, 2, "b\nc\n", b"a\nb\nc"),
        (b"a\nb", 1, 2, "a", b"a"),
        (b"a\r\nb\r\nc\n", 1, 2, "x\ny", b"x\r\ny\r\nc\n"),
        (b"a\r\nb\nc\r\n", 1, 3, "a\nX\nc", b"a\r\nX\nc\r\n"),  # lines that stay keep their ends
        (b"a\nb\n", 1, 1, "", b"b\n"),
        (b"a\nb\n", 1, 1, "\n", b"\nb\n"),
    ],
)
def test_replace(data: bytes, first: int, last: int, content: str, expected: bytes) -> None:
    assert after(data, replace_lines, first, last, content) == expected


@pytest.mark.parametrize(
    ("data", "content", "expected"),
    [
        (b"a\nb\n", "x", b"a\nb\nx\n"),
        (b"a\r\nb", "x\ny\n", b"a\r\nb\r\nx\r\ny"),
        (b"", "x\n", b"x\n"),
        (b"a\n", "", b"a\n"),
    ],
)
def test_append(data: bytes, content: str, expected: bytes) -> None:
    assert after(data, append, content) == expected


@pytest.mark.parametrize(
    ("data", "content", "expected"),
    [
        (b"a\r\nb\r\n", "a\nB\nc\n", b"a\r\nB\r\nc\r\n"),
        (b"a\nb\r\nc\n", "a\nb\nC\n", b"a\nb\r\nC\n"),  # lines that stay keep their ends
        (b"a\nb\n", "a\nb", b"a\nb"),  # the content says how the file ends
        (b"a\nb", "a\nb\n", b"a\nb\n"),
        (b"a\n", "", b""),
        (b"", "a\r\nb", b"a\r\nb"),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"caf\xe9\nb\n", "caf\udce9\nc\n", b"caf\xe9\nc\n"),
    ],
)
def test_update(data: bytes, content: str, expected: bytes) -> None:
    assert after(data, update, content) == expected


def test_an_update_touches_only_the_lines_that_differ() -> None:
    data = b"".join(b"line %d\n" % n for n in range(100))
    (splice,) = update(data, data.decode().replace("line 50\n", "changed\n"))
    assert data[splice.start : splice.end] == b"line 50\n"


contents = whole_texts.map(lambda text: text.replace("\r\n", "\n").replace("\r", ""))


@given(files(), contents, st.data())
def test_every_line_edit_is_the_edit_of_a_list(data: bytes, content: str, draw: st.DataObject) -> None:
    text = decode(data).text.rstrip("\r")  # before a new \n, a lone \r would become part of a line end
    data = encoding_of(data).encode(text)
    lines, new = split_lines(text), split_lines(content)
    first = draw.draw(st.integers(0, len(lines)))
    last = draw.draw(st.integers(first, len(lines)))
    cases = [(after(data, insert_after, first, content), [*lines[:first], *new, *lines[first:]])]
    if first < last:
        replaced = [*lines[:first], *new, *lines[last:]]
        cases.append((after(data, delete_lines, first + 1, last), [*lines[:first], *lines[last:]]))
        cases.append((after(data, replace_lines, first + 1, last, content), replaced))
    ended = not text or text.endswith("\n")
    for made, expected in cases:
        assert encoding_of(made) == encoding_of(data)
        told = "".join(line + "\n" for line in expected) if ended else "\n".join(expected)
        assert decode(made).text.replace("\r\n", "\n") == told


@given(files(), contents)
def test_an_update_gives_the_content(data: bytes, content: str) -> None:
    made = after(data, update, content)
    assert encoding_of(made) == encoding_of(data)
    assert decode(made).text.replace("\r\n", "\n") == content


@given(files())
def test_the_same_content_again_changes_nothing(data: bytes) -> None:
    assert update(data, decode(data).text) == ()


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_is_kept(name: str) -> None:
    encoding = ENCODINGS[name]
    data = encoding.encode("é\r\n\u0a0d\r\n\U0001f600\r\n")  # U+0A0D holds the bytes of line ends
    assert after(data, replace_lines, 2, 2, "ü\nx") == encoding.encode("é\r\nü\r\nx\r\n\U0001f600\r\n")
    assert after(data, insert_after, 3, "ß") == encoding.encode("é\r\n\u0a0d\r\n\U0001f600\r\nß\r\n")


class TestOutOfRange:
    DATA = b"".join(b"%d\n" % n for n in range(42))

    @pytest.mark.parametrize("line", [-1, 43])
    def test_insert(self, line: int) -> None:
        with pytest.raises(InvalidRangeError, match="0 to 42 for insert"):
            insert_after(self.DATA, line, "x")

    @pytest.mark.parametrize(("first", "last"), [(0, 1), (1, 43), (43, 43), (3, 2), (-1, 2)])
    def test_delete_and_replace(self, first: int, last: int) -> None:
        with pytest.raises(InvalidRangeError, match="lines 1 to 42"):
            delete_lines(self.DATA, first, last)
        with pytest.raises(InvalidRangeError, match="lines 1 to 42"):
            replace_lines(self.DATA, first, last, "x")

    def test_an_empty_file_has_no_lines(self) -> None:
        with pytest.raises(InvalidRangeError, match="empty"):
            delete_lines(b"", 1, 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [("utf-8", "\ud800"), ("utf-8", "\udcc3\udca9"), ("utf-16-le", "\ud83d\ude00"), ("utf-16-le", "\udcff")],
)
def test_what_would_not_survive_is_refused(name: str, content: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"cannot be written as {name.upper()}"):
        insert_after(ENCODINGS[name].encode("a\n"), 1, content)


def test_a_file_that_breaks_its_promise_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="UTF-16-LE"):
        insert_after(b"\xff\xfea", 0, "x")


@pytest.mark.parametrize(
    ("program", "edit"),
    [
        ("2d", lambda data: delete_lines(data, 2, 2)),
        ("2,3d", lambda data: delete_lines(data, 2, 3)),
        ("2a\\\nx\\\ny", lambda data: insert_after(data, 2, "x\ny")),
        ("1i x", lambda data: insert_after(data, 0, "x")),
        ("2,3c\\\nx", lambda data: replace_lines(data, 2, 3, "x")),
    ],
)
@pytest.mark.parametrize("data", [b"1\n2\n3\n4\n", b"1\n2\n3\n4"])
def test_the_same_bytes_as_sed(
    tmp_path: Path, data: bytes, program: str, edit: Callable[[bytes], tuple[Splice, ...]]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    subprocess.run(["sed", "-i", program, str(path)], check=True)
    assert spliced(data, edit(data)) == path.read_bytes()
