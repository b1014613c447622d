"""search_files does what its founding document (seed 003) says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.calls import answered, done, refused
from tests.cli.run import redline
from tests.conftest import write


def lines(root: Path, **given: Any) -> list[str]:
    output: str = done(root, "search_files", **given)["output"]
    return output.split("\n")


@contextmanager
def as_nobody(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As a user who may not read everything: root may."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    for directory in (root, *root.parents[:-1]):
        if directory.stat().st_uid == os.getuid():
            directory.chmod(directory.stat().st_mode | 0o755)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


class TestSchema:
    @pytest.fixture
    def schema(self, tree: Path) -> dict[str, Any]:
        listed = json.loads(redline("tools", "--json", cwd=tree).out)
        [parameters] = [tool["parameters"] for tool in listed if tool["name"] == "search_files"]
        assert isinstance(parameters, dict)
        return parameters

    def test_parameters_with_types_defaults_and_minimum(self, schema: dict[str, Any]) -> None:
        assert schema["type"] == "object"
        kept = ("type", "default", "minimum")
        told = {
            name: {key: value[key] for key in kept if key in value}
            for name, value in schema["properties"].items()
        }
        assert told == {
            "pattern": {"type": "string", "default": "*"},
            "query": {"type": "string"},
            "regex": {"type": "boolean", "default": False},
            "case_insensitive": {"type": "boolean", "default": False},
            "max_results": {"type": "integer", "minimum": 1, "default": 100},
        }

    def test_only_the_query_is_required(self, schema: dict[str, Any]) -> None:
        assert schema["required"] == ["query"]

    def test_every_parameter_is_described(self, schema: dict[str, Any]) -> None:
        described = {name: value["description"] for name, value in schema["properties"].items()}
        assert all(described.values())
        assert "ingle-level" in described["pattern"]
        assert "**" in described["pattern"]
        assert "src/*.rs" in described["pattern"]
        assert "ignored when" in described["case_insensitive"].lower()


class TestParameters:
    def test_the_query_is_missing(self, tree: Path) -> None:
        error = refused(tree, "search_files", pattern="*")
        assert (error["code"], error["parameter"]) == ("REQUIRED", "query")

    @pytest.mark.parametrize("number", [0, -5])
    def test_max_results_has_a_minimum(self, tree: Path, number: int) -> None:
        error = refused(tree, "search_files", query="x", max_results=number)
        assert (error["code"], error["parameter"]) == ("INVALID_RANGE", "max_results")

    def test_max_results_has_no_maximum_but_the_callers(self, tree: Path) -> None:
        write(tree, {"a": "x\n" * 1500})
        assert len(lines(tree, query="x", max_results=1400)) == 1401

    @pytest.mark.parametrize(
        "given", [{"query": 5}, {"query": "x", "regex": "yes"}, {"query": "x", "max_results": "many"}]
    )
    def test_a_value_of_another_type_is_refused(self, tree: Path, given: dict[str, Any]) -> None:
        assert refused(tree, "search_files", **given)["code"] == "INVALID_ARGUMENT"


class TestPattern:
    """A single-level glob, not recursive."""

    @pytest.fixture
    def project(self, tree: Path) -> Path:
        write(
            tree,
            {
                "Cargo.toml": "hit\n",
                "main.rs": "hit\n",
                "src/lib.rs": "hit\n",
                "src/notes.md": "hit\n",
                "src/deep/down.rs": "hit\n",
            },
        )
        return tree

    @pytest.mark.parametrize(
        ("pattern", "files"),
        [
            ("*", ["Cargo.toml", "main.rs"]),
            ("*.toml", ["Cargo.toml"]),
            ("src/*.rs", ["src/lib.rs"]),
            ("src/*", ["src/lib.rs", "src/notes.md"]),
            ("*/*.rs", ["src/lib.rs"]),
            ("src/deep/down.rs", ["src/deep/down.rs"]),
            ("m?in.rs", ["main.rs"]),
            ("[!m]*", ["Cargo.toml"]),
        ],
    )
    def test_limits_the_files(self, project: Path, pattern: str, files: list[str]) -> None:
        assert lines(project, query="hit", pattern=pattern) == [f"{file}:1: hit" for file in files]

    def test_is_all_files_directly_in_the_root_by_default(self, project: Path) -> None:
        assert lines(project, query="hit") == lines(project, query="hit", pattern="*")

    @pytest.mark.parametrize("pattern", ["**", "**/*.rs", "src/**/*.rs", "src/**"])
    def test_that_is_recursive_is_refused(self, project: Path, pattern: str) -> None:
        error = refused(project, "search_files", query="hit", pattern=pattern)
        assert (error["code"], error["parameter"]) == ("INVALID_GLOB", "pattern")
        assert error["message"].startswith("Recursive patterns (**) are not allowed.")
        assert "src/*" in error["message"] + error["suggestion"]

    @pytest.mark.parametrize("pattern", ["../*", "src/../../*", "{root}/../*", "link/*"])
    def test_leads_nobody_out(self, project: Path, pattern: str) -> None:
        write(project.parent, {"outside/secret.txt": "hit\n", "secret.txt": "hit\n"})
        (project / "link").symlink_to(project.parent / "outside")
        answer = answered(project, "search_files", query="hit", pattern=pattern.format(root=project))
        assert "secret" not in json.dumps(answer)

    def test_directories_are_skipped(self, tree: Path) -> None:
        write(tree, {"hit.rs/inner.txt": "hit\n", "other.rs": "hit\n"})
        assert lines(tree, query="hit", pattern="*.rs") == ["other.rs:1: hit"]


class TestQuery:
    def test_is_plain_text_by_default(self, tree: Path) -> None:
        write(tree, {"a.rs": "a.c\nabc\nfn f(x)\n[z]\n"})
        assert lines(tree, query="a.c") == ["a.rs:1: a.c"]
        assert lines(tree, query="f(x)") == ["a.rs:3: fn f(x)"]
        assert lines(tree, query="[z") == ["a.rs:4: [z]"]

    def test_is_a_substring(self, tree: Path) -> None:
        write(tree, {"a.rs": "Results\n"})
        assert lines(tree, query="esul") == ["a.rs:1: Results"]

    def test_heeds_case_by_default(self, tree: Path) -> None:
        write(tree, {"a.rs": "Result\nresult\nRESULT\n"})
        assert lines(tree, query="Result") == ["a.rs:1: Result"]

    def test_ignores_case_if_asked(self, tree: Path) -> None:
        write(tree, {"a.rs": "Result\nresult\nRESULT\nÄRGER\n"})
        assert lines(tree, query="rEsult", case_insensitive=True) == [
            "a.rs:1: Result",
            "a.rs:2: result",
            "a.rs:3: RESULT",
        ]
        assert lines(tree, query="ärger", case_insensitive=True) == ["a.rs:4: ÄRGER"]

    def test_is_a_regex_if_asked(self, tree: Path) -> None:
        write(tree, {"a.rs": "unsafe { x }\nunsafe{\nunsafe fn\n"})
        assert lines(tree, query=r"unsafe\s*\{", regex=True) == ["a.rs:1: unsafe { x }", "a.rs:2: unsafe{"]

    def test_case_insensitive_is_ignored_with_a_regex(self, tree: Path) -> None:
        write(tree, {"a.rs": "Result\nRESULT\n"})
        assert lines(tree, query="Result", regex=True, case_insensitive=True) == ["a.rs:1: Result"]
        assert lines(tree, query="(?i)Result", regex=True) == ["a.rs:1: Result", "a.rs:2: RESULT"]

    @pytest.mark.parametrize("query", ["(unclosed", "[a", "*x"])
    def test_an_invalid_regex_is_told_clearly(self, tree: Path, query: str) -> None:
        error = refused(tree, "search_files", query=query, regex=True)
        assert error["code"] == "INVALID_REGEX"
        assert "Invalid regex" in error["message"]
        assert query in error["message"]


class TestResult:
    def test_a_line_for_each_matching_line(self, tree: Path) -> None:
        write(tree, {"b.rs": "x\n\n  x x\n", "a.rs": "no\nx\n"})
        answer = done(tree, "search_files", query="x")
        assert answer["output"] == "a.rs:2: x\nb.rs:1: x\nb.rs:3:   x x"

    @pytest.mark.parametrize("end", ["  \t\n", "\r\n", " \r\n", "   "])
    def test_space_at_the_end_of_a_line_is_trimmed(self, tree: Path, end: str) -> None:
        write(tree, {"a.rs": f"  let x = 1;{end}"})
        assert lines(tree, query="let") == ["a.rs:1:   let x = 1;"]

    def test_no_matches(self, tree: Path) -> None:
        write(tree, {"a.rs": "x\n"})
        assert done(tree, "search_files", query="nothing")["output"] == "No matches found."

    def test_no_files(self, tree: Path) -> None:
        assert done(tree, "search_files", query="x", pattern="nowhere/*.rs")["output"] == "No matches found."

    def test_a_result_over_max_results_tells_how_many_are_omitted(self, tree: Path) -> None:
        write(tree, {"a.rs": "x\nx\nx\n", "b.rs": "x\nx\n", "c.rs": "y\nx\n"})
        assert lines(tree, query="x", max_results=2) == [
            "a.rs:1: x",
            "a.rs:2: x",
            "... (truncated, 4 more matches omitted)",
        ]

    def test_a_result_of_just_max_results_is_not_truncated(self, tree: Path) -> None:
        write(tree, {"a.rs": "x\nx\n"})
        assert lines(tree, query="x", max_results=2) == ["a.rs:1: x", "a.rs:2: x"]

    def test_a_hundred_matches_are_the_default(self, tree: Path) -> None:
        write(tree, {"a.rs": "x\n" * 523})
        found = lines(tree, query="x")
        assert len(found) == 101
        assert found[-1] == "... (truncated, 423 more matches omitted)"

    def test_is_the_same_every_time(self, tree: Path) -> None:
        write(tree, {f"{name}.rs": "x\n" for name in "qwertyuiopasdfghjklzxcvbnm"})
        assert lines(tree, query="x") == [f"{name}.rs:1: x" for name in "abcdefghijklmnopqrstuvwxyz"]
        assert lines(tree, query="x") == lines(tree, query="x")


class TestSafety:
    def test_binary_files_are_skipped_with_a_friendly_warning(self, tree: Path) -> None:
        write(tree, {"a.bin": b"\0\1x\n", "b.txt": "x\n"})
        answer = done(tree, "search_files", query="x")
        assert answer["output"].split("\n")[0] == "b.txt:1: x"
        assert "a.bin:" not in answer["output"]
        [warning] = answer["warnings"]
        assert "a.bin" in warning
        assert "binary" in warning

    def test_a_file_that_cannot_be_read_is_told_by_name(
        self, tree: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tree, {"a.txt": "x\n", "shut.txt": "x\n"})
        (tree / "shut.txt").chmod(0)
        with as_nobody(tree, monkeypatch):
            answer = done(tree, "search_files", query="x")
        assert answer["output"].startswith("a.txt:1: x")
        assert "shut.txt" in "\n".join(answer["warnings"])

    def test_one_long_line_cannot_overflow_the_answer(self, tree: Path) -> None:
        write(tree, {"min.js": "x" * 900_000 + "\n"})
        assert len(done(tree, "search_files", query="x")["output"]) < 100_000


def test_the_manual_verification(tree: Path) -> None:
    """Lines with Result in any .rs file under src/."""
    write(
        tree,
        {
            "src/lib.rs": "use anyhow::Result;\n\nfn f() -> RESULT {}\n",
            "src/main.rs": "let result = 1;\nlet other = 2;\n",
            "src/notes.md": "Result\n",
            "build.rs": "Result\n",
        },
    )
    arguments = '{"query":"Result","pattern":"src/*.rs","case_insensitive":true}'
    ran = redline("tool", "search_files", arguments, "--text", cwd=tree)
    assert (ran.status, ran.lines) == (
        0,
        [
            "src/lib.rs:1: use anyhow::Result;",
            "src/lib.rs:3: fn f() -> RESULT {}",
            "src/main.rs:1: let result = 1;",
        ],
    )
