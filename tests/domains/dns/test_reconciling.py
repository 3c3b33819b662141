"""From a change in the database to the name servers: failures, plans that wait, existing zones, removal."""

import asyncio
from datetime import timedelta

import httpx
import msgspec
import pytest

from sitewright.domains.account_domains.registrars import RegistrarRefused
from sitewright.domains.dns import jobs, reconciling, service
from sitewright.domains.dns.operating import service as operating
from sitewright.domains.dns.reconciling import reconcile
from sitewright.domains.dns.rrsets import Key, rrset
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, ScriptedRegistrar, buy
from tests.domains.dns.conftest import (
    DOMAIN,
    NOT_REACHED,
    Domain,
    NameServers,
    add,
    find,
    reconcile_all,
    records_of,
)
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

OTHER = "192.0.2.99"


async def fill(api: httpx.AsyncClient, domain: Domain, count: int) -> None:
    for number in range(count):
        await add(api, domain, type="A", name=f"host{number}", value="192.0.2.10")


async def state(owner: OwnerConnection) -> dict[str, object]:
    row = await owner.fetchrow(
        "select due_at is not null as due, attempts, last_error, out_of_sync_since is not null as late,"
        " waits_since is not null as waits, synced_at is not null as synced from dns_zones"
    )
    return dict(row or {})


async def test_a_registered_domain_gets_its_zone_and_loses_it_after_its_release(
    api: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    worker = Worker(owner_connection, managing)
    ref = await buy(api, await user())
    await jobs.LOOP.run_once(managing)
    assert name_servers.zones == {}
    await worker.work()
    await jobs.LOOP.run_once(managing)
    assert list(name_servers.zones) == [DOMAIN]
    registrar.error = ConnectionError("no route")
    await api.delete(f"/account-domains/{ref}")
    await worker.work()
    await jobs.LOOP.run_once(managing)
    assert list(name_servers.zones) == [DOMAIN]
    registrar.error = None
    await worker.work()
    name_servers.error = NOT_REACHED
    await jobs.LOOP.run_once(managing)
    again = await buy(api, await user())
    await worker.work()
    name_servers.error = None
    await jobs.LOOP.run_once(managing)
    assert list(name_servers.zones) == [DOMAIN], "the new zone waits for the former one"
    await reconcile_all(owner_connection, managing)
    await reconcile_all(owner_connection, managing)
    rows = await owner_connection.fetch("select account_domain_ref, synced_at is not null from dns_zones")
    assert [tuple(row) for row in rows] == [(again, True)]


async def test_records_can_be_set_before_the_registration_which_may_fail(
    api: httpx.AsyncClient,
    user: MakeUser,
    registrar: ScriptedRegistrar,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    path = f"/account-domains/{await buy(api, await user())}/dns-records"
    response = await api.post(path, json={"type": "A", "name": "@", "value": OTHER})
    assert response.status_code == 201
    await jobs.LOOP.run_once(managing)
    assert OTHER in name_servers.values(DOMAIN, "A")
    registrar.error = RegistrarRefused("reserved")
    await Worker(owner_connection, managing).work()
    await jobs.LOOP.run_once(managing)
    assert name_servers.zones == {}
    assert (await api.get(path)).json() == {"records": []}
    response = await api.post(path, json={"type": "A", "name": "@", "value": OTHER})
    assert problem_in(response) == (409, "dnsNotManaged")


async def test_without_a_provider_there_is_no_zone(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await buy(owner, await user())
    await Worker(owner_connection, resources).work()
    await jobs.LOOP.run_once(resources)
    await jobs.refresh_zones(resources)
    assert await owner_connection.fetchval("select count(*) from dns_zones") == 0


async def test_a_failure_is_retried_until_the_name_servers_have_the_change(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await add(api, domain, type="A", name="shop", value="192.0.2.10")
    name_servers.error = NOT_REACHED
    await jobs.LOOP.run_once(managing)
    failed = {"due": True, "attempts": 1, "last_error": "no route", "late": True, "waits": False, "synced": True}
    assert await state(owner_connection) == failed
    name_servers.error = None
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == ["192.0.2.10"]
    fine = {"due": False, "attempts": 0, "last_error": None, "late": False, "waits": False, "synced": True}
    assert await state(owner_connection) == fine


async def test_a_change_during_reconciliation_is_not_lost(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await add(api, domain, type="A", name="first", value="192.0.2.10")

    async def change() -> None:
        await add(api, domain, type="A", name="second", value="192.0.2.11")

    name_servers.during_call = change
    await jobs.LOOP.run_once(managing)
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"second.{DOMAIN}", "A") == ["192.0.2.11"]
    assert (await state(owner_connection))["late"] is False


async def test_one_process_at_a_time_sends_changes(
    api: httpx.AsyncClient, domain: Domain, managing: Resources, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update dns_zones set leased_until = $1", clock.now() + timedelta(minutes=1))
    await add(api, domain, type="A", name="shop", value="192.0.2.10")
    await jobs.LOOP.run_once(managing)
    assert (await state(owner_connection))["last_error"] == "Another process is sending changes of this zone"


async def test_a_name_server_that_hangs_is_unavailable(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reconciling, "TIMEOUT_SECONDS", 0.1)
    await add(api, domain, type="A", name="shop", value="192.0.2.10")
    name_servers.during_call = asyncio.Event().wait
    with pytest.raises(service.DnsUnavailable, match=r"took longer than 0\.1 seconds"):
        await reconcile(managing, OWN_BRAND, domain.ref)
    name_servers.during_call = asyncio.Event().wait
    await jobs.LOOP.run_once(managing)
    assert (await state(owner_connection))["last_error"] == "Sending the changes took longer than 0.1 seconds"


async def test_a_large_change_waits_for_an_operator(
    api: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await fill(api, domain, 5)
    await jobs.LOOP.run_once(managing)
    before = dict(name_servers.zones[DOMAIN])
    for each in await records_of(api, domain):
        if each["name"].startswith("host"):
            await api.delete(f"{domain.path}/{each['ref']}")
    await jobs.LOOP.run_once(managing)
    assert name_servers.zones[DOMAIN] == before
    waiting = {"due": False, "attempts": 0, "last_error": None, "late": True, "waits": True, "synced": True}
    assert await state(owner_connection) == waiting
    metrics = (await anonymous.get("/metrics")).text
    assert "\nsitewright_dns_zones_waiting 1" in metrics
    assert "\nsitewright_dns_zones_out_of_sync 1" in metrics
    [planned] = await operating.show_plans(managing, None)
    assert (planned.plan.affected, planned.plan.existing, planned.plan.needs_operator) == (5, 14, True)
    async with managing.database.transaction(OWN_BRAND) as tx:
        assert (await service.zone_state(tx, managing.settings, domain.ref)).waits_for_operator
    assert len(await operating.apply_plans(managing, TESTER, DOMAIN, force=False)) == 1
    assert name_servers.zones[DOMAIN] == before
    assert await operating.apply_plans(managing, TESTER, DOMAIN, force=True) == []
    assert len(name_servers.zones[DOMAIN]) == len(before) - 5
    assert (await state(owner_connection))["waits"] is False


async def test_a_challenge_does_not_wait_for_an_operator(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await fill(api, domain, 5)
    await jobs.LOOP.run_once(managing)
    for each in await records_of(api, domain):
        if each["name"].startswith("host"):
            await api.delete(f"{domain.path}/{each['ref']}")
    name = f"_acme-challenge.{DOMAIN}"
    await service.present_challenge(managing, OWN_BRAND, DOMAIN, name, ["one", "two"])
    assert name_servers.values(name, "TXT") == ['"one"', '"two"']
    assert name_servers.values(f"host0.{DOMAIN}", "A") == ["192.0.2.10"]


async def test_challenges_are_presented_and_withdrawn(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    name, before = f"_acme-challenge.{DOMAIN}", await records_of(api, domain)
    async with managing.database.transaction(OWN_BRAND) as tx:
        assert await service.managed_zone(tx, f"shop.{DOMAIN}") == DOMAIN
        assert await service.managed_zone(tx, f"*.{DOMAIN}") == DOMAIN
        assert await service.managed_zone(tx, "shop.example.com") is None
    await service.present_challenge(managing, OWN_BRAND, DOMAIN, name, ["one", "two"])
    await service.present_challenge(managing, OWN_BRAND, DOMAIN, name, ["two", "three"])
    assert name_servers.values(name, "TXT") == ['"three"', '"two"']
    assert await records_of(api, domain) == before
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(name, "TXT") == ['"three"', '"two"']
    await service.withdraw_challenge(managing, OWN_BRAND, DOMAIN, name)
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(name, "TXT") == []
    await service.withdraw_challenge(managing, OWN_BRAND, "gone.example", name)
    with pytest.raises(service.DnsUnavailable):
        await service.present_challenge(managing, OWN_BRAND, "gone.example", name, ["one"])


async def test_the_records_of_an_existing_zone_become_the_holders(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    zone = name_servers.zones[DOMAIN]
    for key, values in {
        Key(DOMAIN, "MX"): ["10 mx.example.org.", "20 mx2.example.org."],
        Key(DOMAIN, "TXT"): ['"v=spf1 include:example.org -all"', '"verification=1"'],
        Key(f"www.{DOMAIN}", "A"): [OTHER],
        Key(f"old.{DOMAIN}", "SRV"): ["1 2 443 a.example.org."],
    }.items():
        zone[key] = rrset(key, 600, values)
    del zone[Key(f"www.{DOMAIN}", "CNAME")]
    found = dict(zone)
    await owner_connection.execute("delete from dns_zones")
    await jobs.refresh_zones(managing)
    await jobs.LOOP.run_once(managing)
    assert name_servers.zones[DOMAIN] == found
    assert (await find(api, domain, "A", f"www.{DOMAIN}"))["owner"] == "holder"
    assert (await find(api, domain, "SRV", f"old.{DOMAIN}"))["value"] == "2 443 a.example.org"
    owners = {(each["type"], each["name"]): each["owner"] for each in await records_of(api, domain)}
    assert owners["MX", DOMAIN] == "holder"
    assert owners["A", DOMAIN] == "service"


async def test_a_new_zone_recovers_from_a_value_that_dns_cannot_have_once_it_is_removed(
    api: httpx.AsyncClient, domain: Domain, managing: Resources, owner_connection: OwnerConnection
) -> None:
    """An earlier version accepted it."""
    record = await add(api, domain, type="CAA", name="shop", value='0 issue "a"')
    await owner_connection.execute("update dns_records set value = $1 where ref = $2", '0 issue "a\nb"', record["ref"])
    await owner_connection.execute("update dns_zones set synced_at = null")
    await reconcile_all(owner_connection, managing)
    assert (await state(owner_connection))["synced"] is False
    assert (await api.delete(f"{domain.path}/{record['ref']}")).status_code == 204
    await reconcile_all(owner_connection, managing)
    assert (await state(owner_connection))["synced"] is True


async def test_ds_records_are_passed_to_the_registrar(
    domain: Domain, name_servers: NameServers, managing: Resources, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "insert into registered_domains (brand_ref, account_domain_ref, domain, registered_at, expires_at)"
        " values ($1, $2, $3, now(), now())",
        OWN_BRAND,
        domain.ref,
        DOMAIN,
    )
    name_servers.ds = ["1 13 2 aa"]
    await reconcile(managing, OWN_BRAND, domain.ref)
    assert await owner_connection.fetchval("select ds from registered_domains") == ["1 13 2 aa"]
    assert await owner_connection.fetchval("select ds from dns_zones") == ["1 13 2 aa"]


async def test_a_brand_that_manages_its_zones_elsewhere_is_left_alone(
    api: httpx.AsyncClient, domain: Domain, name_servers: NameServers, managing: Resources
) -> None:
    await add(api, domain, type="A", name="shop", value="192.0.2.10")
    await api.put(f"/brands/{OWN_BRAND}/settings", json={"dnsProvider": "none"})
    await jobs.LOOP.run_once(managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == []
    async with managing.database.transaction(OWN_BRAND) as tx:
        assert await service.managed_zone(tx, DOMAIN) is None
    await api.put(f"/brands/{OWN_BRAND}/settings", json={"dnsProvider": "rfc2136"})
    await jobs.refresh_zones(managing)
    await jobs.LOOP.run_once(managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == ["192.0.2.10"]


async def test_a_missing_setting_is_named(
    domain: Domain, managing: Resources, owner_connection: OwnerConnection
) -> None:
    settings = msgspec.structs.replace(managing.settings, powerdns_key="")
    await owner_connection.execute("update dns_zones set due_at = now()")
    await jobs.LOOP.run_once(msgspec.structs.replace(managing, settings=settings))
    assert "powerdns_key is empty" in str((await state(owner_connection))["last_error"])
