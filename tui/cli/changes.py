"""What the commands that change files have in common: showing a plan, saving it, applying it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any

import click

from tui.cli.output import Output, json_text, stdout, tell
from tui.config import load
from tui.edit.apply import Outcome, Progress, apply
from tui.edit.journal import Retention
from tui.edit.plan import EditPlan, FileEdit
from tui.edit.unified import unified
from tui.errors import InvalidArgumentError, RedlineError
from tui.text import visible
from tui.workspace import Workspace

_STYLES = {b"+++": "1", b"---": "1", b"@@ ": "36", b"dif": "1", b"+": "32", b"-": "31"}


def print_diff(out: Output, edit: FileEdit, old: bytes) -> None:
    """The change as a patch: bytes for a program, colour and visible text for a person."""
    patch = unified(edit, old)
    if not out.is_terminal:
        out.write(patch)
        return
    for line in patch.removesuffix(b"\n").split(b"\n"):
        style = _STYLES.get(line[:3]) or _STYLES.get(line[:1])
        out.line(out.styled(style or "", line.decode("utf-8", "surrogateescape")))


def file_to_json(edit: FileEdit, old: bytes, replacements: int | None = None) -> dict[str, Any]:
    data: dict[str, Any] = {"path": json_text(edit.path)}
    if edit.new_path is not None:
        data["new_path"] = json_text(edit.new_path)
    if replacements is not None:
        data["replacements"] = replacements
    return {**data, "diff": json_text(unified(edit, old).decode("utf-8", "surrogateescape"))}


def save_plan(plan: EditPlan, name: str) -> None:
    """The plan in a new file, `-` for stdout. A file that is there already is not overwritten."""
    data = plan.to_json()
    if name == "-":
        stdout().write(data)
        return
    try:
        with click.open_file(name, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise InvalidArgumentError(
            f"{visible(name)} is there already", "give the plan another name"
        ) from None
    except OSError as error:
        raise RedlineError(f"{visible(name)}: {(error.strerror or str(error)).lower()}") from error


def in_root(root: str) -> str:
    """What a suggested command needs to mean the same workspace."""
    return "" if root == "." else f" --root {visible(shlex.quote(root))}"


def apply_and_tell(workspace: Workspace, plan: EditPlan, what: str, root: str, **options: Any) -> Outcome:
    """Apply with progress on a terminal, and say what was done and how to take it back."""
    settings, problem = load()
    if problem:
        tell(problem)
    retention = Retention(settings.history.batches, settings.history.megabytes << 20)
    with _progress() as show:
        outcome = apply(workspace, plan, progress=show, retention=retention, **options)
    if outcome.recovered:
        tell(str(outcome.recovered))
    if outcome.untidy:
        tell(outcome.untidy)
    if outcome.batch is not None:
        tell(f"{what}; batch {outcome.batch}, to take it back: redline undo {outcome.batch}{in_root(root)}")
    return outcome


class _progress:  # noqa: N801 - read as a verb: with _progress() as show
    """One line on a terminal that tells how far the work is, and is wiped at its end."""

    def __enter__(self) -> Callable[[Progress], None] | None:
        return self._show if sys.stderr.isatty() else None

    def __exit__(self, *details: object) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, progress: Progress) -> None:
        sys.stderr.write(f"\r\x1b[K{progress.step} {progress.done:,} of {progress.total:,} files")
        sys.stderr.flush()


change_options = (
    click.option("--apply", "do_apply", is_flag=True, help="Write the change; `redline undo` takes it back."),
    click.option(
        "--plan", "plan_file", metavar="FILE", help="Save the change for `redline apply`; - for stdout."
    ),
    click.option("--json", "as_json", is_flag=True, help="One JSON object a line: file, skipped, summary."),
    click.option(
        "--break-links", is_flag=True, help="Also change files with further hard links, separating them."
    ),
)


def with_change_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(change_options):
        command = option(command)
    return command


def only_one_way(given: dict[str, Any]) -> None:
    if given["do_apply"] and given["plan_file"]:
        raise InvalidArgumentError("--apply and --plan exclude each other", "take one of them")
    if given["as_json"] and given["plan_file"] == "-":
        raise InvalidArgumentError("--json and --plan - both write to stdout", "name a file for the plan")
