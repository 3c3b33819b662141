"""Convert the fields of a schema to table rows, nested ones below their parent."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from sitewright.kit.http.openapi.schemas import Schema, resolved
from sitewright.kit.validation.fields import MAX_INTEGER

_TYPE_NAMES = {"string": "text", "boolean": "flag", "array": "list"}


class FieldRow(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    depth: int = 0
    type: str
    limits: str
    required: bool
    description: str
    example: str


def field_rows(schema: Schema, components: dict[str, Schema], depth: int = 0) -> Iterator[FieldRow]:
    within = _object_in(schema, components)
    if within is None or depth > 5:
        return
    required = within.get("required", [])
    for name, part in within["properties"].items():
        yield field_row(name, part, components, depth=depth, required=name in required)
        yield from field_rows(part, components, depth + 1)


def field_row(
    name: str, schema: Schema, components: dict[str, Schema], *, depth: int = 0, required: bool = False
) -> FieldRow:
    nested = _object_in(schema, components) is not None
    examples = schema.get("examples", [])
    return FieldRow(
        name=name,
        depth=depth,
        type=type_text(schema, components),
        limits=_limits(schema),
        required=required,
        description=schema.get("description") or resolved(schema, components).get("description", ""),
        example=json.dumps(examples[0], ensure_ascii=False) if examples and not nested else "",
    )


def type_text(schema: Schema, components: dict[str, Schema]) -> str:
    if "anyOf" in schema:
        return " or ".join(type_text(part, components) for part in schema["anyOf"])
    schema = resolved(schema, components)
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    kind: str = schema.get("type", "anything")
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"list of {type_text(schema['items'], components)}"
    return _TYPE_NAMES.get(kind, kind)


def _object_in(schema: Schema, components: dict[str, Schema]) -> dict[str, Any] | None:
    """Find the object schema inside a schema: itself, an alternative, or the items of a list or map."""
    schema = resolved(schema, components)
    if "properties" in schema:
        return schema
    inner = [*schema.get("anyOf", []), schema.get("items"), schema.get("additionalProperties")]
    found = (_object_in(part, components) for part in inner if isinstance(part, dict))
    return next((each for each in found if each is not None), None)


def _limits(schema: Schema) -> str:
    schema = next((part for part in schema.get("anyOf", []) if part.get("type") != "null"), schema) | schema
    parts = [
        _range(schema.get("minLength"), schema.get("maxLength"), " characters"),
        _range(schema.get("minimum"), schema.get("maximum"), ""),
    ]
    if schema.get("default") not in (None, [], {}, ""):
        parts.append(f"default {json.dumps(schema['default'])}")
    return ", ".join(part for part in parts if part)


def _range(minimum: int | None, maximum: int | None, unit: str) -> str:
    if maximum == MAX_INTEGER:
        maximum = None
    if minimum is not None and maximum is not None:
        return f"{minimum} to {maximum}{unit}"
    if minimum is not None:
        return f"{minimum}{unit} or more"
    return f"at most {maximum}{unit}" if maximum is not None else ""
