"""How much memory this process and others take together, pages that they share counted once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def kept_by(processes: Iterable[int]) -> int | None:
    """Bytes of this process, of the others and of their children, or None where the system does not tell."""
    total = 0
    everyone = [os.getpid(), *(one for process in processes for one in _with_children(process))]
    for process in everyone:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            if process == os.getpid():
                return None
            continue  # it has ended meanwhile
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def _with_children(process: int) -> Iterator[int]:
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return
    yield from map(int, children)
