"""`python -m tui`, and the `redline` command."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn


def run() -> NoReturn:
    """ctrl+c while the program still loads ends it at once and quietly, like any other command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tui.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
