"""Stored results: events, the mail, the hook, the schedule, and metrics."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.domains.health import service as health
from sitewright.domains.health import store
from sitewright.domains.health.findings import Finding, Status
from sitewright.domains.health.hooks import HostChecked, host_checked
from sitewright.domains.health.jobs import LOOP, OUTBOX
from sitewright.domains.health.observing import service as observing
from sitewright.domains.health.recording import CERTIFICATE_TIME
from sitewright.domains.health.service import Key, check, messages_in, read_results
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.mail import open_facts
from sitewright.kit.resources import Resources
from tests.domains.health.conftest import HOST, LOOPBACK
from tests.edge.shops import Shop, open_shop
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.name_server import NameServer
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

ELSEWHERE = "192.0.2.9"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
async def domain_ref(shop: Shop, owner_connection: OwnerConnection) -> int:
    ref: int = await owner_connection.fetchval("select ref from site_domains where domain = $1", HOST)
    return ref


class Passing:
    """Checks the host again and again, each time after the shortest interval."""

    def __init__(self, resources: Resources, domain_ref: int) -> None:
        self.resources = resources
        self.key = Key("domain", domain_ref)
        self.passed = 0

    async def check(self) -> None:
        self.passed += 11
        clock.shift(self.passed)
        assert await check(self.resources, OWN_BRAND, self.key)


@pytest.fixture
def passing(outside: Resources, domain_ref: int) -> Passing:
    return Passing(outside, domain_ref)


async def events(owner: OwnerConnection) -> list[dict[str, Any]]:
    await sequence_events(owner)
    rows = await owner.fetch("select body::text from events where kind like 'domain.%' order by sequence")
    return [msgspec.json.decode(row["body"]) for row in rows]


async def mails(owner: OwnerConnection, resources: Resources) -> list[dict[str, Any]]:
    rows = await owner.fetch("select brand_ref, user_ref, facts from mails where kind = 'domainFailing' order by ref")
    return [{"user": row["user_ref"]} | open_facts(resources.sealer, row["brand_ref"], row["facts"]) for row in rows]


async def test_events_are_written_when_the_state_changes(
    names: NameServer, passing: Passing, domain_ref: int, shop: Shop, owner_connection: OwnerConnection
) -> None:
    for address in (LOOPBACK, LOOPBACK, ELSEWHERE, ELSEWHERE, LOOPBACK):
        names.set(HOST, "A", address)
        await passing.check()
    written = await events(owner_connection)
    assert [each["eventName"] for each in written] == ["domain.healthy", "domain.failing", "domain.healthy"]
    failing = written[1]
    assert (failing["domainRef"], failing["status"]) == (domain_ref, "failing")
    assert failing["site"] == {"ref": shop.ref, "domains": {str(domain_ref): HOST}}
    assert "leadsHereIpv4" in failing["failing"]


async def test_an_unknown_result_changes_no_state(
    names: NameServer, passing: Passing, owner_connection: OwnerConnection
) -> None:
    await passing.check()
    names.fail("SERVFAIL")
    await passing.check()
    names.faults.clear()
    await passing.check()
    assert [each["eventName"] for each in await events(owner_connection)] == ["domain.healthy"]


async def test_the_first_failing_check_is_kept_until_a_certain_result(
    names: NameServer, passing: Passing, domain_ref: int, owner_connection: OwnerConnection
) -> None:
    failing = []
    for address, is_silent in ((LOOPBACK, False), (ELSEWHERE, False), (ELSEWHERE, True), (LOOPBACK, False)):
        names.set(HOST, "A", address)
        if is_silent:
            names.fail("SERVFAIL")
        else:
            names.faults.clear()
        await passing.check()
        statement = "select status, state, failing_check from domain_checks where domain_ref = $1"
        failing.append(tuple(await owner_connection.fetchrow(statement, domain_ref) or ()))
    assert failing == [
        ("ok", "healthy", None),
        ("failing", "failing", "leadsHereIpv4"),
        ("unknown", "failing", "leadsHereIpv4"),
        ("ok", "healthy", None),
    ]


async def test_the_first_failure_of_a_live_site_is_mailed_once(
    names: NameServer,
    passing: Passing,
    outside: Resources,
    shop: Shop,
    owner_connection: OwnerConnection,
) -> None:
    await owner_connection.execute(
        "update users set language_code = 'de' where ref = (select user_ref from sites where ref = $1)", shop.ref
    )
    for address in (ELSEWHERE, LOOPBACK, ELSEWHERE):
        names.set(HOST, "A", address)
        await passing.check()
    [mail] = await mails(owner_connection, outside)
    assert mail["user"] == await owner_connection.fetchval("select user_ref from sites where ref = $1", shop.ref)
    assert mail["domain"] == HOST and "führt" in mail["problem"]
    assert f"{HOST}. 3600 IN A {LOOPBACK}" in mail["fix"]


async def test_a_site_that_is_not_live_causes_no_mail_until_it_is(
    names: NameServer, passing: Passing, outside: Resources, shop: Shop, owner_connection: OwnerConnection
) -> None:
    await shop.set(live=False)
    names.set(HOST, "A", ELSEWHERE)
    await passing.check()
    assert await mails(owner_connection, outside) == []
    await shop.set(live=True)
    await passing.check()
    assert len(await mails(owner_connection, outside)) == 1


async def test_an_unknown_result_of_a_site_that_became_live_causes_no_mail(
    names: NameServer, passing: Passing, outside: Resources, shop: Shop, owner_connection: OwnerConnection
) -> None:
    await shop.set(live=False)
    names.set(HOST, "A", ELSEWHERE)
    await passing.check()
    await shop.set(live=True)
    names.fail("SERVFAIL")
    await passing.check()
    assert await mails(owner_connection, outside) == []
    assert await owner_connection.fetchval("select status from domain_checks") == "unknown"
    names.faults.clear()
    await passing.check()
    assert len(await mails(owner_connection, outside)) == 1


async def test_a_certificate_that_is_still_ordered_is_no_failure(
    passing: Passing,
    outside: Resources,
    owner_connection: OwnerConnection,
    domain_ref: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = {"date": "2026-12-01", "from": "2026-11-01", "days": "0", "names": HOST}
    missing = Finding(code="certificate", status=Status.FAILING, reason="certificateUntrusted", facts=values)
    monkeypatch.setattr(health, "run_checks", lambda _facts: [missing])
    await passing.check()
    assert (await events(owner_connection), await mails(owner_connection, outside)) == ([], [])
    status = await owner_connection.fetchval("select status from domain_checks where domain_ref = $1", domain_ref)
    assert status == "attention"
    passing.passed += CERTIFICATE_TIME.seconds
    await passing.check()
    assert [each["eventName"] for each in await events(owner_connection)] == ["domain.failing"]
    assert len(await mails(owner_connection, outside)) == 1


async def test_the_hook_says_whether_a_certificate_can_be_ordered(
    names: NameServer, passing: Passing, domain_ref: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[HostChecked] = []

    async def observe(_tx: Transaction, checked: HostChecked) -> None:
        seen.append(checked)

    monkeypatch.setattr(host_checked, "observers", (observe,))
    await passing.check()
    names.set(HOST, "AAAA", "2001:db8::9")
    await passing.check()
    names.fail("SERVFAIL")
    await passing.check()
    found = [(each.domain_ref, each.host, each.points_here, each.challenge_reachable) for each in seen]
    assert found[:2] == [(domain_ref, HOST, True, True), (domain_ref, HOST, False, False)]
    assert seen[2].points_here is None


async def test_the_hook_says_whether_somebody_requested_the_check(
    outside: Resources, passing: Passing, domain_ref: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    async def observe(_tx: Transaction, checked: HostChecked) -> None:
        seen.append(checked.is_requested)

    monkeypatch.setattr(host_checked, "observers", (observe,))
    async with outside.database.transaction(OWN_BRAND) as tx:
        await store.add_mapped(tx, [domain_ref], clock.now())
    await LOOP.run_once(outside)
    await passing.check()
    for passed, refresh in ((11, True), (3700, False)):
        clock.shift(passing.passed + passed)
        await health.ensure_result(outside, OWN_BRAND, passing.key, refresh=refresh)
    assert seen == [False, True, True, False]


async def test_results_for_lists(names: NameServer, passing: Passing, resources: Resources, domain_ref: int) -> None:
    names.set(HOST, "A", ELSEWHERE)
    await passing.check()
    async with resources.database.transaction(OWN_BRAND) as tx:
        found = await read_results(tx, {domain_ref: HOST, 0: "unknown.example"}, messages_in("en"))
    assert [result.status for result in found.values()] == ["failing", "unknown"]
    assert "leadsHereIpv4" in [each.code for each in found[domain_ref].checks if each.status == "failing"]
    async with resources.database.transaction(OTHER_BRAND) as tx:
        assert (await read_results(tx, {domain_ref: HOST}, messages_in("en")))[domain_ref].checks == []


async def due_in(owner: OwnerConnection, domain_ref: int) -> timedelta:
    due: datetime = await owner.fetchval("select due_at from domain_checks where domain_ref = $1", domain_ref)
    return due - clock.now()


async def test_hosts_are_checked_less_often_with_time(
    outside: Resources, domain_ref: int, owner_connection: OwnerConnection
) -> None:
    async with outside.database.transaction(OWN_BRAND) as tx:
        await store.add_mapped(tx, [domain_ref], clock.now())
    began, passed = clock.real_now(), timedelta()
    for age, interval in (
        (timedelta(), MINUTE),
        (59 * MINUTE, MINUTE),
        (61 * MINUTE, HOUR),
        (6 * DAY, HOUR),
        (8 * DAY, DAY),
    ):
        passed = age
        clock.shift(passed.total_seconds())
        await LOOP.run_once(outside)
        checked: Any = await owner_connection.fetchval("select checked_at from domain_checks")
        assert checked - began >= age
        left = await due_in(owner_connection, domain_ref)
        assert interval * 0.9 - MINUTE / 2 < left <= interval * 1.06, age
        await owner_connection.execute("update domain_checks set due_at = $1", began)


async def test_a_mapped_host_is_checked_and_an_unmapped_one_forgotten(
    owner: httpx.AsyncClient, outside: Resources, shop: Shop, owner_connection: OwnerConnection, names: NameServer
) -> None:
    names.set("new.bakery.example", "A", LOOPBACK)
    response = await owner.post(f"/sites/{shop.ref}/domains", json={"domain": "new.bakery.example"})
    ref = response.json()["domainToSiteMap"]["ref"]
    await LOOP.run_once(outside)
    status = await owner_connection.fetchval("select status from domain_checks where domain_ref = $1", ref)
    assert status == "attention"  # it has no certificate yet
    await owner.delete(f"/sites/{shop.ref}/domains/{ref}")
    assert await owner_connection.fetchval("select count(*) from domain_checks where domain_ref = $1", ref) == 0


async def test_a_host_that_is_unmapped_during_its_check_leaves_nothing(
    outside: Resources, domain_ref: int, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = observing.observe

    async def unmap_meanwhile(resources: Resources, subject: Any) -> Any:
        facts = await observe(resources, subject)
        await owner_connection.execute("delete from site_domains where ref = $1", domain_ref)
        return facts

    monkeypatch.setattr(observing, "observe", unmap_meanwhile)
    assert await check(outside, OWN_BRAND, Key("domain", domain_ref))
    assert await owner_connection.fetchval("select count(*) from domain_checks") == 0
    assert await events(owner_connection) == []


async def test_claims_are_fair_between_brands(
    outside: Resources, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    theirs = await open_shop(owner_connection, outside, "other.example", brand_ref=OTHER_BRAND)
    for brand_ref, site_ref in ((OWN_BRAND, shop.ref), (OTHER_BRAND, theirs.ref)):
        rows = await owner_connection.fetch("select ref from site_domains where site_ref = $1", site_ref)
        async with resources.database.transaction(brand_ref) as tx:
            await store.add_mapped(tx, [row["ref"] for row in rows], clock.now())
    now = clock.now() + MINUTE
    async with resources.database.connection() as connection:
        claimed = await store.claim(connection, now, now + OUTBOX.lease, 2)
        assert {each.brand_ref for each in claimed} == {OWN_BRAND, OTHER_BRAND}
        assert len(await store.claim(connection, now, now + OUTBOX.lease, 100)) == 1
        assert await store.overdue(connection, now) is None
        assert await store.overdue(connection, now + HOUR) is not None


async def test_a_failed_check_is_repeated_and_never_given_up(
    outside: Resources, domain_ref: int, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_args: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(observing, "observe", fail)
    async with outside.database.transaction(OWN_BRAND) as tx:
        await store.add_mapped(tx, [domain_ref], clock.now())
    for attempt in range(4):
        clock.shift(attempt * 3600)
        await LOOP.run_once(outside)
    row = await owner_connection.fetchrow("select due_at, attempts, last_error from domain_checks")
    assert row is not None and (row["attempts"], row["due_at"] > clock.now()) == (0, True)
    assert "RuntimeError" in row["last_error"]


async def test_checks_are_counted_by_their_result(passing: Passing, outside: Resources) -> None:
    counter = outside.metrics.counter("sitewright_domain_checks", "", ["status"]).labels("ok")
    before = counter._value.get()
    await passing.check()
    assert counter._value.get() == before + 1
