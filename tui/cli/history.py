"""`redline apply`, `redline history` and `redline undo`: plans, what became of them, and the way back."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from tui.cli.changes import apply_and_tell, print_diff
from tui.cli.opened import opened
from tui.cli.options import root_option
from tui.cli.output import Output, tell
from tui.edit.apply import check
from tui.edit.journal import Batch, State, history
from tui.edit.plan import BadPlanError, EditPlan, FileEdit, StaleError
from tui.edit.store import has_store
from tui.edit.undo import plan_undo
from tui.errors import NotFoundError
from tui.text import counted, visible
from tui.workspace import Workspace, explain


@click.command("apply", short_help="Write a plan that was saved before.")
@click.argument("plan")
@click.option("--dry-run", is_flag=True, help="Check everything and show the diff; write nothing.")
@click.option(
    "--break-links", is_flag=True, help="Also change files with further hard links, separating them."
)
@root_option
def apply_command(plan: str, dry_run: bool, break_links: bool, root: str) -> int:
    """Apply PLAN, a file made by `redline replace --plan` or `redline edit --plan`; - for stdin.

    \b
      redline replace foo bar --plan plan.json
      redline apply plan.json --dry-run       look at it again
      redline apply plan.json

    The files must be what they were when the plan was made, or nothing is written.
    Exit status: 0 done, 1 the plan changes nothing, 2 error, 3 a file changed since.
    """
    try:
        with click.open_file(plan, "rb") as file:
            loaded = EditPlan.from_json(file.read())
    except OSError as error:
        raise explain(error, plan) from error
    except BadPlanError as error:
        raise BadPlanError(f"{visible(plan)}: {error.message}") from error
    with opened(root) as workspace:
        if dry_run:
            return _show(workspace, loaded, break_links)
        what = f"applied {visible(loaded.title)}, {counted(len(loaded.files), 'file')}"
        outcome = apply_and_tell(workspace, loaded, what, root, break_links=break_links)
    if outcome.batch is None:
        tell("the plan changes nothing")
        return 1
    return 0


def _show(workspace: Workspace, plan: EditPlan, break_links: bool) -> int:
    check(workspace, plan, break_links=break_links)
    out = Output()
    for edit in plan.files:
        print_diff(out, edit, _old_bytes(workspace, edit))
    tell(f"{counted(len(plan.files), 'file')}; nothing was written")
    return 0 if plan.files else 1


def _old_bytes(workspace: Workspace, edit: FileEdit) -> bytes:
    if edit.before is None:
        return b""
    path = workspace.relative(edit.path)
    try:
        return workspace.read(path)
    except OSError as error:
        raise explain(error, path) from error


@click.command("history", short_help="The batches that were applied here.")
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@root_option
def history_command(limit: int | None, as_json: bool, root: str) -> int:
    """List the changes that Redline made in this workspace, newest first.

    \b
      redline history             what was done, when and by whom
      redline history -n 5 --json
      redline undo 12             take batch 12 back

    Exit status: 0 there are some, 1 there are none.
    """
    with opened(root) as workspace:
        batches = history(workspace, limit)
    out = Output()
    for batch in batches:
        if as_json:
            out.json(_to_json(batch))
        else:
            out.line(_row(out, batch))
    if not batches:
        tell(f"nothing was applied in this workspace yet{_elsewhere(root)}")
    return 0 if batches else 1


def _elsewhere(root: str) -> str:
    """A history kept for a directory above, which is another workspace."""
    directory = os.path.realpath(root)
    while (parent := os.path.dirname(directory)) != directory:
        directory = parent
        if has_store(directory):
            return f"; there is a history of {visible(directory)}: --root {visible(shlex.quote(directory))}"
    return ""


def _to_json(batch: Batch) -> dict[str, Any]:
    return {
        "id": batch.id,
        "when": batch.when.isoformat(),
        "who": batch.who,
        "title": batch.title,
        "files": batch.files,
        "state": batch.state.value,
        "undoes": batch.undoes,
        "undone_by": batch.undone_by,
    }


def _row(out: Output, batch: Batch) -> bytes:
    when = batch.when.astimezone().strftime("%Y-%m-%d %H:%M")
    columns = f"{batch.id:>4}  {when}  {counted(batch.files, 'file'):>11}  "
    who = "" if batch.who == "person" else f"{batch.who}: "
    if batch.undone_by:
        state = f"  (undone by {batch.undone_by})"
    else:
        state = "" if batch.state is State.COMMITTED else f"  ({batch.state.replace('_', ' ')})"
    title = out.styled("1" if _stands(batch) else "", f"{who}{batch.title}")
    return out.number(columns) + title + out.number(state)


def _stands(batch: Batch) -> bool:
    return batch.state is State.COMMITTED and batch.undone_by is None


@click.command("undo", short_help="Take a batch back.")
@click.argument("batch", type=int, required=False, metavar="[ID]")
@click.option("--dry-run", is_flag=True, help="Show the diff; write nothing.")
@click.option(
    "--break-links", is_flag=True, help="Also change files with further hard links, separating them."
)
@root_option
def undo_command(batch: int | None, dry_run: bool, break_links: bool, root: str) -> int:
    """Take back batch ID, or the last one that still stands.

    \b
      redline undo                the last batch
      redline undo 12             batch 12
      redline undo 12 --dry-run   look first

    To redo, undo the undo. Files that were changed since are never overwritten: then nothing
    is written, and they are named. Exit status: 0 done, 1 nothing to undo, 2 error, 3 refused.
    """
    with opened(root) as workspace:
        try:
            undo = plan_undo(workspace, batch)
        except NotFoundError as error:
            if batch is not None:
                raise
            tell(f"{error.message}{f'; {error.hint}' if error.hint else ''}{_elsewhere(root)}")
            return 1
        if dry_run:
            return _show(workspace, undo.plan, break_links)
        what = f"undone: batch {undo.batch.id}, {counted(len(undo.plan.files), 'file')}"
        try:
            apply_and_tell(workspace, undo.plan, what, root, undoes=undo.batch.id, break_links=break_links)
        except StaleError as error:
            raise StaleError(
                error.paths, "undo the later batches that changed them first, if any did"
            ) from error
    return 0
