"""`redline [PATH]`: the app."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches

import click

from tui.cli.opened import opened
from tui.cli.output import as_typed
from tui.config import load
from tui.errors import NotFoundError, RedlineError
from tui.text import visible

COMMANDS_FOR_PIPES = "for scripts there are redline grep, glob, replace ... (see redline --help)"

_SECONDS_OF_A_TURN = 0.0005
"""A tenth of what Python gives a thread otherwise: a key is not to wait for one that reads or colours."""


@click.command("redline", short_help="Open the app.")
@click.argument("path", default=".")
@click.option("--find", default="", metavar="PATTERN", help="Search for this at the start.")
@click.option("--replace", default="", metavar="TEXT", help="Replace it by this, after review.")
@click.option("--files", default="", metavar="GLOBS", help="Only in these files, as in '*.py !tests'.")
def app_command(path: str, find: str, replace: str, files: str) -> int:
    """Open the app on the directory PATH, or here.

    \b
      redline                                  find, read and change code below this directory
      redline ~/src/linux                      ... or below another
      redline --find TODO --files '*.py'       with a search to begin with
    """
    _check(path)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise RedlineError("the app needs a terminal", COMMANDS_FOR_PIPES)
    with opened(path) as workspace:
        from tui.app.app import RedlineApp
        from tui.app.asked import Asked

        loaded = load()
        asked = Asked(
            find=as_typed(find),
            replace=as_typed(replace),
            files=as_typed(files),
            regex=loaded.settings.app.regex,
        )
        sys.setswitchinterval(_SECONDS_OF_A_TURN)
        app = RedlineApp(workspace, asked, loaded)
        app.run()
    return app.return_code or 0


def _check(path: str) -> None:
    """A word that is no directory may have been meant as a command."""
    from tui.cli.main import COMMANDS

    if not os.path.lexists(path):
        close = get_close_matches(path, COMMANDS, 1)
        hint = f"did you mean redline {close[0]}?" if close else "see redline --help for the commands"
        raise NotFoundError(f"{visible(path)}: no such directory or command", hint)
