"""Options that several commands share, and what they become."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from tui.cli.output import as_typed, tell
from tui.errors import InvalidArgumentError, InvalidRegexError
from tui.search.files import SIZE_LIMIT_FOR_PEOPLE, Limits
from tui.search.globs import Reading, compile_globs, split_patterns, type_patterns
from tui.search.matcher import BadPattern, Matcher, compile_query
from tui.search.query import Case, Query
from tui.search.walk import Scope
from tui.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])

_SIZE = re.compile(r"(\d{1,15})\s*([KMG]?)(?:i?B)?", re.IGNORECASE)


def _size(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """A number of bytes such as 500K, 16M or 1G; `none` for no limit."""
    if value is None:
        return SIZE_LIMIT_FOR_PEOPLE
    if value == "none":
        return None
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        raise click.BadParameter(f"'{value}' is not a size; write it like 500K, 16M, 1G or none")
    scale = "KMG".find(found[2].upper()) + 1 if found[2] else 0
    return int(found[1]) << 10 * scale


class Seconds(click.FloatRange):
    """A span of time; `nan` and `inf` are numbers to Python, but not to a clock."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return seconds


def _stacked(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


root_option = click.option(
    "--root", default=".", metavar="DIR", help="The workspace (default: this directory)."
)

scope_options = _stacked(
    [
        click.option("--hidden", is_flag=True, help="Include files and directories that begin with a dot."),
        click.option(
            "--no-ignore", is_flag=True, help="Include what .gitignore, .ignore and git's excludes leave out."
        ),
        click.option(
            "--no-exclude",
            is_flag=True,
            help="Include node_modules, bin, obj, .git, dist, build, .vs, __pycache__.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            metavar="GLOB",
            help="Leave out; a bare name at any depth. Repeatable.",
        ),
        click.option(
            "--max-depth",
            type=click.IntRange(min=1),
            metavar="N",
            help="Go N directories deep; 1 is PATH alone.",
        ),
    ]
)

query_options = _stacked(
    [
        click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same."),
        click.option("-S", "--smart-case", is_flag=True, help="The same unless the pattern has a capital."),
        click.option("-F", "--fixed-strings", "literal", is_flag=True, help="The pattern is plain text."),
        click.option("-w", "--word-regexp", "whole_word", is_flag=True, help="Only whole words."),
        click.option("-U", "--multiline", is_flag=True, help="Matches may cross lines."),
        click.option(
            "-g",
            "--glob",
            "globs",
            multiple=True,
            metavar="GLOB",
            help="Only these files, at any depth; !GLOB leaves out. Repeatable.",
        ),
        click.option(
            "-t",
            "--type",
            "types",
            multiple=True,
            metavar="TYPE",
            help="Only files of a type: py, rs, ts ... or any extension. Repeatable.",
        ),
        click.option(
            "--max-filesize",
            callback=_size,
            metavar="SIZE",
            help="Skip larger files (default: 16 MB; none for no limit).",
        ),
        click.option(
            "--time-limit",
            type=Seconds(min=0, min_open=True),
            default=5.0,
            metavar="S",
            help="Give up on a file after S seconds (default: 5).",
        ),
    ]
)


def matcher_from(pattern: str, given: dict[str, Any], invert: bool = False) -> Matcher:
    case = Case.SENSITIVE
    if given["ignore_case"] or given.get("keep_case"):
        case = Case.INSENSITIVE
    elif given["smart_case"]:
        case = Case.SMART
    query = Query(as_typed(pattern), given["literal"], case, given["whole_word"], invert, given["multiline"])
    matcher = compile_query(query)
    if isinstance(matcher, BadPattern):
        raise InvalidRegexError(str(matcher).replace("search literally", "search literally (-F)"))
    if not query.multiline and ("\n" in query.pattern or (not query.literal and r"\n" in query.pattern)):
        tell("the pattern has a line end in it, which only -U (across lines) can find")
    return matcher


def limits_from(given: dict[str, Any]) -> Limits:
    return Limits(given["max_filesize"], given["time_limit"])


def scope_from(workspace: Workspace, path: str, given: dict[str, Any]) -> Scope:
    """The files that the options of a content search name."""
    patterns = [pattern for text in given["globs"] for pattern in split_patterns(text)]
    for name in given["types"]:
        patterns += type_patterns(name)
    return base_scope(workspace, path, given, patterns, Reading.ANYWHERE)


def base_scope(
    workspace: Workspace, path: str, given: dict[str, Any], patterns: Sequence[str], reading: Reading
) -> Scope:
    start = workspace.relative(path)
    excludes = [pattern for text in given["exclude"] for pattern in split_patterns(text)]
    if any(pattern.startswith("!") for pattern in excludes):
        raise InvalidArgumentError("--exclude takes no !, it leaves out already", "write --exclude 'tests'")
    return Scope(
        path=start,
        files=compile_globs(patterns, reading, excludes, start),
        hidden=given["hidden"],
        ignore_files=not given["no_ignore"],
        default_exclusions=not given["no_exclude"],
        max_depth=given["max_depth"],
    )
