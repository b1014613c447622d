"""What changes on disk reaches the results without being asked for, and no hit is shown that is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import write
from tests.search.live.sessions import PATIENCE, answer, expected, loaded, session_on
from tui.search.live import watch
from tui.search.live.session import Session
from tui.search.live.state import Phase, Snapshot
from tui.search.query import Query
from tui.search.scan import Match


def seen(snapshot: Snapshot) -> dict[str, list[Match]]:
    files: dict[str, list[Match]] = {}
    for row in snapshot.results.rows(0, snapshot.matches):
        files.setdefault(row.path, []).append(Match(row.line, "stale", ()) if row.stale else row.match)
    return files


def comes_to_show(session: Session, root: Path, query: str) -> Snapshot:
    """Waits until the session shows, by itself, what is on disk now."""
    wanted = expected(root, query)

    def is_so(snapshot: Snapshot) -> bool:
        return (
            snapshot.phase is Phase.COMPLETE
            and snapshot.matches == sum(map(len, wanted.values()))
            and seen(snapshot) == wanted
        )

    return session.wait(is_so, PATIENCE)


def replace_one(root: Path) -> None:
    (root / "new").write_text("needle\n" * 5)
    (root / "new").replace(root / "b/one")


def link_one(root: Path) -> None:
    (root / "b/one").unlink()
    (root / "b/one").symlink_to("/etc/passwd")


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: (root / "b/one").write_text("x\nneedle new\n"),
    "edited in place, same size": lambda root: (root / "b/one").write_text("NEEDLE\nneedle\n"),
    "replaced": replace_one,
    "created": lambda root: (root / "b/zero").write_text("needle\n"),
    "created in a new directory": lambda root: write(root, {"c/d/e": "needle\n"}),
    "deleted": lambda root: (root / "b/one").unlink(),
    "all deleted": lambda root: shutil.rmtree(root / "b"),
    "renamed": lambda root: (root / "b/one").rename(root / "a"),
    "directory renamed": lambda root: (root / "b").rename(root / "z"),
    "no longer text": lambda root: (root / "b/one").write_bytes(b"needle\0"),
    "now a link": link_one,
    "ignored": lambda root: (root / ".gitignore").write_text("one\n"),
    "ignored by a rule below": lambda root: (root / "b/.gitignore").write_text("*\n"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_visible_query_keeps_up_with(tree: Path, name: str, where: str) -> None:
    write(tree, {"b/one": "needle\nneedle\n", "b/two": "needle\n", "three": "hay\n", "empty/.keep": ""})
    with session_on(tree) as session:
        assert answer(session, "needle").matches == 3
        CHANGES[name](tree)
        snapshot = comes_to_show(session, tree, "needle")
        assert snapshot.generation == 1
        assert answer(session, "needl").matches == snapshot.matches


def test_a_directory_made_later_is_watched_too(tree: Path) -> None:
    write(tree, {"a": "needle\n"})
    with session_on(tree) as session:
        answer(session, "needle")
        (tree / "d").mkdir()
        write(tree, {"d/e/f": "needle\n"})
        comes_to_show(session, tree, "needle")
        write(tree, {"d/e/f": "needle\nneedle\n", "d/g": "needle\n"})
        comes_to_show(session, tree, "needle")


def test_a_checkout_of_thousands_of_files_is_few_refreshes(tree: Path, where: str) -> None:
    git = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    for version in ("first", "second"):
        write(tree, {f"d{index % 40}/f{index:04}": f"{version} needle {index}\n" for index in range(2500)})
        if version == "second":
            shutil.rmtree(tree / "d3")
            write(tree, {"added/file": "second needle\n"})
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", version], check=True)
    with session_on(tree) as session:
        assert answer(session, "second needle").matches == 2438
        before = loaded(session).revision
        subprocess.run([*git, "checkout", "-q", "HEAD~"], check=True)
        comes_to_show(session, tree, "second needle")
        after = answer(session, "first needle")
        assert after.matches == 2500
        assert after.revision - before < 1000


def test_a_row_of_a_changed_file_is_never_drawn_with_its_text(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even before the session has heard of the change."""
    monkeypatch.setattr(watch.Watch, "changes", lambda self: watch.Changes(set()))
    write(tree, {"a": "needle one\n", "b": "needle\n"})
    with session_on(tree) as session:
        snapshot = answer(session, "needle")
        (tree / "a").write_text("needle two\n")
        stale, fresh = snapshot.results.rows(0, 2)
        assert (stale.path, stale.stale, stale.text) == ("a", True, "")
        assert (fresh.path, fresh.stale, fresh.text) == ("b", False, "needle")
        comes_to_show(session, tree, "needle")  # having met it, the session reads it again


@pytest.mark.parametrize("budget", [0, 1 << 30], ids=["streaming", "in memory"])
def test_where_nothing_is_told_the_disk_is_compared_when_a_query_comes(
    tree: Path, budget: int, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "somewhere else")
    write(tree, {"a": "needle\n", "b": "needle\n", "c": "hay\n"})
    with session_on(tree, budget) as session:
        assert answer(session, "needle").matches == 2
        write(tree, {"a": "hay\n", "c": "needle\nneedle\n", "d": "needle\n"})
        (tree / "b").unlink()
        session.refresh()
        session.submit(Query("needl"))
        comes_to_show(session, tree, "needl")


def test_files_that_change_while_they_are_read_are_read_again(tree: Path) -> None:
    write(tree, {f"f{index:03}": "hay\n" for index in range(500)})
    with session_on(tree) as session:
        session.submit(Query("needle"))
        for index in range(500):
            (tree / f"f{index:03}").write_text("needle\n")
        comes_to_show(session, tree, "needle")


def test_an_unreadable_file_that_becomes_readable_is_found(tree: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can read everything")
    write(tree, {"a": "needle\n"})
    (tree / "a").chmod(0)
    with session_on(tree) as session:
        assert answer(session, "needle").skipped == 1
        (tree / "a").chmod(0o600)
        comes_to_show(session, tree, "needle")
