"""Where the style sheets are: in a wheel inside the package, in a checkout beside it."""

from __future__ import annotations

from pathlib import Path

import tui

_PACKAGE = Path(tui.__file__).parent


def style(name: str) -> Path:
    """The TCSS file of a screen."""
    packaged = _PACKAGE / "styles" / f"{name}.tcss"
    return packaged if packaged.is_file() else _PACKAGE.parent / "styles" / f"{name}.tcss"
