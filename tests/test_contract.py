"""The OpenAPI document is correct: it is complete, and its examples are valid. Its pages: `tests/web/reference/`.

The tests' client validates every response of every test against the document (`tests/support/contract.py`).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http.openapi import document_of
from tests.support import contract, probe
from tests.support.openapi_validity import errors_in

DOCUMENT = document_of(ENDPOINTS, PUBLIC)
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
CAMEL = re.compile(r"[a-z][A-Za-z0-9]*")
SNAKE_IN_THE_SPECIFICATION = {"timezone_type", "seo_title"}


def each_operation() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    return contract.validator(schema).is_valid(value)


def examples(operation: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    bodies = [operation["requestBody"]] if "requestBody" in operation else []
    for part in [*bodies, *operation["responses"].values()]:
        for content in part.get("content", {}).values():
            values = [each["value"] for each in content.get("examples", {}).values()]
            values += [content["example"]] if "example" in content else []
            yield from ((value, content["schema"]) for value in values)


def test_the_document_is_valid_openapi() -> None:
    for document in (DOCUMENT, document_of(probe.endpoints, [])):
        assert errors_in(document) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"pattern": "("},
        {"type": "string", "minLength": -1},
        {"type": "object", "properties": {"deep": {"type": "array", "items": {"discriminator": 1}}}},
        {"allOf": [{"type": "object"}], "required": ["missing"]},
        {"type": "string", "default": 1},
    ],
    ids=str,
)
def test_an_invalid_schema_in_a_document_is_found(schema: dict[str, Any]) -> None:
    document = document_of(probe.endpoints, [])
    document["components"]["schemas"]["Invalid"] = schema
    assert errors_in(document) != []


def test_the_document_of_the_tests_adds_only_their_own_endpoints() -> None:
    """So every response that the tests' client validates is validated against the published document."""
    used = contract.document()
    assert used["paths"] | DOCUMENT["paths"] == used["paths"]
    for kind, published in DOCUMENT["components"].items():
        assert used["components"][kind] | published == used["components"][kind]


def test_every_endpoint_is_in_the_document() -> None:
    assert len(OPERATIONS) == len(ENDPOINTS) + len(PUBLIC)


def test_operation_ids_are_unique_and_camel_case() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(ids) == len(set(ids))
    assert [each for each in ids if not CAMEL.fullmatch(each)] == []


@each_operation()
def test_every_operation_says_what_it_does(operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"]
    assert len(operation["tags"]) == 1
    assert any(status.startswith(("2", "3")) for status in operation["responses"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_parameter_is_declared_and_described(name: str) -> None:
    own = [each for each in OPERATIONS[name]["parameters"] if "$ref" not in each]
    assert [each["name"] for each in own if each["in"] == "path"] == re.findall(r"\{(\w+)\}", name)
    for each in own:
        assert CAMEL.fullmatch(each["name"]), each
        assert each["description"], f"{name}: {each['name']} has no description"
        assert fits(each["example"], each["schema"]), f"{name}: the example of {each['name']} is not true"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_has_a_description_and_an_example(name: str) -> None:
    for field, schema in SCHEMAS[name].get("properties", {}).items():
        where = f"{name}.{field}"
        assert CAMEL.fullmatch(field) or field in SNAKE_IN_THE_SPECIFICATION, where
        assert schema.get("description") or "$ref" in schema, f"{where} has no description: use `about`"
        assert schema.get("examples") or "$ref" in schema, f"{where} has no example: use `about`"
        for example in schema.get("examples", []):
            assert fits(example, schema), f"{where}: the example {example!r} does not fit"


@each_operation()
def test_every_error_and_every_json_response_has_a_valid_example(operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/problem+json")
        assert int(status) < 400 or content is None or content["examples"]
    for value, schema in examples(operation):
        assert fits(value, schema), json.dumps(value)


def test_types_of_every_kind_are_described() -> None:
    """The probes have lists, nested objects, unions with null and literals, to which the same rules apply."""
    pair = contract.document()["components"]["schemas"]["Probe"]["properties"]
    assert pair["metadata"]["items"] == {"$ref": "#/components/schemas/Pair"}
    assert pair["status"]["enum"] == ["active", "inactive"]
    assert {"type": "null"} in pair["note"]["anyOf"]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (httpx.Response(418, json={}), "does not declare"),
        (httpx.Response(200, text="<p>"), "declares"),
        (httpx.Response(200, json={"languages": [{"ref": "1"}]}), "does not fit its schema"),
    ],
)
async def test_the_tests_client_rejects_undocumented_responses(response: httpx.Response, expected: str) -> None:
    response.request = httpx.Request("GET", "http://api.test/brands/1/languages")
    with pytest.raises(AssertionError, match=expected):
        await contract.check_response(response)


async def test_the_tests_client_rejects_responses_of_unknown_operations() -> None:
    response = httpx.Response(200, json={}, request=httpx.Request("GET", "http://api.test/unheard-of"))
    with pytest.raises(AssertionError, match="no such operation"):
        await contract.check_response(response)
