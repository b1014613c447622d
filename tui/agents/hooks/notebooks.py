"""A Jupyter notebook with one cell changed, written the way it was."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any, Literal

import msgspec

from tui.errors import InvalidArgumentError
from tui.text import visible

_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")
_BY_PLACE = re.compile(r"cell-(\d{1,9})")
_WITH_IDS = (4, 5)
"""The first version of the format whose cells have ids."""


class CellEdit(msgspec.Struct, frozen=True, kw_only=True):
    """What to do with which cell: by its id, or `cell-3` or a number for its place, from 0. A new cell comes
    after the one with the id, at the place with the number, or first of all."""

    new_source: str = ""
    cell_id: str | None = None
    cell_number: int | None = None
    cell_type: Literal["code", "markdown", "raw"] | None = None
    edit_mode: Literal["replace", "insert", "delete"] = "replace"


def with_cell_edited(text: str, edit: CellEdit) -> str:
    """The notebook's new text; InvalidArgumentError where there is no such cell, or no notebook."""
    notebook = _parsed(text)
    cells = notebook["cells"]
    if edit.edit_mode == "insert":
        cells.insert(_place_for_new(cells, edit), _new_cell(notebook, edit))
    elif edit.edit_mode == "delete":
        del cells[_place(cells, edit)]
    else:
        _rewrite(cells[_place(cells, edit)], edit)
    return _written_like(text, notebook)


def _parsed(text: str) -> dict[str, Any]:
    try:
        notebook = json.loads(text)
    except ValueError as error:
        raise InvalidArgumentError(f"not a notebook: {visible(str(error))}") from error
    if isinstance(notebook, dict):
        cells = notebook.get("cells")
        if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells):
            return notebook
    raise InvalidArgumentError("not a notebook: it has no list of cells")


def _place(cells: list[dict[str, Any]], edit: CellEdit) -> int:
    if edit.cell_id is not None:
        for place, cell in enumerate(cells):
            if cell.get("id") == edit.cell_id:
                return place
    named = edit.cell_number if edit.cell_id is None else edit.cell_id
    by_place = _BY_PLACE.fullmatch(named) if isinstance(named, str) else None
    number = int(by_place[1]) if by_place else named
    if not isinstance(number, int) or not 0 <= number < len(cells):
        raise InvalidArgumentError(f"there is no cell {visible(str(named))} in the notebook")
    return number


def _place_for_new(cells: list[dict[str, Any]], edit: CellEdit) -> int:
    if edit.cell_id is not None:
        return _place(cells, edit) + 1
    place = edit.cell_number or 0
    if not 0 <= place <= len(cells):
        raise InvalidArgumentError(f"there is no place {place} for a cell in the notebook")
    return place


def _new_cell(notebook: dict[str, Any], edit: CellEdit) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": edit.cell_type or "code"}
    if _has_ids(notebook):
        cell["id"] = secrets.token_hex(4)
    cell |= {"metadata": {}, "source": edit.new_source.splitlines(keepends=True)}
    return _as_its_kind(cell)


def _has_ids(notebook: dict[str, Any]) -> bool:
    version = (notebook.get("nbformat"), notebook.get("nbformat_minor"))
    return all(isinstance(part, int) for part in version) and version >= _WITH_IDS


def _rewrite(cell: dict[str, Any], edit: CellEdit) -> None:
    """What the cell printed before is not what it prints now."""
    as_lines = isinstance(cell.get("source"), list)
    cell["source"] = edit.new_source.splitlines(keepends=True) if as_lines else edit.new_source
    cell["cell_type"] = edit.cell_type or cell.get("cell_type", "code")
    _as_its_kind(cell)


def _as_its_kind(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] == "code":
        cell |= {"execution_count": None, "outputs": []}
    else:
        cell.pop("execution_count", None)
        cell.pop("outputs", None)
    return cell


def _written_like(text: str, notebook: dict[str, Any]) -> str:
    """With the indentation, the escapes and the last line end that it had: the diff shows the cell alone."""
    indent = _INDENT.match(text)
    escaped = text.isascii() and "\\u" in text
    written = json.dumps(notebook, indent=indent[1] if indent else None, ensure_ascii=escaped)
    return written + "\n" if text.endswith("\n") else written
