"""A file's change as a patch: bytes that `git apply` and `patch -p1` take.

Patch programs know no encodings, so lines here end at the byte `\\n` and nothing is decoded. What
git has no words for is left out: permission bits other than the executable one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from tui.edit.changes import Cluster, all_splices, clusters, hunk_header, line_changes, new_bytes
from tui.edit.diff import CONTEXT, FileKind
from tui.edit.layout import RAW, Layout
from tui.edit.plan import FileEdit, FileState
from tui.text import is_plain

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {0x07: b"\\a", 0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0B: b"\\v", 0x0C: b"\\f", 0x0D: b"\\r"}
_ESCAPES |= {ord('"'): b'\\"', ord("\\"): b"\\\\"}
_NO_BLOB = b"0" * 12


def unified(edit: FileEdit, old: bytes, context: int = CONTEXT) -> bytes:
    """The patch of one file; patches of several files are put one after the other. StaleError and
    BadPlanError as for `file_diff`."""
    new = new_bytes(edit, old)
    layout = Layout(old, RAW)
    changes = list(line_changes(layout, all_splices(edit, old)))
    parts = list(_header(edit, old, new))
    if changes:
        parts += _names(edit)
        for cluster in clusters(layout, changes, context):
            parts += _hunk(layout, cluster)
    return b"".join(parts)


def quoted(name: bytes, also: bytes = b"") -> bytes:
    """A name as git writes it: plain where that cannot be misread, else in quotes like a C string.
    `also`: further characters that need the quotes."""
    if is_plain(os.fsdecode(name)) and not any(sign in name for sign in b'"\\\t' + also):
        return name
    return b'"' + b"".join(map(_escaped, name)) + b'"'


def _escaped(byte: int) -> bytes:
    if short := _ESCAPES.get(byte):
        return short
    return bytes([byte]) if 0x20 <= byte < 0x7F else b"\\%03o" % byte


def _header(edit: FileEdit, old: bytes, new: bytes) -> Iterator[bytes]:
    before, after = os.fsencode(edit.path), os.fsencode(edit.new_path or edit.path)
    # Git needs no quotes around a blank here, but `patch` finds no other end of the name.
    yield b"diff --git %s %s\n" % (quoted(b"a/" + before, b" "), quoted(b"b/" + after, b" "))
    modes = _git_mode(edit.before or edit.after), _git_mode(edit.after or edit.before)
    if edit.before is None:
        yield b"new file mode %o\n" % modes[1]
    elif edit.after is None:
        yield b"deleted file mode %o\n" % modes[0]
    elif modes[0] != modes[1]:
        yield b"old mode %o\nnew mode %o\n" % modes
    if edit.new_path is not None:
        yield b"similarity index %d%%\n" % _similarity(edit, old, new)
        yield b"rename from %s\nrename to %s\n" % (quoted(before), quoted(after))
    if old != new or FileKind.of(edit) in (FileKind.CREATED, FileKind.DELETED):
        # `patch` needs these ids to tell an empty file from none, `git apply --3way` to find the old file.
        ids = _NO_BLOB if edit.before is None else _blob(old), _NO_BLOB if edit.after is None else _blob(new)
        same_mode = b" %o" % modes[0] if edit.before and edit.after and modes[0] == modes[1] else b""
        yield b"index %s..%s%s\n" % (*ids, same_mode)


def _names(edit: FileEdit) -> Iterator[bytes]:
    sides = (
        (b"---", b"a/", edit.path, edit.before),
        (b"+++", b"b/", edit.new_path or edit.path, edit.after),
    )
    for sign, prefix, path, state in sides:
        name = b"/dev/null" if state is None else quoted(prefix + os.fsencode(path))
        # A tab ends a name with blanks in it, which `patch` would else cut short.
        yield b"%s %s%s\n" % (sign, name, b"\t" if b" " in name and not name.startswith(b'"') else b"")


def _hunk(layout: Layout, cluster: Cluster) -> Iterator[bytes]:
    header = hunk_header(cluster.old_start, cluster.old_count, cluster.new_start, cluster.new_count)
    yield header.encode() + b"\n"
    at = cluster.before
    for run in cluster.runs():
        yield from (_line(b" ", layout.raw(line)) for line in range(at, run[0].first))
        yield from (_line(b"-", raw) for change in run for raw in change.old)
        yield from (_line(b"+", raw) for change in run for raw in change.new)
        at = run[-1].last
    yield from (_line(b" ", layout.raw(line)) for line in range(at, cluster.before + cluster.old_count))


def _line(sign: bytes, raw: bytes) -> bytes:
    return sign + raw if raw.endswith(b"\n") else sign + raw + _NO_NEWLINE


def _git_mode(state: FileState | None) -> int:
    return 0o100755 if state is not None and state.mode & 0o100 else 0o100644


def _similarity(edit: FileEdit, old: bytes, new: bytes) -> int:
    """How much of the larger side is kept, in percent; 100 only if all is."""
    if old == new:
        return 100
    kept = len(old) - sum(splice.end - splice.start for splice in edit.splices)
    return min(99, 100 * kept // max(len(old), len(new), 1))


def _blob(data: bytes) -> bytes:
    """Git's name for these contents, cut to a length that stays unique in large histories."""
    blob = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    blob.update(data)
    return blob.hexdigest()[:12].encode()
