"""Events about account domains: what the registrar confirmed, refused, or what ended; without their names."""

import httpx

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.domains.account_domains.registrars import RegistrarRefused
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy
from tests.domains.account_domains.test_renewal import YEAR
from tests.support.emitted import Named, emitted
from tests.support.queued import Worker
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

NAME = "joes-bakery"


async def of_domains(owner: OwnerConnection) -> list[Named]:
    await sequence_events(owner)
    stored = await owner.fetch("select body::text from events")
    assert not [row["body"] for row in stored if NAME in row["body"]], "no names"
    return [each for each in await emitted(owner) if each[0].startswith("accountDomain.")]


async def test_registered_renewed_and_expired(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    worker: Worker,
    owner_connection: OwnerConnection,
    registrar: ScriptedRegistrar,
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    assert await of_domains(owner_connection) == []
    for _ in range(2):
        await worker.work()
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    for _ in range(2):
        await worker.work()
    assert (await owner.delete(f"/account-domains/{ref}")).status_code == 204
    await worker.work()
    package = await owner_connection.fetchval("select account_package_ref from account_domains")
    about = {"accountHolder": {"ref": user_ref}, "accountDomainRef": ref, "accountPackageRef": package}
    registered, renewed, expired = await of_domains(owner_connection)
    assert expired == ("accountDomain.expired", about)
    assert [registered[0], renewed[0]] == ["accountDomain.registered", "accountDomain.renewed"]
    assert {**registered[1], "expiresAt": None} == {**renewed[1], "expiresAt": None} == about | {"expiresAt": None}
    assert registered[1]["expiresAt"] < renewed[1]["expiresAt"]
    assert registrar.registered == {}


async def test_a_refused_registration_has_failed_and_not_expired(
    owner: httpx.AsyncClient,
    user: MakeUser,
    worker: Worker,
    owner_connection: OwnerConnection,
    registrar: ScriptedRegistrar,
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    registrar.error = RegistrarRefused(f"{NAME} is reserved for Ann Example.")
    for _ in range(2):
        await worker.work()
    package = await owner_connection.fetchval("select account_package_ref from account_domains")
    about = {"accountHolder": {"ref": user_ref}, "accountDomainRef": ref, "accountPackageRef": package}
    assert await of_domains(owner_connection) == [("accountDomain.failed", about | {"step": "register"})]
    names = [name for name, _ in await emitted(owner_connection)]
    assert names == ["package.started", "charge.created", "package.cancelled", "charge.voided", "accountDomain.failed"]


async def test_a_refused_renewal_is_an_event(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    worker: Worker,
    owner_connection: OwnerConnection,
    registrar: ScriptedRegistrar,
) -> None:
    await buy(owner, await user())
    await worker.work()
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    registrar.error = RegistrarRefused("No.")
    for _ in range(2):
        await worker.work()
    failed = (await of_domains(owner_connection))[-1]
    assert (failed[0], failed[1]["step"]) == ("accountDomain.failed", "renew")
    assert len(await of_domains(owner_connection)) == 2
