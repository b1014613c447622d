"""The `redline` command: finds the subcommand, runs it, and turns every error into one line."""

from __future__ import annotations

import _thread
import os
import sys
import warnings
from importlib import import_module

import click

from tui import __version__
from tui.cli.output import ReaderLeftError, stdout, tell
from tui.errors import RedlineError
from tui.text import visible

COMMANDS = {
    "grep": "tui.cli.grep:grep_command",
    "glob": "tui.cli.glob:glob_command",
    "replace": "tui.cli.replace:replace_command",
    "edit": "tui.cli.replace:edit_command",
    "apply": "tui.cli.history:apply_command",
    "history": "tui.cli.history:history_command",
    "undo": "tui.cli.history:undo_command",
    "review": "tui.cli.review:review_command",
    "inbox": "tui.cli.inbox:inbox_command",
    "tools": "tui.cli.tools:tools_command",
    "tool": "tui.cli.tools:tool_command",
    "mcp": "tui.cli.mcp:mcp_command",
    "hook": "tui.cli.hook:hook_command",
}


class _Commands(click.Group):
    """The commands in the order people meet them, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="redline", message="%(prog)s %(version)s")
def redline() -> None:
    """Find, read and change code safely.

    \b
      redline [PATH]                           the app: search as you type, read, replace, review
      redline --find TODO --files '*.py'       ... with a search to begin with
      redline grep 'TODO|FIXME'                find text, below this directory
      redline glob '**/*.py'                   find files by name
      redline replace 'colou?r' hue            what a replacement would change
      redline replace 'colou?r' hue --apply    change it
      redline undo                             take it back
      redline tool grep '{"pattern": "TODO"}'  as an agent calls it
      redline inbox                            what agents propose
      redline review changes.patch             decide on a patch, hunk by hunk
      redline mcp                              the tools, for an agent's client to start

    Every command has a help page with more examples: redline grep --help
    """


def _command_for(arguments: list[str]) -> click.Command:
    """The app, unless a command or a page about them is asked for."""
    first = arguments[0] if arguments else ""
    if first in COMMANDS or first in ("-h", "--help", "--version") or not (first or _on_a_terminal()):
        return redline
    from tui.cli.app import app_command

    return app_command


def _on_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _unraisable(error: sys.UnraisableHookArgs) -> None:
    """Ctrl+c in the moment when an object is finalised would be lost: Python tells of it and goes on."""
    if isinstance(error.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(error)


def main(arguments: list[str]) -> int:
    """Runs one command and gives its exit status; no error of any kind shows a traceback."""
    warnings.simplefilter("ignore")  # the regex engine's remarks on a pattern are no news to its author
    sys.unraisablehook = _unraisable
    try:
        status = _command_for(arguments).main(arguments, prog_name="redline", standalone_mode=False)
        stdout().flush()
        return int(status or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        stdout().write(f"{error.format_message()}\n".encode())
        stdout().flush()
        return 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "redline"
        dash = " (put -- before a word that begins with -)" if isinstance(error, click.NoSuchOption) else ""
        tell(f"{visible(' '.join(error.format_message().split()))}{dash} (see {where} --help)")
    except RedlineError as error:
        tell(f"{error.message}; {error.hint}" if error.hint else error.message)
        return error.status
    except ReaderLeftError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (KeyboardInterrupt, click.Abort):
        return 130
    except OSError as error:
        tell(visible(f"{error.filename or ''}: {error.strerror or error}".lstrip(": ")))
    return 2
