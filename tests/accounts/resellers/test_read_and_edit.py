"""GET /brands/:brandRef/resellers, GET and PUT /resellers/:resellerRef."""

from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from tests.accounts.resellers.shapes import (
    RESELLER,
    URLS,
    all_rows,
    create_reseller,
    create_reseller_with_credentials,
    edit_reseller,
    get_reseller,
)
from tests.accounts.resellers.test_create import CASES
from tests.accounts.users.shapes import TS
from tests.catalogue.packages.shapes import assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.paging import walk
from tests.support.responses import items_in, problem_in
from tests.support.users import OwnerConnection


async def listed(client: httpx.AsyncClient, brand_ref: int = OWN_BRAND) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/brands/{brand_ref}/resellers"), "resellers")


async def test_the_list_contains_what_get_returns_first_created_first(owner: httpx.AsyncClient) -> None:
    refs = [(await create_reseller_with_credentials(owner))[0] for _ in range(3)]
    resellers = await listed(owner)
    assert [each["ref"] for each in resellers] == [RESELLER_REF, *refs]
    assert resellers[1:] == [await get_reseller(owner, ref) for ref in refs]


async def test_a_brand_without_resellers(other_brand: httpx.AsyncClient, system_owner: httpx.AsyncClient) -> None:
    assert await listed(other_brand, OTHER_BRAND) == []
    assert await listed(system_owner, OTHER_BRAND) == []
    assert problem_in(await system_owner.get("/brands/999/resellers")) == (404, "brandNotFound")


async def test_an_edit_changes_only_the_sent_fields(owner: httpx.AsyncClient) -> None:
    sent: dict[str, Any] = {
        "accountCreateLimit": 5,
        "loginURL": "https://studio.example/",
        "resellerSupportEmail": "a@studio.example",
    }
    before = (await create_reseller(owner, **sent))["reseller"]
    clock.shift(60)
    after = await edit_reseller(owner, before["ref"], displayName="Another name")
    assert_shape(after, RESELLER)
    assert_shape(after["updated"], TS)
    assert after | {"updated": None} == before | {"displayName": "Another name"}
    assert after == await get_reseller(owner, before["ref"])


async def test_every_field_can_be_changed(owner: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    sent: dict[str, Any] = {url: f"http://studio.example:8080/{url}" for url in URLS}
    sent |= {"displayName": "New", "accountCreateLimit": 3, "defaultCurrencyRef": 2, "defaultLanguageRef": 2}
    sent |= {"enabled": False, "resellerSupportEmail": "new@studio.example"}
    reseller = await edit_reseller(owner, ref, name="new", **sent)
    assert {name: reseller[name] for name in sent} == sent
    assert reseller["resellerName"] == "new"


@pytest.mark.parametrize("nothing", [None, ""])
async def test_null_and_empty_text_clear_fields(owner: httpx.AsyncClient, nothing: str | None) -> None:
    sent = dict.fromkeys(URLS, "https://studio.example/")
    ref, _ = await create_reseller_with_credentials(
        owner, **sent, resellerSupportEmail="a@studio.example", accountCreateLimit=5
    )
    reseller = await edit_reseller(
        owner, ref, **dict.fromkeys(URLS, nothing), resellerSupportEmail=nothing, accountCreateLimit=None
    )
    assert {reseller[name] for name in (*URLS, "resellerSupportEmail")} == {""}
    assert reseller["accountCreateLimit"] == 0


async def test_an_empty_update_changes_nothing_else(owner: httpx.AsyncClient) -> None:
    before = (await create_reseller(owner))["reseller"]
    response = await owner.put(f"/resellers/{before['ref']}")
    assert response.json()["reseller"] | {"updated": None} == before


@pytest.mark.parametrize(
    ("field", "value"), [*CASES, ("enabled", "yes"), ("enabled", 2), ("enabled", None)], ids=lambda each: str(each)[:40]
)
async def test_an_invalid_field_is_reported_and_nothing_changes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    before = await all_rows(owner_connection)
    response = await owner.put(f"/resellers/{RESELLER_REF}", json={"name": "changed", field: value})
    assert problem_in(response) == (400, "invalid" + field[0].upper() + field[1:])
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("ref", ["999", "0", "-1", "abc", "1.0", str(2**63)])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_an_unknown_reseller_is_not_found(owner: httpx.AsyncClient, method: str, ref: str) -> None:
    response = await owner.request(method, f"/resellers/{ref}", json={"name": ""} if method == "PUT" else None)
    assert problem_in(response) == (404, "resellerNotFound")


async def test_another_brands_reseller_is_not_found(owner: httpx.AsyncClient, other_brand: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    for method in ("GET", "PUT", "DELETE"):
        assert problem_in(await other_brand.request(method, f"/resellers/{ref}")) == (404, "resellerNotFound")
    assert (await get_reseller(owner, ref))["enabled"] is True


async def test_the_environments_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    path = f"/resellers/{RESELLER_REF}"
    assert problem_in(await system_owner.get(path)) == (400, "brandRequired")
    assert (await system_owner.get(path, headers={"X-Brand-Ref": str(OWN_BRAND)})).status_code == 200
    assert (await system_owner.get(path, headers={"X-Brand-Ref": str(OTHER_BRAND)})).status_code == 404


async def test_a_reseller_cannot_access_resellers_not_even_itself(reseller: httpx.AsyncClient) -> None:
    for ref in (RESELLER_REF, 999):
        for method in ("GET", "PUT", "DELETE"):
            assert problem_in(await reseller.request(method, f"/resellers/{ref}")) == (403, "forbidden")
    assert problem_in(await reseller.get(f"/brands/{OWN_BRAND}/resellers")) == (403, "forbidden")


async def test_the_list_is_paginated(owner: httpx.AsyncClient) -> None:
    path = f"/brands/{OWN_BRAND}/resellers"
    for _ in range(3):
        await create_reseller_with_credentials(owner)
    [refs] = await walk(owner, path)
    pages = await walk(owner, f"{path}?limit=2")
    assert [ref for page in pages for ref in page] == refs
    assert len(pages) == (len(refs) + 1) // 2
