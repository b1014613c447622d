"""The wheel: installed elsewhere, it has everything it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STYLES = sorted(path.stem for path in (ROOT / "styles").glob("*.tcss"))


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files in a directory of their own."""
    made = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(made), str(ROOT)], check=True, capture_output=True)
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(made / "site")
    return made / "site"


def test_its_styles_are_found_where_it_is(unpacked: Path, tmp_path: Path) -> None:
    code = f"from tui.app.styles import style\nfor name in {STYLES!r}: print(style(name))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = [Path(line) for line in done.stdout.splitlines()]
    assert len(found) == len(STYLES) > 5
    assert all(path.is_file() and path.is_relative_to(unpacked) for path in found)


def test_in_a_checkout_the_styles_are_those_of_the_repository() -> None:
    from tui.app.styles import style

    assert all(style(name) == ROOT / "styles" / f"{name}.tcss" for name in STYLES)
