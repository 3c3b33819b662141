"""POST /brands/:brandRef/resellers."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.accounts.resellers.conftest import ClientFor
from tests.accounts.resellers.shapes import (
    CREDENTIALS,
    RESELLER,
    URLS,
    all_rows,
    create_reseller,
    create_reseller_with_credentials,
    credentials_of,
    get_reseller,
    new_reseller,
)
from tests.accounts.users.shapes import TS, create_user
from tests.catalogue.packages.shapes import assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

PATH = f"/brands/{OWN_BRAND}/resellers"


async def test_the_response_is_that_of_a_get(owner: httpx.AsyncClient) -> None:
    returned = await create_reseller(owner)
    assert set(returned) == {"reseller", "credentials"}
    assert_shape(returned["reseller"], RESELLER)
    assert_shape(returned["reseller"]["created"], TS)
    assert_shape(returned["credentials"], CREDENTIALS)
    assert returned["reseller"] == await get_reseller(owner, returned["reseller"]["ref"])


async def test_defaults_of_fields_that_were_not_sent(owner: httpx.AsyncClient) -> None:
    reseller = (await create_reseller(owner))["reseller"]
    assert (reseller["resellerName"], reseller["displayName"]) == ("partner-42", "Corner Web Studio")
    assert (reseller["brandRef"], reseller["parentResellerRef"]) == (OWN_BRAND, None)
    assert (reseller["accountCreateLimit"], reseller["enabled"], reseller["updated"]) == (0, True, None)
    assert {reseller[name] for name in (*URLS, "resellerSupportEmail")} == {""}


async def test_everything_that_may_be_sent(owner: httpx.AsyncClient) -> None:
    sent: dict[str, Any] = {url: f"https://studio.example/{url}?a=b&c=ü" for url in URLS}
    sent |= {"displayName": "Ü" * 255, "resellerSupportEmail": "help@studio.example", "defaultCurrencyRef": "2"}
    reseller = (await create_reseller(owner, name="n" * 255, accountCreateLimit="25", defaultLanguageRef=2, **sent))[
        "reseller"
    ]
    assert {name: reseller[name] for name in sent} == sent | {"defaultCurrencyRef": 2}
    assert (reseller["resellerName"], reseller["accountCreateLimit"]) == ("n" * 255, 25)


@pytest.mark.parametrize("nothing", [None, ""])
async def test_null_and_empty_text_are_the_same_as_left_out(owner: httpx.AsyncClient, nothing: str | None) -> None:
    left_out = (await create_reseller(owner))["reseller"]
    sent = dict.fromkeys((*URLS, "resellerSupportEmail"), nothing)
    reseller = (await create_reseller(owner, **sent, accountCreateLimit=None))["reseller"]
    ignored = {"ref": None, "created": None}
    assert reseller | ignored == left_out | ignored


async def test_the_credentials_work_at_once_and_are_returned_once(
    owner: httpx.AsyncClient, client_for: ClientFor
) -> None:
    returned = await create_reseller(owner)
    client = client_for(credentials_of(returned))
    holder = await create_user(client, username="bea")
    response = await client.get("/users")
    assert [user["ref"] for user in response.json()["accountHolders"]] == [holder["ref"]]
    again = await owner.get(f"/resellers/{returned['reseller']['ref']}")
    assert not any(secret in again.text for secret in returned["credentials"].values())


async def test_a_replayed_request_returns_the_same_credentials(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    headers = {"Idempotency-Key": "one reseller, please"}
    first, again = [await owner.post(PATH, json=new_reseller(), headers=headers) for _ in range(2)]
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    kept = await owner_connection.fetchval("select answer from idempotent_answers")
    secret = first.json()["credentials"]["consumerSecret"].encode()
    assert secret not in kept
    assert await owner_connection.fetchval("select count(*) from resellers where ref <> $1", RESELLER_REF) == 1


async def test_secrets_are_sealed_and_audited_without_them(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    returned = await create_reseller(owner)
    rows = str(await all_rows(owner_connection))
    assert returned["credentials"]["consumerSecret"] not in rows
    assert returned["credentials"]["accessSecret"] not in rows
    entries = await owner_connection.fetch("select action, subject, subject_ref from audit_entries order by ref")
    assert tuple(entries[-1]) == ("create", "reseller", returned["reseller"]["ref"])


async def test_concurrent_requests_create_separate_resellers(owner: httpx.AsyncClient) -> None:
    resellers = await asyncio.gather(*(create_reseller_with_credentials(owner) for _ in range(8)))
    assert len({ref for ref, _ in resellers}) == 8
    assert len({oauth_credentials.consumer_key for _, oauth_credentials in resellers}) == 8


async def test_the_environments_owner_and_operators_create_them_too(
    system_owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient
) -> None:
    assert (await create_reseller(owner_operator))["reseller"]["brandRef"] == OWN_BRAND
    response = await system_owner.post(f"/brands/{OTHER_BRAND}/resellers", json=new_reseller())
    assert (response.status_code, response.json()["reseller"]["brandRef"]) == (201, OTHER_BRAND)
    assert problem_in(await system_owner.post("/brands/999/resellers", json=new_reseller())) == (404, "brandNotFound")


async def test_all_missing_fields_are_reported_together(owner: httpx.AsyncClient) -> None:
    for response in (await owner.post(PATH), await owner.post(PATH, json={})):
        assert problem_in(response) == (400, "invalidRequest")
        assert response.json()["errors"] == {
            "name": {"invalidName": "is required"},
            "displayName": {"invalidDisplayName": "is required"},
            "defaultCurrencyRef": {"invalidDefaultCurrencyRef": "is required"},
            "defaultLanguageRef": {"invalidDefaultLanguageRef": "is required"},
        }


WRONG: dict[str, list[Any]] = {
    "name": ["", "n" * 256, 5, None, "\0", True, []],
    "displayName": ["", "n" * 256, 5, None, {}],
    "accountCreateLimit": ["ten", -1, "-1", 1.0, 1.5, True, "", 2**31, [1]],
    "defaultCurrencyRef": ["one", 0, -1, 99, 2**63, None, 1.0, True, ""],
    "defaultLanguageRef": ["English", 0, -1, 99, 2**63, None, 1.0, True, ""],
    "resellerSupportEmail": ["help", "help@", "@studio.example", "a b@studio.example", "x" * 65 + "@a.example", 5],
}
NO_URLS = [
    "studio.example", "/login", "ftp://studio.example", "javascript:alert(1)", "https://", "https://a b.example",
    "https://user:secret@studio.example", "https://studio.example\\@evil.example", "https://ü.example", "\n", 5,
    "https://studio.example/" + "x" * 2000,
]  # fmt: skip
CASES = [(field, value) for field, values in WRONG.items() for value in values] + [
    (field, value) for field in URLS for value in NO_URLS
]


@pytest.mark.parametrize(("field", "value"), CASES, ids=lambda each: str(each)[:40])
async def test_an_invalid_field_is_reported_and_nothing_changes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    before = await all_rows(owner_connection)
    response = await owner.post(PATH, json=new_reseller(**{field: value}))
    code = "invalid" + field[0].upper() + field[1:]
    assert problem_in(response) == (400, code)
    assert list(response.json()["errors"]) == [field]
    assert await all_rows(owner_connection) == before


async def test_all_invalid_fields_are_reported_together(owner: httpx.AsyncClient) -> None:
    sent = {
        "name": "",
        "accountCreateLimit": "ten",
        "defaultCurrencyRef": 99,
        "defaultLanguageRef": 99,
        "loginURL": "x",
    }
    response = await owner.post(PATH, json=sent)
    assert set(response.json()["errors"]) == {*sent, "displayName"}


async def test_another_brands_language_is_rejected(owner: httpx.AsyncClient, other_brand: httpx.AsyncClient) -> None:
    own = (await owner.get(f"/brands/{OWN_BRAND}/languages")).json()["languages"]
    others = (await other_brand.get(f"/brands/{OTHER_BRAND}/languages")).json()["languages"]
    [foreign, *_] = {language["ref"] for language in others} - {language["ref"] for language in own}
    response = await owner.post(PATH, json=new_reseller(defaultLanguageRef=foreign))
    assert problem_in(response) == (400, "invalidDefaultLanguageRef")


async def test_urls_must_be_on_hosts_that_the_brand_allows(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set allowed_link_hosts = '{shop.example}' where brand_ref = 1")
    response = await owner.post(PATH, json=new_reseller(**dict.fromkeys(URLS, "https://evil.example/")))
    assert set(response.json()["errors"]) == set(URLS)
    assert (await create_reseller(owner, loginURL="https://SHOP.example/login"))["reseller"]["enabled"] is True


async def test_resellers_cannot_be_created_in_another_brand(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    for brand_ref in (OTHER_BRAND, 999):
        response = await owner.post(f"/brands/{brand_ref}/resellers", json=new_reseller())
        assert problem_in(response) == (403, "brandMismatch")
    assert problem_in(await reseller.post(PATH, json=new_reseller())) == (403, "forbidden")
