"""`python -m tests.bench TREE`: our times beside ripgrep's in one run.

A large tree: `apt-get install linux-source-6.1`, then unpack /usr/src/linux-source-6.1.tar.xz.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import app, change, find, live
from tests.bench.table import Row, printed

PARTS: dict[str, Callable[[Path, int], Iterator[Row]]] = {
    "live": live.rows,  # first: it counts this process's memory
    "find": find.rows,
    "app": app.rows,
    "change": change.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("tree", type=Path, help="the directory to measure on")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--rounds", type=int, default=3, help="take the best of so many (default: 3)")
    parser.add_argument("--only", choices=sorted(PARTS), action="append", help="measure only this part")
    options = parser.parse_args()
    if not options.tree.is_dir():
        parser.error(f"{options.tree} is not a directory")
    if shutil.which("rg") is None:
        parser.error("ripgrep (rg) is not installed, and there is nothing to compare with")
    tables = {name: list(PARTS[name](options.tree, options.rounds)) for name in options.only or PARTS}
    if options.json:
        print(json.dumps({name: [row.to_json() for row in rows] for name, rows in tables.items()}, indent=1))
    else:
        for name, rows in tables.items():
            print(printed(name, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
