"""DELETE /resellers/:resellerRef, and `enabled`: credentials stop at once, in every process; users stay."""

import asyncio

import httpx
import pytest

from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from tests.accounts.resellers.conftest import ClientFor
from tests.accounts.resellers.shapes import (
    create_price,
    create_reseller,
    create_reseller_with_credentials,
    credentials_of,
    edit_reseller,
    get_reseller,
)
from tests.accounts.users.shapes import ref_of_new_user
from tests.support.browsing import browser, log_in
from tests.support.cast import OWN_BRAND, RESELLER_REF, SignedBy
from tests.support.customers import new_user
from tests.support.ledger import Ledger
from tests.support.packages import PRO
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_the_credentials_are_revoked_at_once_in_every_process(
    owner: httpx.AsyncClient, settings: Settings, database_url: str, client_for: ClientFor
) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    async with (
        open_resources(settings, database_url, name="another", lifecycle=LIFECYCLE, mail=MAIL) as others,
        browser(others) as elsewhere,
    ):
        calls = [client_for(credentials), elsewhere]
        for each in calls:
            assert (await each.get("/users", auth=SignedBy(credentials))).status_code == 200
        assert (await owner.delete(f"/resellers/{ref}")).status_code == 204
        for each in calls:
            assert (await each.get("/users", auth=SignedBy(credentials))).status_code == 401


async def test_a_deleted_reseller_is_not_found(owner: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    assert (await owner.delete(f"/resellers/{ref}")).status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert problem_in(await owner.request(method, f"/resellers/{ref}")) == (404, "resellerNotFound")
    for path in ("/prices", "/prices/1"):
        assert problem_in(await owner.get(f"/resellers/{ref}{path}")) == (404, "resellerNotFound")
    listed = (await owner.get(f"/brands/{OWN_BRAND}/resellers")).json()["resellers"]
    assert ref not in {each["ref"] for each in listed}


async def test_its_users_stay_with_the_brand(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    user_ref = await ref_of_new_user(client_for(credentials), username="bea", password="correct horse")
    await owner.delete(f"/resellers/{ref}")
    users = (await owner.get("/users")).json()
    assert (users["count"], [user["ref"] for user in users["accountHolders"]]) == ("1", [user_ref])
    assert (await owner.put(f"/users/{user_ref}", json={"firstName": "Beatrice"})).status_code == 200
    assert (await owner.post(f"/users/{user_ref}/auto-login")).status_code == 200


async def test_a_deleted_reseller_is_rejected_in_requests(owner: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    await owner.delete(f"/resellers/{ref}")
    assert problem_in(await owner.get("/users", params={"resellerRef": ref})) == (400, "invalidResellerRef")
    assert problem_in(await owner.post("/users", json=new_user(resellerRef=ref))) == (400, "invalidResellerRef")


async def test_users_of_a_deleted_reseller_pay_the_packages_own_prices(
    owner: httpx.AsyncClient, client_for: ClientFor, ledger: Ledger
) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    await create_price(owner, ref, packageRef=PRO, price=3, offerPrice=3)
    client = client_for(credentials)
    one, other = [await ref_of_new_user(client, username=name) for name in ("bea", "cid")]
    await owner.post(f"/users/{one}/account-packages", json={"packageRef": PRO, "billingFrequency": 1})
    await owner.delete(f"/resellers/{ref}")
    await owner.post(f"/users/{other}/account-packages", json={"packageRef": PRO, "billingFrequency": 1})
    [own] = await ledger.charges(one)
    [standard] = await ledger.charges(other)
    assert own == "3.00 USD for 1"
    assert standard != own


async def test_the_operators_list_shows_revoked_credentials(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    await owner.delete(f"/resellers/{ref}")
    row = await owner_connection.fetchrow(
        "select role, name, revoked_at is not null from all_credentials() where name = $1", f"reseller {ref}"
    )
    assert row is not None
    assert tuple(row) == ("reseller", f"reseller {ref}", True)


@pytest.mark.parametrize("flag", [False, 0, "0"])
async def test_a_disabled_reseller_is_rejected_until_it_is_enabled(
    owner: httpx.AsyncClient, client_for: ClientFor, flag: object
) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    client = client_for(credentials)
    assert (await edit_reseller(owner, ref, enabled=flag))["enabled"] is False
    for _ in range(2):
        assert problem_in(await client.get("/users")) == (401, "unauthenticated")
    assert (await edit_reseller(owner, ref, enabled=True))["enabled"] is True
    assert (await client.get("/users")).status_code == 200


async def test_requests_while_disabled_do_not_count_as_failures(
    owner: httpx.AsyncClient, client_for: ClientFor
) -> None:
    """Valid signatures of a disabled reseller are not counted as authentication failures."""
    ref, credentials = await create_reseller_with_credentials(owner)
    client = client_for(credentials)
    await edit_reseller(owner, ref, enabled=0)
    statuses = {(await client.get("/users")).status_code for _ in range(15)}
    assert statuses == {401}
    await edit_reseller(owner, ref, enabled=1)
    assert (await client.get("/users")).status_code == 200


async def test_users_of_a_disabled_reseller_are_not_affected(
    owner: httpx.AsyncClient, client_for: ClientFor, resources: Resources
) -> None:
    returned = await create_reseller(owner)
    ref = returned["reseller"]["ref"]
    await ref_of_new_user(client_for(credentials_of(returned)), username="bea", password="correct horse")
    await edit_reseller(owner, ref, enabled=0)
    async with browser(resources) as visitor:
        assert (await log_in(visitor, "bea", "correct horse", brandRef=OWN_BRAND)).status_code == 303
    assert (await owner.get("/users", params={"resellerRef": ref})).json()["count"] == "1"
    assert await ref_of_new_user(owner, username="cid", resellerRef=ref)


async def test_of_many_deletions_at_once_one_succeeds(owner: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    responses = await asyncio.gather(*(owner.delete(f"/resellers/{ref}") for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [204] + [404] * 7


async def test_other_resellers_are_not_affected(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    kept, _ = await create_reseller_with_credentials(owner)
    await edit_reseller(owner, kept, enabled=1)
    await owner.delete(f"/resellers/{ref}")
    assert (await get_reseller(owner, kept))["enabled"] is True
    assert (await reseller.get("/users")).status_code == 200
    assert (await get_reseller(owner, RESELLER_REF))["enabled"] is True
