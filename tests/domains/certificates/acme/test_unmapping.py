"""A host is unmapped while its certificate is stored, or while its health check is recorded: neither fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest

from sitewright.demo.authority.service import Authority
from sitewright.domains.certificates.acme.client import authority as client
from sitewright.domains.certificates.acme.jobs import LOOP, OUTBOX
from sitewright.domains.certificates.acme.locking import lock_certified_group
from sitewright.domains.certificates.acme.work import Work
from sitewright.domains.certificates.hooks import hosts_certified
from sitewright.domains.health.hooks import HostChecked, host_checked
from sitewright.domains.health.recording import lock_row
from sitewright.domains.health.store import Key
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.sites.sites.domains import store as site_domains
from sitewright.sites.sites.hooks import domains_unmapped
from tests.domains.certificates.acme.conftest import HOST
from tests.support.automatic_certificates import Certified
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually

WAITING = (
    "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    " and query like '%site_domains%')"
)
Unmap = Callable[[Transaction, Certified, int], Awaitable[list[str]]]


async def unmap_one(tx: Transaction, site: Certified, domain_ref: int) -> list[str]:
    return [*(await site_domains.delete_domain(tx, site.site_ref, domain_ref)).values()]


async def unmap_with_the_site(tx: Transaction, site: Certified, _domain_ref: int) -> list[str]:
    return [*(await site_domains.unmap_all(tx, site.site_ref)).values()]


async def erase_with_the_site(tx: Transaction, site: Certified, _domain_ref: int) -> list[str]:
    return [*(await site_domains.delete_domains(tx, site.site_ref)).values()]


WAYS = pytest.mark.parametrize("unmap", [unmap_one, unmap_with_the_site, erase_with_the_site])


async def unmapping(site: Certified, unmap: Unmap, domain_ref: int) -> None:
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        names = await unmap(tx, site, domain_ref)
        assert HOST in names
        await domains_unmapped.notify(tx, names)


async def has_begun_to_wait(site: Certified) -> None:
    async def is_waiting() -> bool:
        return await site.owner.fetchval(WAITING) is True

    await eventually(is_waiting)


@WAYS
async def test_while_its_certificate_is_stored(site: Certified, ca: Authority, unmap: Unmap) -> None:
    ref = await site.map(HOST)
    await site.work()
    await site.set_row(HOST, due_at=clock.now())
    outcomes = Outcomes(site.resources, OUTBOX)
    async with site.resources.database.connection() as connection:
        [item] = await OUTBOX.claim(connection, clock.now(), clock.now() + OUTBOX.lease, 1)
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        assert await lock_certified_group(tx, Work(site.resources, item, outcomes)) is not None
        unmapped = asyncio.create_task(unmapping(site, unmap, ref))
        await has_begun_to_wait(site)
        await hosts_certified.notify(tx, [ref])
    await unmapped
    assert await site.certificates(HOST) == []
    assert await site.owner.fetchval("select count(*) from automatic_certificates where name = $1", HOST) == 0


@pytest.mark.parametrize("step", ["new_order", "authorization", "begin_challenge", "finalize", "certificate"])
async def test_while_its_certificate_is_ordered(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    """At each step of an order: the group is gone, and with it the order. That is no failure."""
    ref, carry_out, is_unmapped = await site.map(HOST), getattr(client.Authority, step), asyncio.Event()
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())

    async def unmap_first(*arguments: object) -> object:
        if not is_unmapped.is_set():
            is_unmapped.set()
            await unmapping(site, unmap_one, ref)
        return await carry_out(*arguments)

    monkeypatch.setattr(client.Authority, step, unmap_first)
    await LOOP.run_once(site.resources)
    assert is_unmapped.is_set()
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
    assert await site.certificates(HOST) == []
    for table in ("automatic_certificates", "acme_challenges", "certificates"):
        assert await site.owner.fetchval(f"select count(*) from {table}") == 0


@WAYS
async def test_while_its_health_check_is_recorded(site: Certified, unmap: Unmap) -> None:
    ref = await site.map(HOST, points_here=None)
    await site.owner.execute(
        "insert into domain_checks (brand_ref, domain_ref, since) values ($1, $2, now()) on conflict do nothing",
        OWN_BRAND,
        ref,
    )
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        assert await lock_row(tx, Key("domain", ref)) is not None
        unmapped = asyncio.create_task(unmapping(site, unmap, ref))
        await has_begun_to_wait(site)
        await host_checked.notify(
            tx, HostChecked(ref, HOST, points_here=True, challenge_reachable=True, at=clock.now(), is_requested=False)
        )
    await unmapped
    assert await site.owner.fetchval("select count(*) from domain_checks where domain_ref = $1", ref) == 0
    assert await site.owner.fetchval("select count(*) from automatic_certificates where name = $1", HOST) == 0
