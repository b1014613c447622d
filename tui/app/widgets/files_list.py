"""The Files pane: the files that are in scope, as a list or as a tree."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from tui.app.render import segments
from tui.app.widgets.rows import Rows
from tui.text import visible

_AFTER_SLASH = chr(ord("/") + 1)


class Node(NamedTuple):
    """A row: a file, or a directory with the stretch of the list that lies in it."""

    path: str
    depth: int
    first: int
    last: int
    directory: bool


class FilesList(Rows):
    """Paths are in order, so what a directory holds is a stretch of the list: no tree is built."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"heading"}

    def __init__(self, *, id: str | None = None, as_tree: bool = True) -> None:  # noqa: A002
        super().__init__(id=id)
        self.paths: Sequence[str] = ()
        self.as_tree = as_tree
        self._open: set[str] = set()
        self._shown: list[Node] = []

    def show(self, paths: Sequence[str]) -> None:
        """Other files. The cursor stays on the same one where it is still there."""
        held = self.current
        self.paths = paths
        self._lay_out()
        if held is not None:
            self._return_to(held.path)

    def turn(self, *, as_tree: bool) -> None:
        held = self.current
        self.as_tree = as_tree
        if held is not None:
            parts = held.path.split("/")
            self._open.update("/".join(parts[:depth]) for depth in range(1, len(parts)))
        self._lay_out()
        if held is not None:
            self._return_to(held.path)

    def _return_to(self, path: str) -> None:
        if self.as_tree:
            place = next((i for i, node in enumerate(self._shown) if node.path == path), self.cursor)
        else:
            place = bisect_left(self.paths, path)
        self.move_to(place, tell=False)

    def _lay_out(self) -> None:
        self._shown = list(self._below("", 0, 0, len(self.paths))) if self.as_tree else []
        self.renew()

    def _below(self, directory: str, depth: int, first: int, last: int) -> Iterator[Node]:
        """What a directory holds, and what the open ones in it hold."""
        start = len(directory) + 1 if directory else 0
        while first < last:
            path = self.paths[first]
            name, slash, _ = path[start:].partition("/")
            if not slash:
                yield Node(path, depth, first, first + 1, directory=False)
                first += 1
                continue
            inner = path[:start] + name
            end = bisect_left(self.paths, inner + _AFTER_SLASH, first, last)
            yield Node(inner, depth, first, end, directory=True)
            if inner in self._open:
                yield from self._below(inner, depth + 1, first, end)
            first = end

    @property
    def line_count(self) -> int:
        return len(self._shown) if self.as_tree else len(self.paths)

    def at(self, row: int) -> Node | None:
        if not 0 <= row < self.line_count:
            return None
        if self.as_tree:
            return self._shown[row]
        return Node(self.paths[row], 0, row, row + 1, directory=False)

    @property
    def current(self) -> Node | None:
        return self.at(self.cursor)

    def is_open(self, node: Node) -> bool:
        return node.path in self._open

    def fold(self, *, folded: bool) -> None:
        """Close or open the directory under the cursor; closing one goes from a file to its directory."""
        node = self.current
        if node is None or not self.as_tree:
            return
        if folded and (not node.directory or node.path not in self._open):
            parent = node.path.rpartition("/")[0]
            self._return_to(parent) if parent else None
            return
        if node.directory:
            (self._open.discard if folded else self._open.add)(node.path)
            self._lay_out()

    def draw(self, line: int, width: int) -> Strip:
        node = self.at(line)
        if node is None:
            return Strip.blank(width)
        if not self.as_tree:
            return self._as_path(node, width)
        name = visible(node.path.rpartition("/")[2])
        indent = "  " * node.depth
        if not node.directory:
            return Strip([Segment(f"   {indent}"), *segments(name)]).crop(0, width)
        count = f"{node.last - node.first:,} "
        mark = "▾" if node.path in self._open else "▸"
        left = Strip(
            [
                Segment(f" {indent}{mark} ", self.style_of("quiet")),
                *segments(f"{name}/", self.style_of("heading")),
            ]
        )
        room = max(1, width - len(count))
        return Strip.join([left.adjust_cell_length(room), Strip([Segment(count, self.style_of("quiet"))])])

    def _as_path(self, node: Node, width: int) -> Strip:
        path = visible(node.path)
        room = max(1, width - 2)
        shown = path if len(path) <= room else f"…{path[-room + 1 :]}"
        directory, slash, name = shown.rpartition("/")
        return Strip([Segment(" "), *segments(directory + slash, self.style_of("quiet")), *segments(name)])
