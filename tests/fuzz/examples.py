"""The examples in the OpenAPI document for every part of a request, by operation and by name."""

from collections.abc import Iterator
from typing import Any


def examples_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": dict(_examples(document, operation))
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }


def _examples(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for each in operation["parameters"]:
        parameter = _followed(document, each)
        yield parameter["name"], parameter["example"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        for name, field in _followed(document, content["schema"]).get("properties", {}).items():
            if "examples" in field:
                yield name, field["examples"][0]


def _followed(document: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in described:
        return described
    found: Any = document
    for step in described["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)
