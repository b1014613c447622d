"""Arguments: what the schema accepts is what the tool accepts, and nothing makes a call fall over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.agents.calls import answered, refused
from tests.conftest import write
from tui.agents.answer import ToolError
from tui.agents.parameters import decoded, parse, schema
from tui.agents.registry import registry
from tui.agents.tool import Tool

CODES = {
    "INVALID_ARGUMENT",
    "INVALID_RANGE",
    "REQUIRED",
    "INVALID_REGEX",
    "INVALID_GLOB",
    "NOT_FOUND",
    "NOT_A_DIRECTORY",
    "OUTSIDE_WORKSPACE",
    "BINARY_FILE",
    "TOO_LARGE",
    "STALE",
    "PERMISSION_DENIED",
    "REJECTED",
    "IO_ERROR",
    "UNKNOWN_TOOL",
}
TOOLS = pytest.mark.parametrize("tool", registry().values(), ids=lambda tool: tool.name)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(
        ["", " ", "a", "*", "**", "insert", "glob", "regex", "path", "(", "[", "..", "src/a.py"]
    )
    | st.text(max_size=20)
)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), SCALARS, max_size=2)


def arguments_of(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that are nearly what the tool takes: its own names, mostly with values of the right kind."""
    properties = schema(tool.parameters)["properties"]
    likely = {name: VALUES | value_for(rule) | value_for(rule) for name, rule in properties.items()}
    required = {name: likely.pop(name) for name in schema(tool.parameters).get("required", ())}
    nearly = st.fixed_dictionaries(required, optional=likely)
    return nearly | nearly | st.dictionaries(st.sampled_from([*properties, "nonsense"]), VALUES, max_size=4)


def value_for(rule: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in rule:
        return st.one_of([value_for(choice) for choice in rule["anyOf"]])
    if "enum" in rule:
        return st.sampled_from(rule["enum"])
    texts = st.sampled_from(["src/a.py", "a", "*.py", "src", "def|class", "."]) | st.text(max_size=5)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "string": texts,
        "integer": st.integers(0, 20),
        "boolean": st.booleans(),
        "array": st.lists(texts, max_size=2),
        "null": st.none(),
    }
    return kinds[rule["type"]]


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"src/a.py": "def a():\n    return 1\n", "notes.md": "# a\n", "bin.dat": b"\0\1"})
    return tree


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@TOOLS
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_json_gets_an_answer(tool: Tool, project: Path, data: st.DataObject) -> None:
    before = snapshot(project)
    arguments = data.draw(arguments_of(tool) | VALUES)
    answer = answered(project, tool.name, json.loads(json.dumps(arguments)))
    json.dumps(answer, ensure_ascii=False).encode()
    if answer["ok"]:
        assert set(answer) == {"ok", "tool", "message", "output", "data", "warnings"}
        Draft202012Validator(schema(tool.returns)).validate(answer["data"])
    else:
        assert answer["error"]["code"] in CODES
        assert answer["error"]["message"]
    assert snapshot(project) == before


@TOOLS
@settings(max_examples=80)
@given(data=st.data())
def test_the_schema_accepts_exactly_what_the_tool_accepts(tool: Tool, data: st.DataObject) -> None:
    arguments = json.loads(json.dumps(data.draw(arguments_of(tool) | VALUES)))
    valid = Draft202012Validator(schema(tool.parameters)).is_valid(arguments)
    try:
        decoded(tool.parameters, arguments)
        accepted = True
    except ToolError:
        accepted = False
    assert accepted == valid


@TOOLS
def test_schemas_are_schemas(tool: Tool) -> None:
    for rules in (schema(tool.parameters), schema(tool.returns)):
        Draft202012Validator.check_schema(rules)
        assert "$ref" not in json.dumps(rules)
    assert schema(tool.parameters)["additionalProperties"] is False
    assert all(rule["description"] for rule in schema(tool.parameters)["properties"].values())


def examples() -> Iterator[Any]:
    for tool in registry().values():
        for example in tool.examples:
            yield pytest.param(tool, example.arguments, id=f"{tool.name}-{example.use}")


@pytest.mark.parametrize(("tool", "arguments"), list(examples()))
def test_every_example_is_accepted(tool: Tool, arguments: dict[str, Any]) -> None:
    Draft202012Validator(schema(tool.parameters)).validate(arguments)
    given_values = decoded(tool.parameters, arguments)
    summary = tool.execution_summary(given_values)
    assert summary
    assert "\n" not in summary


def test_an_unknown_parameter_is_named_with_the_one_that_was_meant(project: Path) -> None:
    error = refused(project, "grep", pattern="a", case_sensetive=False)
    assert (error["code"], error["parameter"]) == ("INVALID_ARGUMENT", "case_sensetive")
    assert error["suggestion"] == "did you mean case_sensitive?"


def test_an_ill_typed_parameter_is_named_with_what_it_must_be(project: Path) -> None:
    error = refused(project, "grep", pattern="a", max_results="many")
    assert (error["code"], error["parameter"]) == ("INVALID_ARGUMENT", "max_results")
    assert error["message"] == 'max_results must be a whole number of at least 1, not "many"'
    error = refused(project, "grep", pattern=["a"])
    assert error["message"] == 'pattern must be a text that is not empty, not ["a"]'
    error = refused(project, "glob", pattern="*", mode="fuzzy")
    assert error["message"] == 'mode must be "glob" or "regex", not "fuzzy"'


@pytest.mark.parametrize("value", [0, -5])
def test_a_number_out_of_range_is_an_invalid_range(project: Path, value: int) -> None:
    error = refused(project, "grep", pattern="a", max_results=value)
    assert (error["code"], error["parameter"]) == ("INVALID_RANGE", "max_results")


def test_what_is_missing_or_blank_is_required(project: Path) -> None:
    assert refused(project, "grep") == {
        "code": "REQUIRED",
        "message": "pattern is required",
        "suggestion": "give a text that is not empty",
        "parameter": "pattern",
    }
    assert refused(project, "grep", pattern="")["code"] == "REQUIRED"
    assert refused(project, "search", query="  ")["code"] == "REQUIRED"
    assert (
        refused(project, "edit_lines", path="src/a.py", operation="insert", start_line=1)["code"]
        == "REQUIRED"
    )


def test_a_whole_number_may_be_written_as_json_likes(project: Path) -> None:
    assert answered(project, "grep", {"pattern": "a", "max_results": 1.0})["ok"]
    assert answered(project, "grep", {"pattern": "a", "max_results": 10**40})["ok"]
    assert refused(project, "grep", pattern="a", max_results=1.5)["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1,", '{"pattern": NaN}', '{"a": 1' + "0" * 5000 + "}", "[" * 100_000, b"\xff\xfe{}"],
    ids=["empty", "open", "half", "nan", "digits", "deep", "bytes"],
)
def test_what_is_no_json_is_told(text: str | bytes) -> None:
    with pytest.raises(ToolError, match="not JSON") as raised:
        parse(text)
    assert raised.value.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("value", [[], "grep", 5, None, True])
def test_arguments_are_an_object(project: Path, value: object) -> None:
    with pytest.raises(ToolError, match="not an object"):
        decoded(registry()["grep"].parameters, value)


def test_half_a_character_is_refused_by_name(project: Path) -> None:
    for path in ("caf\udce9.py", "\ud800"):
        error = refused(project, "read_file", path=path)
        assert (error["code"], error["parameter"]) == ("INVALID_ARGUMENT", "path")


def test_an_unknown_tool_is_told_with_the_one_that_was_meant(project: Path) -> None:
    error = refused(project, "grepp", pattern="a")
    assert (error["code"], error["suggestion"]) == ("UNKNOWN_TOOL", "did you mean grep?")
