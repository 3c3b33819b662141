"""Nested forms, PHP's empty arrays and fields that must not be dropped, through the running API."""

import json
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from sitewright.tenants.brands.service import match_language
from tests.support.responses import problem_in

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
VALID = "userRef=1&firstName=Ann"
NESTED = {"metadata[0][name]": "ab", "metadata[0][value]": "cd", "metadata[1][name]": "ef", "metadata[1][value]": "gh"}
MEANT = [{"name": "ab", "value": "cd"}, {"name": "ef", "value": "gh"}]


@pytest.fixture(params=["owner", "owner_operator"])
def caller(request: pytest.FixtureRequest) -> httpx.AsyncClient:
    """With OAuth, including the body in the signature, and with Basic."""
    client: httpx.AsyncClient = request.getfixturevalue(request.param)
    return client


async def post(caller: httpx.AsyncClient, form: str) -> httpx.Response:
    return await caller.post("/probe", content=f"{VALID}&{form}".encode(), headers=FORM)


async def test_a_nested_form_is_read(caller: httpx.AsyncClient) -> None:
    response = await post(caller, urlencode(NESTED))
    assert (response.status_code, response.json()["metadata"]) == (200, MEANT)


@pytest.mark.parametrize(
    "form",
    ["metadata=a", "metadata[", "metadata[0]=a", "metadata[0][name]=ab&metadata[2][name]=ab", "metadata[x][name]=ab",
     "metadata=a&metadata[0][name]=ab", "metadata[]=ab&metadata[x]=ab", "metadata" + "[]" * 64 + "=a"],
)  # fmt: skip
async def test_a_malformed_known_field_is_reported(caller: httpx.AsyncClient, form: str) -> None:
    response = await post(caller, form.replace("[", "%5B").replace("]", "%5D"))
    assert response.status_code == 400
    assert all(field.startswith("metadata") for field in response.json()["errors"])


@pytest.mark.parametrize("form", ["other[", "other=1&other=2", "other[0]=1&other=2", "[metadata]=1", "[]=1"])
async def test_an_unknown_field_is_ignored_whatever_its_shape(caller: httpx.AsyncClient, form: str) -> None:
    assert (await post(caller, form.replace("[", "%5B").replace("]", "%5D"))).status_code == 200


async def test_a_field_sent_twice_with_different_values_is_reported(caller: httpx.AsyncClient) -> None:
    assert problem_in(await post(caller, "note=a&note=b")) == (400, "invalidNote")
    assert (await post(caller, "note=a&note=a")).json()["note"] == "a"
    assert problem_in(await caller.get("/probe?limit=5&limit=6")) == (400, "invalidLimit")
    assert (await caller.get("/probe?limit=5&limit=5")).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('"metadata[crm]": "a"', "metadata"),
        ('"metadata[0][name]": "a"', "metadata"),
        ('"metadata": "[]"', "metadata"),
        ('"metadata": null', "metadata"),
        ('"status": null', "status"),
        ('"live": null', "live"),
    ],
)
async def test_a_known_json_field_of_another_type_is_reported(caller: httpx.AsyncClient, body: str, field: str) -> None:
    response = await caller.post("/probe", content=f'{{"userRef": 1, "firstName": "A", {body}}}'.encode(), headers=JSON)
    assert (response.status_code, list(response.json()["errors"])) == (400, [field])


async def test_phps_empty_array_is_an_empty_object(caller: httpx.AsyncClient) -> None:
    assert (await caller.post("/probe/optional", content=b"[]", headers=JSON)).json() == {"reason": None}
    response = await caller.post("/probe", content=b" [ ] ", headers=JSON)
    assert (response.status_code, set(response.json()["errors"])) == (400, {"userRef", "firstName"})
    assert problem_in(await caller.post("/probe/optional", content=b"[1]", headers=JSON)) == (400, "malformedJson")


NEW_USER = {
    "brandRef": "1", "firstName": "Ann", "lastName": "E", "username": "ann", "password": "correct horse",
    "email": "ann@mail.example", "languageCode": "en",
}  # fmt: skip


@pytest.mark.parametrize(
    "metadata",
    [{"metadata[crm]": "4711", "metadata[tier]": "gold"},
     {"metadata[0][name]": "crm", "metadata[0][value]": "4711", "metadata[1][name]": "tier",
      "metadata[1][value]": "gold"}],
)  # fmt: skip
async def test_a_user_is_created_from_a_nested_form(
    caller: httpx.AsyncClient, clean: None, owner_connection: Any, metadata: dict[str, str]
) -> None:
    response = await caller.post("/users", data=NEW_USER | metadata)
    assert response.status_code == 201, response.text
    stored = await owner_connection.fetchval("select metadata from users where username = 'ann'")
    assert json.loads(stored) == [{"name": "crm", "value": "4711"}, {"name": "tier", "value": "gold"}]


async def test_metadata_numbers_keep_their_text(caller: httpx.AsyncClient, clean: None, owner_connection: Any) -> None:
    body = json.dumps(NEW_USER)[:-1] + ', "metadata": {"aa": 1.50, "bb": 10, "cc": -2.5e3, "dd": 12345678901234567890}}'
    response = await caller.post("/users", content=body.encode(), headers=JSON)
    assert response.status_code == 201, response.text
    stored = await owner_connection.fetchval("select metadata from users where username = 'ann'")
    assert [each["value"] for each in json.loads(stored)] == ["1.50", "10", "-2.5e3", "12345678901234567890"]


@pytest.mark.parametrize("value", ["true", "null", "[1]", "{}"])
async def test_other_metadata_values_are_rejected(owner: httpx.AsyncClient, value: str) -> None:
    body = json.dumps(NEW_USER)[:-1] + f', "metadata": [{{"name": "ab", "value": {value}}}]}}'
    response = await owner.post("/users", content=body.encode(), headers=JSON)
    assert (response.status_code, list(response.json()["errors"])) == (400, ["metadata[0].value"])


async def test_a_language_may_be_written_in_any_letter_case(caller: httpx.AsyncClient, clean: None) -> None:
    created = await caller.post("/users", data=NEW_USER | {"languageCode": "EN"})
    holder = created.json()["accountHolder"]
    assert (created.status_code, holder["languageCode"]) == (201, "en")
    path = f"/users/{holder['ref']}"
    assert (await caller.put(path, json={"languageCode": "De"})).json()["accountHolder"]["languageCode"] == "de"
    assert (await caller.get(path)).json()["accountHolder"]["languageCode"] == "de"
    assert problem_in(await caller.put(path, json={"languageCode": "deu"})) == (400, "invalidLanguageCode")


def test_a_language_gets_the_brands_own_spelling() -> None:
    codes = ["en", "pt-BR", "PT"]
    assert [match_language(codes, sent) for sent in ("EN", "pt-br", "PT-BR", "pt", "pt-BR", "pt_BR", "")] == [
        "en", "pt-BR", "pt-BR", "PT", "pt-BR", None, None,
    ]  # fmt: skip


async def test_a_field_of_a_newer_release_is_unknown_in_any_notation(owner: httpx.AsyncClient, clean: None) -> None:
    older = {"X-Api-Version": "7.44"}
    response = await owner.post("/users", data=NEW_USER | {"metadata[": "x"}, headers=older)
    assert response.status_code == 201, response.text
    again = NEW_USER | {"username": "bob", "metadata[crm]": "x"}
    assert (await owner.post("/users", json=again, headers=older)).status_code == 201
    assert problem_in(await owner.post("/users", json=again)) == (400, "invalidMetadata")


@pytest.mark.parametrize(
    "query", ["brandRef=1&brandRef=2", "brandRef[]=1", "brandRef%5B0%5D=1", "brandRef=1&brandRef["]
)
async def test_a_malformed_brand_in_the_query_is_reported(system_owner: httpx.AsyncClient, query: str) -> None:
    assert problem_in(await system_owner.get(f"/users?{query}")) == (400, "invalidBrandRef")


async def test_a_percent_encoded_brand_mismatch_is_found(owner: httpx.AsyncClient) -> None:
    assert problem_in(await owner.get("/users?brand%52ef=2")) == (403, "brandMismatch")


@pytest.mark.parametrize(
    "body", ['{"brandRef[0]": 1}', '{"brandRef": [1]}', '{"brandRef": "x"}', '{"brandRef": {"ref": 1}}']
)
async def test_a_malformed_brand_in_a_json_body_is_reported(system_owner: httpx.AsyncClient, body: str) -> None:
    response = await system_owner.post("/users", content=body.encode(), headers=JSON)
    assert problem_in(response) == (400, "invalidBrandRef")


@pytest.mark.parametrize("form", ["brandRef=1&brandRef=2", "brandRef%5B%5D=1", "brandRef%5B=1"])
async def test_a_malformed_brand_in_a_form_is_reported(system_owner: httpx.AsyncClient, form: str) -> None:
    response = await system_owner.post("/users", content=form.encode(), headers=FORM)
    assert problem_in(response) == (400, "invalidBrandRef")
