"""`python -m tui`, and the `redline` command."""

import sys


def run() -> None:
    """Start the command line. Nothing of the workspace is run: `python -m` looks for modules in the
    current directory first, which is a directory of files to be searched, not trusted."""
    if sys.path[0] in ("", *_current_directory()):
        del sys.path[0]
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it loads, ctrl+c ends it at once and quietly
    from tui.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))


def _current_directory() -> tuple[str, ...]:
    import os  # loaded by the interpreter itself, before any path is searched

    try:
        return (os.getcwd(),)
    except OSError:
        return ()


if __name__ == "__main__":
    run()
