"""DELETE /resellers/:resellerRef, and `enabled`: credentials stop at once, in every process; users stay."""

import asyncio

import httpx
import pytest

from sitewright.app import LIFECYCLE, MAIL
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from tests.accounts.resellers.conftest import Speaking
from tests.accounts.resellers.shapes import create, edit, got, made, priced, strings_of
from tests.accounts.users.shapes import ref_of_new
from tests.support.answers import refused
from tests.support.browsing import browser, log_in
from tests.support.cast import OWN_BRAND, RESELLER_REF, SignedBy
from tests.support.customers import new_user
from tests.support.ledger import Ledger
from tests.support.packages import PRO
from tests.support.users import OwnerConnection


async def test_the_credentials_stop_at_once_in_every_process(
    owner: httpx.AsyncClient, settings: Settings, database_url: str, speaking: Speaking
) -> None:
    ref, strings = await made(owner)
    async with (
        open_resources(settings, database_url, name="another", lifecycle=LIFECYCLE, mail=MAIL) as others,
        browser(others) as elsewhere,
    ):
        calls = [speaking(strings), elsewhere]
        for each in calls:
            assert (await each.get("/users", auth=SignedBy(strings))).status_code == 200
        assert (await owner.delete(f"/resellers/{ref}")).status_code == 204
        for each in calls:
            assert (await each.get("/users", auth=SignedBy(strings))).status_code == 401


async def test_it_is_gone(owner: httpx.AsyncClient) -> None:
    ref, _ = await made(owner)
    assert (await owner.delete(f"/resellers/{ref}")).status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert refused(await owner.request(method, f"/resellers/{ref}")) == (404, "resellerNotFound")
    for path in ("/prices", "/prices/1"):
        assert refused(await owner.get(f"/resellers/{ref}{path}")) == (404, "resellerNotFound")
    listed = (await owner.get(f"/brands/{OWN_BRAND}/resellers")).json()["resellers"]
    assert ref not in {each["ref"] for each in listed}


async def test_its_users_stay_with_the_brand(owner: httpx.AsyncClient, speaking: Speaking) -> None:
    ref, strings = await made(owner)
    user_ref = await ref_of_new(speaking(strings), username="bea", password="correct horse")
    await owner.delete(f"/resellers/{ref}")
    users = (await owner.get("/users")).json()
    assert (users["count"], [user["ref"] for user in users["accountHolders"]]) == ("1", [user_ref])
    assert (await owner.put(f"/users/{user_ref}", json={"firstName": "Beatrice"})).status_code == 200
    assert (await owner.post(f"/users/{user_ref}/auto-login")).status_code == 200


async def test_nobody_names_it_any_more(owner: httpx.AsyncClient) -> None:
    ref, _ = await made(owner)
    await owner.delete(f"/resellers/{ref}")
    assert refused(await owner.get("/users", params={"resellerRef": ref})) == (400, "invalidResellerRef")
    assert refused(await owner.post("/users", json=new_user(resellerRef=ref))) == (400, "invalidResellerRef")


async def test_its_users_pay_the_packages_own_prices_then(
    owner: httpx.AsyncClient, speaking: Speaking, ledger: Ledger
) -> None:
    ref, strings = await made(owner)
    await priced(owner, ref, packageRef=PRO, price=3, offerPrice=3)
    client = speaking(strings)
    one, other = [await ref_of_new(client, username=name) for name in ("bea", "cid")]
    await owner.post(f"/users/{one}/account-packages", json={"packageRef": PRO, "billingFrequency": 1})
    await owner.delete(f"/resellers/{ref}")
    await owner.post(f"/users/{other}/account-packages", json={"packageRef": PRO, "billingFrequency": 1})
    [own] = await ledger.charges(one)
    [standard] = await ledger.charges(other)
    assert own == "3.00 USD for 1"
    assert standard != own


async def test_the_operators_list_tells(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref, _ = await made(owner)
    await owner.delete(f"/resellers/{ref}")
    row = await owner_connection.fetchrow(
        "select role, name, revoked_at is not null from all_credentials() where name = $1", f"reseller {ref}"
    )
    assert row is not None
    assert tuple(row) == ("reseller", f"reseller {ref}", True)


@pytest.mark.parametrize("flag", [False, 0, "0"])
async def test_disabled_it_is_kept_out_until_it_is_enabled(
    owner: httpx.AsyncClient, speaking: Speaking, flag: object
) -> None:
    ref, strings = await made(owner)
    client = speaking(strings)
    assert (await edit(owner, ref, enabled=flag))["enabled"] is False
    for _ in range(2):
        assert refused(await client.get("/users")) == (401, "unauthenticated")
    assert (await edit(owner, ref, enabled=True))["enabled"] is True
    assert (await client.get("/users")).status_code == 200


async def test_however_often_it_tried_it_is_let_in_again_at_once(owner: httpx.AsyncClient, speaking: Speaking) -> None:
    """Its right signatures are no guesses while it is disabled: they are not counted as failures."""
    ref, strings = await made(owner)
    client = speaking(strings)
    await edit(owner, ref, enabled=0)
    statuses = {(await client.get("/users")).status_code for _ in range(15)}
    assert statuses == {401}
    await edit(owner, ref, enabled=1)
    assert (await client.get("/users")).status_code == 200


async def test_users_of_a_disabled_reseller_go_on(
    owner: httpx.AsyncClient, speaking: Speaking, resources: Resources
) -> None:
    told = await create(owner)
    ref = told["reseller"]["ref"]
    await ref_of_new(speaking(strings_of(told)), username="bea", password="correct horse")
    await edit(owner, ref, enabled=0)
    async with browser(resources) as visitor:
        assert (await log_in(visitor, "bea", "correct horse", brandRef=OWN_BRAND)).status_code == 303
    assert (await owner.get("/users", params={"resellerRef": ref})).json()["count"] == "1"
    assert await ref_of_new(owner, username="cid", resellerRef=ref)


async def test_of_many_deletions_at_once_one_succeeds(owner: httpx.AsyncClient) -> None:
    ref, _ = await made(owner)
    answers = await asyncio.gather(*(owner.delete(f"/resellers/{ref}") for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [204] + [404] * 7


async def test_others_are_left_alone(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref, _ = await made(owner)
    kept, _ = await made(owner)
    await edit(owner, kept, enabled=1)
    await owner.delete(f"/resellers/{ref}")
    assert (await got(owner, kept))["enabled"] is True
    assert (await reseller.get("/users")).status_code == 200
    assert (await got(owner, RESELLER_REF))["enabled"] is True
