"""Large bodies cost little, whatever their content, and are parsed once."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from msgspec import inspect

from sitewright.app import ENDPOINTS
from sitewright.kit.http import call
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.validation import parse_json, parse_nested_form
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
Parse = Callable[[bytes], dict[str, Any]]


@pytest.fixture
def threads_of_parsing(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """In which thread each body was parsed."""
    seen: list[threading.Thread] = []

    def noting(parse: Parse) -> Parse:
        def parse_and_note(body: bytes) -> dict[str, Any]:
            seen.append(threading.current_thread())
            return parse(body)

        return parse_and_note

    monkeypatch.setattr(call, "parse_json", noting(parse_json))
    monkeypatch.setattr(call, "parse_nested_form", noting(parse_nested_form))
    return seen


async def test_half_a_million_invalid_items_get_a_short_response(owner: httpx.AsyncClient) -> None:
    body = b'{"metadata":[' + b",".join([b"0"] * 500_000) + b"]}"
    response = await owner.post("/users", headers=JSON, content=body)
    assert problem_in(response) == (400, "malformedJson")
    assert len(response.content) < 1000


async def test_at_most_a_hundred_invalid_fields_are_reported(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/probe", json={"metadata": [0] * 200})
    assert problem_in(response) == (400, "invalidRequest")
    assert len(response.json()["errors"]) == 100
    assert response.json()["detail"].startswith("userRef, firstName, metadata[0]")


async def test_list_limits_are_documented(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/probe", json={"userRef": 1, "firstName": "Ann", "metadata": [0] * 201})
    assert response.json()["errors"] == {"metadata": {"invalidMetadata": "must hold at most 200 items"}}
    schemas = (await owner.get("/openapi.json")).json()["components"]["schemas"]
    bounds = {
        ("NewUser", "metadata"): 200,
        ("NewWidget", "values"): 1000,
        ("ProfileChanges", "fields"): 200,
        ("NewCertificate", "domains"): 1000,
    }
    for (schema, field), bound in bounds.items():
        assert f"'maxItems': {bound}" in str(schemas[schema]["properties"][field])


def unbounded_lists(kind: inspect.Type, where: str) -> Iterator[str]:
    match kind:
        case inspect.Metadata(type=described):
            yield from unbounded_lists(described, where)
        case inspect.UnionType(types=types):
            for each in types:
                yield from unbounded_lists(each, where)
        case inspect.ListType(item_type=item, max_length=maximum):
            yield from [where] if maximum is None else []
            yield from unbounded_lists(item, where)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from unbounded_lists(field.type, f"{where}.{field.encode_name}")


@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if each.body], ids=lambda each: each.name)
def test_every_list_in_a_body_has_a_maximum_length(endpoint: Endpoint) -> None:
    assert endpoint.body is not None
    assert list(unbounded_lists(inspect.type_info(endpoint.body), endpoint.body.__name__)) == []


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (JSON, b'{"brandRef": %d, "password": "long enough"}' % OWN_BRAND),
        (FORM, b"brandRef=%d&password=long+enough" % OWN_BRAND),
        (JSON, b'{"brandRef": '),
    ],
)
async def test_the_body_of_a_post_is_parsed_once(
    owner: httpx.AsyncClient, threads_of_parsing: list[threading.Thread], headers: dict[str, str], body: bytes
) -> None:
    headers = headers | {"Idempotency-Key": "once"}
    assert (await owner.post("/users", headers=headers, content=body)).status_code == 400
    assert threads_of_parsing == [threading.current_thread()]


@pytest.mark.parametrize(("headers", "start"), [(JSON, b'{"reason": "'), (FORM, b"reason=")])
async def test_a_large_body_is_parsed_once_and_off_the_event_loop(
    owner: httpx.AsyncClient, threads_of_parsing: list[threading.Thread], headers: dict[str, str], start: bytes
) -> None:
    body = start + b"x" * 100_000 + (b'"}' if headers is JSON else b"")
    response = await owner.post("/probe/optional", headers=headers, content=body)
    assert response.json() == {"reason": "x" * 100_000}
    [thread] = threads_of_parsing
    assert thread is not threading.current_thread()


async def test_a_page_form_is_at_most_64_kib(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.post("/login", headers=FORM, content=b"username=" + b"%41" * 22_000)
    assert problem_in(response) == (413, "bodyTooLarge")
