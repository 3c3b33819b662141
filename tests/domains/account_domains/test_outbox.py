"""Registrations as an outbox: leases, retries with a back-off, and dead letters."""

from datetime import timedelta
from typing import Any

import httpx

from sitewright.domains.account_domains import store
from sitewright.domains.account_domains.jobs import LOOP, OUTBOX
from sitewright.domains.account_domains.operating.service import list_domains, retry_domains
from sitewright.domains.account_domains.registrars import RegistrarRefused
from sitewright.kit import clock
from sitewright.kit.outbox import Claimed
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy, get_domain
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.users import OwnerConnection


async def row_of(owner_connection: OwnerConnection, ref: int) -> dict[str, Any]:
    return dict(await owner_connection.fetchrow("select * from account_domains where ref = $1", ref) or {})


async def claim(resources: Resources, most: int) -> list[Claimed]:
    now = clock.now()
    async with resources.database.connection() as connection:
        return await store.claim(connection, now, now + OUTBOX.lease, most)


async def test_a_domain_is_due_until_the_registrar_has_done_everything(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())
    assert (await row_of(owner_connection, ref))["due_at"] is not None
    await LOOP.run_once(resources)
    assert (await get_domain(owner, ref))["active"] == 1
    row = await row_of(owner_connection, ref)
    assert (row["due_at"], row["attempts"]) == (None, 0)
    await owner.delete(f"/account-domains/{ref}")
    assert (await row_of(owner_connection, ref))["due_at"] is not None
    await LOOP.run_once(resources)
    row = await row_of(owner_connection, ref)
    assert (row["released_at"] is not None, row["due_at"]) == (True, None)


async def test_a_failure_is_retried_with_a_back_off_and_then_the_registration_has_failed(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    ref = await buy(owner, await user())
    registrar.error = ConnectionError("no route")
    passed = 0.0
    for number, delay in enumerate(OUTBOX.back_off.delays, start=1):
        await LOOP.run_once(resources)
        row = await row_of(owner_connection, ref)
        assert (row["attempts"], row["status"]) == (number, "pending")
        assert "no route" in row["failure"]
        assert delay * 0.8 < row["due_at"] - clock.now() + timedelta(seconds=1)
        passed += delay.total_seconds() * 1.2
        clock.shift(passed)
    await LOOP.run_once(resources)
    row = await row_of(owner_connection, ref)
    assert (row["status"], row["ended_at"] is not None, row["released_at"]) == ("failed", True, None)
    [listed] = await list_domains(resources, OWN_BRAND, failed_only=True, limit=10)
    assert (listed.ref, "no route" in (listed.failure or "")) == (ref, True)
    registrar.error = None
    assert await retry_domains(resources, TESTER, None, OWN_BRAND) == 1
    await LOOP.run_once(resources)
    row = await row_of(owner_connection, ref)
    assert (row["status"], row["released_at"] is not None, row["due_at"]) == ("failed", True, None)


async def test_a_refusal_is_a_dead_letter_at_once(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    ref = await buy(owner, await user())
    registrar.error = RegistrarRefused("reserved")
    await LOOP.run_once(resources)
    row = await row_of(owner_connection, ref)
    assert (row["due_at"], row["status"], row["failure"]) == (None, "failed", "reserved")


async def test_a_change_during_a_call_to_the_registrar_is_not_lost(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    """It ends the lease of the running attempt, so the domain is still due after it."""
    ref = await buy(owner, await user())

    async def mark() -> None:
        async with resources.database.transaction(OWN_BRAND) as tx:
            await store.mark_due(tx, [ref], clock.now() + timedelta(minutes=1))

    registrar.during_call = mark
    await LOOP.run_once(resources)
    row = await row_of(owner_connection, ref)
    assert (row["status"], row["due_at"] is not None, row["attempts"]) == ("active", True, 0)


async def test_claims_are_fair_between_brands(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser, resources: Resources
) -> None:
    for number in range(4):
        await buy(owner, await user(), f"shop{number}.com")
    await buy(other_brand, await user(OTHER_BRAND), "other.com", packageRef=10)
    claimed = await claim(resources, 2)
    assert {each.brand_ref for each in claimed} == {OWN_BRAND, OTHER_BRAND}
    assert len(await claim(resources, 100)) == 3
    assert await claim(resources, 100) == []
