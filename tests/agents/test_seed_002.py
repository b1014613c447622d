"""The agent tools do what every scenario of their founding specification (seed 002) says.

One test a scenario, named after it; one class a requirement. A write is only proposed here: it waits
for its review.
"""

from __future__ import annotations

import json
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.agents.calls import done, refused
from tests.cli.run import redline
from tests.conftest import write
from tui.agents.registry import registry
from tui.review.proposals import inbox
from tui.search.timelimit import TimeLimit
from tui.workspace import Workspace


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


def matched(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [
        (result["file"], match["line"]) for result in answer["data"]["results"] for match in result["matches"]
    ]


def proposals(root: Path) -> list[str]:
    """The ids of what waits in the inbox."""
    with Workspace(root) as workspace:
        return [str(proposal.id) for proposal in inbox(workspace)]


def patched(root: Path, path: str, diff: str) -> str:
    """What `patch` makes of the file with that diff."""
    ran = subprocess.run(
        ["patch", "--silent", "--output=-", str(root / path)],
        input=diff.removesuffix("\n") + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def must_wait_for_approval(root: Path, answer: dict[str, Any], path: str, content: str) -> None:
    assert answer["data"]["status"] == "pending"
    assert (root / path).read_text() == content
    assert proposals(root) == [str(answer["data"]["proposal_id"])]


def must_leave_everything_alone(root: Path, path: str, content: str) -> None:
    assert (root / path).read_text() == content
    assert proposals(root) == []


@cache
def declared() -> dict[str, dict[str, Any]]:
    """The tools as `redline tools --json` declares them."""
    listed = json.loads(redline("tools", "--json", cwd=Path("/")).out)
    return {tool["name"]: tool for tool in listed}


@cache
def prompt() -> dict[str, tuple[str, list[str], str]]:
    """The sections of `redline tools --prompt`: each category's description, tools and whole text."""
    sections = {}
    for section in redline("tools", "--prompt", cwd=Path("/")).out.decode().split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        about, *tools = text.split("\n### ")
        sections[title] = (about.lower(), [tool.partition("\n")[0] for tool in tools], text)
    return sections


class TestContentSearchWithGrep:
    def test_search_for_code_pattern(self, tree: Path) -> None:
        write(
            tree,
            {
                "src/a.rs": "use x;\nasync fn execute() {\n    run();\n}\n",
                "src/b.rs": "// b\n\nfn execute() {}\npub async fn try_execute() {}\n",
                "src/c.rs": "async fn other() {}\n",
            },
        )
        answer = done(tree, "grep", pattern="async fn.*execute", context=1)
        assert matched(answer) == [("src/a.rs", 2), ("src/b.rs", 4)]
        [in_a, in_b] = [result["matches"][0] for result in answer["data"]["results"]]
        assert (in_a["before"], in_a["content"], in_a["after"]) == (
            ["use x;"],
            "async fn execute() {",
            ["    run();"],
        )
        assert (in_b["before"], in_b["after"]) == (["fn execute() {}"], [])
        for told in ("src/a.rs", "src/b.rs", "use x;", "async fn execute() {", "run();"):
            assert told in answer["output"]
        limited = done(tree, "grep", pattern="async fn.*execute", max_results=1)
        assert matched(limited) == [("src/a.rs", 2)]
        assert (limited["data"]["total_matches"], limited["data"]["total_files"]) == (2, 2)

    def test_case_insensitive_search(self, tree: Path) -> None:
        write(tree, {"a.txt": "todo\nToDo\nTODO\ndone\n"})
        assert matched(done(tree, "grep", pattern="todo", case_sensitive=False)) == [
            ("a.txt", 1),
            ("a.txt", 2),
            ("a.txt", 3),
        ]
        assert matched(done(tree, "grep", pattern="todo", case_sensitive=True)) == [("a.txt", 1)]

    @pytest.mark.parametrize(("file_type", "files"), [("rs", ["a.rs", "deep/b.rs"]), ("ts", ["c.ts"])])
    def test_filter_by_file_type(self, tree: Path, file_type: str, files: list[str]) -> None:
        write(tree, dict.fromkeys(["a.rs", "deep/b.rs", "c.ts", "d.py", "rs", "e.rs.txt"], "hit\n"))
        answer = done(tree, "grep", pattern="hit", file_type=file_type)
        assert [file for file, _ in matched(answer)] == files
        assert answer["data"]["files_scanned"] == len(files)

    def test_no_matches_found(self, tree: Path) -> None:
        write(tree, {"a.txt": "x\n"})
        answer = done(tree, "grep", pattern="nothing like it")
        assert answer["data"]["results"] == []
        assert answer["data"]["total_matches"] == 0
        assert "no match" in answer["message"].lower()
        assert "no match" in answer["output"].lower()

    @pytest.mark.parametrize("pattern", ["async fn (", "[a-", "x**+*", "(?P<name"])
    def test_invalid_regex_pattern(self, tree: Path, pattern: str) -> None:
        error = refused(tree, "grep", pattern=pattern)
        assert error["code"] == "INVALID_REGEX"
        assert "position" in error["message"] or "column" in error["message"]
        assert error["suggestion"]


class TestPatternBasedFileSearchWithGlob:
    def test_find_files_by_extension(self, tree: Path) -> None:
        write(
            tree,
            dict.fromkeys(
                ["z.tsx", "App.tsx", "src/b.tsx", "src/a.tsx", "src/a.ts", "node_modules/x.tsx", "dist/y.tsx"]
                + ["src/build/z.tsx", "pkg/node_modules/deep/x.tsx"],
                "",
            ),
        )
        answer = done(tree, "glob", pattern="**/*.tsx")
        assert answer["data"]["files"] == ["App.tsx", "src/a.tsx", "src/b.tsx", "z.tsx"]
        assert answer["output"].splitlines() == answer["data"]["files"]

    def test_find_test_files(self, tree: Path) -> None:
        write(
            tree,
            dict.fromkeys(
                ["src/a.test.ts", "src/one/two/b.test.ts", "src/a.ts", "tests/c.test.ts", "d.test.ts"], ""
            ),
        )
        found = done(tree, "glob", pattern="src/**/*.test.ts")["data"]["files"]
        assert found == ["src/a.test.ts", "src/one/two/b.test.ts"]

    @pytest.mark.parametrize(
        ("exclude", "files"),
        [
            (["node_modules", "dist"], ["a.js", "src/vendor/c.js", "vendor/b.js"]),
            (["vendor"], ["a.js"]),
            (["src"], ["a.js", "vendor/b.js"]),
        ],
    )
    def test_exclude_directories(self, tree: Path, exclude: list[str], files: list[str]) -> None:
        write(
            tree,
            dict.fromkeys(["a.js", "vendor/b.js", "src/vendor/c.js", "node_modules/d.js", "dist/e.js"], ""),
        )
        assert done(tree, "glob", pattern="**/*.js", exclude=exclude)["data"]["files"] == files

    @pytest.mark.parametrize(
        "pattern",
        ["src/[abc", "**/*.{ts,tsx", "{a,b}" * 30, "**/a/" * 8 + "b"],
        ids=["open bracket", "open brace", "brace bomb", "many stars"],
    )
    def test_invalid_glob_pattern(self, tree: Path, pattern: str) -> None:
        error = refused(tree, "glob", pattern=pattern)
        assert error["code"] == "INVALID_GLOB"
        assert error["message"]
        assert "*" in error["suggestion"]

    def test_no_matching_files(self, tree: Path) -> None:
        write(tree, {"a.ts": ""})
        answer = done(tree, "glob", pattern="**/*.tsx")
        assert (answer["data"]["files"], answer["data"]["total_files"]) == ([], 0)
        for told in (answer["message"], answer["output"]):
            assert "no files" in told.lower() or "no match" in told.lower()


class TestFindAndReplaceInFiles:
    def test_simple_text_replacement(self, tree: Path) -> None:
        before = "oldText and oldText\nother\nx.oldText()\n"
        write(tree, {"a.ts": before})
        answer = done(tree, "replace_in_file", path="a.ts", find="oldText", replace="newText")
        assert patched(tree, "a.ts", answer["data"]["diff"]) == before.replace("oldText", "newText")
        assert answer["data"]["replacements"] == 3
        must_wait_for_approval(tree, answer, "a.ts", before)

    def test_simple_text_is_no_regex(self, tree: Path) -> None:
        write(tree, {"a.ts": "f(x) f.x\n"})
        answer = done(tree, "replace_in_file", path="a.ts", find="f(x)", replace=r"\1$1")
        assert patched(tree, "a.ts", answer["data"]["diff"]) == "\\1$1 f.x\n"

    def test_regex_based_replacement(self, tree: Path) -> None:
        before = "getName() getAge()\nget()\n"
        write(tree, {"a.ts": before})
        answer = done(
            tree, "replace_in_file", path="a.ts", find=r"get(\w+)\(\)", replace=r"fetch\1()", is_regex=True
        )
        assert patched(tree, "a.ts", answer["data"]["diff"]) == "fetchName() fetchAge()\nget()\n"
        assert answer["data"]["replacements"] == 2
        must_wait_for_approval(tree, answer, "a.ts", before)

    @pytest.mark.parametrize("template", [r"\g<last>, \g<first>", "$2, $1", "${last}, ${first}", r"\2, \1"])
    def test_regex_capture_groups_in_every_spelling(self, tree: Path, template: str) -> None:
        write(tree, {"a.txt": "Ada Lovelace\n"})
        find = r"(?P<first>\w+) (?P<last>\w+)"
        answer = done(tree, "replace_in_file", path="a.txt", find=find, replace=template, is_regex=True)
        assert patched(tree, "a.txt", answer["data"]["diff"]) == "Lovelace, Ada\n"

    def test_preview_mode(self, tree: Path) -> None:
        before = "a\noldText\nb\n"
        write(tree, {"a.ts": before})
        answer = done(
            tree, "replace_in_file", path="a.ts", find="oldText", replace="newText", preview_only=True
        )
        assert answer["data"]["status"] == "preview"
        assert patched(tree, "a.ts", answer["data"]["diff"]) == "a\nnewText\nb\n"
        assert "-oldText" in answer["output"]
        assert "+newText" in answer["output"]
        assert answer["data"].get("proposal_id") is None
        must_leave_everything_alone(tree, "a.ts", before)

    @pytest.mark.parametrize("before", ["oldText\n", "a\noldText\nb\n", "a\noldText"])
    def test_preview_is_a_patch_that_git_takes_as_it_is(self, tree: Path, before: str) -> None:
        write(tree, {"a.ts": before})
        given = {"path": "a.ts", "find": "oldText", "replace": "newText"}
        diff = done(tree, "replace_in_file", **given, preview_only=True)["data"]["diff"]
        ran = subprocess.run(
            ["git", "apply", "-"], input=diff.encode(), cwd=tree, capture_output=True, check=False
        )
        assert ran.stderr == b""
        assert (tree / "a.ts").read_bytes() == before.replace("oldText", "newText").encode()

    @pytest.mark.parametrize("is_regex", [False, True])
    def test_pattern_not_found(self, tree: Path, is_regex: bool) -> None:
        write(tree, {"a.ts": "x\n"})
        answer = done(
            tree, "replace_in_file", path="a.ts", find="oldText", replace="newText", is_regex=is_regex
        )
        assert (answer["data"]["status"], answer["data"]["replacements"]) == ("unchanged", 0)
        assert "0 replacements" in answer["message"]
        must_leave_everything_alone(tree, "a.ts", "x\n")

    def test_file_not_found(self, tree: Path) -> None:
        error = refused(tree, "replace_in_file", path="src/gone.ts", find="a", replace="b")
        assert error["code"] == "NOT_FOUND"
        assert "src/gone.ts" in error["message"]


class TestLineBasedFileEditing:
    def edit(self, tree: Path, expected: str, **given: Any) -> None:
        before = numbered(20)
        write(tree, {"a.txt": before})
        answer = done(tree, "edit_lines", path="a.txt", **given)
        assert patched(tree, "a.txt", answer["data"]["diff"]) == expected
        assert answer["data"]["total_lines"] == expected.count("\n")
        must_wait_for_approval(tree, answer, "a.txt", before)

    def test_insert_lines(self, tree: Path) -> None:
        expected = numbered(20).replace("line 10\n", "line 10\nnew one\nnew two\n")
        self.edit(tree, expected, operation="insert", start_line=10, content="new one\nnew two")

    def test_insert_lines_at_the_top_and_at_the_end(self, tree: Path) -> None:
        write(tree, {"a.txt": "1\n2\n"})
        for line, expected in ((0, "x\n1\n2\n"), (2, "1\n2\nx\n")):
            answer = done(
                tree,
                "edit_lines",
                path="a.txt",
                operation="insert",
                start_line=line,
                content="x",
                preview_only=True,
            )
            assert patched(tree, "a.txt", answer["data"]["diff"]) == expected

    def test_delete_line_range(self, tree: Path) -> None:
        gone = "".join(f"line {number}\n" for number in range(5, 9))
        self.edit(tree, numbered(20).replace(gone, ""), operation="delete", start_line=5, end_line=8)

    def test_replace_line_range(self, tree: Path) -> None:
        gone = "".join(f"line {number}\n" for number in range(10, 16))
        expected = numbered(20).replace(gone, "new\n")
        self.edit(tree, expected, operation="replace", start_line=10, end_line=15, content="new")

    @pytest.mark.parametrize(
        "given",
        [
            {"operation": "delete", "start_line": 21},
            {"operation": "delete", "start_line": 5, "end_line": 21},
            {"operation": "replace", "start_line": 21, "end_line": 25, "content": "x"},
            {"operation": "replace", "start_line": 10, "end_line": 99, "content": "x"},
            {"operation": "insert", "start_line": 21, "content": "x"},
        ],
    )
    def test_invalid_line_range(self, tree: Path, given: dict[str, Any]) -> None:
        write(tree, {"a.txt": numbered(20)})
        error = refused(tree, "edit_lines", path="a.txt", **given)
        assert error["code"] == "INVALID_RANGE"
        first = 0 if given["operation"] == "insert" else 1
        assert f"{first}-20" in error["message"] or f"{first} to 20" in error["message"]
        must_leave_everything_alone(tree, "a.txt", numbered(20))

    def test_file_not_found(self, tree: Path) -> None:
        error = refused(tree, "edit_lines", path="src/gone.ts", operation="delete", start_line=1)
        assert error["code"] == "NOT_FOUND"
        assert "src/gone.ts" in error["message"]


class TestEnhancedSimpleSearch:
    def test_search_with_file_type_filter(self, tree: Path) -> None:
        write(
            tree,
            {
                "a_parts.rs": "retrying\n",
                "b_word.rs": "a retry here\n",
                "c_words.rs": "retry\nretry\nretry\n",
                "retry.rs": "nothing\n",
                "retry.ts": "retry\n",
                "none.rs": "x\n",
            },
        )
        answer = done(tree, "search", query="retry", file_type="rs")
        found = [result["file"] for result in answer["data"]["results"]]
        assert found == ["retry.rs", "c_words.rs", "b_word.rs", "a_parts.rs"]

    def test_exclude_directories(self, tree: Path) -> None:
        write(
            tree, dict.fromkeys(["a.py", "tests/b.py", "src/tests/c.py", "docs/d.py", "src/e.py"], "config\n")
        )
        answer = done(tree, "search", query="config", exclude_dirs=["tests", "docs"])
        assert sorted(result["file"] for result in answer["data"]["results"]) == ["a.py", "src/e.py"]
        assert answer["data"]["total_files"] == 2

    def test_limit_results(self, tree: Path) -> None:
        write(tree, {f"{number:03}.py": "config\n" for number in range(70)})
        answer = done(tree, "search", query="config", max_results=10)
        assert len(answer["data"]["results"]) == 10
        assert answer["data"]["truncated"] is True
        assert answer["data"]["total_files"] == 70
        assert "70" in answer["message"]
        assert answer["data"]["suggestion"]
        assert answer["data"]["suggestion"] in answer["output"]

    def test_limit_results_suggests_nothing_when_all_are_shown(self, tree: Path) -> None:
        write(tree, {"a.py": "config\n"})
        data = done(tree, "search", query="config", max_results=10)["data"]
        assert (data["truncated"], data["suggestion"]) == (False, None)


class TestToolCategorizationForSystemPrompt:
    def must_group(self, title: str, tools: set[str]) -> str:
        about, listed, _ = prompt()[title]
        assert tools <= set(listed)
        elsewhere = {name for other in prompt() if other != title for name in prompt()[other][1]}
        assert tools.isdisjoint(elsewhere)
        return about

    def test_search_and_discovery_category(self) -> None:
        about = self.must_group("Search & Discovery", {"grep", "glob", "search", "list_directory"})
        assert "find" in about or "search" in about
        assert "files" in about
        assert "text" in about or "content" in about

    def test_file_reading_category(self) -> None:
        assert "read-only" in self.must_group("File Reading", {"read_file"})

    def test_file_writing_category(self) -> None:
        tools = {"create_file", "update_file", "append_file", "replace_in_file", "edit_lines"}
        assert "requires approval" in self.must_group("File Writing", tools)

    def test_file_management_category(self) -> None:
        assert "destructive" in self.must_group("File Management", {"delete_file"})


class TestToolPermissionDeclarations:
    @pytest.mark.parametrize("name", ["grep", "glob", "search", "list_directory", "read_file"])
    def test_read_only_search_tools(self, name: str) -> None:
        assert declared()[name]["required_permissions"] == ["ReadFiles"]
        assert declared()[name]["requires_approval"] is False

    @pytest.mark.parametrize("name", ["replace_in_file", "edit_lines"])
    def test_write_access_editing_tools(self, name: str) -> None:
        assert set(declared()[name]["required_permissions"]) == {"ReadFiles", "WriteFiles"}
        assert declared()[name]["requires_approval"] is True

    @pytest.mark.parametrize(
        ("name", "needed"), [("create_file", "CreateFiles"), ("delete_file", "DeleteFiles")]
    )
    def test_create_delete_operations(self, tree: Path, name: str, needed: str) -> None:
        assert needed in declared()[name]["required_permissions"]
        assert declared()[name]["requires_approval"] is True

    def test_create_file_waits_for_approval(self, tree: Path) -> None:
        answer = done(tree, "create_file", path="src/new.py", content="x\n")
        assert answer["data"]["status"] == "pending"
        assert not (tree / "src").exists()
        assert len(proposals(tree)) == 1

    def test_delete_file_waits_for_approval(self, tree: Path) -> None:
        write(tree, {"a.txt": "x\n"})
        answer = done(tree, "delete_file", path="a.txt")
        must_wait_for_approval(tree, answer, "a.txt", "x\n")


class TestSearchResultLimits:
    def test_grep_default_limit(self, tree: Path) -> None:
        write(tree, {"a.txt": "hit\n" * 40, "b.txt": "hit\n" * 40})
        answer = done(tree, "grep", pattern="hit")
        assert len(matched(answer)) == 50
        assert answer["data"]["total_matches"] == 80
        assert "80" in answer["message"]
        assert answer["data"]["truncated"] is True
        assert answer["data"]["suggestion"]
        assert answer["data"]["suggestion"] in answer["output"]
        assert declared()["grep"]["parameters"]["properties"]["max_results"]["default"] == 50

    def test_glob_default_limit(self, tree: Path) -> None:
        write(tree, {f"{number:03}.ts": "" for number in range(120)})
        answer = done(tree, "glob", pattern="*.ts")
        assert answer["data"]["files"] == [f"{number:03}.ts" for number in range(100)]
        assert answer["data"]["total_files"] == 120
        assert "120" in answer["message"]
        assert answer["data"]["truncated"] is True
        assert answer["data"]["suggestion"]
        assert answer["data"]["suggestion"] in answer["output"]
        assert declared()["glob"]["parameters"]["properties"]["max_results"]["default"] == 100

    def test_custom_result_limit(self, tree: Path) -> None:
        write(tree, {f"{number:03}.ts": "hit\n" for number in range(510)})
        for asked, given in ((7, 7), (500, 500), (501, 500), (10_000, 500)):
            assert len(matched(done(tree, "grep", pattern="hit", max_results=asked))) == given
            globbed = done(tree, "glob", pattern="*.ts", max_results=asked)["data"]
            assert (len(globbed["files"]), globbed["total_files"]) == (given, 510)

    def test_custom_result_limit_with_lines_of_common_length(self, tree: Path) -> None:
        write(tree, {"a.txt": ("hit" + "x" * 97 + "\n") * 500})
        assert len(matched(done(tree, "grep", pattern="hit", max_results=480))) == 480

    def test_nothing_is_suggested_when_nothing_is_cut(self, tree: Path) -> None:
        write(tree, {"a.txt": "hit\n" * 50})
        data = done(tree, "grep", pattern="hit")["data"]
        assert (len(data["results"][0]["matches"]), data["truncated"], data["suggestion"]) == (
            50,
            False,
            None,
        )


class TestSearchPerformanceAndSafety:
    def test_file_size_limits_for_grep(self, tree: Path) -> None:
        write(tree, {"a.txt": "hit\n", "big.txt": "hit\n" * 300_000, "c.txt": "hit\n"})
        answer = done(tree, "grep", pattern="hit")
        assert matched(answer) == [("a.txt", 1), ("c.txt", 1)]
        assert [item["file"] for item in answer["data"]["skipped"]] == ["big.txt"]
        assert "big.txt" in "\n".join(answer["warnings"])

    @pytest.mark.parametrize("tool", ["grep", "glob"])
    def test_search_depth_limits(self, tree: Path, tool: str) -> None:
        deep = "/".join("abcdefghijklmno")
        write(tree, {"top.txt": "hit\n", "a/b/c/middle.txt": "hit\n", f"{deep}/deep.txt": "hit\n"})
        pattern = "hit" if tool == "grep" else "**/*.txt"
        answer = done(tree, tool, pattern=pattern)
        assert "top.txt" in answer["output"]
        assert "a/b/c/middle.txt" in answer["output"]
        assert "deep.txt" not in answer["output"].replace("a/b/c/middle.txt", "")
        [warning] = answer["warnings"]
        assert "deep" in warning or "depth" in warning
        everything = done(tree, tool, pattern=pattern, max_depth=0)
        assert f"{deep}/deep.txt" in everything["output"]
        assert everything["warnings"] == []

    def test_regex_timeout_protection(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"a.txt": "aaa\n", "bad.txt": "a" * 60 + "!\n", "c.txt": "x\naa\n"})
        allowed = []

        def shorter(seconds: float) -> TimeLimit:
            allowed.append(seconds)
            return TimeLimit(seconds / 20)

        monkeypatch.setattr("tui.search.grep.TimeLimit", shorter)
        started = time.monotonic()
        answer = done(tree, "grep", pattern="(a|aa)+$")
        assert time.monotonic() - started < 2
        assert allowed == [5]
        assert matched(answer) == [("a.txt", 1), ("c.txt", 2)]
        assert [item["file"] for item in answer["data"]["skipped"]] == ["bad.txt"]
        [warning] = answer["warnings"]
        assert "bad.txt" in warning
        assert "longer than" in warning or "time" in warning


class TestToolDocumentationForLlmGuidance:
    @pytest.mark.parametrize("name", ["grep", "glob"])
    def test_search_tool_guidance(self, name: str) -> None:
        guidance = declared()[name]["termination_behavior_doc"]
        further, answer = guidance.split("terminate=true")
        assert "terminate=false" in further
        assert "further processing" in further
        assert "user" in answer

    @pytest.mark.parametrize("name", ["replace_in_file", "edit_lines"])
    def test_edit_tool_guidance(self, name: str) -> None:
        guidance = declared()[name]["termination_behavior_doc"]
        assert "preview mode first" in guidance
        assert "terminate=true after a successful edit" in guidance
        _, verify = guidance.split("terminate=false")
        assert "verif" in verify

    @pytest.mark.parametrize("name", sorted(registry()))
    def test_parameter_examples(self, name: str) -> None:
        """A use in words before each example, valid JSON after it, and the options before them all."""
        options, examples = declared()[name]["custom_prompt"].split("\nExamples:\n")
        assert options
        for example in examples.splitlines():
            use, arguments = example.removeprefix("- ").removesuffix("`").split(": `", 1)
            assert use
            jsonschema.validate(json.loads(arguments), declared()[name]["parameters"])

    @pytest.mark.parametrize("name", sorted(registry()))
    def test_all_of_it_is_in_the_system_prompt(self, name: str) -> None:
        tool = declared()[name]
        text = prompt()[tool["category"]][2]
        assert tool["termination_behavior_doc"] in text
        assert tool["custom_prompt"] in text
