"""search-files does what its founding document (seed 001) says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.calls import answered, done, refused
from tests.cli.run import redline
from tests.conftest import write
from tui.agents.parameters import decoded
from tui.agents.registry import named

PROJECT: dict[str, str | bytes] = {
    "Program.cs": "",
    "Test1.cs": "",
    "test2.cs": "",
    "best.cs": "",
    "index.html": "",
    "test_root.js": "",
    "src/HomeController.cs": "",
    "src/Services/UserService.cs": "",
    "src/Services/TestDouble.cs": "",
    "src/app/main.ts": "",
    "src/app/view.tsx": "",
    "src/app/index.ts": "",
    "src/app/test.helpers.js": "",
    "src/index.js": "",
    "src/reindex.js": "",
    "web/deep/down/AdminController.cs": "",
    "web/latest.js": "",
    "web/lib.ts": "",
}
EXCLUDED = ["node_modules", "bin", "obj", ".git", "dist", "build", ".vs", "__pycache__"]


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, PROJECT)
    return tree


def found(root: Path, **given: Any) -> list[str]:
    """What search-files lists, read from its data; the text and the data never differ."""
    answer = done(root, "search-files", **given)
    paths = [file["path"] for file in answer["data"]["files"]]
    assert answer["output"] == ("\n".join(paths) or "(no files found)")
    return paths


class TestUnitTestPlan:
    """Each row of the plan under its own name."""

    def test_search_files_tool_simple_pattern_finds_files(self, project: Path) -> None:
        assert found(project, pattern="*.cs") == ["Program.cs", "Test1.cs", "best.cs", "test2.cs"]

    def test_search_files_tool_recursive_pattern_finds_nested(self, project: Path) -> None:
        assert found(project, pattern="**/*.ts") == ["src/app/index.ts", "src/app/main.ts", "web/lib.ts"]

    def test_search_files_tool_path_prefix_filters_correctly(self, project: Path) -> None:
        write(project, {"web/other.tsx": ""})
        assert found(project, pattern="src/**/*.tsx") == ["src/app/view.tsx"]

    def test_search_files_tool_default_excludes_skips_node_modules(self, tree: Path) -> None:
        write(tree, {"a.js": "", "node_modules/left-pad/index.js": "", "pkg/node_modules/x.js": ""})
        assert found(tree, pattern="**/*.js") == ["a.js"]

    def test_search_files_tool_custom_excludes_applied(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "tests/b.cs": "", "src/tests/c.cs": "", "src/d.cs": ""})
        assert found(tree, pattern="**/*.cs", exclude=["**/tests/**"]) == ["a.cs", "src/d.cs"]

    def test_search_files_tool_max_results_truncates(self, tree: Path) -> None:
        write(tree, {f"{number}.cs": "" for number in range(5)})
        answer = done(tree, "search-files", pattern="*.cs", max_results=2)
        assert answer["output"] == "0.cs\n1.cs"
        assert answer["data"]["was_truncated"] is True
        assert (answer["data"]["match_count"], answer["data"]["total_matches"]) == (2, 5)

    def test_search_files_tool_hidden_files_filtered_by_default(self, tree: Path) -> None:
        write(tree, {".env": "", "a/.secret/b.cs": "", "a/.c.cs": "", "a/d.cs": ""})
        assert found(tree, pattern="**/*") == ["a/d.cs"]

    def test_search_files_tool_include_hidden_shows_all(self, tree: Path) -> None:
        write(tree, {".env": "", "a/.secret/b.cs": "", "a/.c.cs": "", "a/d.cs": ""})
        shown = found(tree, pattern="**/*", include_hidden=True)
        assert sorted(shown) == [".env", "a/.c.cs", "a/.secret/b.cs", "a/d.cs"]

    def test_search_files_tool_no_matches_returns_empty(self, project: Path) -> None:
        answer = done(project, "search-files", pattern="**/*.xyz")
        assert answer["output"] == "(no files found)"
        assert answer["data"]["files"] == []

    @pytest.mark.parametrize("given", [{}, {"pattern": ""}, {"pattern": "  \t"}, {"pattern": None}])
    def test_search_files_tool_empty_pattern_returns_error(
        self, project: Path, given: dict[str, Any]
    ) -> None:
        error = refused(project, "search-files", **given)
        assert (error["code"], error["parameter"]) == ("REQUIRED", "pattern")


class TestAcceptanceCriteria:
    def test_ac_1_finds_files_by_glob_pattern(self, project: Path) -> None:
        controllers = ["src/HomeController.cs", "web/deep/down/AdminController.cs"]
        assert found(project, pattern="**/*Controller.cs") == controllers

    def test_ac_2_common_directories_are_excluded_by_default(self, tree: Path) -> None:
        write(tree, {f"{name}/a.cs": "" for name in EXCLUDED} | {"src/a.cs": ""})
        assert found(tree, pattern="**/*.cs") == ["src/a.cs"]

    def test_ac_3_custom_exclusions_can_be_specified(self, project: Path) -> None:
        everything = found(project, pattern="**/*")
        left = found(project, pattern="**/*", exclude=["web/**", "**/*.cs"])
        assert left == [
            path for path in everything if not path.startswith("web/") and not path.endswith(".cs")
        ]

    def test_ac_4_results_are_limited_to_prevent_overflow(self, tree: Path) -> None:
        write(tree, {f"{number:04}.cs": "" for number in range(1001)})
        by_default = done(tree, "search-files", pattern="*.cs")["data"]
        assert (by_default["match_count"], by_default["total_matches"]) == (100, 1001)
        at_most = done(tree, "search-files", pattern="*.cs", max_results=1000)["data"]
        assert (at_most["match_count"], at_most["was_truncated"]) == (1000, True)

    def test_ac_4_a_thousand_results_may_have_paths_of_common_length(self, tree: Path) -> None:
        directory = "src/SeniorIntern.Services/Tools/Search/Implementations"
        write(tree, {f"{directory}/SearchFilesTool{number:04}.cs": "" for number in range(1000)})
        answer = done(tree, "search-files", pattern="**/*.cs", max_results=1000)
        assert answer["data"]["match_count"] == len(answer["data"]["files"]) == 1000
        assert answer["message"] == "Found 1000 files matching '**/*.cs'"

    def test_ac_5_hidden_files_are_optionally_included(self, tree: Path) -> None:
        write(tree, {".hidden.cs": "", "shown.cs": ""})
        assert found(tree, pattern="*.cs", include_hidden=False) == ["shown.cs"]
        assert found(tree, pattern="*.cs", include_hidden=True) == [".hidden.cs", "shown.cs"]


class TestGlobPatternReference:
    @pytest.mark.parametrize(
        ("pattern", "matches"),
        [
            ("*.cs", ["Program.cs", "Test1.cs", "best.cs", "test2.cs"]),
            (
                "**/*.cs",
                [
                    "Program.cs",
                    "Test1.cs",
                    "best.cs",
                    "src/HomeController.cs",
                    "src/Services/TestDouble.cs",
                    "src/Services/UserService.cs",
                    "test2.cs",
                    "web/deep/down/AdminController.cs",
                ],
            ),
            ("src/**/*.ts", ["src/app/index.ts", "src/app/main.ts"]),
            ("**/test*.js", ["src/app/test.helpers.js", "test_root.js"]),
            (
                "**/*.{js,ts}",
                [
                    "src/app/index.ts",
                    "src/app/main.ts",
                    "src/app/test.helpers.js",
                    "src/index.js",
                    "src/reindex.js",
                    "test_root.js",
                    "web/latest.js",
                    "web/lib.ts",
                ],
            ),
            ("src/**/index.*", ["src/app/index.ts", "src/index.js"]),
            ("[Tt]est*.cs", ["Test1.cs", "test2.cs"]),
            ("**/*Controller.cs", ["src/HomeController.cs", "web/deep/down/AdminController.cs"]),
        ],
    )
    def test_each_pattern_of_the_table(self, project: Path, pattern: str, matches: list[str]) -> None:
        assert found(project, pattern=pattern) == matches

    @pytest.mark.parametrize(
        ("pattern", "matches"),
        [
            ("a*", ["a", "ab", "abc"]),
            ("*/x", ["d/x"]),
            ("**/x", ["d/e/x", "d/x"]),
            ("d/**", ["d/e/x", "d/x"]),
            ("a?", ["ab"]),
            ("[ac]", ["a", "c"]),
            ("[!ac]", ["b"]),
            ("{a,ab}", ["a", "ab"]),
        ],
    )
    def test_each_special_character(self, tree: Path, pattern: str, matches: list[str]) -> None:
        write(tree, {"a": "", "b": "", "c": "", "ab": "", "abc": "", "d/x": "", "d/e/x": ""})
        assert found(tree, pattern=pattern) == matches


class TestDefaultExclusions:
    @pytest.mark.parametrize("name", EXCLUDED)
    @pytest.mark.parametrize("where", ["", "deep/down/"])
    def test_at_any_depth_and_always(self, tree: Path, name: str, where: str) -> None:
        write(tree, {f"{where}{name}/a.cs": "", f"{where}{name}/b/c.cs": "", "kept.cs": ""})
        assert found(tree, pattern="**/*.cs") == ["kept.cs"]
        assert found(tree, pattern="**/*.cs", include_hidden=True) == ["kept.cs"]

    def test_custom_exclusions_are_added_to_these(self, tree: Path) -> None:
        write(tree, {"node_modules/a.cs": "", "build/b.cs": "", "tests/c.cs": "", "d.cs": ""})
        assert found(tree, pattern="**/*.cs", exclude=["**/tests/**"]) == ["d.cs"]

    def test_only_whole_names_are_meant(self, tree: Path) -> None:
        write(tree, {"binary/a.cs": "", "rebuild/b.cs": "", "src/build.cs": ""})
        assert found(tree, pattern="**/*.cs") == ["binary/a.cs", "rebuild/b.cs", "src/build.cs"]


class TestOutputFormat:
    """The three examples. The document lists files as the file system gave them; here they are sorted."""

    def test_all_cs_files(self, tree: Path) -> None:
        example = [
            "src/Program.cs",
            "src/Models/User.cs",
            "src/Models/Order.cs",
            "src/Services/UserService.cs",
            "src/Services/OrderService.cs",
            "tests/UserTests.cs",
            "tests/OrderTests.cs",
        ]
        write(tree, dict.fromkeys(example, "") | {"README.md": ""})
        answer = done(tree, "search-files", pattern="**/*.cs")
        assert answer["output"] == "\n".join(sorted(example))
        assert answer["message"] == "Found 7 files matching '**/*.cs'"

    def test_the_first_three_services(self, tree: Path) -> None:
        example = [
            "src/Services/UserService.cs",
            "src/Services/OrderService.cs",
            "src/Services/EmailService.cs",
        ]
        write(tree, dict.fromkeys(example, "") | {"src/Services/ZoneService.cs": "", "src/Program.cs": ""})
        answer = done(tree, "search-files", pattern="src/**/*Service.cs", max_results=3)
        assert answer["output"] == "\n".join(sorted(example))
        assert answer["message"] == "Found 3+ files matching 'src/**/*Service.cs' (showing first 3)"

    def test_no_matches(self, tree: Path) -> None:
        write(tree, {"a.cs": ""})
        answer = done(tree, "search-files", pattern="**/*.xyz")
        assert answer["output"] == "(no files found)"
        assert answer["message"] == "Found 0 files matching '**/*.xyz'"

    def test_a_limit_just_reached_truncates_nothing(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "b.cs": "", "c.cs": ""})
        answer = done(tree, "search-files", pattern="*.cs", max_results=3)
        assert answer["message"] == "Found 3 files matching '*.cs'"
        assert answer["data"]["was_truncated"] is False

    def test_the_command_prints_it(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "src/b.cs": ""})
        ran = redline("tool", "search-files", '{"pattern": "**/*.cs"}', cwd=tree)
        answer = json.loads(ran.out)
        assert (ran.status, answer["ok"], answer["tool"]) == (0, True, "search-files")
        assert answer["output"] == "a.cs\nsrc/b.cs"


class TestResultData:
    def test_all_fields(self, tree: Path) -> None:
        write(tree, {"src/Services/UserService.cs": "", "src/Services/Makefile": "", "top.tar.gz": ""})
        assert done(tree, "search-files", pattern="**/*")["data"] == {
            "pattern": "**/*",
            "path": ".",
            "match_count": 3,
            "total_matches": 3,
            "was_truncated": False,
            "percentage_returned": 100.0,
            "files": [
                {
                    "path": "src/Services/Makefile",
                    "stem": "Makefile",
                    "file_name": "Makefile",
                    "extension": "",
                    "directory": "src/Services",
                },
                {
                    "path": "src/Services/UserService.cs",
                    "stem": "UserService",
                    "file_name": "UserService.cs",
                    "extension": ".cs",
                    "directory": "src/Services",
                },
                {
                    "path": "top.tar.gz",
                    "stem": "top.tar",
                    "file_name": "top.tar.gz",
                    "extension": ".gz",
                    "directory": "",
                },
            ],
        }

    @pytest.mark.parametrize(("shown", "percentage"), [(1, 33.3), (2, 66.7), (3, 100)])
    def test_percentage_returned_is_rounded_to_one_place(
        self, tree: Path, shown: int, percentage: float
    ) -> None:
        write(tree, {"a": "", "b": "", "c": ""})
        data = done(tree, "search-files", pattern="*", max_results=shown)["data"]
        assert data["percentage_returned"] == percentage

    def test_of_nothing_a_hundred_percent_is_returned(self, tree: Path) -> None:
        assert done(tree, "search-files", pattern="*")["data"]["percentage_returned"] == 100

    def test_hidden_files_count_as_no_matches_unless_included(self, tree: Path) -> None:
        write(tree, {"a.cs": "", ".b.cs": "", ".c.cs": ""})
        data = done(tree, "search-files", pattern="*.cs", max_results=1)["data"]
        assert (data["total_matches"], data["was_truncated"]) == (1, False)


class TestStartingDirectory:
    def test_the_pattern_is_read_from_there(self, tree: Path) -> None:
        write(tree, {"a.cs": "", "src/b.cs": "", "src/deep/c.cs": ""})
        data = done(tree, "search-files", pattern="*.cs", path="src")["data"]
        assert data["path"] == "src"
        assert [file["file_name"] for file in data["files"]] == ["b.cs"]

    def test_the_workspace_root_is_the_default(self, project: Path) -> None:
        assert answered(project, "search-files", pattern="**/*.ts") == answered(
            project, "search-files", pattern="**/*.ts", path="."
        )

    def test_one_that_is_not_there(self, tree: Path) -> None:
        error = refused(tree, "search-files", pattern="*", path="no/where")
        assert (error["code"], error["message"]) == ("NOT_FOUND", "Directory not found: no/where")

    @pytest.mark.parametrize("path", ["..", "/etc", "a/../../b"])
    def test_one_outside_the_workspace(self, tree: Path, path: str) -> None:
        assert refused(tree, "search-files", pattern="*", path=path)["code"] == "OUTSIDE_WORKSPACE"


class TestValidation:
    @pytest.mark.parametrize("number", [0, -1, 1001, 10**12])
    def test_max_results_out_of_range(self, tree: Path, number: int) -> None:
        error = refused(tree, "search-files", pattern="*", max_results=number)
        assert (error["code"], error["parameter"]) == ("INVALID_RANGE", "max_results")
        assert "between 1 and 1000" in error["message"]

    @pytest.mark.parametrize("number", [1, 1000])
    def test_max_results_at_the_ends_of_the_range(self, tree: Path, number: int) -> None:
        write(tree, {"a": ""})
        assert found(tree, pattern="*", max_results=number) == ["a"]

    def test_the_command_ends_with_status_two(self, tree: Path) -> None:
        ran = redline("tool", "search-files", '{"pattern": "*", "max_results": 1001}', cwd=tree)
        answer = json.loads(ran.out)
        assert (ran.status, answer["ok"], answer["error"]["code"]) == (2, False, "INVALID_RANGE")


class TestMetadata:
    def test_title_tags_and_risk(self) -> None:
        tool = named("search-files")
        assert tool.title == "Search Files"
        assert tool.tags == ("search", "files", "find", "glob")
        assert tool.risk == "Safe"
        assert tool.requires_approval is False

    def test_the_description_shows_the_pattern_examples(self) -> None:
        description = named("search-files").description
        assert "Search for files by name pattern in the workspace." in description
        assert "Supports glob patterns for flexible matching" in description
        for pattern in ("*.cs", "**/*.cs", "src/**/*.ts", "**/test*.js"):
            assert pattern in description

    def test_parameters(self, tree: Path) -> None:
        listed = json.loads(redline("tools", "--json", cwd=tree).out)
        [schema] = [tool["parameters"] for tool in listed if tool["name"] == "search-files"]
        assert schema["required"] == ["pattern"]
        properties = schema["properties"]
        assert list(properties) == ["pattern", "path", "exclude", "max_results", "include_hidden"]
        assert properties["pattern"]["type"] == "string"
        assert (properties["path"]["type"], properties["path"]["default"]) == ("string", ".")
        assert (properties["max_results"]["type"], properties["max_results"]["default"]) == ("integer", 100)
        assert (properties["max_results"]["minimum"], properties["max_results"]["maximum"]) == (1, 1000)
        assert properties["include_hidden"]["type"] == "boolean"
        assert properties["include_hidden"]["default"] is False

    @pytest.mark.parametrize("exclude", [None, [], ["**/tests/**"]])
    def test_exclude_is_optional(self, tree: Path, exclude: list[str] | None) -> None:
        write(tree, {"a.cs": ""})
        assert found(tree, pattern="*.cs", exclude=exclude) == ["a.cs"]


class TestExecutionSummary:
    @pytest.mark.parametrize(
        ("pattern", "shown"),
        [
            ("**/*.cs", "**/*.cs"),
            ("a" * 30, "a" * 30),
            ("a" * 27 + "bcde", "a" * 27 + "..."),
        ],
    )
    def test_a_long_pattern_is_shortened(self, pattern: str, shown: str) -> None:
        tool = named("search-files")
        given = decoded(tool.parameters, {"pattern": pattern})
        assert tool.execution_summary(given) == f"Search for files: {shown}"
