"""`redline replace` and `redline edit`: changes stated on the command line."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click

from tui.cli.changes import (
    apply_and_tell,
    file_to_json,
    in_root,
    only_one_way,
    print_diff,
    save_plan,
    with_change_options,
)
from tui.cli.opened import opened
from tui.cli.options import (
    limits_from,
    matcher_from,
    query_options,
    root_option,
    scope_from,
    scope_options,
)
from tui.cli.output import Output, as_typed, tell
from tui.cli.skipped import TOLD_ONE_BY_ONE, skipped_to_json, tell_skipped, tell_summary
from tui.edit import lines
from tui.edit.plan import EditPlan, FileEdit, Splice, modify
from tui.edit.replace import compile_replacement
from tui.edit.replace_all import replace_all
from tui.edit.template import BadReplacement
from tui.errors import BinaryFileError, InvalidArgumentError, InvalidRegexError
from tui.search.decoding import is_binary
from tui.search.skipped import Reason, Skipped
from tui.text import counted, visible
from tui.workspace import Reader, Workspace, explain


@click.command("replace", short_help="Replace text in files: a diff first, --apply to write.")
@click.argument("find")
@click.argument("replace")
@click.argument("path", default=".")
@query_options
@click.option("--keep-case", is_flag=True, help="foo Foo FOO become bar Bar BAR (implies -i).")
@with_change_options
@scope_options
@root_option
def replace_command(find: str, replace: str, path: str, **given: Any) -> int:
    """Replace FIND, a regular expression, by REPLACE in the files below PATH.

    \b
      redline replace 'colou?r' hue src              the diff; nothing is written
      redline replace 'colou?r' hue src --apply      write it
      redline replace '(\\w+)_id' 'id_$1' -t py       groups: $1 ${name} \\1 \\g<name>
      redline replace -F 'a[0]' 'first(a)'           plain text
      redline replace -w foo bar --keep-case         foo Foo FOO to bar Bar BAR
      redline replace TODO DONE --plan plan.json     save it for redline apply

    Written all or nothing: a file that changed meanwhile stops the whole batch.
    Exit status: 0 done, 1 nothing to replace, 2 error, 3 refused, or a file that timed out or
    could not be read.
    """
    only_one_way(given)
    matcher = matcher_from(find, given)
    replacement = compile_replacement(as_typed(replace), matcher, keep_case=given["keep_case"])
    if isinstance(replacement, BadReplacement):
        raise InvalidRegexError(str(replacement))
    with opened(given["root"]) as workspace:
        change = _Change(workspace, given)
        for found in replace_all(
            workspace, replacement, scope_from(workspace, path, given), limits_from(given)
        ):
            if isinstance(found, Skipped):
                change.skip(found)
            else:
                change.add(found.edit, found.old, found.replacements)
        where = "" if path == "." else f" in {path}"
        return change.finish(f"replace {find} by {replace}{where}")


class _Change:
    """A change as it is found: shown at once, or kept as a plan to be saved or applied."""

    def __init__(self, workspace: Workspace, given: dict[str, Any]) -> None:
        self._workspace = workspace
        self._given = given
        self._out = Output()
        self._files: list[FileEdit] = []
        self._count = self._shown = 0
        self._skipped: Counter[Reason] = Counter()

    def add(self, edit: FileEdit, old: bytes, replacements: int) -> None:
        self._count += replacements
        self._shown += 1
        if self._given["do_apply"] or self._given["plan_file"]:
            self._files.append(edit)
        if self._given["as_json"]:
            self._out.json({"type": "file", "data": file_to_json(edit, old, replacements)})
        elif not self._files:
            print_diff(self._out, edit, old)

    def skip(self, skipped: Skipped) -> None:
        self._skipped[skipped.reason] += 1
        tell_skipped(skipped)
        if self._given["as_json"]:
            self._out.json(skipped_to_json(skipped))

    def finish(self, title: str) -> int:
        tell_summary(self._skipped)
        what = f"{counted(self._count, 'edit')} in {counted(self._shown, 'file')}"
        batch = None
        if not self._shown:
            tell("nothing to change")
        elif self._given["do_apply"]:
            plan = EditPlan(visible(title), tuple(self._files))
            options = {"break_links": self._given["break_links"]}
            root = self._given["root"]
            batch = apply_and_tell(self._workspace, plan, f"applied {what}", root, **options).batch
        elif self._given["plan_file"]:
            save_plan(EditPlan(visible(title), tuple(self._files)), self._given["plan_file"])
            command = f"redline apply {visible(self._given['plan_file'])}{in_root(self._given['root'])}"
            tell(f"planned {what}; to write it: {command}")
        else:
            tell(f"{what}; nothing was written, --apply writes it")
        if self._given["as_json"]:
            data = {"edits": self._count, "files": self._shown, "batch": batch, "applied": batch is not None}
            self._out.json({"type": "summary", "data": data})
        return self._status()

    def _status(self) -> int:
        if any(self._skipped[reason] for reason in TOLD_ONE_BY_ONE):
            return 3
        return 0 if self._shown else 1


@click.command("edit", short_help="Insert, delete or replace lines: a diff first, --apply to write.")
@click.argument("file")
@click.argument("operation", type=click.Choice(["insert", "delete", "replace"]))
@click.argument("words", nargs=-1, required=True, metavar="N TEXT | A B | A B TEXT")
@with_change_options
@root_option
def edit_command(file: str, operation: str, words: tuple[str, ...], **given: Any) -> int:
    """Change lines of FILE, numbered from 1.

    \b
      redline edit notes.md insert 0 '# Notes'       above the first line
      redline edit notes.md insert 10 - < more.md    after line 10, from stdin
      redline edit setup.py delete 3 5               lines 3 to 5
      redline edit setup.py replace 7 7 'x = 1'      line 7
      redline edit setup.py delete 3 5 --apply       and write it

    New lines take the file's own line ends; an empty TEXT is one empty line.
    Exit status as for redline replace.
    """
    only_one_way(given)
    numbers, text = _operands(operation, words)
    with opened(given["root"]) as workspace:
        path = workspace.relative(file)
        data, mode = _read_text(workspace, path)
        change = _Change(workspace, given)
        edit = modify(path, data, mode, _splices(operation, data, numbers, text))
        if edit is not None:
            change.add(edit, data, 1)
        lines_named = "-".join(str(number) for number in dict.fromkeys(numbers))
        return change.finish(f"{operation} at line {lines_named} of {path}")


def _operands(operation: str, words: tuple[str, ...]) -> tuple[list[int], str]:
    shape = {"insert": "N TEXT", "delete": "A B", "replace": "A B TEXT"}[operation]
    counts = len(shape.split())
    if len(words) != counts:
        raise InvalidArgumentError(
            f"{operation} takes {shape}", f"as in: redline edit FILE {operation} {shape}"
        )
    takes_text = shape.endswith("TEXT")
    try:
        numbers = [int(word) for word in words[: counts - takes_text]]
    except ValueError:
        raise InvalidArgumentError(f"a line number is a whole number: {operation} takes {shape}") from None
    text = as_typed(words[-1]) if takes_text else ""
    if takes_text and text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return numbers, text


def _splices(operation: str, data: bytes, numbers: list[int], text: str) -> tuple[Splice, ...]:
    if operation == "insert":
        return lines.insert_after(data, numbers[0], text or "\n")
    if operation == "delete":
        return lines.delete_lines(data, numbers[0], numbers[1])
    return lines.replace_lines(data, numbers[0], numbers[1], text or "\n")


def _read_text(workspace: Workspace, path: str) -> tuple[bytes, int]:
    try:
        with Reader(workspace) as reader:
            data, mode = reader.read_with_mode(path)
    except OSError as error:
        raise explain(error, path) from error
    if is_binary(data):
        raise BinaryFileError(f"{visible(path)}: a binary file, which has no lines")
    return data, mode
