"""A file's change as a unified diff to read. Where the text is UTF-8 it is the patch itself, which `git
apply` takes; a patch of wide characters would be bytes to nobody's use, so there it is the decoded lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.edit.diff import FileDiff, FileKind, file_diff
from tui.edit.difflines import LineKind
from tui.edit.plan import FileEdit
from tui.edit.unified import unified
from tui.search.decoding import encoding_of
from tui.text import visible

_SIGNS = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}


def diff_text(edit: FileEdit, old: bytes) -> str:
    """Ends with a line end. StaleError and BadPlanError as for `file_diff`."""
    new = b"" if edit.after is None else edit.new_bytes(old)
    if encoding_of(old).codec == encoding_of(new).codec == "utf-8":
        return unified(edit, old).decode("utf-8", "surrogateescape")
    return "".join(f"{line}\n" for line in _lines(file_diff(edit, old)))


def _lines(diff: FileDiff) -> Iterator[str]:
    """With what no line shows told in brackets."""
    gone, new = diff.kind is FileKind.DELETED, diff.kind is FileKind.CREATED
    yield f"--- {'/dev/null' if new else f'a/{visible(diff.path)}'}"
    yield f"+++ {'/dev/null' if gone else f'b/{visible(diff.new_path or diff.path)}'}"
    yield from (f"({note})" for note in diff.notes)
    for hunk in diff.hunks:
        yield hunk.header
        for line in hunk.lines:
            yield f"{_SIGNS[line.kind]}{line.text}"
            if line.no_newline:
                yield "\\ No newline at end of file"
