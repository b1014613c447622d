"""Bytes to text and back, losing nothing.

A byte order mark decides; otherwise the text is UTF-8, and each byte that is not UTF-8 is kept as
one lone surrogate (Python's `surrogateescape`), so that encoding gives the same bytes again. No
encoding is ever guessed.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

BINARY_PROBE = 8192

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: it begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BOM_STARTS = tuple(bom for bom, _ in _BOMS)


class UndecodableError(ValueError):
    """The byte order mark promises an encoding that the bytes do not keep."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's text is written in bytes."""

    codec: str
    bom: bytes = b""

    @property
    def errors(self) -> str:
        return "surrogateescape" if self.codec == "utf-8" else "surrogatepass"

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.codec, self.errors)

    def encode_part(self, text: str) -> bytes:
        """A stretch of the file's text, without the byte order mark."""
        return text.encode(self.codec, self.errors)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text. `encoding.encode(text)` gives the file's bytes again."""

    text: str
    encoding: Encoding

    @property
    def label(self) -> str:
        """The encoding's name for people."""
        if self.encoding.codec != "utf-8":
            return self.encoding.codec.upper()
        if any("\udc80" <= character <= "\udcff" for character in self.text):
            return "UTF-8, with other bytes"
        return "UTF-8 BOM" if self.encoding.bom else "UTF-8"


def encoding_of(data: bytes) -> Encoding:
    if data.startswith(_BOM_STARTS):
        for bom, codec in _BOMS:
            if data.startswith(bom):
                return Encoding(codec, bom)
    return Encoding("utf-8")


def is_binary(data: bytes) -> bool:
    """A NUL near the start, unless a byte order mark says that the text is UTF-16 or UTF-32."""
    return data.find(b"\0", 0, BINARY_PROBE) >= 0 and encoding_of(data).codec == "utf-8"


def decode(data: bytes) -> Decoded:
    encoding = encoding_of(data)
    try:
        text = data[len(encoding.bom) :].decode(encoding.codec, encoding.errors)
    except UnicodeDecodeError as error:
        raise UndecodableError(f"not valid {encoding.codec.upper()}: {error.reason}") from error
    return Decoded(text, encoding)


def split_lines(text: str) -> list[str]:
    """Lines end at `\\n` only; a `\\r` before it is not part of the line."""
    if not text:
        return []
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def search_form(data: bytes) -> bytes | None:
    """The text as UTF-8 with `\\n` after every line and no byte order mark: what the fast paths
    scan. None for text that has no such form (UTF-16 with unpaired surrogates)."""
    if data.startswith(_BOM_STARTS):
        decoded = decode(data)
        if decoded.encoding.codec == "utf-8":
            data = data[len(decoded.encoding.bom) :]
        else:
            try:
                data = decoded.text.encode("utf-8")
            except UnicodeEncodeError:
                return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return data


def is_ended(data: bytes) -> bool:
    """Whether the last line has a line end of its own; the search form gives it one."""
    codec = encoding_of(data).codec
    end = "\n".encode(codec)
    return data.endswith(end) and (codec == "utf-8" or not len(data) % len(end))
