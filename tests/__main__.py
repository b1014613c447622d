"""`python -m tests`: everything a change must pass: format, lint, types, tests.

Further arguments go to pytest, as in `python -m tests -k walk`; `-m slow` runs the long versions.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHECKS = [
    ["ruff", "format", "--check", "--quiet"],
    ["ruff", "check", "--quiet"],
    ["mypy", "--no-error-summary"],
]


def main(arguments: list[str]) -> int:
    statuses = [] if arguments else [_run([sys.executable, "-m", *check]) for check in CHECKS]
    chosen = [] if "-m" in arguments else ["-m", "not slow"]
    workers = str(2 * (os.cpu_count() or 1))  # many tests wait: for a terminal, a clock, a disk
    statuses.append(
        _run([sys.executable, "-m", "pytest", "-n", workers, "--dist", "worksteal", *chosen, *arguments])
    )
    return max(statuses)


def _run(command: list[str]) -> int:
    print("+", *command[2:], flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
