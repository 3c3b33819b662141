"""From ordered to active or failed, whatever the registrar says and whatever happens meanwhile."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.domains.account_domains import jobs
from sitewright.domains.account_domains.jobs import Domains, carry_out
from sitewright.domains.account_domains.operating.service import list_domains, retry_domains
from sitewright.domains.account_domains.registrars import Refused, Registration
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, OtherRegistrar, buy, order, register, told
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.queued import Worker
from tests.support.users import OwnerConnection

ONLY_FOR_BAKERS = Refused("The registry has reserved this name.")


async def failures(resources: Resources) -> dict[int, tuple[str, str | None]]:
    failing = await list_domains(resources, None, failed_only=True, limit=100)
    return {each.ref: (each.status, each.failure) for each in failing}


async def test_a_registrar_is_told_all_it_needs(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar
) -> None:
    user_ref = await user(first_name="Jo", city="Porto", phone_number="+351 1")
    ref = await buy(owner, user_ref)
    await worker.work()
    registration = registrar.registered["joes-bakery.com"]
    assert (registration.brand_ref, registration.account_domain_ref) == (OWN_BRAND, ref)
    assert f"{registration.until:%Y-%m-%d}" == (await told(owner, ref))["expiryDate"]["date"][:10]
    holder = registrar.holders[ref]
    assert (holder.first_name, holder.city, holder.phone_number) == ("Jo", "Porto", "+351 1")


async def test_what_the_registrar_refuses_has_failed_and_can_be_retried(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar, resources: Resources
) -> None:
    ref = await buy(owner, await user())
    registrar.trouble = ONLY_FOR_BAKERS
    await worker.work()
    assert (await told(owner, ref))["active"] == 0
    assert await failures(resources) == {ref: ("failed", str(ONLY_FOR_BAKERS))}
    registrar.trouble = None
    assert await retry_domains(resources, TESTER, None, None) == 1
    await worker.work()
    assert (await told(owner, ref))["active"] == 1
    assert await failures(resources) == {}


async def test_an_unclear_answer_is_asked_for_again_by_the_job(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar, resources: Resources
) -> None:
    refs = [await buy(owner, await user(), f"shop{number}.com") for number in range(2)]
    registrar.trouble = ConnectionError("nobody is at home")
    with pytest.raises(ConnectionError):
        await carry_out(Domains(OWN_BRAND, refs), resources)
    found = await failures(resources)
    assert {status for status, _ in found.values()} == {"pending"}
    assert all("nobody is at home" in (reason or "") for _, reason in found.values())
    registrar.trouble = None
    await worker.work()
    assert [(await told(owner, ref))["active"] for ref in refs] == [1, 1]


async def test_one_domains_trouble_is_not_the_others(
    owner: httpx.AsyncClient, user: MakeUser, registrar: OtherRegistrar, resources: Resources
) -> None:
    refs = [await buy(owner, await user(), f"shop{number}.com") for number in range(2)]

    async def falter() -> None:
        raise ConnectionError("once")

    registrar.meanwhile = falter
    with pytest.raises(ConnectionError):
        await carry_out(Domains(OWN_BRAND, refs), resources)
    assert [(await told(owner, ref))["active"] for ref in refs] == [0, 1]


async def test_a_domain_given_up_while_it_is_registered_is_released(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar, resources: Resources
) -> None:
    ref = await buy(owner, await user())

    async def give_up() -> None:
        await owner.delete(f"/account-domains/{ref}")
        await worker.work()

    registrar.meanwhile = give_up
    await carry_out(Domains(OWN_BRAND, [ref]), resources)
    assert registrar.registered == {}


async def test_a_job_that_runs_twice_changes_nothing_more(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())

    async def everything() -> list[Any]:
        tables = ("account_domains", "registered_domains", "audit_entries")
        return [await owner_connection.fetch(f"select * from {table} order by 1, 2") for table in tables]

    await worker.work()
    before = await everything()
    await carry_out(Domains(OWN_BRAND, [ref, 999_999]), resources)
    assert await everything() == before


async def test_a_crash_after_the_registrars_answer_is_made_up_for(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())
    await worker.work()
    await owner_connection.execute("update account_domains set registered_until = null, status = 'pending'")
    await carry_out(Domains(OWN_BRAND, [ref]), resources)
    assert (await told(owner, ref))["active"] == 1


async def test_anonymising_reaches_what_the_registrar_keeps(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar
) -> None:
    user_ref = await user(first_name="Jo")
    await buy(owner, user_ref)
    await worker.work()
    assert len(registrar.holders) == 1
    await owner.post(f"/users/{user_ref}/anonymise")
    await worker.work()
    assert registrar.holders == {}
    assert list(registrar.registered) == ["joes-bakery.com"]


async def test_anonymising_forgets_what_was_given_up_before_and_what_registrars_said(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: OtherRegistrar,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    given_up = await buy(owner, user_ref, "given-up.com")
    await worker.work()
    await owner.delete(f"/account-domains/{given_up}")
    await worker.work()
    registrar.trouble = Refused("Jo has no telephone")
    await buy(owner, user_ref, "refused.com")
    await worker.work()
    await owner.post(f"/users/{user_ref}/anonymise")
    rows = await owner_connection.fetch("select domain, failure from account_domains order by ref")
    assert [tuple(row) for row in rows] == [("anonymised", None), ("refused.com", "anonymised")]


async def test_a_name_that_is_forgotten_too_early_is_released_all_the_same(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, registrar: OtherRegistrar, resources: Resources
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)

    async def give_up() -> None:
        """While the registrar is just registering it."""
        await owner.post(f"/users/{user_ref}/anonymise")
        await owner.delete(f"/account-domains/{ref}")
        await carry_out(Domains(OWN_BRAND, [ref]), resources)

    registrar.meanwhile = give_up
    await worker.work()
    assert registrar.registered == {}


async def test_a_name_that_the_built_in_registrar_has_for_somebody_else(
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
    assert await failures(resources) == {ref: ("failed", "The name is registered for somebody else.")}
    assert await register(owner_connection) == {}
    assert (await order(owner, await user())).json()["code"] == "domainTaken"


async def test_a_registrar_that_does_not_answer_is_not_waited_for(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: OtherRegistrar,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ref = await buy(owner, await user())
    monkeypatch.setattr(jobs, "ANSWER_SECONDS", 0.05)
    registrar.meanwhile = asyncio.Event().wait
    with pytest.raises(TimeoutError):
        await carry_out(Domains(OWN_BRAND, [ref]), resources)
    assert (await failures(resources))[ref][0] == "pending"


async def test_a_registrar_that_fails_to_forget_a_holder_is_asked_about_the_others_all_the_same(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: OtherRegistrar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user_ref = await user()
    first, _ = [await buy(owner, user_ref, name) for name in ("first.com", "second.com")]
    await worker.work()
    forget = registrar.forget_holder

    async def fail_for_first(resources: Resources, registration: Registration) -> None:
        if registration.account_domain_ref == first:
            raise TimeoutError
        await forget(resources, registration)

    monkeypatch.setattr(registrar, "forget_holder", fail_for_first)
    await owner.post(f"/users/{user_ref}/anonymise")
    with pytest.raises(TimeoutError):  # so that the queue tries it again
        await worker.work()
    assert list(registrar.holders) == [first]
