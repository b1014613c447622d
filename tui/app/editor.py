"""The person's own editor, at the line."""

from __future__ import annotations

import os
import shlex

_WITH_COLON = {"code", "code-insiders", "codium", "cursor", "windsurf", "zed", "subl", "hx", "helix", "micro"}
_WITH_GOTO = {"code", "code-insiders", "codium", "cursor", "windsurf"}


def editor_command(path: str, line: int) -> list[str] | None:
    """What to run to edit a file at a line (from 1); None where no editor is set."""
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not words:
        return None
    name = os.path.basename(words[0])
    if name in _WITH_COLON:
        wait = ["--wait", "--goto"] if name in _WITH_GOTO else []
        return [*words, *wait, f"{path}:{line}"]
    return [*words, f"+{line}", path]
