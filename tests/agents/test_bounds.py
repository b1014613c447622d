"""No call floods a context window; what is cut is told, and the totals stay exact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.calls import done, refused
from tests.conftest import write
from tui.agents import call

MOST = 500_000
"""The whole answer, with numbers, names and JSON around its contents, in output and data."""


@pytest.fixture
def crowded(tree: Path) -> Path:
    """Many files, many matches, long lines, long names."""
    name = "n" * 200
    long_line = "x" * 40_000 + "needle" + "y" * 40_000
    write(tree, {f"many/{name}{i:04}.txt": "needle\n" * 20 for i in range(600)})
    write(tree, {"long.txt": f"{long_line}\n" * 3, "huge.txt": "needle " * 100 + "\n"})
    write(tree, {"lines.txt": "".join(f"needle line {i}\n" for i in range(20_000))})
    return tree


CALLS = [
    ("grep", {"pattern": "needle", "max_results": 500}),
    ("grep", {"pattern": "needle", "max_results": 500, "context": 500}),
    ("grep", {"pattern": "needle", "max_results": 500, "files_only": True}),
    ("grep", {"pattern": r"(?s)needle.*", "multiline": True, "max_results": 500}),
    ("grep", {"pattern": "nothing", "invert_match": True, "max_results": 500}),
    ("glob", {"pattern": "**/*", "max_results": 500}),
    ("search", {"query": "needle", "max_results": 500}),
    ("list_directory", {"path": "many"}),
    ("read_file", {"path": "lines.txt"}),
    ("read_file", {"path": "long.txt"}),
    ("replace_in_file", {"path": "lines.txt", "find": "needle", "replace": "pin"}),
    ("replace_in_file", {"path": "long.txt", "find": "needle", "replace": "pin", "preview_only": True}),
    ("update_file", {"path": "lines.txt", "content": "short\n"}),
    ("delete_file", {"path": "lines.txt"}),
    ("create_file", {"path": "new.txt", "content": "line\n" * 100_000}),
    ("GrepFiles", {"pattern": "*"}),
    ("GrepContent", {"pattern": "needle", "maxResults": 100_000, "contextLines": 3}),
    ("search-files", {"pattern": "**/*", "max_results": 1000}),
    ("search_files", {"query": "needle", "pattern": "many/*", "max_results": 100_000}),
]


@pytest.mark.parametrize(
    ("tool", "arguments"), CALLS, ids=[f"{i}-{tool}" for i, (tool, _) in enumerate(CALLS)]
)
def test_an_answer_is_bounded(crowded: Path, tool: str, arguments: dict[str, object]) -> None:
    answer = done(crowded, tool, **arguments)
    assert len(answer["output"]) <= MOST
    assert len(json.dumps(answer["data"])) <= MOST


def test_a_long_line_is_cut_around_its_match_and_says_so(crowded: Path) -> None:
    match = done(crowded, "grep", pattern="needle", path="long.txt")["data"]["results"][0]["matches"][0]
    assert len(match["content"]) < 600
    assert match["content"].startswith("… ")
    assert match["content"].endswith("… (80,006 characters)")
    ((start, end),) = match["spans"]
    assert match["content"][start:end] == "needle"
    assert (match["line"], match["column"]) == (1, 40_001)


def test_totals_are_exact_where_results_are_cut(crowded: Path) -> None:
    answer = done(crowded, "grep", pattern="needle")
    data = answer["data"]
    assert (data["total_matches"], data["total_files"]) == (600 * 20 + 3 + 1 + 20_000, 603)
    assert sum(len(file["matches"]) for file in data["results"]) == 50
    assert data["truncated"]
    assert data["suggestion"].startswith(
        "32,004 matches in 603 files, 50 shown; narrow with file_type or a path"
    )
    assert data["suggestion"] in answer["output"]
    assert answer["message"] == "Found 32,004 matches in 603 files, showing the first 50 matches"


def test_more_than_the_most_is_lowered_to_the_most(tree: Path) -> None:
    write(tree, {"a.txt": "x\n" * 900})
    data = done(tree, "grep", pattern="x", max_results=100_000)["data"]
    assert sum(len(file["matches"]) for file in data["results"]) == 500
    write(tree, {f"files/{i}": "" for i in range(700)})
    assert done(tree, "glob", pattern="**/*", max_results=9999)["data"]["count"] == 500


def test_a_file_read_in_part_says_where_to_go_on(crowded: Path) -> None:
    answer = done(crowded, "read_file", path="lines.txt")
    data = answer["data"]
    assert data["truncated"]
    assert data["total_lines"] == 20_000
    assert data["suggestion"] == f"go on with start_line {data['end_line'] + 1}"
    rest = done(crowded, "read_file", path="lines.txt", start_line=data["end_line"] + 1)["data"]
    assert rest["content"].startswith(f"needle line {data['end_line']}\n")


def test_a_long_diff_is_cut_and_kept_whole_in_the_inbox(crowded: Path) -> None:
    answer = done(crowded, "replace_in_file", path="lines.txt", find="needle", replace="pin")
    assert answer["data"]["replacements"] == 20_000
    assert "of it are missing; the inbox shows all of it" in answer["warnings"][0]
    assert answer["warnings"][0] in answer["output"]


def test_what_was_left_out_is_told(tree: Path) -> None:
    deep = "/".join("abcdefghijkl")
    write(
        tree,
        {
            "a.txt": "x",
            "big.txt": "x" * 1_000_001,
            "b.bin": b"\0x",
            f"{deep}/c.txt": "x",
            "u.txt": b"\xff\xfex",
        },
    )
    answer = done(tree, "grep", pattern="x")
    assert answer["data"]["total_matches"] == 1
    assert {(file["file"], file["reason"]) for file in answer["data"]["skipped"]} == {
        ("b.bin", "binary"),
        ("big.txt", "too large (over 1,000,000 bytes)"),
        ("a/b/c/d/e/f/g/h/i/j", "too deep (below depth 10)"),
        ("u.txt", "undecodable (not valid UTF-16-LE: truncated data)"),
    }
    warnings = "\n".join(answer["warnings"])
    assert "1 file not searched, too large (over 1,000,000 bytes): big.txt" in warnings
    assert (
        "1 directory not searched, too deep (below depth 10): a/b/c/d/e/f/g/h/i/j; raise max_depth"
        in warnings
    )
    assert "1 file not searched, binary: b.bin" in warnings
    assert done(tree, "grep", pattern="x", max_depth=0)["data"]["total_matches"] == 2


def test_a_search_that_takes_forever_is_stopped_and_says_so(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, {f"{i}.txt": "x\n" for i in range(10)})
    monkeypatch.setattr(call, "SECONDS", -1.0)
    for tool, arguments in (
        ("grep", {"pattern": "x"}),
        ("glob", {"pattern": "**/*"}),
        ("search", {"query": "x"}),
        ("GrepFiles", {"pattern": "*"}),
        ("search-files", {"pattern": "**/*"}),
    ):
        answer = done(tree, tool, **arguments)
        assert any("stopped after" in warning for warning in answer["warnings"]), tool
        assert answer["data"].get("truncated", True)


@pytest.mark.parametrize("tool", ["glob", "GrepFiles"])
def test_a_catastrophic_regex_for_names_ends_with_the_time(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    write(tree, {f"{'a' * 26}{i:04}c": "" for i in range(300)})
    monkeypatch.setattr(call, "SECONDS", 1.0)
    answer = done(tree, tool, pattern="^(a|a){20}b", mode="regex")
    assert "stopped after" in answer["warnings"][-1]


def test_many_globs_that_expand_to_many_are_refused(tree: Path) -> None:
    braces = "{" + ",".join(map(str, range(200))) + "}"
    error = refused(tree, "grep", pattern="x", include=[f"*{braces}{i}" for i in range(40)])
    assert error["code"] == "INVALID_GLOB"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_file", {"path": "new", "content": "x\n" * 2_000_000}),
        ("update_file", {"path": "a.txt", "content": "x" * 100_000_000}),
        ("append_file", {"path": "a.txt", "content": "x" * 3_000_000}),
        ("replace_in_file", {"path": "a.txt", "find": "^(.*)$", "replace": r"\1" * 5000, "is_regex": True}),
        ("replace_in_file", {"path": "a.txt", "find": "a", "replace": "x" * 10_000}),
        ("GrepFiles", {"pattern": "*", "path": "./" * 2_000_000}),
    ],
)
def test_a_change_or_a_call_of_any_size_is_refused(
    tree: Path, tool: str, arguments: dict[str, object]
) -> None:
    write(tree, {"a.txt": "a" * 300_000 + "\n"})
    error = refused(tree, tool, **arguments)
    assert error["code"] == "TOO_LARGE"


def test_a_file_of_many_lines_can_be_created_in_reasonable_time(tree: Path) -> None:
    answer = done(tree, "create_file", path="new.txt", content="x\n" * 900_000)
    assert answer["data"]["total_lines"] == 900_000


def test_control_characters_count_as_what_json_makes_of_them(tree: Path) -> None:
    write(tree, {"a.txt": ("\x01" * 99 + "\n") * 600, "empty.txt": "\n" * 100_000})
    for tool, arguments in (
        ("grep", {"pattern": "|.", "max_results": 500, "path": "a.txt"}),
        ("GrepContent", {"pattern": "^$", "maxResults": 1_000_000_000}),
        ("read_file", {"path": "a.txt"}),
        ("search_files", {"query": "\x01", "max_results": 1_000_000}),
    ):
        answer = done(tree, tool, **arguments)
        assert len(json.dumps(answer)) < MOST, tool


def test_a_file_too_large_to_read_is_refused(tree: Path) -> None:
    with (tree / "vast.txt").open("wb") as file:
        file.truncate(17_000_000)
    for tool, rest in (("read_file", {}), ("delete_file", {}), ("append_file", {"content": "x"})):
        assert refused(tree, tool, path="vast.txt", **rest)["code"] == "TOO_LARGE"


def test_bytes_that_are_no_text_are_written_out(tree: Path) -> None:
    write(
        tree,
        {"latin.txt": b"caf\xe9 needle\n", b"caf\xe9.txt".decode("utf-8", "surrogateescape"): "needle\n"},
    )
    answer = done(tree, "grep", pattern="needle")
    assert [file["file"] for file in answer["data"]["results"]] == ["caf\\xe9.txt", "latin.txt"]
    assert answer["data"]["results"][1]["matches"][0]["content"] == "caf\\xe9 needle"
    assert "caf\\xe9 needle" in answer["output"]


def test_a_name_that_is_no_text_is_told_as_one_that_cannot_be_named(tree: Path) -> None:
    write(tree, {b"caf\xe9.txt".decode("utf-8", "surrogateescape"): "x\n"})
    for tool, arguments in (("glob", {"pattern": "*"}), ("grep", {"pattern": "x"})):
        assert "cannot be named" in done(tree, tool, **arguments)["warnings"][0]


def test_lines_that_are_cut_or_hold_bytes_are_not_to_be_written_back(tree: Path) -> None:
    write(tree, {"long.txt": "x" * 5000 + "\nshort\n", "latin.txt": b"caf\xe9\nsame\n"})
    answer = done(tree, "read_file", path="long.txt")
    assert answer["data"]["truncated"]
    assert "line 1; do not write" in answer["warnings"][0]
    answer = done(tree, "read_file", path="latin.txt")
    assert "not UTF-8" in answer["warnings"][0]
    content = answer["data"]["content"].replace("same", "other")
    assert refused(tree, "update_file", path="latin.txt", content=content)["code"] == "BINARY_FILE"
    replace = {"path": "latin.txt", "operation": "replace", "content": "x"}
    assert refused(tree, "edit_lines", start_line=1, **replace)["code"] == "BINARY_FILE"
    assert done(tree, "edit_lines", start_line=2, **replace)["data"]["status"] == "pending"
