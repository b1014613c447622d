"""Rows of a benchmark: our time, theirs, and the ratio."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Row:
    """One piece of work. `aim` is the ratio that SPEC section 8 allows, where it names one."""

    work: str
    ours: float
    theirs: float | None
    reference: str
    hits: int | None = None
    aim: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float | None:
        return None if not self.theirs else self.ours / self.theirs

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def alternating(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """The best time of each, measured in turns so that both meet the same noise."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for index, work in enumerate((ours, theirs)):
            began = time.perf_counter()
            work()
            best[index] = min(best[index], time.perf_counter() - began)
    return best[0], best[1]


def program(arguments: Sequence[str], cwd: Path) -> Callable[[], None]:
    """A run of another program whose output is read, as by one who uses it, and then thrown away; 0 and
    1 are both answers."""

    def run() -> None:
        with subprocess.Popen(
            arguments, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        ) as process:
            assert process.stdout is not None
            while process.stdout.read(_AT_ONCE):
                pass
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{arguments} ended with {process.returncode}")

    return run


def printed(title: str, rows: Sequence[Row]) -> str:
    lines = [title, f"{'work':44} {'hits':>11} {'ours':>8} {'theirs':>8} {'ratio':>6} {'aim':>5}  reference"]
    for row in rows:
        hits = "" if row.hits is None else f"{row.hits:,}"
        theirs = "-" if row.theirs is None else f"{row.theirs:.3f}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        aim = "" if row.aim is None else f"{row.aim:.1f}"
        lines.append(
            f"{row.work:44.44} {hits:>11} {row.ours:8.3f} {theirs:>8} {ratio:>6} {aim:>5}  {row.reference}"
            + ("" if row.unit == "s" else f" ({row.unit})")
        )
    return "\n".join(lines)
