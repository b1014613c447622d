"""The part of an edit that a person accepted, as an edit of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import msgspec

from tui.edit.changes import Change, Cluster, FileChanges, clusters, file_changes, line_changes, new_bytes
from tui.edit.diff import CONTEXT, WHOLE_FILE, FileDiff, Hunk, file_diff
from tui.edit.difflines import LineKind, hunk_lines
from tui.edit.layout import Layout
from tui.edit.linediff import changed
from tui.edit.plan import FileEdit, FileState, Splice, spliced
from tui.errors import InvalidArgumentError
from tui.search.decoding import Encoding
from tui.text import visible

_NO_LINES: Mapping[str, Collection[int]] = MappingProxyType({})
_NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def choose(
    edit: FileEdit,
    old: bytes,
    accepted: Collection[str],
    lines: Mapping[str, Collection[int]] = _NO_LINES,
    texts: Mapping[str, str] = _NO_TEXTS,
    context: int = CONTEXT,
) -> FileEdit | None:
    """What is left of the edit: the accepted hunks, of the hunks in `lines` those lines (places in
    `Hunk.lines`), and for those in `texts` that text in place of all their new lines, context included.
    None if nothing is left. The ids are those of `file_diff` with the same context;
    InvalidArgumentError for one that it does not have.

    Of a hunk taken line by line, a removed line that was not accepted stays, an added line that was
    not accepted does not come. Where lines stand in pairs each keeps its place; otherwise the added
    lines follow the old ones that stay.
    """
    diff = file_diff(edit, old, context)
    _check_known(diff, [*accepted, *lines, *texts])
    accepted = {*accepted, *(hunk.id for hunk in diff.hunks if _is_all(hunk, lines.get(hunk.id, ())))}
    if accepted.issuperset(diff.ids):
        return edit
    changes = file_changes(edit, old, new_bytes(edit, old))
    if changes is None:
        return None
    splices = tuple(_accepted_splices(diff, changes, accepted, lines, texts, context))
    return _rebuilt(edit, old, splices, WHOLE_FILE in accepted)


def hunk_text(hunk: Hunk) -> str:
    """The lines that a hunk would leave, as one would edit them: with `\\n`, whatever the file has."""
    return "".join(f"{line.text}\n" for line in hunk.lines if line.kind is not LineKind.REMOVED)


def reworded(edit: FileEdit, old: bytes, texts: Mapping[str, str], context: int = CONTEXT) -> FileDiff:
    """The diff with other texts in some of its hunks, which keep their ids. Errors as for `choose`."""
    diff = file_diff(edit, old, context)
    _check_known(diff, texts)
    changes = file_changes(edit, old, new_bytes(edit, old))
    if changes is None or not texts:
        return diff
    together = clusters(changes.layout, changes.changes, context)
    hunks = [
        _reworded_hunk(changes, hunk, cluster, texts[hunk.id]) if hunk.id in texts else hunk
        for hunk, cluster in zip(diff.hunks, together, strict=True)
    ]
    return msgspec.structs.replace(diff, hunks=tuple(hunks))


def _reworded_hunk(changes: FileChanges, hunk: Hunk, cluster: Cluster, text: str) -> Hunk:
    """It covers the same old lines, also where they all stay."""
    become = tuple(_reworded(changes, hunk, cluster, text))
    more = sum(len(change.new) - len(change.old) for change in become)
    shown = replace(cluster, changes=become, new_count=cluster.old_count + more)
    lines = tuple(hunk_lines(changes, shown))
    return msgspec.structs.replace(hunk, lines=lines, new_count=shown.new_count)


def _reworded(changes: FileChanges, hunk: Hunk, cluster: Cluster, text: str) -> Iterator[Change]:
    """The hunk's old lines become the text; only what differs is changed."""
    layout = changes.layout
    if layout.encoding.codec != changes.new_encoding.codec:
        raise InvalidArgumentError("a change of the encoding can only be accepted or rejected as a whole")
    new = layout.encoding.encode_part(_with_line_ends(hunk, text, _eol(layout, cluster.changes[0])))
    start, end = layout.starts[cluster.before], layout.starts[cluster.before + cluster.old_count]
    ahead = cluster.new_before - cluster.before
    for change in line_changes(layout, [Splice(start, end, new)]):
        yield replace(change, new_first=change.new_first + ahead)


def _with_line_ends(hunk: Hunk, text: str, eol: str) -> str:
    """Lines that stay as they were proposed keep their ends; a file that was to end without one still
    does."""
    proposed = [line for line in hunk.lines if line.kind is not LineKind.REMOVED]
    lines = text.removesuffix("\n").split("\n") if text else []
    ends = [eol] * len(lines)
    at = to = 0
    whole = (len(proposed), len(proposed), len(lines), len(lines))
    for a, b, c, d in (*changed([line.text for line in proposed], lines), whole):
        ends[to:c] = [line.eol or eol for line in proposed[at:a]]
        at, to = b, d
    if ends and proposed and not proposed[-1].eol:
        ends[-1] = ""
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def _check_known(diff: FileDiff, ids: Iterable[str]) -> None:
    for unknown in set(ids).difference(diff.ids):
        raise InvalidArgumentError(
            f"{visible(diff.path)}: there is no hunk {visible(unknown)}",
            "the change may be another one by now: look at its diff again",
        )


def _is_all(hunk: Hunk, places: Collection[int]) -> bool:
    return all(line.kind is LineKind.CONTEXT or place in places for place, line in enumerate(hunk.lines))


def _rebuilt(edit: FileEdit, old: bytes, splices: tuple[Splice, ...], whole_file: bool) -> FileEdit | None:
    before, after = edit.before, edit.after
    new = spliced(old, splices)
    if before is None:
        mode = after.mode if after is not None else 0o644
        return FileEdit(edit.path, None, FileState.of(new, mode), splices) if splices else None
    mode = after.mode if after is not None and whole_file else before.mode
    new_path = edit.new_path if whole_file else None
    if new == old and mode == before.mode and new_path is None:
        return None
    return FileEdit(edit.path, before, FileState.of(new, mode), splices, new_path)


def _accepted_splices(
    diff: FileDiff,
    changes: FileChanges,
    accepted: Collection[str],
    lines: Mapping[str, Collection[int]],
    texts: Mapping[str, str],
    context: int,
) -> Iterator[Splice]:
    together = clusters(changes.layout, changes.changes, context)
    for hunk, cluster in zip(diff.hunks, together, strict=True):
        if hunk.id in texts:
            yield from (
                splice
                for change in _reworded(changes, hunk, cluster, texts[hunk.id])
                for splice in change.splices
            )
        elif hunk.id in accepted:
            yield from diff.splices[slice(*hunk.splices)]
        elif places := lines.get(hunk.id):
            removed, added = _line_numbers(hunk, places)
            for change in cluster.changes:
                yield from _by_line(changes, change, removed, added)


def _line_numbers(hunk: Hunk, places: Collection[int]) -> tuple[set[int], set[int]]:
    """The chosen lines' numbers in the old and in the new text."""
    if not all(0 <= place < len(hunk.lines) for place in places):
        raise InvalidArgumentError(f"hunk {hunk.id} has lines 0 to {len(hunk.lines) - 1}")
    chosen = [hunk.lines[place] for place in places]
    return (
        {line.old for line in chosen if line.kind is LineKind.REMOVED and line.old is not None},
        {line.new for line in chosen if line.kind is LineKind.ADDED and line.new is not None},
    )


def _by_line(changes: FileChanges, change: Change, removed: set[int], added: set[int]) -> Iterable[Splice]:
    """The change with only some of its lines taken; lines are numbered from 1."""
    goes = [change.first + i + 1 in removed for i in range(len(change.old))]
    comes = [change.new_first + i + 1 in added for i in range(len(change.new))]
    if all(goes) and all(comes):
        return change.splices
    if not any(goes) and not any(comes):
        return ()
    layout = changes.layout
    if layout.encoding.codec != changes.new_encoding.codec:
        raise InvalidArgumentError("a change of the encoding can only be accepted or rejected as a whole")
    stays = [[] if gone else [line] for line, gone in zip(change.old, goes, strict=True)]
    brought = [[line] if come else [] for line, come in zip(change.new, comes, strict=True)]
    if change.paired:
        slots = [slot for pair in zip(stays, brought, strict=True) for slot in pair]
    else:
        slots = stays + brought
    new = _joined(layout, change, [line for slot in slots for line in slot])
    return (Splice(layout.starts[change.first], layout.starts[change.last], new),)


def _joined(layout: Layout, change: Change, lines: list[bytes]) -> bytes:
    """The lines one after the other. One that was the last of its side may have lost that place, and
    gets a line end then; a byte order mark stays as the file had it."""
    mark = b""
    if change.first == 0 and not layout.encoding.bom:
        bom = layout.encoding.encode_part("\ufeff")
        first = layout.raw(0) if layout.count else change.new[0]
        mark = bom if first.startswith(bom) else b""
        lines = [line.removeprefix(bom) for line in lines]
    newline = layout.encoding.encode_part("\n")
    last = len(lines) - 1 if change.last == layout.count else len(lines)
    for i, line in enumerate(lines[:last]):
        if not line.endswith(newline):
            lines[i] = line + layout.encoding.encode_part(_eol(layout, change))
    return mark + b"".join(lines)


def _eol(layout: Layout, change: Change) -> str:
    for line in (*change.new, *change.old):
        if eol := Layout(line, Encoding(layout.encoding.codec)).eol(0):
            return eol
    return layout.usual_eol() or "\n"
