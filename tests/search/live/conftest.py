"""Both places where a scan can run."""

from __future__ import annotations

import pytest

from tests.search.live.sessions import with_keepers


@pytest.fixture(params=["alone", "keepers"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In the session's own thread and in processes, whatever the size of the tree."""
    if request.param == "keepers":
        with_keepers(monkeypatch)
    return str(request.param)
