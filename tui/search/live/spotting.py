"""Where a string next occurs in many megabytes.

The C library's `strstr` looks through long stretches two to four times as fast as `bytes.find` (and as
`memmem`), but each call costs more; so a short way is looked ahead with `find` first. It also lets go
of the interpreter's lock meanwhile. It ends at a zero byte, which every bytearray has after its last.
"""

from __future__ import annotations

import ctypes
from typing import Protocol

_AHEAD = 256


class _Strstr(Protocol):
    def __call__(self, text: int, needle: bytes, /) -> int | None: ...


def _strstr() -> _Strstr | None:
    try:
        function = ctypes.CDLL(None).strstr
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    found: _Strstr = function
    return found


_find_in_memory = _strstr()


class Spotter:
    """Finds one string in one text, going forward. The text cannot be resized meanwhile."""

    def __init__(self, text: bytearray, needle: bytes, zeros: bool) -> None:
        self._text = text
        self._needle = needle
        self._in_memory = None if zeros or b"\0" in needle else _find_in_memory
        self._held = (ctypes.c_char * len(text)).from_buffer(text)
        self._address = ctypes.addressof(self._held)

    def next(self, at: int) -> int:
        """The first place at or after `at`, or -1."""
        near = self._text.find(self._needle, at, at + _AHEAD)
        if near >= 0:
            return near
        if self._in_memory is None:
            return self._text.find(self._needle, at)
        at = max(at, at + _AHEAD - len(self._needle))
        if at >= len(self._text):
            return -1
        found = self._in_memory(self._address + at, self._needle)
        return found - self._address if found else -1


class AnySpotter:
    """The first of several strings."""

    def __init__(self, text: bytearray, needles: tuple[bytes, ...], zeros: bool) -> None:
        self._spotters = [Spotter(text, needle, zeros) for needle in needles]
        self._known = [-2] * len(needles)

    def next(self, at: int) -> int:
        first = -1
        for index, spotter in enumerate(self._spotters):
            known = self._known[index]
            if known != -1 and known < at:
                known = self._known[index] = spotter.next(at)
            if known >= 0 and (first < 0 or known < first):
                first = known
        return first


Spots = Spotter | AnySpotter


def spotter(text: bytearray, needles: tuple[bytes, ...], zeros: bool) -> Spots:
    """`zeros`: the text may hold zero bytes."""
    return AnySpotter(text, needles, zeros) if len(needles) > 1 else Spotter(text, needles[0], zeros)
