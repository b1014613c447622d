"""`redline grep`: content search, printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from tui.cli.opened import opened
from tui.cli.options import limits_from, matcher_from, query_options, root_option, scope_from, scope_options
from tui.cli.output import Output, json_text, to_bytes
from tui.cli.skipped import skipped_to_json, tell_skipped, tell_summary
from tui.errors import InvalidArgumentError
from tui.search.grep import Context, FileMatches, Summary, grep
from tui.search.scan import Match
from tui.search.skipped import Reason, Skipped


@click.command("grep", short_help="Find text in files.")
@click.argument("pattern")
@click.argument("path", default=".")
@query_options
@click.option("-v", "--invert-match", is_flag=True, help="The lines that do not match.")
@click.option(
    "-A",
    "--after-context",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="N lines after each match.",
)
@click.option(
    "-B",
    "--before-context",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="N lines before each match.",
)
@click.option(
    "-C", "--context", type=click.IntRange(min=0), default=0, metavar="N", help="N lines before and after."
)
@click.option("-l", "--files-with-matches", is_flag=True, help="Only the paths of files with matches.")
@click.option("-0", "--null", is_flag=True, help="With -l: a NUL after each path.")
@click.option(
    "-c",
    "--count",
    is_flag=True,
    help="Only the number of matching lines of each file (of occurrences, with -U).",
)
@click.option(
    "-m", "--max-count", type=click.IntRange(min=1), metavar="N", help="At most N matches of each file."
)
@scope_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object a line: begin, match, context, end, skipped, summary.",
)
@root_option
def grep_command(pattern: str, path: str, **given: Any) -> int:
    """Find PATTERN, a regular expression, in the files below PATH.

    \b
      redline grep 'def \\w+_handler' src      a regular expression, below src
      redline grep -F 'a[0]' -g '*.py'        plain text, in Python files
      redline grep -i todo -C 2               any case, two lines around
      redline grep -U 'try:\\s+pass' -t py     across lines
      redline grep -l TODO -0 | xargs -0 wc   paths for another program

    Files that git ignores, hidden files and directories such as node_modules
    are left out unless asked for. Exit status: 0 found, 1 nothing found, 2 error.
    """
    if given["as_json"] and (given["files_with_matches"] or given["count"]):
        raise InvalidArgumentError("--json and -l or -c exclude each other", "take one of them")
    around = Context(
        given["before_context"] or given["context"],
        given["after_context"] or given["context"],
    )
    if given["files_with_matches"] or given["count"]:
        around = Context()
    matcher = matcher_from(pattern, given, invert=given["invert_match"])
    with opened(given["root"]) as workspace:
        scope = scope_from(workspace, path, given)
        limits = replace(limits_from(given), matches_per_file=given["max_count"])
        printer = _printer(given, around)
        skipped: Counter[Reason] = Counter()
        for event in grep(workspace, matcher, scope, limits, around):
            if isinstance(event, Skipped):
                skipped[event.reason] += 1
                tell_skipped(event)
            elif isinstance(event, Summary):
                tell_summary(skipped)
            printer.event(event)
    return 0 if printer.found else 1


class Printer(ABC):
    """Prints the events of one search; `found` tells whether there was a match."""

    def __init__(self, around: Context) -> None:
        self.out = Output()
        self.around = around
        self.found = False

    def event(self, event: FileMatches | Skipped | Summary) -> None:
        if isinstance(event, FileMatches):
            self.found = True
            self.file(event)

    @abstractmethod
    def file(self, file: FileMatches) -> None:
        """One file with matches."""


def _printer(given: dict[str, Any], around: Context) -> Printer:
    if given["as_json"]:
        return _Json(around)
    if given["files_with_matches"]:
        return _Paths(around, b"\0" if given["null"] else b"\n")
    if given["count"]:
        return _Counts(around)
    return _Grouped(around) if Output().is_terminal else _Plain(around)


class _Paths(Printer):
    def __init__(self, around: Context, end: bytes) -> None:
        super().__init__(around)
        self._end = end

    def file(self, file: FileMatches) -> None:
        self.out.write(self.out.path(file.path), self._end)


class _Counts(Printer):
    def file(self, file: FileMatches) -> None:
        self.out.line(self.out.path(file.path), b":", self.out.number(file.count))


class _Plain(Printer):
    """`path:line:text`, and `path-line-text` for context, as grep and ripgrep write it."""

    _began = False

    def file(self, file: FileMatches) -> None:
        path = self.out.path(file.path)
        last: int | None = None
        for number, text, is_match, _ in _lines(file):
            if self.around and self._began and (last is None or number > last + 1):
                self.out.line(b"--")
            self._began, last = True, number
            mark = b":" if is_match else b"-"
            self.out.line(path, mark, b"%d" % number, mark, self.out.text(text))


class _Grouped(Printer):
    """For a terminal: the path once, then its lines."""

    _began = False

    def file(self, file: FileMatches) -> None:
        if self._began:
            self.out.line()
        self._began = True
        self.out.line(self.out.path(file.path))
        last: int | None = None
        for number, text, is_match, spans in _lines(file):
            if last is not None and self.around and number > last + 1:
                self.out.line(self.out.number("   --"))
            last = number
            mark = b": " if is_match else b"- "
            self.out.line(self.out.number(f"{number:5}"), mark, self.out.text(text, spans))


class _Json(Printer):
    def event(self, event: FileMatches | Skipped | Summary) -> None:
        super().event(event)
        if isinstance(event, Skipped):
            self.out.json(skipped_to_json(event))
        elif isinstance(event, Summary):
            self.out.json({"type": "summary", "data": _summary_to_json(event)})

    def file(self, file: FileMatches) -> None:
        path = json_text(file.path)
        self.out.json({"type": "begin", "data": {"path": path}})
        rows: list[tuple[int, str, dict[str, Any]]] = [
            (match.line, "match", _match_to_json(match)) for match in file.matches
        ]
        rows += [
            (number, "context", {"lines": json_text(text), "line_number": number, "submatches": []})
            for number, text in file.context.items()
        ]
        for _, kind, data in sorted(rows, key=lambda row: row[0]):
            self.out.json({"type": kind, "data": {"path": path, **data}})
        self.out.json({"type": "end", "data": {"path": path, "matches": file.count}})


def _match_to_json(match: Match) -> dict[str, Any]:
    return {
        "lines": json_text(match.text),
        "line_number": match.line,
        "submatches": list(_submatches(match)),
    }


def _submatches(match: Match) -> Iterator[dict[str, Any]]:
    """Occurrences with byte offsets as ripgrep gives them, going through the line once."""
    offset = column = 0
    for start, end in match.spans:
        first = offset + len(to_bytes(match.text[column:start]))
        offset = first + len(to_bytes(match.text[start:end]))
        column = end
        yield {"match": json_text(match.text[start:end]), "start": first, "end": offset}


def _summary_to_json(summary: Summary) -> dict[str, Any]:
    return {
        "matches": summary.matches,
        "files": summary.files,
        "files_searched": summary.scanned,
        "bytes_searched": summary.bytes,
        "skipped": summary.skipped,
        "elapsed": round(summary.seconds, 6),
    }


def _lines(file: FileMatches) -> Iterator[tuple[int, str, bool, tuple[tuple[int, int], ...]]]:
    """Matches and context as single lines in order, none twice: number, text, is it a match, spans."""
    rows: dict[int, tuple[str, bool, tuple[tuple[int, int], ...]]] = {
        number: (text, False, ()) for number, text in file.context.items()
    }
    for number, text, found in _whole_lines(file.matches):
        at = 0
        for line, part in enumerate(text.split("\n"), number):
            spans = [
                (max(start - at, 0), min(end - at, len(part)))
                for start, end in found
                if start - at <= len(part) and end >= at
            ]
            earlier = rows[line][2] if line in rows and rows[line][1] else ()
            rows[line] = (part, True, (*earlier, *spans))
            at += len(part) + 1
    for line in sorted(rows):
        yield line, *rows[line]


def _whole_lines(matches: Iterable[Match]) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
    """Matches of the very same lines together, of which multiline gives one for each occurrence."""
    for (number, text), group in groupby(matches, key=lambda match: (match.line, match.text)):
        yield number, text, [span for match in group for span in match.spans]
