"""`propose_patch`: a change of any number of files, in one of the forms that agents write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from tui.agents.answer import Answer, ToolError
from tui.agents.desk import Desk
from tui.agents.kinds import LONGEST_CONTENT
from tui.agents.outcomes import have_reviewed
from tui.agents.proposed import ProposalData, told
from tui.agents.tool import WRITING, Parameters, tool
from tui.config import Permission
from tui.edit.plan import EditPlan
from tui.review.patches.formats import Format
from tui.review.patches.incoming import incoming
from tui.text import visible

LONGEST_TITLE = 200
LONGEST_NOTE = 4000


class ProposePatchParameters(Parameters, frozen=True):
    patch: Annotated[
        str,
        Meta(
            pattern=r"\S",
            max_length=LONGEST_CONTENT,
            description="The change: a unified or git diff, an apply_patch text, SEARCH/REPLACE blocks, or"
            " JSON such as {path, edits: [{oldText, newText}]}. Paths are relative to the workspace root.",
        ),
    ]
    format: Annotated[
        Literal["auto", "unified", "apply_patch", "search_replace", "json_edits"],
        Meta(description="How the patch is written; auto recognises it."),
    ] = "auto"
    title: Annotated[
        str, Meta(max_length=LONGEST_TITLE, description="One line for the person: what it does.")
    ] = ""
    note: Annotated[
        str,
        Meta(
            max_length=LONGEST_NOTE, description="What else the person should know: why, how it was tested."
        ),
    ] = ""


@tool(
    name="propose_patch",
    title="Propose a patch",
    description="Propose a change of one or more files as a patch. A person reviews it hunk by hunk; only"
    " what is accepted is written, and the answer tells the decision and the reason for each hunk.",
    category=WRITING,
    permissions=(Permission.READ_FILES, Permission.WRITE_FILES),
    parameters=ProposePatchParameters,
    returns=ProposalData,
    summary="Propose a patch",
    ends="Use terminate=true after all of it was applied, and terminate=false if some of it was rejected, or"
    " it is still pending: await_review tells how it ends.",
    hints="Best for changes that belong together across files. Every old text must be in its file as it is"
    " now, once: read the file first. A title and a note help the person to decide. New files need"
    " CreateFiles, deleted ones DeleteFiles, moved ones both.",
    examples={
        "Two files in one proposal": {
            "patch": "*** Begin Patch\n*** Update File: src/app.py\n@@\n-retries = 3\n+retries = 5\n"
            "*** Update File: README.md\n@@\n-three times\n+five times\n*** End Patch",
            "title": "Retry five times",
            "note": "The upstream service recovers within four attempts.",
        },
        "One edit as JSON": {
            "patch": '{"path": "src/app.py", "edits": [{"oldText": "tries = 3", "newText": "tries = 5"}]}',
        },
    },
    tags=("edit", "patch", "review"),
)
def propose_patch(desk: Desk, given: ProposePatchParameters) -> Answer:
    patch = incoming(
        desk.workspace, given.patch.encode(), format=Format(given.format), title=given.title.strip()
    )
    _check_granted(desk, patch.plan)
    note = "\n".join([*filter(None, [given.note.strip()]), *patch.notes])
    return told(desk, have_reviewed(desk, patch.plan, patch.originals, note), patch.notes, anew=True)


def _check_granted(desk: Desk, plan: EditPlan) -> None:
    for permission, path in _needed(plan):
        if permission not in desk.granted:
            raise ToolError(
                "PERMISSION_DENIED",
                f"the patch needs {permission} for {visible(path)}, which is not granted here",
                "leave that file out, or ask the person to grant it ([agents] allow, or --allow)",
                "patch",
            )


def _needed(plan: EditPlan) -> Iterator[tuple[Permission, str]]:
    """What the files need beyond being read and changed; a file that moves is gone from one place and new
    in another."""
    for edit in plan.files:
        if edit.before is None or edit.new_path is not None:
            yield Permission.CREATE_FILES, edit.new_path or edit.path
        if edit.after is None or edit.new_path is not None:
            yield Permission.DELETE_FILES, edit.path
