"""The `redline` command: finds the subcommand, runs it, and turns every error into one line."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

import click

from tui import __version__
from tui.cli.output import tell
from tui.errors import RedlineError
from tui.text import visible


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="redline", message="%(prog)s %(version)s")
def redline() -> None:
    """Find, read and change code safely.

    \b
      redline grep 'TODO|FIXME'         find text, below this directory
      redline glob '**/*.py'            find files by name

    Every command has a help page with more examples: redline grep --help
    """


def _add_commands() -> None:
    from tui.cli.glob import glob_command
    from tui.cli.grep import grep_command

    for command in (grep_command, glob_command):
        redline.add_command(command)


_add_commands()


def run() -> NoReturn:
    """The console script."""
    warnings.simplefilter("ignore")  # the regex engine's remarks on a pattern are no news to its author
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Runs one command and gives its exit status; no error of any kind shows a traceback."""
    try:
        status = redline.main(arguments, prog_name="redline", standalone_mode=False)
        sys.stdout.flush()
        return int(status or 0)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "redline"
        tell(f"{visible(error.format_message())} (see {where} --help)")
    except RedlineError as error:
        tell(f"{error.message}; {error.hint}" if error.hint else error.message)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, click.Abort):
        return 130
    except OSError as error:
        tell(visible(f"{error.filename or ''}: {error.strerror or error}".lstrip(": ")))
    return 2
