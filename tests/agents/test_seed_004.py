"""grep, glob, replace_in_file and edit_lines do what their founding design (seed 004) says."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.agents.calls import answered, done, refused
from tests.cli.run import redline
from tests.conftest import write
from tui.agents import tools
from tui.agents.answer import to_json
from tui.agents.call import call
from tui.agents.desk import Desk
from tui.agents.registry import named, registry
from tui.review.proposals import inbox
from tui.search.timelimit import TimeLimit
from tui.workspace import Workspace

SEARCH_TOOLS = ["grep", "glob", "search", "list_directory", "read_file"]
EDITING_TOOLS = ["replace_in_file", "edit_lines", "create_file", "update_file", "append_file", "delete_file"]


def proposed(root: Path) -> int:
    with Workspace(root) as workspace:
        return len(inbox(workspace))


def matched(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [
        (result["file"], match["line"]) for result in answer["data"]["results"] for match in result["matches"]
    ]


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


class TestDecisions:
    """The parameters of each decision, as the document writes them, are taken."""

    def test_decision_1_a_ripgrep_like_interface(self, tree: Path) -> None:
        write(
            tree,
            {
                "optional/search/path/a.optional_extension": "REGEX_pattern\n",
                "optional/search/path/b.txt": "regex_pattern\n",
                "c.optional_extension": "regex_pattern\n",
            },
        )
        answer = done(
            tree,
            "grep",
            pattern="regex_pattern",
            path="optional/search/path",
            case_sensitive=False,
            file_type="optional_extension",
            max_results=50,
        )
        assert matched(answer) == [("optional/search/path/a.optional_extension", 1)]

    def test_decision_2_glob_patterns(self, tree: Path) -> None:
        write(tree, {"a.tsx": "", "src/b.tsx": "", "node_modules/c.tsx": "", "dist/d.tsx": "", "e.ts": ""})
        answer = done(tree, "glob", pattern="**/*.tsx", exclude=["node_modules", "dist"], max_results=100)
        assert answer["data"]["files"] == ["a.tsx", "src/b.tsx"]

    def test_decision_3_replace_with_preview(self, tree: Path) -> None:
        write(tree, {"file/path": "a pattern_to_find b\n"})
        given: dict[str, Any] = {
            "path": "file/path",
            "find": "pattern_to_find",
            "replace": "replacement_text",
            "is_regex": False,
            "preview_only": False,
        }
        assert done(tree, "replace_in_file", **given)["data"]["status"] == "pending"
        preview = done(tree, "replace_in_file", **(given | {"preview_only": True}))
        assert preview["data"]["status"] == "preview"

    @pytest.mark.parametrize(("operation", "lines"), [("insert", 21), ("delete", 14), ("replace", 15)])
    def test_decision_4_line_based_editing(self, tree: Path, operation: str, lines: int) -> None:
        write(tree, {"file/path": "".join(f"{number}\n" for number in range(1, 21))})
        given: dict[str, Any] = {"path": "file/path", "operation": operation, "start_line": 10}
        if operation != "insert":
            given["end_line"] = 15
        if operation != "delete":
            given["content"] = "new content for replace/insert"
        answer = done(tree, "edit_lines", **given)
        assert (answer["data"]["status"], answer["data"]["total_lines"]) == ("pending", lines)

    def test_decision_4_takes_the_whole_object_with_every_operation(self, tree: Path) -> None:
        """A model fills in all the parameters it was shown; what an operation has no use for does no harm."""
        write(tree, {"file/path": "".join(f"{number}\n" for number in range(1, 21))})
        [insert, delete, replace] = [
            answered(
                tree,
                "edit_lines",
                path="file/path",
                operation=operation,
                start_line=10,
                end_line=15,
                content="new content for replace/insert",
                preview_only=True,
            )
            for operation in ("insert", "delete", "replace")
        ]
        assert replace["data"]["total_lines"] == 15
        assert [answer["ok"] for answer in (insert, delete)] == [True, True]

    def test_decision_5_categories(self) -> None:
        categories = {
            "Search & Discovery": {"grep", "glob", "search", "list_directory"},
            "File Reading": {"read_file"},
            "File Writing": {"create_file", "update_file", "append_file", "replace_in_file", "edit_lines"},
            "File Management": {"delete_file"},
        }
        for title, names in categories.items():
            assert {named(name).category.title for name in names} == {title}


class TestConstraints:
    def test_tools_declare_permissions(self) -> None:
        assert all(tool.permissions for tool in registry().values())

    @pytest.mark.parametrize("name", SEARCH_TOOLS)
    def test_search_tools_are_read_only_and_need_no_approval(self, name: str) -> None:
        assert list(named(name).permissions) == ["ReadFiles"]
        assert named(name).requires_approval is False

    @pytest.mark.parametrize("name", EDITING_TOOLS)
    def test_editing_tools_require_approval(self, name: str) -> None:
        assert named(name).requires_approval is True

    def test_permissions_are_enforced(self, tree: Path) -> None:
        write(tree, {"a.txt": "old\n"})
        arguments = '{"path": "a.txt", "find": "old", "replace": "new"}'
        ran = redline("tool", "replace_in_file", arguments, "--allow", "ReadFiles", cwd=tree)
        assert (ran.status, json.loads(ran.out)["error"]["code"]) == (2, "PERMISSION_DENIED")
        assert proposed(tree) == 0

    def test_tools_can_be_filtered_by_permission(self, tree: Path) -> None:
        prompt = redline("tools", "--prompt", "--allow", "ReadFiles", cwd=tree).out.decode()
        listed = {line.removeprefix("### ") for line in prompt.splitlines() if line.startswith("### ")}
        assert set(SEARCH_TOOLS) <= listed
        assert listed.isdisjoint(EDITING_TOOLS)

    def test_a_new_tool_needs_no_wiring(
        self, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One file in the directory of tools, and it can be called."""
        grep = Path(str(tools.__file__)).with_name("grep.py").read_text()
        write(tmp_path, {"more/grep_anew.py": grep.replace('name="grep"', 'name="grep_anew"')})
        monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path / "more")])
        write(tree, {"a.txt": "x\n"})
        registry.cache_clear()
        try:
            assert matched(done(tree, "grep_anew", pattern="x")) == [("a.txt", 1)]
        finally:
            registry.cache_clear()
            sys.modules.pop("tui.agents.tools.grep_anew", None)


class TestGrep:
    def test_collects_matches_with_line_numbers_and_context(self, tree: Path) -> None:
        write(tree, {"a.py": "one\ntwo\nhit\nfour\nfive\n"})
        [result] = done(tree, "grep", pattern="hit", context=1)["data"]["results"]
        [match] = result["matches"]
        assert match["line"] == 3
        assert match["content"] == "hit"
        assert (match["before"], match["after"]) == (["two"], ["four"])

    def test_walks_the_tree_with_exclusions(self, tree: Path) -> None:
        write(
            tree,
            {
                "a.py": "hit\n",
                "deep/down/b.py": "hit\n",
                "node_modules/c.py": "hit\n",
                ".hidden/d.py": "hit\n",
                "vendor/e.py": "hit\n",
            },
        )
        assert matched(done(tree, "grep", pattern="hit", exclude=["vendor"])) == [
            ("a.py", 1),
            ("deep/down/b.py", 1),
        ]

    def test_respects_gitignore(self, tree: Path) -> None:
        write(tree, {".gitignore": "*.log\n", "a.log": "hit\n", "a.py": "hit\n"})
        assert matched(done(tree, "grep", pattern="hit")) == [("a.py", 1)]

    def test_formats_results_as_json(self, tree: Path) -> None:
        write(tree, {"a.py": "x hit\n"})
        ran = redline("tool", "grep", '{"pattern": "hit"}', cwd=tree)
        answer = json.loads(ran.out)
        assert set(answer) == {"ok", "tool", "message", "output", "data", "warnings"}
        assert set(answer["data"]) == {
            "pattern",
            "path",
            "results",
            "total_matches",
            "total_files",
            "files_scanned",
            "truncated",
            "skipped",
            "suggestion",
        }
        [match] = answer["data"]["results"][0]["matches"]
        assert set(match) == {"line", "column", "content", "spans", "before", "after"}

    def test_limits_results(self, tree: Path) -> None:
        write(tree, {"a.py": "hit\n" * 5})
        assert len(matched(done(tree, "grep", pattern="hit", max_results=3))) == 3

    def test_an_invalid_regex_is_explained(self, tree: Path) -> None:
        error = refused(tree, "grep", pattern="async fn (")
        assert error["code"] == "INVALID_REGEX"
        assert error["message"]
        assert error["suggestion"]

    def test_a_file_that_cannot_be_read_is_skipped_with_a_warning(
        self, tree: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tree, {"a.py": "hit\n", "b_shut.py": "hit\n", "c.py": "hit\n"})
        (tree / "b_shut.py").chmod(0)
        with as_nobody(tree, monkeypatch):
            answer = done(tree, "grep", pattern="hit")
        assert matched(answer) == [("a.py", 1), ("c.py", 1)]
        assert [item["file"] for item in answer["data"]["skipped"]] == ["b_shut.py"]
        assert "b_shut.py" in "\n".join(answer["warnings"])

    def test_too_many_results_are_truncated_with_a_warning(self, tree: Path) -> None:
        write(tree, {"a.py": "hit\n" * 5})
        answer = done(tree, "grep", pattern="hit", max_results=3)
        assert answer["data"]["truncated"] is True
        for told in (answer["message"], answer["output"]):
            assert "5 matches" in told
            assert "3" in told.replace("3: hit", "")


class TestGlob:
    @pytest.fixture
    def aged(self, tree: Path) -> Path:
        write(tree, {"b.ts": "", "a.ts": "", "c/d.ts": ""})
        for age, name in enumerate(["a.ts", "c/d.ts", "b.ts"]):
            os.utime(tree / name, (1_700_000_000 - age, 1_700_000_000 - age))
        return tree

    def test_is_sorted_alphabetically(self, aged: Path) -> None:
        assert done(aged, "glob", pattern="**/*.ts")["data"]["files"] == ["a.ts", "b.ts", "c/d.ts"]

    def test_or_by_modification_time(self, aged: Path) -> None:
        answer = done(aged, "glob", pattern="**/*.ts", sort="mtime")
        assert answer["data"]["files"] == ["a.ts", "c/d.ts", "b.ts"]

    def test_applies_exclusions(self, tree: Path) -> None:
        write(
            tree, {"a.ts": "", "vendor/b.ts": "", "src/vendor/c.ts": "", "src/d.gen.ts": "", "src/e.ts": ""}
        )
        answer = done(tree, "glob", pattern="**/*.ts", exclude=["vendor", "**/*.gen.ts"])
        assert answer["data"]["files"] == ["a.ts", "src/e.ts"]

    def test_an_invalid_pattern_is_explained(self, tree: Path) -> None:
        error = refused(tree, "glob", pattern="src/{a,b")
        assert error["code"] == "INVALID_GLOB"
        assert error["message"]

    def test_no_matches_are_success_with_empty_results(self, tree: Path) -> None:
        data = done(tree, "glob", pattern="*.zig")["data"]
        assert (data["files"], data["count"], data["total_files"], data["truncated"]) == ([], 0, 0, False)


class TestReplace:
    def test_a_preview_is_the_diff_of_before_and_after(self, tree: Path) -> None:
        write(tree, {"a.py": "keep\nold\n"})
        answer = done(tree, "replace_in_file", path="a.py", find="old", replace="new", preview_only=True)
        diff = answer["data"]["diff"].splitlines()
        assert "-old" in diff
        assert "+new" in diff
        assert " keep" in diff

    def test_success_comes_with_a_summary_of_the_change(self, tree: Path) -> None:
        write(tree, {"a.py": "old old\nold\n"})
        answer = done(tree, "replace_in_file", path="a.py", find="old", replace="new")
        assert answer["data"]["replacements"] == 3
        assert "3 replacements" in answer["message"]
        assert "a.py" in answer["message"]

    def test_a_file_that_is_not_there(self, tree: Path) -> None:
        assert refused(tree, "replace_in_file", path="no.py", find="a", replace="b")["code"] == "NOT_FOUND"

    def test_a_pattern_that_is_not_there_is_success(self, tree: Path) -> None:
        write(tree, {"a.py": "x\n"})
        answer = done(tree, "replace_in_file", path="a.py", find="old", replace="new")
        assert (answer["data"]["status"], answer["data"]["replacements"]) == ("unchanged", 0)
        assert "0 replacements" in answer["output"]


class TestEditLines:
    @pytest.fixture
    def ten(self, tree: Path) -> Path:
        write(tree, {"a.txt": "".join(f"{number}\n" for number in range(1, 11))})
        return tree

    @pytest.mark.parametrize(
        ("given", "lines", "change"),
        [
            ({"operation": "insert", "start_line": 4, "content": "x\ny"}, 12, "+2"),
            ({"operation": "delete", "start_line": 4, "end_line": 6}, 7, "-3"),
            ({"operation": "replace", "start_line": 4, "end_line": 6, "content": "x"}, 8, "-2"),
        ],
    )
    def test_success_comes_with_the_line_count_change(
        self, ten: Path, given: dict[str, Any], lines: int, change: str
    ) -> None:
        answer = done(ten, "edit_lines", path="a.txt", **given)
        assert answer["data"]["total_lines"] == lines
        assert f"{lines} lines" in answer["message"]
        assert change in answer["message"] or "10" in answer["message"]

    @pytest.mark.parametrize(
        "given",
        [
            {"operation": "insert", "start_line": 11, "content": "x"},
            {"operation": "delete", "start_line": 11},
            {"operation": "delete", "start_line": 5, "end_line": 11},
            {"operation": "replace", "start_line": 0, "content": "x"},
        ],
    )
    def test_an_invalid_line_range(self, ten: Path, given: dict[str, Any]) -> None:
        error = refused(ten, "edit_lines", path="a.txt", **given)
        assert error["code"] == "INVALID_RANGE"
        assert "10" in error["message"]

    def test_lines_in_the_wrong_order(self, ten: Path) -> None:
        error = refused(ten, "edit_lines", path="a.txt", operation="delete", start_line=5, end_line=4)
        assert error["code"] == "INVALID_RANGE"

    def test_a_file_that_is_not_there(self, tree: Path) -> None:
        error = refused(tree, "edit_lines", path="no.txt", operation="delete", start_line=1)
        assert error["code"] == "NOT_FOUND"


class TestLargeResults:
    """They must not overwhelm the model's context."""

    def test_grep_gives_summary_statistics_and_a_way_to_refine(self, tree: Path) -> None:
        write(tree, {"a.py": "hit\n" * 523})
        answer = done(tree, "grep", pattern="hit")
        assert len(matched(answer)) == 50
        assert "523 matches" in answer["message"]
        assert "showing first 50" in answer["message"] or "showing the first 50" in answer["message"]
        assert answer["data"]["suggestion"]
        assert answer["data"]["suggestion"] in answer["output"]

    def test_glob_gives_summary_statistics_and_a_way_to_refine(self, tree: Path) -> None:
        write(tree, {f"{number}.ts": "" for number in range(123)})
        answer = done(tree, "glob", pattern="*.ts")
        assert answer["data"]["count"] == len(answer["data"]["files"]) == 100
        assert "123 files" in answer["message"]
        assert "first 100" in answer["message"]
        assert answer["data"]["suggestion"]
        assert answer["data"]["suggestion"] in answer["output"]

    def test_long_lines_do_not_get_past_the_limit(self, tree: Path) -> None:
        write(tree, {"min.js": ("hit" + "x" * 18_000 + "\n") * 50})
        assert len(json.dumps(done(tree, "grep", pattern="hit"))) < 300_000


class TestRegexComplexity:
    @pytest.mark.parametrize("pattern", ["(", "[a", "a{3,1}", "(?P<1>x)", "*x"])
    def test_the_syntax_is_validated_before_anything_is_searched(self, tree: Path, pattern: str) -> None:
        """Also where there is nothing to search."""
        assert refused(tree, "grep", pattern=pattern)["code"] == "INVALID_REGEX"

    def test_the_errors_are_clear_and_have_an_example(self, tree: Path) -> None:
        error = refused(tree, "grep", pattern="foo(bar")
        assert "literal" in error["suggestion"] or "\\(" in error["suggestion"]

    def test_a_match_has_a_time_limit(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"a.txt": "a" * 60 + "!\n"})
        monkeypatch.setattr("tui.search.grep.TimeLimit", lambda seconds: TimeLimit(seconds / 25))
        started = time.monotonic()
        answer = done(tree, "grep", pattern="(a|aa)+$")
        assert time.monotonic() - started < 2
        assert "a.txt" in "\n".join(answer["warnings"])

    def test_a_replacement_has_a_time_limit(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"a.txt": "a" * 60 + "!\n"})
        monkeypatch.setattr(
            "tui.agents.tools.replace_in_file.TimeLimit", lambda seconds: TimeLimit(seconds / 25)
        )
        started = time.monotonic()
        refused(tree, "replace_in_file", path="a.txt", find="(a|aa)+$", replace="b", is_regex=True)
        assert time.monotonic() - started < 2
        assert proposed(tree) == 0

    def test_common_patterns_are_in_termination_behavior_doc(self) -> None:
        doc = named("grep").termination_behavior_doc
        assert any(sign in doc for sign in (".*", r"\b", r"\s", r"\w", "|"))


class TestUnintendedReplacements:
    def test_the_file_waits_for_approval(self, tree: Path) -> None:
        write(tree, {"a.py": "old\n"})
        answer = done(tree, "replace_in_file", path="a.py", find="old", replace="new")
        assert answer["data"]["status"] == "pending"
        assert (tree / "a.py").read_bytes() == b"old\n"
        assert proposed(tree) == 1

    def test_the_preview_shows_exactly_what_is_proposed(self, tree: Path) -> None:
        write(tree, {"a.py": "a\nold b\nc\nold\n"})
        given = {"path": "a.py", "find": "old", "replace": "new"}
        preview = done(tree, "replace_in_file", **given, preview_only=True)
        assert proposed(tree) == 0
        assert preview["data"]["diff"] == done(tree, "replace_in_file", **given)["data"]["diff"]

    def test_what_is_replaced_is_recorded(self, tree: Path) -> None:
        write(tree, {"a.py": "old\nold\n"})
        answer = done(tree, "replace_in_file", path="a.py", find="old", replace="new")
        with Workspace(tree) as workspace:
            [proposal] = inbox(workspace)
        assert str(proposal.id) == str(answer["data"]["proposal_id"])
        assert (proposal.files, proposal.added, proposal.removed) == (1, 2, 2)
        assert "a.py" in proposal.title

    def test_preview_first_is_encouraged(self) -> None:
        assert "preview mode first" in named("replace_in_file").termination_behavior_doc


class TestWrongLineNumbers:
    def test_the_updated_line_count_is_returned(self, tree: Path) -> None:
        write(tree, {"a.txt": "1\n2\n3\n"})
        answer = done(tree, "edit_lines", path="a.txt", operation="insert", start_line=3, content="4\n5\n")
        assert answer["data"]["total_lines"] == 5

    def test_reading_again_is_encouraged(self) -> None:
        tool = named("edit_lines")
        assert "read again" in tool.custom_prompt + tool.termination_behavior_doc

    def test_an_error_tells_the_valid_range(self, tree: Path) -> None:
        write(tree, {"a.txt": "1\n2\n3\n"})
        error = refused(tree, "edit_lines", path="a.txt", operation="delete", start_line=4)
        assert "1" in error["message"]
        assert "3" in error["message"]


class TestOpenQuestions:
    def test_1_matching_is_line_by_line_unless_multiline_is_asked_for(self, tree: Path) -> None:
        write(tree, {"a.txt": "one\ntwo\n"})
        assert matched(done(tree, "grep", pattern=r"one\s+two")) == []
        assert done(tree, "grep", pattern=r"one\s+two", multiline=True)["data"]["total_matches"] == 1

    def test_2_glob_takes_negative_patterns(self, tree: Path) -> None:
        write(tree, {"a.ts": "", "a.test.ts": "", "src/b.ts": "", "src/b.test.ts": ""})
        answer = done(tree, "glob", pattern="**/*.ts !**/*.test.ts")
        assert answer["data"]["files"] == ["a.ts", "src/b.ts"]

    def test_2_a_negative_pattern_alone_means_everything_else(self, tree: Path) -> None:
        write(tree, {"a.ts": "", "b.test.ts": "", "src/c.ts": "", "src/d.test.ts": ""})
        assert done(tree, "glob", pattern="!**/*.test.ts")["data"]["files"] == ["a.ts", "src/c.ts"]

    def test_3_line_editing_has_no_undo_of_its_own(self) -> None:
        assert not [name for name in registry() if "undo" in name or "history" in name]

    @pytest.mark.parametrize("preview_only", [True, False])
    def test_4_line_edit_shows_the_diff_in_its_response(self, tree: Path, preview_only: bool) -> None:
        write(tree, {"a.txt": "1\n2\n3\n"})
        answer = done(
            tree,
            "edit_lines",
            path="a.txt",
            operation="replace",
            start_line=2,
            content="two",
            preview_only=preview_only,
        )
        assert {"-2", "+two"} <= set(answer["data"]["diff"].splitlines())
        assert "+two" in answer["output"]

    def test_5_files_above_a_megabyte_are_skipped(self, tree: Path) -> None:
        write(tree, {"big.txt": "hit\n" * 300_000, "small.txt": "hit\n"})
        answer = done(tree, "grep", pattern="hit")
        assert matched(answer) == [("small.txt", 1)]

    def test_5_the_size_limit_is_configurable(self, tree: Path) -> None:
        write(tree, {"a.txt": "hit\n" + "x\n" * 100, "b.txt": "hit\n"})
        with Workspace(tree) as workspace:
            answer = to_json("grep", call(Desk(workspace, largest_file=50), "grep", {"pattern": "hit"}))
        assert matched(answer) == [("b.txt", 1)]
        config = Path(os.environ["XDG_CONFIG_HOME"])
        write(config, {"redline/config.toml": "[agents]\nmax_file_bytes = 50\n"})
        ran = redline("tool", "grep", '{"pattern": "hit"}', cwd=tree)
        assert matched(json.loads(ran.out)) == [("b.txt", 1)]


@pytest.mark.parametrize("name", ["grep", "glob", "replace_in_file", "edit_lines", "search"])
def test_each_example_is_valid_by_the_tools_own_schema(tree: Path, name: str) -> None:
    """Valid parameters are parsed, as the testing strategy asks; the documented ones first of all."""
    listed = json.loads(redline("tools", "--json", cwd=tree).out)
    [schema] = [tool["parameters"] for tool in listed if tool["name"] == name]
    for example in named(name).examples:
        jsonschema.validate(dict(example.arguments), schema)


@pytest.mark.parametrize(
    ("name", "given", "parameter"),
    [
        ("grep", {"pattern": 5}, "pattern"),
        ("grep", {"pattern": "x", "max_results": "ten"}, "max_results"),
        ("glob", {"pattern": "*", "exclude": "dist"}, "exclude"),
        ("replace_in_file", {"path": "a", "find": "b", "replace": "c", "is_regex": "no"}, "is_regex"),
        ("edit_lines", {"path": "a", "operation": "move", "start_line": 1}, "operation"),
    ],
)
def test_invalid_parameters_are_refused_by_name(
    tree: Path, name: str, given: dict[str, Any], parameter: str
) -> None:
    error = refused(tree, name, **given)
    assert (error["code"], error["parameter"]) == ("INVALID_ARGUMENT", parameter)
