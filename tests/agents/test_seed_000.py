"""GrepFiles and GrepContent do what their founding document (seed 000) says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.calls import done, refused
from tests.cli.run import redline
from tests.conftest import write
from tui.agents.registry import named

BOTH = pytest.mark.parametrize("tool", ["GrepFiles", "GrepContent"])


def files(root: Path, **given: Any) -> list[str]:
    """What GrepFiles lists."""
    found: list[str] = done(root, "GrepFiles", **given)["data"]["files"]
    return found


def content(root: Path, **given: Any) -> dict[str, Any]:
    """What GrepContent returns."""
    data: dict[str, Any] = done(root, "GrepContent", **given)["data"]
    return data


def lines(data: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (result["file"], match["line"], match["content"])
        for result in data["results"]
        for match in result["matches"]
    ]


def nested(depth: int) -> str:
    return "/".join(["d"] * depth)


class TestGrepFilesExamples:
    def test_a_name_pattern_finds_all_cs_files(self, tree: Path) -> None:
        write(tree, {"Program.cs": "", "src/Services/MyService.cs": "", "src/app.ts": "", "cs": ""})
        assert files(tree, pattern="*.cs") == ["Program.cs", "src/Services/MyService.cs"]

    def test_two_stars_find_all_py_files_starting_with_test(self, tree: Path) -> None:
        write(
            tree,
            {
                "test_a.py": "",
                "pkg/tests.py": "",
                "pkg/deep/test_b.py": "",
                "pkg/my_test.py": "",
                "test.txt": "",
            },
        )
        assert files(tree, pattern="**/test*.py") == ["pkg/deep/test_b.py", "pkg/tests.py", "test_a.py"]

    def test_a_regex_can_ignore_case(self, tree: Path) -> None:
        write(tree, {"README.md": "", "readme.txt": "", "docs/ReadMe.rst": "", "docs/not_readme.md": ""})
        found = files(tree, pattern="(?i)^readme", mode="regex")
        assert sorted(found) == ["README.md", "docs/ReadMe.rst", "readme.txt"]

    def test_a_regex_heeds_case_unless_told(self, tree: Path) -> None:
        write(tree, {"README.md": "", "readme.txt": ""})
        assert files(tree, pattern="^readme", mode="regex") == ["readme.txt"]


class TestGrepFilesReturns:
    def test_the_documents_own_object(self, tree: Path) -> None:
        write(
            tree,
            {"src/Program.cs": "", "src/Services/MyService.cs": "", "tests/Other.cs": "", "src/x.ts": ""},
        )
        answer = done(tree, "GrepFiles", pattern="*.cs", path="src")
        assert answer["data"] == {
            "pattern": "*.cs",
            "mode": "glob",
            "path": "src",
            "files": ["src/Program.cs", "src/Services/MyService.cs"],
            "count": 2,
        }

    def test_the_output_is_that_object_as_json(self, tree: Path) -> None:
        write(tree, {"src/Program.cs": ""})
        answer = done(tree, "GrepFiles", pattern="*.cs")
        assert json.loads(answer["output"]) == answer["data"]

    def test_mode_is_glob_by_default(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "abcs": ""})
        data = done(tree, "GrepFiles", pattern="a.cs")["data"]
        assert (data["mode"], data["files"]) == ("glob", ["a.cs"])

    def test_mode_regex_is_told(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "abcs": ""})
        data = done(tree, "GrepFiles", pattern="a.cs", mode="regex")["data"]
        assert (data["mode"], data["files"], data["count"]) == ("regex", ["a.cs", "abcs"], 2)

    def test_there_is_no_third_mode(self, tree: Path) -> None:
        assert refused(tree, "GrepFiles", pattern="*", mode="fuzzy")["parameter"] == "mode"

    def test_the_workspace_root_is_the_default_path(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "src/b.cs": ""})
        assert files(tree, pattern="*.cs") == files(tree, pattern="*.cs", path=".") == ["a.cs", "src/b.cs"]

    def test_the_pattern_is_required(self, tree: Path) -> None:
        error = refused(tree, "GrepFiles")
        assert (error["code"], error["parameter"]) == ("REQUIRED", "pattern")

    def test_no_match_is_an_empty_list_and_no_error(self, tree: Path) -> None:
        write(tree, {"a.ts": ""})
        data = done(tree, "GrepFiles", pattern="*.cs")["data"]
        assert (data["files"], data["count"]) == ([], 0)

    def test_all_files_means_all_of_them(self, tree: Path) -> None:
        write(tree, {f"src/{number:04}.cs": "" for number in range(600)})
        data = done(tree, "GrepFiles", pattern="*.cs")["data"]
        assert data["count"] == len(data["files"]) == 600


class TestGrepFilesDepth:
    def test_ten_levels_are_the_default(self, tree: Path) -> None:
        write(tree, {"top.cs": "", f"{nested(5)}/middle.cs": "", f"{nested(14)}/deep.cs": ""})
        assert files(tree, pattern="*.cs") == files(tree, pattern="*.cs", maxDepth=10)
        assert sorted(Path(path).name for path in files(tree, pattern="*.cs")) == ["middle.cs", "top.cs"]

    def test_what_the_limit_cuts_is_told(self, tree: Path) -> None:
        write(tree, {"top.cs": "", f"{nested(14)}/deep.cs": ""})
        assert done(tree, "GrepFiles", pattern="*.cs")["warnings"]
        assert not done(tree, "GrepFiles", pattern="*.cs", maxDepth=0)["warnings"]

    def test_a_smaller_limit_finds_less(self, tree: Path) -> None:
        write(tree, {"top.cs": "", f"{nested(5)}/middle.cs": ""})
        assert files(tree, pattern="*.cs", maxDepth=3) == ["top.cs"]

    def test_zero_is_unlimited(self, tree: Path) -> None:
        write(tree, {f"{nested(40)}/deep.cs": ""})
        assert files(tree, pattern="*.cs", maxDepth=0) == [f"{nested(40)}/deep.cs"]


class TestGrepContentExamples:
    def test_find_all_todo(self, tree: Path) -> None:
        write(tree, {"a.py": "x\n# TODO one\n", "src/b.cs": "// TODO two\n// todo small\n", "c.py": "done\n"})
        assert lines(content(tree, pattern="TODO")) == [
            ("a.py", 2, "# TODO one"),
            ("src/b.cs", 1, "// TODO two"),
        ]

    def test_find_class_definitions(self, tree: Path) -> None:
        write(tree, {"a.cs": "public  class A\npublic\tclass B\npublicclass C\nprivate class D\n"})
        assert [line for _, line, _ in lines(content(tree, pattern="public\\s+class"))] == [1, 2]

    def test_search_only_cs_files(self, tree: Path) -> None:
        write(tree, {"a.cs": "TODO\n", "deep/down/b.cs": "TODO\n", "c.py": "TODO\n", "d.css": "TODO\n"})
        data = content(tree, pattern="TODO", filePattern="*.cs")
        assert [file for file, _, _ in lines(data)] == ["a.cs", "deep/down/b.cs"]
        assert data["filesScanned"] == 2

    def test_case_insensitive(self, tree: Path) -> None:
        write(tree, {"a.txt": "error\nError\nERROR\nfine\n"})
        assert [line for _, line, _ in lines(content(tree, pattern="error", ignoreCase=True))] == [1, 2, 3]
        assert [line for _, line, _ in lines(content(tree, pattern="error"))] == [1]

    def test_show_two_lines_of_context(self, tree: Path) -> None:
        write(tree, {"a.js": "one\ntwo\nthree\nfunction f() {\nfive\nsix\nseven\n"})
        [result] = content(tree, pattern="function", contextLines=2)["results"]
        assert result["matches"] == [
            {
                "line": 4,
                "content": "function f() {",
                "context": ["2: two", "3: three", "4: function f() {", "5: five", "6: six"],
            }
        ]

    def test_only_list_matching_files(self, tree: Path) -> None:
        write(
            tree, {"a.py": "import secret_a\nimport secret_b\n", "b.py": "x\n", "c/d.py": "import secret_c\n"}
        )
        answer = done(tree, "GrepContent", pattern="import", filesOnly=True)
        assert [result["file"] for result in answer["data"]["results"]] == ["a.py", "c/d.py"]
        assert "secret" not in json.dumps(answer)

    def test_return_match_counts_only(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO secret\nTODO secret\n", "b.py": "x\n", "c/d.py": "TODO secret\n"})
        answer = done(tree, "GrepContent", pattern="TODO", countOnly=True)
        counts = {result["file"]: result["matchCount"] for result in answer["data"]["results"]}
        assert counts == {"a.py": 2, "c/d.py": 1}
        assert answer["data"]["totalMatches"] == 3
        assert "secret" not in json.dumps(answer)

    def test_find_non_empty_lines(self, tree: Path) -> None:
        write(tree, {"a.txt": "one\n\nthree\n\n\nsix\n"})
        found = lines(content(tree, pattern="^$", invertMatch=True))
        assert found == [("a.txt", 1, "one"), ("a.txt", 3, "three"), ("a.txt", 6, "six")]


class TestGrepContentReturns:
    def test_the_documents_own_object(self, tree: Path) -> None:
        write(
            tree,
            {
                "src/Program.cs": "//\n" * 13 + "var x = 1;\n// TODO: implement error handling\nreturn x;\n",
                "src/Other.cs": "// nothing to do\n",
                "src/readme.md": "TODO\n",
                "Elsewhere.cs": "TODO\n",
            },
        )
        answer = done(
            tree, "GrepContent", pattern="TODO|FIXME", path="src", filePattern="*.cs", contextLines=1
        )
        assert answer["data"] == {
            "pattern": "TODO|FIXME",
            "path": "src",
            "filePattern": "*.cs",
            "results": [
                {
                    "file": "src/Program.cs",
                    "matches": [
                        {
                            "line": 15,
                            "content": "// TODO: implement error handling",
                            "context": [
                                "14: var x = 1;",
                                "15: // TODO: implement error handling",
                                "16: return x;",
                            ],
                        }
                    ],
                    "matchCount": 1,
                }
            ],
            "totalMatches": 1,
            "filesScanned": 2,
            "truncated": False,
        }

    def test_the_output_is_that_object_as_json(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n"})
        answer = done(tree, "GrepContent", pattern="TODO", contextLines=1)
        assert json.loads(answer["output"]) == answer["data"]

    def test_the_same_keys_whatever_is_left_to_its_default(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n"})
        data = content(tree, pattern="TODO")
        assert set(data) == {
            "pattern",
            "path",
            "filePattern",
            "results",
            "totalMatches",
            "filesScanned",
            "truncated",
        }
        [result] = data["results"]
        assert set(result) == {"file", "matches", "matchCount"}

    def test_no_lines_around_by_default(self, tree: Path) -> None:
        write(tree, {"a.py": "secret above\nTODO\nsecret below\n"})
        assert "secret" not in json.dumps(done(tree, "GrepContent", pattern="TODO"))

    def test_lines_before_only(self, tree: Path) -> None:
        write(tree, {"a.py": "one\ntwo\nTODO\nfour\n"})
        [result] = content(tree, pattern="TODO", beforeLines=1)["results"]
        assert result["matches"][0]["context"] == ["2: two", "3: TODO"]

    def test_lines_after_only(self, tree: Path) -> None:
        write(tree, {"a.py": "one\nTODO\nthree\nfour\n"})
        [result] = content(tree, pattern="TODO", afterLines=1)["results"]
        assert result["matches"][0]["context"] == ["2: TODO", "3: three"]

    def test_context_stops_at_the_ends_of_the_file(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n"})
        [result] = content(tree, pattern="TODO", contextLines=5)["results"]
        assert result["matches"][0]["context"] == ["1: TODO"]

    def test_the_pattern_is_required(self, tree: Path) -> None:
        error = refused(tree, "GrepContent")
        assert (error["code"], error["parameter"]) == ("REQUIRED", "pattern")

    def test_no_match_is_an_empty_list_and_no_error(self, tree: Path) -> None:
        write(tree, {"a.py": "x\n"})
        data = content(tree, pattern="TODO")
        assert (data["results"], data["totalMatches"], data["truncated"]) == ([], 0, False)
        assert data["filesScanned"] == 1


class TestSecurityAndPerformance:
    @BOTH
    @pytest.mark.parametrize("path", ["..", "../outside", "src/../../outside", "/etc", "/"])
    def test_a_path_out_of_bounds_is_refused(self, tree: Path, tool: str, path: str) -> None:
        write(tree, {"src/a.py": "secret\n"})
        write(tree.parent, {"outside/b.py": "secret\n"})
        error = refused(tree, tool, pattern="secret", path=path)
        assert error["message"] == "Error: path must be under the workspace."
        assert error["code"] == "OUTSIDE_WORKSPACE"

    @BOTH
    def test_a_link_leads_nobody_out(self, tree: Path, tool: str) -> None:
        write(tree.parent, {"outside/secret.py": "secret\n"})
        (tree / "link").symlink_to(tree.parent / "outside")
        refused(tree, tool, pattern="secret*", path="link")
        assert "secret.py" not in json.dumps(done(tree, tool, pattern="secret*"))

    def test_binary_files_are_not_searched(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n", "b.png": b"\x89PNG\0\0TODO\n"})
        data = content(tree, pattern="TODO")
        assert [file for file, _, _ in lines(data)] == ["a.py"]
        assert data["filesScanned"] == 1

    def test_a_hundred_matches_are_the_default_limit(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n" * 60, "b.py": "TODO\n" * 60, "c.py": "TODO\n"})
        data = content(tree, pattern="TODO")
        assert len(lines(data)) == 100
        assert data["truncated"] is True
        assert data["totalMatches"] == 121

    def test_max_results_limits_and_says_so(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n" * 6})
        data = content(tree, pattern="TODO", maxResults=4)
        assert (len(lines(data)), data["totalMatches"], data["truncated"]) == (4, 6, True)

    def test_a_limit_just_reached_truncates_nothing(self, tree: Path) -> None:
        write(tree, {"a.py": "TODO\n" * 4})
        data = content(tree, pattern="TODO", maxResults=4)
        assert (len(lines(data)), data["totalMatches"], data["truncated"]) == (4, 4, False)

    def test_files_over_a_megabyte_are_skipped_and_told(self, tree: Path) -> None:
        write(
            tree,
            {"big.txt": "TODO\n" * 220_000, "fits.txt": "TODO\n" + "x\n" * 490_000, "small.txt": "TODO\n"},
        )
        answer = done(tree, "GrepContent", pattern="TODO")
        assert [result["file"] for result in answer["data"]["results"]] == ["fits.txt", "small.txt"]
        assert "big.txt" in "\n".join(answer["warnings"])


class TestErrors:
    @pytest.mark.parametrize("given", [{"mode": "regex"}, {}])
    def test_an_invalid_regex(self, tree: Path, given: dict[str, str]) -> None:
        tool = "GrepFiles" if given else "GrepContent"
        error = refused(tree, tool, pattern="foo(bar", **given)
        assert error["message"].startswith("Error: Invalid regex pattern: ")
        assert len(error["message"]) > len("Error: Invalid regex pattern: ")
        assert error["code"] == "INVALID_REGEX"

    @BOTH
    def test_a_directory_that_is_not_there(self, tree: Path, tool: str) -> None:
        error = refused(tree, tool, pattern="x", path="nowhere")
        assert (error["code"], error["message"]) == ("NOT_FOUND", "Error: Directory not found.")

    def test_the_command_prints_the_same_error_and_status_two(self, tree: Path) -> None:
        ran = redline("tool", "GrepContent", '{"pattern": "x", "path": "nowhere"}', cwd=tree)
        answer = json.loads(ran.out)
        assert (answer["ok"], answer["tool"], ran.status) == (False, "GrepContent", 2)
        assert answer["error"]["message"] == "Error: Directory not found."

    @BOTH
    def test_the_command_does_not_call_no_match_an_error(self, tree: Path, tool: str) -> None:
        ran = redline("tool", tool, '{"pattern": "nothing"}', cwd=tree)
        assert (json.loads(ran.out)["ok"], ran.status) == (True, 0)


def test_each_example_of_the_document_is_in_the_tools_own_documentation() -> None:
    examples = {
        "GrepFiles": [
            {"pattern": "*.cs"},
            {"pattern": "**/test*.py"},
            {"pattern": "(?i)^readme", "mode": "regex"},
        ],
        "GrepContent": [
            {"pattern": "TODO"},
            {"pattern": "public\\s+class"},
            {"pattern": "TODO", "filePattern": "*.cs"},
            {"pattern": "error", "ignoreCase": True},
            {"pattern": "function", "contextLines": 2},
            {"pattern": "import", "filesOnly": True},
            {"pattern": "TODO", "countOnly": True},
            {"pattern": "^$", "invertMatch": True},
        ],
    }
    for tool, expected in examples.items():
        assert [dict(example.arguments) for example in named(tool).examples] == expected
