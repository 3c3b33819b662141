"""Certificates are replaced, removed, expire and are revalidated, without interrupting handshakes."""

import asyncio
import ssl
import time
from contextlib import suppress
from functools import partial
from typing import Any

import httpx
import pytest

from sitewright.domains.certificates import service
from sitewright.domains.certificates.schemas import ServedCertificate
from sitewright.edge import certificate_cache
from sitewright.edge.app import SiteListener
from sitewright.edge.certificate_cache import CachedCertificate, CertificateCache, has_many_sessions
from sitewright.edge.host_cache import FRESH_SECONDS, MAX_HOSTS, MAX_UNKNOWN_HOSTS, Entry
from sitewright.kit import clock
from sitewright.kit.db import open_database
from sitewright.kit.replicas import ReadDatabase
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop
from tests.edge.tls_client import SecureVisitor, unverified
from tests.support.cast import OWN_BRAND
from tests.support.certificates import DAY, Issued, certificate_for, make_certificate
from tests.support.eventually import eventually
from tests.support.service import free_port
from tests.support.users import OwnerConnection

WILDCARD = "*.shop.example"
WWW = "www.shop.example"


async def put(shop: Shop, resources: Resources, *domains: str, **options: object) -> Issued:
    issued = certificate_for(*domains, **options)
    await make_certificate(shop.owner, resources, OWN_BRAND, issued, *domains)
    return issued


async def shows(secure: SecureVisitor, issued: Issued, name: str = HOST) -> bool:
    return await secure.certificate(name) == issued.certificate


# --- Invalidation by notification


async def test_a_new_certificate_is_served_and_open_connections_continue(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources
) -> None:
    first = await put(shop, resources, HOST)
    async with secure.connected() as before:
        assert before.certificate == first.certificate
        second = await put(shop, resources, HOST)
        await eventually(partial(shows, secure, second))
        assert (await before.get())[1] == FILES[""].encode()


async def test_the_first_certificate_of_a_name_with_a_negative_entry(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources
) -> None:
    assert await secure.is_served_default()
    await eventually(partial(shows, secure, await put(shop, resources, HOST)))


async def test_a_removed_certificate(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources
) -> None:
    assert await shows(secure, await put(shop, resources, HOST))
    await shop.owner.execute("delete from certificate_bindings where domain = $1", HOST)
    await eventually(secure.is_served_default)


async def test_an_unmapped_host(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources, owner: httpx.AsyncClient
) -> None:
    assert await shows(secure, await put(shop, resources, HOST))
    domain_ref = await shop.owner.fetchval("select ref from site_domains where domain = $1", HOST)
    assert (await owner.delete(f"/sites/{shop.ref}/domains/{domain_ref}")).is_success
    await eventually(secure.is_served_default)


async def test_a_wildcard_is_added_and_removed(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources
) -> None:
    await shop.map(WWW)
    assert await secure.is_served_default(WWW)
    for _ in range(2):
        await eventually(partial(shows, secure, await put(shop, resources, WILDCARD), WWW))
    await shop.owner.execute("delete from certificate_bindings where domain = $1", WILDCARD)
    await eventually(partial(secure.is_served_default, WWW))


async def test_a_host_that_is_mapped_below_a_wildcard(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources
) -> None:
    wildcard = await put(shop, resources, WILDCARD)
    assert await secure.is_served_default(WWW)
    await shop.map(WWW)
    await eventually(partial(shows, secure, wildcard, WWW))


async def test_everything_is_revalidated_after_a_lost_connection(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources, owner_connection: OwnerConnection
) -> None:
    assert await shows(secure, await put(shop, resources, HOST))
    await owner_connection.execute("alter table certificate_bindings disable trigger notify_certificate_changed")
    try:
        second = await put(shop, resources, HOST)
    finally:
        await owner_connection.execute("alter table certificate_bindings enable trigger notify_certificate_changed")
    assert not await shows(secure, second)
    await owner_connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select 1' and pid <> pg_backend_pid()"
    )
    await eventually(partial(shows, secure, second))


# --- Stale entries and revalidation


@pytest.fixture
async def unreachable(resources: Resources) -> ReadDatabase:
    """A database that is not running."""
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/x"
    return ReadDatabase(open_database(url, connections=2, wait_seconds=1, name="away"))


async def test_a_cached_name_does_not_wait_for_the_database(
    secure: SecureVisitor, listener: SiteListener, shop: Shop, resources: Resources, unreachable: ReadDatabase
) -> None:
    issued = await put(shop, resources, HOST)
    assert await shows(secure, issued)
    listener.certificates._reads = unreachable
    listener.certificates.expire_all()
    assert await shows(secure, issued)
    assert listener.certificates.cached_context(HOST) is not None


async def test_without_database_unknown_names_get_the_default_which_is_not_cached(
    secure: SecureVisitor, listener: SiteListener, shop: Shop, resources: Resources, unreachable: ReadDatabase
) -> None:
    issued = await put(shop, resources, HOST)
    listener.certificates._reads, database = unreachable, listener.certificates._reads
    assert await secure.is_served_default()
    assert len(listener.certificates) == 0
    listener.certificates._reads = database
    await eventually(partial(shows, secure, issued))


async def test_a_failed_revalidation_is_retried(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources, unreachable: ReadDatabase
) -> None:
    assert await shows(secure, await put(shop, resources, HOST))
    notified.certificates._reads, database = unreachable, notified.certificates._reads
    second = await put(shop, resources, HOST)
    await eventually(lambda: notified.certificates.cache.get(HOST).read_at < 0)  # type: ignore[union-attr]
    notified.certificates._reads = database
    await eventually(lambda: notified.certificates.cache.get(HOST).read_at > 0)  # type: ignore[union-attr]
    assert await shows(secure, second)


async def test_an_expired_certificate_is_replaced_by_a_valid_one(
    secure: SecureVisitor, shop: Shop, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Validity is checked against the real clock on every handshake."""
    old = await put(shop, resources, HOST, ends=200 * DAY)
    new = await put(shop, resources, HOST, ends=90 * DAY)
    assert await shows(secure, new)
    later = clock.real_now() + 100 * DAY
    monkeypatch.setattr(clock, "real_now", lambda: later)
    assert await shows(secure, old)
    much_later = later + 200 * DAY
    monkeypatch.setattr(clock, "real_now", lambda: much_later)
    assert await secure.is_served_default()


async def test_the_shifted_clock_does_not_affect_validity(
    secure: SecureVisitor, shop: Shop, resources: Resources
) -> None:
    issued = await put(shop, resources, HOST)
    clock.shift(365 * 86400)
    assert await shows(secure, issued)


async def test_stale_entries_are_revalidated_in_the_background(
    secure: SecureVisitor, listener: SiteListener, shop: Shop, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This bounds the effect of a lost notification."""
    running = asyncio.create_task(listener.certificates.run())
    first = await put(shop, resources, HOST)
    assert await shows(secure, first)
    second = await put(shop, resources, HOST)
    assert await shows(secure, first)
    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + FRESH_SECONDS)
    assert await shows(secure, first)
    await eventually(partial(shows, secure, second))
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_a_change_during_a_look_up_is_read_again(
    listener: SiteListener, shop: Shop, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await put(shop, resources, HOST), certificate_for(HOST, ends=80 * DAY)
    find = service.certificate_for_host

    async def slowly(*arguments: Any) -> ServedCertificate | None:
        certificate = await find(*arguments)
        if listener.certificates.cache._changes == {}:
            await make_certificate(shop.owner, resources, OWN_BRAND, second, HOST)
            listener.certificates.on_notification(HOST)
        return certificate

    monkeypatch.setattr(service, "certificate_for_host", slowly)
    await listener.certificates.find(HOST)
    known = listener.certificates.cache.get(HOST)
    assert (
        known is not None and known.value is not None and known.value.not_after == second.not_after != first.not_after
    )


# --- Bounds


async def test_random_names_are_bounded(
    secure: SecureVisitor, listener: SiteListener, shop: Shop, resources: Resources
) -> None:
    """They do not evict known names either."""
    issued = await put(shop, resources, HOST)
    assert await shows(secure, issued)
    for number in range(MAX_UNKNOWN_HOSTS * 2):
        listener.certificates.cache.put(f"host-{number}.example", Entry(None, clock.stopwatch()))
    assert len(listener.certificates) == MAX_UNKNOWN_HOSTS + 1
    assert listener.certificates.cached_context(HOST) is not None


async def test_a_notification_costs_the_same_however_many_names_are_cached(listener: SiteListener) -> None:
    """A scan of 70,000 names took 58 ms of the event loop for each: twelve seconds for these."""
    cache, at = listener.certificates.cache, clock.stopwatch()
    known = CachedCertificate((1, 1), clock.real_now())
    for number in range(MAX_HOSTS):
        cache.put(f"host-{number}.site-{number % 5000}.example", Entry(known, at))
    for number in range(MAX_UNKNOWN_HOSTS):
        cache.put(f"unknown-{number}.example", Entry(None, at))
    started = time.thread_time()
    for number in range(200):
        host = f"host-{number}.site-7.example"
        assert listener.certificates._affected_hosts({host}) == [host]
    below = listener.certificates._affected_hosts({"*.site-7.example"})
    assert time.thread_time() - started < 1
    assert len(below) == 1 + MAX_HOSTS / 5000 and {name.partition(".")[2] for name in below} == {"site-7.example"}


async def test_the_index_is_cleaned_up_with_its_entries(listener: SiteListener) -> None:
    cache = listener.certificates.cache
    for number in range(MAX_UNKNOWN_HOSTS + 10):
        cache.put(f"www.{number}.example", Entry(None, clock.stopwatch()))
    assert (len(cache._groups), cache.hosts_in("*.0.example")) == (MAX_UNKNOWN_HOSTS, ())
    for host in [*cache._unknown]:
        cache.evict(host)
    assert cache._groups == {}


@pytest.mark.parametrize("name", ["a b.example", "x" * 300, "a..example", "192.0.2.1", "[::1]", "", "ä.example:1"])
async def test_invalid_names_are_not_cached(listener: SiteListener, name: str) -> None:
    assert listener.certificates.cached_context(name) is await listener.certificates.find(name)
    assert len(listener.certificates) == 0


async def test_contexts_are_bounded_and_shared_by_names(
    secure: SecureVisitor, listener: SiteListener, shop: Shop, resources: Resources
) -> None:
    listener.certificates._contexts.capacity = 8
    wildcard = await put(shop, resources, WILDCARD)
    names = [f"host-{number}.shop.example" for number in range(12)]
    for name in names:
        await shop.map(name)
        assert await shows(secure, wildcard, name)
    assert len(listener.certificates._contexts) == 1
    own = [await put(shop, resources, name) for name in names]
    for name, issued in zip(names * 2, own * 2, strict=True):
        listener.certificates.on_notification(name)
        await listener.certificates.find(name)
        assert await shows(secure, issued, name)
    assert len(listener.certificates._contexts) == 8


async def test_sessions_stored_by_openssl_are_bounded(
    secure: SecureVisitor, notified: SiteListener, shop: Shop, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSL stores sessions of clients that do not support tickets."""
    await put(shop, resources, HOST)
    context = unverified()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_TICKET
    shown = {name: await notified.certificates.find(name) for name in (HOST, "nobody.example")}
    for name in shown:
        for _ in range(certificate_cache.MAX_SESSIONS + 1):
            await secure.certificate(name, context)
    await eventually(lambda: all(has_many_sessions(each) for each in shown.values()))
    monkeypatch.setattr(certificate_cache, "SESSION_CHECK_SECONDS", 0.01)
    replacing = asyncio.create_task(notified.certificates._replace_full_contexts())
    await eventually(partial(_are_new, notified.certificates, shown))
    replacing.cancel()
    assert not await secure.is_served_default()


def _are_new(certificates: CertificateCache, before: dict[str, ssl.SSLContext]) -> bool:
    return all(certificates.cached_context(name) is not context for name, context in before.items())
