"""Edits as JSON: old and new texts by path, in the shapes and spellings that tools and models use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tui.review.patches.filepatch import FilePatch, Kind, PatchError, TextEdit
from tui.review.patches.formats import ACCEPTED, json_value, unfenced
from tui.text import visible

_PATH = ("path", "file_path")
_OLD = ("oldText", "old_text", "old_string")
_NEW = ("newText", "new_text", "new_string")
_ALL = ("replace_all",)


def parse(patch: bytes) -> list[FilePatch]:
    value = json_value(unfenced(patch))
    if isinstance(value, dict) and "files" in value:
        _check_keys(value, ("files",), "the JSON")
        value = value["files"]
    elif isinstance(value, dict) and "edits" in value and not _has(value, _PATH):
        _check_keys(value, ("edits",), "the JSON")
        value = value["edits"]
    items = value if isinstance(value, list) else [value]
    return [file for place, item in enumerate(items, 1) for file in _files(item, f"item {place}")]


def _files(item: Any, where: str) -> Iterator[FilePatch]:
    """One file with its edits, or one edit that names its file."""
    item = _object(item, where)
    path = _text(item, _PATH, where)
    if "edits" in item:
        _check_keys(item, (*_PATH, "edits"), where)
        if not isinstance(item["edits"], list):
            raise PatchError(f"{where} of the JSON: edits is not a list", ACCEPTED)
        edits = [_edit(edit, f"edit {place}", where) for place, edit in enumerate(item["edits"], 1)]
    else:
        _check_keys(item, (*_PATH, *_OLD, *_NEW, *_ALL), where)
        edits = [_edit({key: value for key, value in item.items() if key not in _PATH}, "the edit", where)]
    yield FilePatch(path, Kind.CHANGE, edits=tuple(edits))


def _edit(value: Any, name: str, where: str) -> TextEdit:
    where = f"{name} of {where}"
    edit = _object(value, where)
    _check_keys(edit, (*_OLD, *_NEW, *_ALL), where)
    everywhere = edit.get("replace_all", False)
    if not isinstance(everywhere, bool):
        raise PatchError(f"{where} of the JSON: replace_all is neither true nor false", ACCEPTED)
    return TextEdit(name, _text(edit, _OLD, where).encode(), _text(edit, _NEW, where).encode(), everywhere)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PatchError(f"{where} of the JSON is not an object", ACCEPTED)
    return value


def _has(item: dict[str, Any], keys: tuple[str, ...]) -> list[str]:
    return [key for key in keys if key in item]


def _text(item: dict[str, Any], keys: tuple[str, ...], where: str) -> str:
    given = _has(item, keys)
    if len(given) > 1:
        raise PatchError(f"{where} of the JSON has both {given[0]} and {given[1]}", "give one of them")
    if not given:
        raise PatchError(f"{where} of the JSON has no {keys[0]}", ACCEPTED)
    text = item[given[0]]
    if not isinstance(text, str):
        raise PatchError(f"{where} of the JSON: {given[0]} is not a text", ACCEPTED)
    return text


def _check_keys(item: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in item:
        if key not in known:
            raise PatchError(
                f"{where}: unknown key {visible(key[:60])}", f"known here are {', '.join(known)}"
            )
