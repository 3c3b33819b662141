"""JSON schemas of request and response types, and examples for them."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

Schema = dict[str, Any]
_PREFIX = "#/components/schemas/"
_BY_TYPE: dict[str, Any] = {"integer": 1, "number": 1.5, "string": "text", "boolean": True, "array": [], "object": {}}


class Schemas:
    """The schemas of all types of the document, built together so that types with the same name get distinct ones."""

    def __init__(self, types: Sequence[Any]) -> None:
        distinct = list(dict.fromkeys(types))
        schemas, self.components = msgspec.json.schema_components(distinct, ref_template=_PREFIX + "{name}")
        self._schemas = dict(zip(distinct, schemas, strict=True))
        for component in self.components.values():
            for name, schema in component.get("properties", {}).items():
                component["properties"][name] = self._documented(schema)

    def of(self, kind: Any) -> Schema:
        schema: Schema = self._schemas[kind]
        return schema

    def _documented(self, schema: Schema) -> Schema:
        """Move the description of `Annotated[int, about(...)] | None` up to the field; complete its example."""
        schema = _as_tag(_as_amount(schema))
        for part in schema.get("anyOf", []):
            schema = {key: part.pop(key) for key in ("description", "examples") if key in part} | schema
        return schema | {"examples": [self.example(schema)]} if "examples" in schema else schema

    def resolved(self, schema: Schema) -> Schema:
        return resolved(schema, self.components)

    def properties(self, kind: Any) -> dict[str, Schema]:
        found: dict[str, Schema] = self.resolved(self.of(kind)).get("properties", {})
        return found

    def required(self, kind: Any) -> list[str]:
        names: list[str] = self.resolved(self.of(kind)).get("required", [])
        return names

    def field_names(self, kind: Any) -> list[str]:
        """The names of all its fields, including nested ones, without duplicates."""
        return list(dict.fromkeys(_field_names(self.of(kind), self.components, ())))

    def is_flat(self, kind: Any) -> bool:
        return not any(
            self.resolved(part).get("type") in ("array", "object")
            for schema in self.properties(kind).values()
            for part in schema.get("anyOf", [schema])
        )

    def example(self, schema: Schema) -> Any:
        return example_of(schema, self.components)


def _as_tag(schema: Schema) -> Schema:
    """The field that tells structs of a union apart has no annotation of its own."""
    if set(schema) != {"enum"}:
        return schema
    return {"description": "Which of several kinds it is.", "examples": schema["enum"][:1]} | schema


def _as_amount(schema: Schema) -> Schema:
    """Amounts of money are accepted as numbers too; msgspec's schema allows only text."""
    parts = schema.get("anyOf", [schema])
    if not any(part.get("format") == "decimal" for part in parts):
        return schema
    documentation = {key: value for part in parts for key, value in part.items() if key in ("description", "examples")}
    others = [part for part in parts if part.get("format") != "decimal"]
    number = {"type": "number", "minimum": 0}
    return documentation | {"anyOf": [number, {"type": "string", "pattern": "^[0-9]+([.][0-9]{1,2})?$"}, *others]}


def resolved(schema: Schema, components: dict[str, Schema]) -> Schema:
    while "$ref" in schema:
        schema = components[schema["$ref"].removeprefix(_PREFIX)]
    return schema


def example_of(schema: Schema, components: dict[str, Schema]) -> Any:
    """The declared example if it is complete, else one assembled from its parts."""
    if "examples" in schema and _is_complete(schema["examples"][0], schema, components):
        return schema["examples"][0]
    schema = resolved(schema, components)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], components)
    if "properties" in schema:
        return {name: example_of(part, components) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        return [example_of(schema["items"], components)]
    return _BY_TYPE.get(schema.get("type", ""))


def _is_complete(example: Any, schema: Schema, components: dict[str, Schema]) -> bool:
    """Whether the example has every required field."""
    schema = resolved(schema, components)
    if "anyOf" in schema:
        return any(_is_complete(example, part, components) for part in schema["anyOf"])
    if "properties" in schema:
        parts = schema["properties"]
        return isinstance(example, dict) and all(
            name in example and _is_complete(example[name], parts[name], components)
            for name in schema.get("required", [])
        )
    if isinstance(schema.get("items"), dict):
        return isinstance(example, list) and all(_is_complete(each, schema["items"], components) for each in example)
    return schema.get("type") != "null" or example is None


def references(value: Any) -> Iterator[str]:
    """The names of all schemas that `value` references."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"].startswith(_PREFIX):
            yield value["$ref"].removeprefix(_PREFIX)
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def reachable(value: Any, components: dict[str, Schema]) -> dict[str, Schema]:
    """The schemas that `value` references, directly or indirectly."""
    found: dict[str, Schema] = {}
    waiting = list(references(value))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = components[name]
            waiting += references(components[name])
    return dict(sorted(found.items()))


def _field_names(schema: Schema, components: dict[str, Schema], inside: tuple[int, ...]) -> Iterator[str]:
    schema = resolved(schema, components)
    if id(schema) in inside:
        return
    inside = (*inside, id(schema))
    for part in schema.get("anyOf", []):
        yield from _field_names(part, components, inside)
    for part in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(part, dict):
            yield from _field_names(part, components, inside)
    for name, part in schema.get("properties", {}).items():
        yield name
        yield from _field_names(part, components, inside)
