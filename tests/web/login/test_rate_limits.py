"""Rate limits of the log-in page: by address for all names, by account for all addresses, across brands."""

import asyncio

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import browser, log_in, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.limits import CountingPasswords, limited
from tests.support.users import OwnerConnection, make_user

BUSY = "Many people are logging in at the moment. Please try again in a few seconds."


async def statuses(client: httpx.AsyncClient, *names: str, **more: str) -> list[int]:
    return [(await log_in(client, name, "a wrong guess", **more)).status_code for name in names]


async def test_one_address_has_one_budget_for_all_names(resources: Resources, user: int) -> None:
    counting = CountingPasswords()
    few = limited(resources, counting, login_failures_per_address=3)
    async with browser(few) as client, browser(few, "192.0.2.9") as elsewhere:
        assert await statuses(client, "nobody", "ann", "bea", "cat") == [401, 401, 401, 429]
        counting.verifications = 0
        assert (await log_in(client)).status_code == 429, "nobody was ever right from there"
        assert counting.verifications == 0
        assert (await log_in(elsewhere)).status_code == 303
    await counting.close()


async def test_an_address_where_a_name_has_logged_in_is_open_for_it(resources: Resources, user: int) -> None:
    async with browser(limited(resources, login_failures_per_address=2)) as client:
        assert (await log_in(client)).status_code == 303
        assert await statuses(client, "bea", "cat", "dan") == [401, 401, 429]
        assert await statuses(client, "ann") == [401]
        assert (await log_in(client)).status_code == 303


async def test_an_account_has_one_budget_for_all_addresses_and_its_owner_is_not_locked_out(
    resources: Resources, user: int
) -> None:
    few = limited(resources, login_failures_per_account=3)
    async with browser(few, "192.0.2.1") as owner:
        assert (await log_in(owner)).status_code == 303
        shown = []
        for number in range(2, 7):
            async with browser(few, f"192.0.2.{number}") as attacker:
                shown += await statuses(attacker, "ANN")
        assert shown == [401, 401, 401, 429, 429]
        assert (await log_in(owner)).status_code == 303
        async with browser(few, "192.0.2.9") as attacker:
            assert await statuses(attacker, "bea") == [401], "another account"


@pytest.mark.parametrize("known", [True, False])
async def test_other_brands_give_no_additional_attempts(resources: Resources, user: int, known: bool) -> None:
    name = "ann" if known else "nobody"
    async with browser(limited(resources, failures_per_key=3)) as client:
        shown = await statuses(client, name)
        for brand_ref in (OWN_BRAND, OTHER_BRAND, OWN_BRAND, OTHER_BRAND):
            shown += await statuses(client, name, brandRef=str(brand_ref))
    assert shown == [401, 401, 401, 429, 429]


async def test_an_own_account_in_another_brand_does_not_reset_the_count(
    resources: Resources, user: int, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, OTHER_BRAND, password="the attacker's own")
    async with browser(limited(resources, failures_per_key=2)) as client:
        assert await statuses(client, "ann", brandRef=str(OWN_BRAND)) == [401]
        own = await log_in(client, "ann", "the attacker's own", brandRef=str(OTHER_BRAND))
        assert own.status_code == 303
        assert await statuses(client, "ann", "ann", brandRef=str(OWN_BRAND)) == [401, 429]


async def test_the_addresses_of_one_ipv6_customer_are_one_address(resources: Resources, user: int) -> None:
    few, shown = limited(resources, failures_per_key=2), []
    for number in range(1, 4):
        async with browser(few, f"2001:db8:1:2:{number}::{number}") as client:
            shown += await statuses(client, "ann")
    assert shown == [401, 401, 429]


async def test_forms_of_a_rate_limited_address_are_not_parsed(resources: Resources, clean: None) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    async with browser(limited(resources, login_failures_per_address=1)) as client:
        assert (await client.post("/login", content=b"username=%ff", headers=form)).status_code == 400
        await statuses(client, "nobody")
        refused = await client.post("/login", content=b"username=%ff", headers=form)
    assert refused.status_code == 429
    assert 290 <= int(refused.headers["retry-after"]) <= 300


async def test_guesses_in_several_processes_share_the_budget(resources: Resources, user: int) -> None:
    processes = [browser(limited(resources, failures_per_key=4)) for _ in range(3)]
    guesses = [log_in(client, "ann", f"{n}") for n in range(4) for client in processes]
    shown = sorted(response.status_code for response in await asyncio.gather(*guesses))
    assert shown == [401] * 4 + [429] * 8
    for client in processes:
        await client.aclose()


@pytest.mark.parametrize("brand_ref", [None, OWN_BRAND])
async def test_a_wrong_password_costs_the_same_whichever_brands_know_the_name(
    resources: Resources, clean: None, owner_connection: OwnerConnection, brand_ref: int | None
) -> None:
    await make_user(owner_connection, resources, OWN_BRAND, username="one")
    for each in (OWN_BRAND, OTHER_BRAND):
        await make_user(owner_connection, resources, each, username="two")
    await make_user(owner_connection, resources, OWN_BRAND, username="without", password=None)
    counting, counts = CountingPasswords(), {}
    more = {} if brand_ref is None else {"brandRef": str(brand_ref)}
    async with browser(limited(resources, counting)) as client:
        for name in ("none", "one", "two", "without"):
            counting.verifications = 0
            await statuses(client, name, **more)
            counts[name] = counting.verifications
    await counting.close()
    assert set(counts.values()) == {2 if brand_ref is None else 1}, counts


async def test_log_ins_beyond_the_queue_are_rejected_with_retry_after(resources: Resources, user: int) -> None:
    """Each request has another address, so no rate limit applies."""
    short = CountingPasswords(log_in_places=4)
    few = limited(resources, short)
    clients = [browser(few, f"192.0.2.{number}") for number in range(1, 13)]
    responses = await asyncio.gather(*(log_in(each, f"name {n}", "wrong") for n, each in enumerate(clients)))
    shown = {response.status_code for response in responses}
    assert shown == {401, 503}
    refused = next(response for response in responses if response.status_code == 503)
    assert (refused.headers["retry-after"], BUSY in page_text(refused)) == ("1", True)
    assert short.verifications <= 2 * sum(response.status_code == 401 for response in responses)
    assert (await log_in(clients[0])).status_code == 303
    for client in clients:
        await client.aclose()
    await short.close()
