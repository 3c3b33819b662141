"""The reference is correct: the document is complete, its examples are valid, and its pages need no other resources.

The tests' client validates every response of every test against the document (`tests/support/contract.py`).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import openapi_spec_validator
import pytest
from markupsafe import escape

from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http.openapi import document_of
from sitewright.web.reference.clients import KNOWN_CLIENTS, RUN
from sitewright.web.reference.problem_codes import problem_codes
from tests.contract.test_real_clients import CLIENTS
from tests.support import contract, probe

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
        assert list(openapi_spec_validator.OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_the_document_of_the_tests_adds_only_their_own_endpoints() -> None:
    """So every response that the tests' client validates is validated against the published document."""
    used = contract.document()
    assert used["paths"] | DOCUMENT["paths"] == used["paths"]
    for kind, published in DOCUMENT["components"].items():
        assert used["components"][kind] | published == used["components"][kind]


def test_every_endpoint_stands_in_the_document() -> None:
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
def test_every_error_and_every_json_answer_has_a_true_example(operation: dict[str, Any]) -> None:
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


async def test_the_document_is_served_to_all(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/openapi.json")
    assert response.headers["cache-control"] == "max-age=300"
    assert response.json() == contract.document()


def assert_loads_nothing_else(response: httpx.Response) -> None:
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'self'; script-src 'self';"
    )
    assert "<style" not in response.text
    assert len(response.headers.get_list("content-security-policy")) == 1
    assert "<script>" not in response.text
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", response.text) == []


async def test_the_page_shows_every_operation(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/docs")
    assert response.status_code == 200
    assert_loads_nothing_else(response)
    for operation in OPERATIONS.values():
        assert f'<article id="{operation["operationId"]}">' in response.text


async def test_the_page_lists_the_clients_that_are_known_to_work(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/docs")).text
    assert len(KNOWN_CLIENTS) == 11
    for client in KNOWN_CLIENTS:
        assert f'<th scope="row">{escape(client.name)}' in page
    for setting in ("consistentTypes", "upsertGlobalValues", "vendor_*"):
        assert f"<code>{setting}</code>" in page


def test_clients_that_are_said_to_run_in_our_tests_do() -> None:
    """requests-oauthlib runs in the guides; the others are named by their tests."""
    said = {client.name.removesuffix(" (npm)") for client in KNOWN_CLIENTS if client.evidence == RUN}
    assert said == {"requests-oauthlib", *(name.partition(",")[0] for name in CLIENTS)} - {"Guzzle"}


async def test_every_link_of_the_page_leads_somewhere(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/docs")).text
    ids = set(re.findall(r'id="([^"]+)"', page))
    for target in set(re.findall(r'href="([^"]+)"', page)):
        if target.startswith("#"):
            assert target[1:] in ids
        else:
            assert (await anonymous.get(target)).status_code == 200, target


async def test_every_code_has_its_page(anonymous: httpx.AsyncClient) -> None:
    overview = await anonymous.get("/problems")
    assert_loads_nothing_else(overview)
    for code, problem in problem_codes(DOCUMENT).items():
        assert f'href="/problems/{code}"' in overview.text
        response = await anonymous.get(f"/problems/{code}")
        assert response.status_code == 200, code
        assert f"<dd>{problem.status}</dd>" in response.text
        assert_loads_nothing_else(response)


async def test_a_field_of_some_body_or_query_has_its_page(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/problems/invalidFirstName")
    assert response.status_code == 200
    assert "<code>firstName</code>" in response.text
    assert "/docs#takeBody" in response.text


@pytest.mark.parametrize("code", ["invalid", "nonsense", "%3Cscript%3E", "__proto__"])
async def test_an_unknown_code_is_a_404_page(anonymous: httpx.AsyncClient, code: str) -> None:
    response = await anonymous.get(f"/problems/{code}")
    assert response.status_code == 404
    assert_loads_nothing_else(response)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (httpx.Response(418, json={}), "does not declare"),
        (httpx.Response(200, text="<p>"), "declares"),
        (httpx.Response(200, json={"languages": [{"ref": "1"}]}), "does not fit its schema"),
    ],
)
async def test_the_tests_client_refuses_what_the_document_does_not_say(response: httpx.Response, expected: str) -> None:
    response.request = httpx.Request("GET", "http://api.test/brands/1/languages")
    with pytest.raises(AssertionError, match=expected):
        await contract.check_response(response)


async def test_the_tests_client_refuses_what_no_operation_returns() -> None:
    response = httpx.Response(200, json={}, request=httpx.Request("GET", "http://api.test/unheard-of"))
    with pytest.raises(AssertionError, match="no such operation"):
        await contract.check_response(response)
