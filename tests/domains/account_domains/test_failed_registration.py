"""A registration that fails permanently is not charged, and its account holder is notified."""

import json
from typing import Any

import httpx

from sitewright.domains.account_domains.registrars import RegistrarRefused
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy
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


async def test_a_refused_renewal_stays_charged(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    registrar: ScriptedRegistrar,
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
