"""Refs inside descriptions: those of others get the response to refs that do not exist. No secret is logged."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.provisioning.accounts.calls import ACCOUNTS, EXTERNAL_ID, PASSWORD, account, converged, holder, put
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.packages import EURO_PRO
from tests.support.responses import problem_in
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_reseller, make_user
from tests.web.account.factories import make_template

MADE_UP = 999_999_999
OTHER_RESELLER = 70_007
SITE = {"domain": "www.joes-bakery.example"}


@pytest.fixture
async def foreign(clean: None, owner_connection: OwnerConnection, resources: Resources) -> dict[str, int]:
    """Refs of the other brand."""
    user_ref = await make_user(owner_connection, resources, OTHER_BRAND, username="outsider")
    await make_reseller(owner_connection, OTHER_BRAND, OTHER_RESELLER)
    template = {"brand_ref": OTHER_BRAND, "account_holder_ref": user_ref, "ref": 70_001}
    await make_template(owner_connection, "outsider", **template)
    return {"user": user_ref, "reseller": OTHER_RESELLER, "template": 70_001, "package": EURO_PRO}


DESCRIPTIONS: dict[str, Callable[[int], dict[str, Any]]] = {
    "user": lambda ref: {"adopt": {"userRef": ref}},
    "reseller": lambda ref: account(accountHolder=holder(resellerRef=ref)),
    "template": lambda ref: account(sites=[SITE | {"templateRef": ref}]),
    "package": lambda ref: account(package={"packageRef": ref}),
}


@pytest.mark.parametrize("kind", DESCRIPTIONS)
async def test_refs_of_another_brand_do_not_exist(owner: httpx.AsyncClient, foreign: dict[str, int], kind: str) -> None:
    responses = [await put(owner, DESCRIPTIONS[kind](ref)) for ref in (foreign[kind], MADE_UP)]
    assert [response.status_code for response in responses] == [400, 400]
    theirs, nonexistent = (response.json() | {"instance": ""} for response in responses)
    assert theirs == nonexistent


async def test_an_external_id_is_the_brands_own(owner: httpx.AsyncClient, other_brand: httpx.AsyncClient) -> None:
    own = await converged(owner, account())
    theirs = await other_brand.put(f"/brands/{OTHER_BRAND}/accounts/{EXTERNAL_ID}", json={"accountHolder": holder()})
    assert theirs.status_code == 201
    assert theirs.json()["account"]["userRef"] != own["account"]["userRef"]
    assert problem_in(await other_brand.get(f"{ACCOUNTS}/{EXTERNAL_ID}")) == (403, "brandMismatch")
    listed = (await other_brand.get(f"/brands/{OTHER_BRAND}/accounts")).json()["accounts"]
    assert [each["userRef"] for each in listed] == [theirs.json()["account"]["userRef"]]


async def test_a_domain_of_another_brand_is_taken(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    site_ref = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, site_ref, SITE["domain"])
    response = await put(owner, account())
    assert problem_in(response) == (409, "domainTaken")
    assert set(response.json()["errors"]) == {"sites[0].domain"}


async def test_a_reseller_has_its_own_accounts(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    brands_own = await converged(owner, account())
    for response in (
        await reseller.get(f"{ACCOUNTS}/{EXTERNAL_ID}"),
        await reseller.delete(f"{ACCOUNTS}/{EXTERNAL_ID}"),
    ):
        assert problem_in(response) == (404, "accountNotFound")
    assert problem_in(await put(reseller, {"suspended": True})) == (409, "externalIdTaken")
    user_ref = brands_own["account"]["userRef"]
    refused = [await put(reseller, {"adopt": {"userRef": ref}}, "resellers-id") for ref in (user_ref, MADE_UP)]
    assert [problem_in(response) for response in refused] == [(400, "invalidUserRef")] * 2
    taken = await put(reseller, account(sites=[]), "resellers-id")
    assert problem_in(taken) == (409, "usernameTaken")
    assert "current" not in taken.json()
    created = await put(reseller, account(accountHolder=holder(username="bea"), sites=[]), "resellers-id")
    assert created.status_code == 201, created.text
    user = (await owner.get(f"/users/{created.json()['account']['userRef']}")).json()["accountHolder"]
    assert user["resellerRef"] == RESELLER_REF
    assert [each["externalId"] for each in (await reseller.get(ACCOUNTS)).json()["accounts"]] == ["resellers-id"]
    assert len((await owner.get(ACCOUNTS)).json()["accounts"]) == 2


async def test_a_brand_that_does_not_exist(system_owner: httpx.AsyncClient) -> None:
    for call in (system_owner.put, system_owner.get):
        response = await call(f"/brands/{MADE_UP}/accounts/{EXTERNAL_ID}")
        assert response.status_code == 404
    assert problem_in(await system_owner.get(f"/brands/{MADE_UP}/accounts")) == (404, "brandNotFound")


async def test_passwords_are_neither_logged_nor_stored(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    await converged(owner, account())
    await converged(owner, account(accountHolder=holder(password="canary password")))
    await put(owner, account(accountHolder=holder(password="canary")))
    written = "".join(capfd.readouterr())
    assert "canary" not in written and PASSWORD not in written
    audited = await owner_connection.fetch("select details::text from audit_entries where brand_ref = $1", OWN_BRAND)
    assert not [row for row in audited if "canary" in row["details"] or PASSWORD in row["details"]]
