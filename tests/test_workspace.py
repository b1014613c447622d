"""P4: nothing outside the workspace is opened, whatever the path string, link or race."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.conftest import write
from tui import workspace as workspace_module
from tui.errors import NotFoundError, OutsideWorkspaceError, RedlineError, TooLargeError
from tui.workspace import NotRegularFileError, Reader, Workspace, open_beneath


@pytest.fixture(params=["openat2", "by component"], autouse=True)
def resolver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here holds for the kernel's resolution and for ours."""
    if request.param == "by component":
        monkeypatch.setattr(workspace_module, "_openat2", None)
    elif workspace_module._openat2 is None:
        pytest.skip("this kernel has no openat2")


@pytest.fixture
def root(tree: Path) -> Path:
    """A workspace beside a secret, with links that lead to it."""
    write(tree.parent, {"secret": "canary", "workspace-2/secret": "canary"})
    write(tree, {"a.txt": "a", "sub/b.txt": "b"})
    (tree / "link").symlink_to("../secret")
    (tree / "absolute").symlink_to(tree.parent / "secret")
    (tree / "up").symlink_to("..")
    (tree / "sub" / "root").symlink_to("/")
    (tree / "inside").symlink_to("a.txt")
    (tree / "loop").symlink_to("loop")
    return tree


OUTSIDE = [
    "..",
    "../secret",
    "sub/../../secret",
    "/etc/passwd",
    "/",
    "../workspace-2/secret",
    "./../secret",
    "sub/../..",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_string_that_leads_out_is_refused(root: Path, path: str) -> None:
    with Workspace(root) as workspace, pytest.raises(OutsideWorkspaceError):
        workspace.relative(path)


def test_an_absolute_path_of_a_sibling_with_the_same_prefix_is_outside(root: Path) -> None:
    with Workspace(root) as workspace, pytest.raises(OutsideWorkspaceError):
        workspace.relative(f"{root}-2/secret")


@pytest.mark.parametrize("path", [".", "", "./", "sub/..", "sub/../."])
def test_the_root_has_many_names(root: Path, path: str) -> None:
    with Workspace(root) as workspace:
        assert workspace.relative(path) == ""
        assert workspace.relative(str(root)) == ""


def test_an_absolute_path_below_the_root_is_inside(root: Path, tmp_path: Path) -> None:
    spelling = tmp_path / "spelling"
    spelling.symlink_to(root)
    with Workspace(spelling) as workspace:
        assert workspace.relative(f"{root}/sub//b.txt") == "sub/b.txt"
        assert workspace.relative(f"{spelling}/sub/b.txt") == "sub/b.txt"


@pytest.mark.parametrize(
    "name", ["~", "~root", "a\\b", "..\\secret", "...", " ", "a ", "sub.", "\x1b[31m", "\u202e", "%2e%2e"]
)
def test_odd_names_are_only_names(root: Path, name: str) -> None:
    (root / name).write_text("odd")
    with Workspace(root) as workspace:
        assert workspace.read(workspace.relative(name)) == b"odd"


@pytest.mark.parametrize(
    "path", ["link", "absolute", "up/secret", "sub/root/etc/passwd", "inside", "loop", "up", "loop/x"]
)
def test_links_are_not_followed(root: Path, path: str) -> None:
    with Workspace(root) as workspace:
        with pytest.raises((OSError, RedlineError)):
            workspace.read(path)
        with pytest.raises(OSError):
            os.close(workspace.open_directory(path))
        with pytest.raises((OSError, RedlineError)):
            os.close(workspace.open_file(path))


@pytest.mark.parametrize("path", ["../secret", "sub/../../secret", "/etc/passwd"])
def test_even_an_unchecked_string_does_not_lead_out(root: Path, path: str) -> None:
    if workspace_module._openat2 is None:
        pytest.skip("strings are checked before they come here")
    with Workspace(root) as workspace, pytest.raises(OSError):
        open_beneath(workspace.fd, path, os.O_RDONLY)


def test_a_fifo_a_socket_and_a_directory_are_not_read_and_do_not_block(root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as listening, Workspace(root) as workspace:
        before = os.getcwd()
        os.chdir(root)
        listening.bind("socket")
        os.chdir(before)
        for name in ("fifo", "sub", "socket", ""):
            with pytest.raises((NotRegularFileError, OSError)):
                workspace.read(name)
            with pytest.raises((NotRegularFileError, OSError)):
                workspace.open_file(name)


def test_a_device_is_not_read(root: Path) -> None:
    with Workspace("/dev") as workspace, pytest.raises(NotRegularFileError):
        workspace.read("zero", 10)


def test_a_file_over_the_limit_is_refused(root: Path) -> None:
    with Workspace(root) as workspace:
        assert workspace.read("a.txt", 1) == b"a"
        with pytest.raises(TooLargeError):
            workspace.read("a.txt", 0)


def test_a_file_that_claims_no_size_is_read_whole() -> None:
    with Workspace("/proc/self") as workspace:
        assert b"VmRSS" in workspace.read("status")


def test_a_name_with_a_nul_is_no_path(root: Path) -> None:
    with Workspace(root) as workspace, pytest.raises(NotFoundError):
        workspace.relative("a\0b")
    with pytest.raises(NotFoundError):
        Workspace("a\0b")


def test_a_missing_root_and_a_file_as_root_are_told(root: Path) -> None:
    for name in ("nowhere", "a.txt"):
        with pytest.raises(RedlineError, match=name):
            Workspace(root / name)


def test_paths_longer_than_the_kernel_takes(root: Path) -> None:
    """Made and read through descriptors, since no single path string reaches the file."""
    name, depth = "d" * 200, 30
    current = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=current)
        deeper = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=current)
        os.close(current)
        current = deeper
    fd = os.open("deep.txt", os.O_WRONLY | os.O_CREAT, dir_fd=current)
    os.write(fd, b"deep")
    os.close(fd)
    os.close(current)
    with Workspace(root) as workspace:
        path = "/".join([name] * depth + ["deep.txt"])
        assert len(path) > 4096
        assert workspace.read(path) == b"deep"
        assert workspace.lstat(path).st_size == 4


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Workspace(root) as workspace:
        for index in range(100):
            (root / f"d{index}").mkdir()
            write(root, {f"d{index}/f": "x"})
        with Reader(workspace) as reader:
            for index in range(100):
                reader.read(f"d{index}/f")
        for path in ("link", "nowhere/x", "a.txt/x", "loop"):
            with pytest.raises((OSError, RedlineError)):
                workspace.read(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_parent_swapped_for_a_link_while_reading_never_leads_out(root: Path) -> None:
    """The canary has the name of the file asked for; a reader that checks first loses this race."""
    outside = root.parent / "outside"
    write(outside, {"b.txt": "canary"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "sub").rename(root / "moved")
            (root / "sub").symlink_to(outside)
            (root / "sub").unlink()
            (root / "moved").rename(root / "sub")

    thread = threading.Thread(target=swap)
    thread.start()
    read: set[bytes] = set()
    rounds = 0
    ends = time.monotonic() + 20
    try:
        with Workspace(root) as workspace:
            while (rounds < 2000 or not {b"b", b"refused"} <= read) and time.monotonic() < ends:
                rounds += 1
                try:
                    read.add(workspace.read("sub/b.txt"))
                except (OSError, RedlineError):
                    read.add(b"refused")
    finally:
        stop.set()
        thread.join()
    assert read == {b"b", b"refused"}


def test_a_file_in_a_directory_that_may_be_entered_but_not_listed_is_read(root: Path) -> None:
    """As another user: root may list everything."""
    (root / "sub").chmod(0o711)
    for directory in (root, *root.parents[:-1]):
        if directory.stat().st_uid == os.getuid():
            directory.chmod(directory.stat().st_mode | 0o755)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            with Workspace(root) as workspace:
                status = 0 if workspace.read("sub/b.txt") == b"b" else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
