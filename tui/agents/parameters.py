"""Arguments as they arrive, held to a tool's parameters; and the JSON schema that says the same.

Each parameter is checked on its own, so that an error names it. Errors speak of values the way
JSON does: whole numbers, texts, lists.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cache
from typing import Any, NoReturn, TypeVar

import msgspec

from tui.agents.answer import ToolError
from tui.agents.tool import Parameters
from tui.text import visible, whole_characters

Given = TypeVar("Given", bound=Parameters)

_LONGEST_SHOWN = 60


def parse(text: str | bytes) -> Any:
    """The arguments from JSON text; ToolError where it is none."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError as error:  # bad syntax, bad UTF-8, or a number of thousands of digits
        why = visible(str(error))
    raise ToolError("INVALID_ARGUMENT", f"the arguments are not JSON: {why}", _AN_OBJECT)


def decoded(kind: type[Given], arguments: object) -> Given:
    """The parameters that the arguments give, or the ToolError that names the first one at fault."""
    if not isinstance(arguments, dict):
        raise ToolError(
            "INVALID_ARGUMENT", f"the arguments are {_described(arguments)}, not an object", _AN_OBJECT
        )
    properties = schema(kind)["properties"]
    for name in arguments:
        if name not in properties:
            raise _unknown(name, list(properties))
    values = {}
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        if arguments.get(name) is not None or (name in arguments and not field.required):
            values[field.name] = _converted(name, field, properties[name], arguments[name])
        elif field.required:
            raise ToolError("REQUIRED", f"{name} is required", f"give {_expected(properties[name])}", name)
    return kind(**values)


@cache
def schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a tool's parameters or data, without references to other schemas."""
    _, components = msgspec.json.schema_components([kind], ref_template="{name}")
    flat: dict[str, Any] = _resolved(components[kind.__name__], components)
    flat.pop("title")
    return {**flat, **getattr(kind, "condition", {})}


def _resolved(value: Any, components: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_resolved(item, components) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        value = components[value["$ref"]]
    return {key: _resolved(item, components) for key, item in value.items()}


_AN_OBJECT = 'write them as an object, as in {"pattern": "TODO"}'


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _unknown(name: str, known: list[str]) -> ToolError:
    close = get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known)}"
    return ToolError("INVALID_ARGUMENT", f"unknown parameter {_quoted(name)}", hint, whole_characters(name))


def _converted(name: str, field: msgspec.structs.FieldInfo, rule: dict[str, Any], value: Any) -> Any:
    number = _is_number(rule)
    if number and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number
    if _half_character(value):
        raise ToolError(
            "INVALID_ARGUMENT", f"{name} holds half a character (a lone surrogate)", "leave it out", name
        )
    try:
        return msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        pass
    if isinstance(value, str) and not value.strip() and field.required:
        raise ToolError("REQUIRED", f"{name} is empty", f"give {_expected(rule)}", name)
    longest = rule.get("maxLength")
    if isinstance(value, str) and longest is not None and len(value) > longest:
        message = f"{name} has {len(value):,} characters, of at most {longest:,}"
        raise ToolError("TOO_LARGE", message, "do it in smaller parts", name)
    out_of_range = number and isinstance(value, int) and not isinstance(value, bool)
    code = "INVALID_RANGE" if out_of_range else "INVALID_ARGUMENT"
    message = f"{name} must be {_expected(rule)}, not {_quoted(value)}"
    raise ToolError(code, message, rule.get("description", ""), name)


def _is_number(rule: dict[str, Any]) -> bool:
    return any(choice.get("type") == "integer" for choice in rule.get("anyOf", [rule]))


def _half_character(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(text, str) and whole_characters(text) != text for text in texts)


def _expected(rule: dict[str, Any]) -> str:
    """The rule of a schema in words."""
    if "anyOf" in rule:
        return " or ".join(map(_expected, rule["anyOf"]))
    if "enum" in rule:
        return " or ".join(map(_quoted, rule["enum"]))
    if rule["type"] == "integer":
        return f"a whole number{_range(rule)}"
    if rule["type"] == "array":
        return f"a list of at most {rule['maxItems']} texts"
    if rule["type"] == "string":
        return "a text that is not empty" if "minLength" in rule or "pattern" in rule else "a text"
    return {"boolean": "true or false", "null": "null"}[rule["type"]]


def _range(rule: dict[str, Any]) -> str:
    least, most = rule.get("minimum"), rule.get("maximum")
    if most is not None:
        return f" between {least} and {most}"
    return f" of at least {least}" if least is not None else ""


def _described(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )


def _quoted(value: object) -> str:
    try:
        text = visible(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        text = "what it is"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
