"""`redline glob`: files by pattern, printed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from tui.cli.opened import opened
from tui.cli.options import base_scope, root_option, scope_options
from tui.cli.output import Output, json_text
from tui.cli.skipped import skipped_to_json, tell_skipped, tell_summary
from tui.errors import InvalidArgumentError
from tui.search.globs import Reading, compile_name_regex, split_patterns
from tui.search.skipped import Skipped
from tui.search.walk import walk


@click.command("glob", short_help="Find files by name.")
@click.argument("pattern")
@click.argument("path", default=".")
@click.option(
    "--regex",
    "as_regex",
    is_flag=True,
    help="PATTERN is a regular expression for the name (with a / in it, for the path).",
)
@scope_options
@click.option("-0", "--null", is_flag=True, help="A NUL after each path.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: file, skipped, summary.")
@root_option
def glob_command(pattern: str, path: str, **given: Any) -> int:
    """List the files below PATH that match PATTERN.

    \b
      redline glob '*.py'                     in this directory only
      redline glob '**/*.{ts,tsx}' web        below web, at any depth
      redline glob '**/*.c !drivers/**'       a list; ! leaves out
      redline glob --regex '(?i)^readme'      names by regular expression

    Exit status: 0 found, 1 nothing found, 2 error.
    """
    if given["null"] and given["as_json"]:
        raise InvalidArgumentError("--json and -0 exclude each other", "take one of them")
    with opened(given["root"]) as workspace:
        patterns = [] if given["as_regex"] else split_patterns(pattern) or [pattern]
        scope = base_scope(workspace, path, given, patterns, Reading.ANCHORED)
        workspace.check_directory(scope.path)
        test = compile_name_regex(pattern) if given["as_regex"] else None
        out = Output()
        skipped: list[Skipped] = []
        count = 0
        for file in walk(workspace, scope, skipped.append):
            if test is None or test(file):
                count += 1
                _print(out, file, given)
    _tell(out, skipped, count, given["as_json"])
    return 0 if count else 1


def _print(out: Output, file: str, given: dict[str, Any]) -> None:
    if given["as_json"]:
        out.json({"type": "file", "data": {"path": json_text(file)}})
    else:
        out.write(out.path(file), b"\0" if given["null"] else b"\n")


def _tell(out: Output, skipped: list[Skipped], count: int, as_json: bool) -> None:
    if as_json:
        for item in skipped:
            out.json(skipped_to_json(item))
        out.json({"type": "summary", "data": {"files": count, "skipped": len(skipped)}})
    for item in skipped:
        tell_skipped(item, "not listed")
    tell_summary(Counter(item.reason for item in skipped), "not listed")
