"""A registration that fails permanently is not charged, and its account holder is notified."""

import json
from typing import Any

import httpx
import pytest

from sitewright.domains.account_domains.jobs import LOOP, OUTBOX
from sitewright.domains.account_domains.operating.service import retry_domains
from sitewright.domains.account_domains.registrars import RegistrarRefused
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy
from tests.support.cast import TESTER
from tests.support.ledger import Ledger
from tests.support.queued import Worker
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

RESERVED_NAME = RegistrarRefused("The registry has reserved this name.")


async def events(owner: OwnerConnection) -> list[dict[str, Any]]:
    await sequence_events(owner)
    rows = await owner.fetch("select body::text from events where kind = 'charge.voided' order by sequence")
    return [json.loads(row["body"]) for row in rows]


async def fail(
    owner: httpx.AsyncClient, user_ref: int, worker: Worker, registrar: ScriptedRegistrar, **body: Any
) -> int:
    ref = await buy(owner, user_ref, **body)
    registrar.error = RESERVED_NAME
    await worker.work()
    registrar.error = None
    return ref


async def test_the_charge_is_void_and_the_holder_is_notified(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    ledger: Ledger,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    ref = await fail(owner, user_ref, worker, registrar)
    charge = await owner_connection.fetchrow("select * from charges")
    assert charge is not None
    assert charge["voided_at"] is not None
    [event] = await events(owner_connection)
    assert event.items() >= {
        "eventName": "charge.voided", "userRef": user_ref, "chargeRef": charge["ref"],
        "packageRef": charge["package_ref"], "accountPackageRef": charge["account_package_ref"],
        "amount": str(charge["amount"]), "reason": "registrationFailed", "accountHolder": {"ref": user_ref},
    }.items()  # fmt: skip
    assert await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com", "domainFailed joes-bakery.com"]
    held = await owner_connection.fetchrow(
        "select ended_at from account_packages where ref = $1", charge["account_package_ref"]
    )
    assert held is not None
    assert held["ended_at"] is not None
    row = await owner_connection.fetchrow(
        "select status, ended_at, released_at, due_at from account_domains where ref = $1", ref
    )
    assert row is not None
    assert (row["status"], row["due_at"]) == ("failed", None)
    assert None not in (row["ended_at"], row["released_at"])
    assert await owner_connection.fetchval("select count(*) from package_charges") == 0
    sums = await owner_connection.fetch(
        "select figure, sum(value) from figure_changes where figure like 'charge%' group by 1"
    )
    assert {row[0]: int(row[1]) for row in sums} == {"charged": 0, "charges": 0}


async def test_a_free_domain_has_no_charge_to_void(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    owner_connection: OwnerConnection,
    ledger: Ledger,
) -> None:
    user_ref = await user()
    await owner.post(f"/users/{user_ref}/account-packages", json={"packageRef": 3})
    charges = await owner_connection.fetchval("select count(*) from charges")
    await fail(owner, user_ref, worker, registrar, isFree=1)
    assert await events(owner_connection) == []
    assert await owner_connection.fetchval("select count(*) from charges where voided_at is null") == charges
    assert (await ledger.domain_mails(user_ref))[-1] == "domainFailed joes-bakery.com"
    assert (await buy(owner, user_ref, isFree=1)) > 0, "it does not count as one of the free domains"


async def test_a_deleted_account_holder_gets_no_mail(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    ledger: Ledger,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    await buy(owner, user_ref)
    await owner_connection.execute("update users set deleted_at = now() where ref = $1", user_ref)
    registrar.error = RESERVED_NAME
    await worker.work()
    assert await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com"]
    assert len(await events(owner_connection)) == 1


async def test_a_refused_renewal_stays_charged_and_can_be_retried(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await buy(owner, await user())
    await worker.work()
    await owner_connection.execute(
        "update account_domains set expires_at = expires_at + interval '1 year', due_at = now()"
    )
    registrar.error = RESERVED_NAME
    await worker.work()
    assert await events(owner_connection) == []
    row = await owner_connection.fetchrow("select status, failure from account_domains")
    assert tuple(row or ()) == ("active", str(RESERVED_NAME))
    assert await retry_domains(resources, TESTER, None, None) == 1


async def test_a_refused_registration_cannot_be_retried(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    """The registrar has nothing left to do; the account holder orders again."""
    ref = await fail(owner, await user(), worker, registrar)
    for retried in (None, ref):
        assert await retry_domains(resources, TESTER, retried, None) == 0
    assert await owner_connection.fetchval("select due_at from account_domains") is None
    assert await owner_connection.fetchval("select count(*) from audit_entries where action = 'retry'") == 0


async def test_a_refusal_to_release_a_failed_registration_can_be_retried(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    """After unclear responses, the registrar may have the name."""
    ref = await buy(owner, await user())
    await exhaust_retries(resources, registrar, owner_connection)
    registrar.error = RESERVED_NAME
    await LOOP.run_once(resources)
    for retried in (None, ref):
        assert await retry_domains(resources, TESTER, retried, None) == 1
    registrar.error = None
    await LOOP.run_once(resources)
    assert await owner_connection.fetchval("select released_at is not null from account_domains")
    assert await retry_domains(resources, TESTER, None, None) == 0


@pytest.mark.parametrize("is_refused", [True, False])
async def test_a_failed_registration_counts_as_a_dead_letter(
    owner: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    resources: Resources,
    owner_connection: OwnerConnection,
    is_refused: bool,
) -> None:
    await buy(owner, await user())
    before = counted(resources)
    if is_refused:
        registrar.error = RESERVED_NAME
        await LOOP.run_once(resources)
    else:
        await exhaust_retries(resources, registrar, owner_connection)
    after = counted(resources)
    assert (after["dead"] - before["dead"], after["done"] - before["done"]) == (1, 0)


async def exhaust_retries(resources: Resources, registrar: ScriptedRegistrar, owner: OwnerConnection) -> None:
    """Until the registration has failed after unclear responses; the name is due for its release."""
    registrar.error = ConnectionError("no route")
    await owner.execute("update account_domains set attempts = $1", len(OUTBOX.back_off.delays))
    await LOOP.run_once(resources)


def counted(resources: Resources) -> dict[str, float]:
    """The outcomes of domains so far."""
    counter = resources.metrics.counter("sitewright_outbox_items", "", ["outbox", "outcome"])
    return {outcome: counter.labels("domains", outcome)._value.get() for outcome in ("done", "retried", "dead")}
