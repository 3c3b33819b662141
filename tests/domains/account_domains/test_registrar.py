"""From ordered to active or failed, with refusals, failures and concurrent changes."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.domains.account_domains import jobs
from sitewright.domains.account_domains.jobs import Domains, reconcile
from sitewright.domains.account_domains.operating.service import list_domains
from sitewright.domains.account_domains.registrars import RegistrarRefused, Registration
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy, get_domain, order, registered_names
from tests.support.cast import OWN_BRAND
from tests.support.queued import Worker
from tests.support.users import OwnerConnection

RESERVED_NAME = RegistrarRefused("The registry has reserved this name.")


async def failures(resources: Resources) -> dict[int, tuple[str, str | None]]:
    failing = await list_domains(resources, None, failed_only=True, limit=100)
    return {each.ref: (each.status, each.failure) for each in failing}


async def test_a_registrar_receives_registration_and_holder(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar
) -> None:
    user_ref = await user(first_name="Jo", city="Porto", phone_number="+351 1")
    ref = await buy(owner, user_ref)
    await worker.work()
    registration = registrar.registered["joes-bakery.com"]
    assert (registration.brand_ref, registration.account_domain_ref) == (OWN_BRAND, ref)
    assert f"{registration.until:%Y-%m-%d}" == (await get_domain(owner, ref))["expiryDate"]["date"][:10]
    holder = registrar.holders[ref]
    assert (holder.first_name, holder.city, holder.phone_number) == ("Jo", "Porto", "+351 1")


async def test_a_refused_registration_has_failed_and_another_one_can_be_ordered(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar, resources: Resources
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    registrar.error = RESERVED_NAME
    await worker.work()
    assert (await get_domain(owner, ref))["active"] == 0
    assert await failures(resources) == {ref: ("failed", str(RESERVED_NAME))}
    registrar.error = None
    again = await buy(owner, user_ref)
    await worker.work()
    assert (await get_domain(owner, again))["active"] == 1


async def test_a_temporary_failure_is_retried_by_the_worker(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar, resources: Resources
) -> None:
    refs = [await buy(owner, await user(), f"shop{number}.com") for number in range(2)]
    registrar.error = ConnectionError("connection refused")
    with pytest.raises(ConnectionError):
        await reconcile(Domains(OWN_BRAND, refs), resources)
    found = await failures(resources)
    assert {status for status, _ in found.values()} == {"pending"}
    assert all("connection refused" in (reason or "") for _, reason in found.values())
    registrar.error = None
    await worker.work()
    assert [(await get_domain(owner, ref))["active"] for ref in refs] == [1, 1]


async def test_one_domains_failure_does_not_stop_the_others(
    owner: httpx.AsyncClient, user: MakeUser, registrar: ScriptedRegistrar, resources: Resources
) -> None:
    refs = [await buy(owner, await user(), f"shop{number}.com") for number in range(2)]

    async def fail() -> None:
        raise ConnectionError("once")

    registrar.during_call = fail
    with pytest.raises(ConnectionError):
        await reconcile(Domains(OWN_BRAND, refs), resources)
    assert [(await get_domain(owner, ref))["active"] for ref in refs] == [0, 1]


async def test_a_domain_deleted_during_its_registration_is_released(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar, resources: Resources
) -> None:
    ref = await buy(owner, await user())

    async def delete() -> None:
        await owner.delete(f"/account-domains/{ref}")
        await worker.work()

    registrar.during_call = delete
    await reconcile(Domains(OWN_BRAND, [ref]), resources)
    assert registrar.registered == {}


async def test_reconciling_twice_is_idempotent(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())

    async def everything() -> list[Any]:
        tables = ("account_domains", "registered_domains", "audit_entries")
        return [await owner_connection.fetch(f"select * from {table} order by 1, 2") for table in tables]

    await worker.work()
    before = await everything()
    await reconcile(Domains(OWN_BRAND, [ref, 999_999]), resources)
    assert await everything() == before


async def test_a_crash_after_the_registrars_response_is_recovered(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())
    await worker.work()
    await owner_connection.execute("update account_domains set registered_until = null, status = 'pending'")
    await reconcile(Domains(OWN_BRAND, [ref]), resources)
    assert (await get_domain(owner, ref))["active"] == 1


async def test_anonymizing_erases_the_holder_at_the_registrar(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar
) -> None:
    user_ref = await user(first_name="Jo")
    await buy(owner, user_ref)
    await worker.work()
    assert len(registrar.holders) == 1
    await owner.post(f"/users/{user_ref}/anonymise")
    await worker.work()
    assert registrar.holders == {}
    assert list(registrar.registered) == ["joes-bakery.com"]


async def test_anonymizing_erases_released_names_and_registrars_messages(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    released = await buy(owner, user_ref, "released.com")
    await worker.work()
    await owner.delete(f"/account-domains/{released}")
    await worker.work()
    registrar.error = RegistrarRefused("Jo has no telephone")
    await buy(owner, user_ref, "refused.com")
    await worker.work()
    await owner.post(f"/users/{user_ref}/anonymise")
    rows = await owner_connection.fetch("select domain, failure from account_domains order by ref")
    assert [tuple(row) for row in rows] == [("anonymised", None), ("anonymised", "anonymised")]


async def test_a_name_erased_during_its_registration_is_still_released(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: ScriptedRegistrar, resources: Resources
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)

    async def delete() -> None:
        """While the registrar registers it."""
        await owner.post(f"/users/{user_ref}/anonymise")
        await owner.delete(f"/account-domains/{ref}")
        await reconcile(Domains(OWN_BRAND, [ref]), resources)

    registrar.during_call = delete
    await worker.work()
    assert registrar.registered == {}


async def test_a_name_registered_for_another_holder_is_refused(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    ref = await buy(owner, await user())
    await owner_connection.execute(
        "insert into registered_domains values (2, 1, 'joes-bakery.com', now(), now() + interval '1 year')"
    )
    await worker.work()
    assert await failures(resources) == {ref: ("failed", "The name is registered for another holder.")}
    assert await registered_names(owner_connection) == {}
    assert (await order(owner, await user())).json()["code"] == "domainTaken"


async def test_a_registrar_that_does_not_respond_times_out(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ref = await buy(owner, await user())
    monkeypatch.setattr(jobs, "TIMEOUT_SECONDS", 0.05)
    registrar.during_call = asyncio.Event().wait
    with pytest.raises(TimeoutError):
        await reconcile(Domains(OWN_BRAND, [ref]), resources)
    assert (await failures(resources))[ref][0] == "pending"


async def test_a_failure_to_erase_a_holder_does_not_stop_the_others(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user_ref = await user()
    first, _ = [await buy(owner, user_ref, name) for name in ("first.com", "second.com")]
    await worker.work()
    erase = registrar.erase_holder

    async def fail_for_first(resources: Resources, registration: Registration) -> None:
        if registration.account_domain_ref == first:
            raise TimeoutError
        await erase(resources, registration)

    monkeypatch.setattr(registrar, "erase_holder", fail_for_first)
    await owner.post(f"/users/{user_ref}/anonymise")
    with pytest.raises(TimeoutError):  # so that the queue retries the job
        await worker.work()
    assert list(registrar.holders) == [first]
