"""In a zone that the service manages, one wildcard by dns-01 covers all hosts directly below it."""

import base64
from collections.abc import AsyncIterator

import pytest

from sitewright.demo.authority.service import Authority, authority
from sitewright.demo.name_server.service import NameServer, name_server
from sitewright.domains.certificates.service import certificate_for_host
from sitewright.domains.dns import jobs as dns_jobs
from sitewright.sites.sites.hooks import domains_unmapped
from tests.support.account_domains import make_account_domain
from tests.support.automatic_certificates import Certified
from tests.support.cast import OWN_BRAND

ZONE, SHOP, DEEP = "bakery.example", "shop.bakery.example", "a.shop.bakery.example"
KEY_NAME, KEY = "sitewright", base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


@pytest.fixture
async def names() -> AsyncIterator[NameServer]:
    async with name_server([ZONE], keys={KEY_NAME: KEY}) as server:
        yield server


@pytest.fixture
async def zone_ca(site: Certified, names: NameServer) -> AsyncIterator[Authority]:
    """An authority that asks the name server; the service has the zone there."""
    async with authority(resolver=names.address, http_port=site.edge_port) as ca:
        site.use(
            ca,
            dns_provider="rfc2136",
            rfc2136_server=names.address,
            rfc2136_key_name=KEY_NAME,
            rfc2136_key=KEY,
            dns_nameservers=["ns1.example.net"],
            site_addresses=["127.0.0.1"],
        )
        await make_account_domain(site.owner, OWN_BRAND, site.user_ref, ZONE)
        await dns_jobs.refresh_zones(site.resources)
        await dns_jobs.LOOP.run_once(site.resources)
        yield ca


async def test_hosts_of_a_managed_zone_share_a_wildcard(site: Certified, zone_ca: Authority) -> None:
    for host in (SHOP, ZONE):
        await site.map(host)
    await site.work()
    assert [issued.names for issued in zone_ca.issued] == [["*.bakery.example", ZONE]]
    await site.map("later.bakery.example")
    await site.work()
    assert len(zone_ca.orders) == 1
    async with site.resources.database.connection() as connection:
        for host in (ZONE, SHOP, "later.bakery.example"):
            assert await certificate_for_host(connection, site.resources.sealer, host) is not None


async def test_a_host_further_below_gets_its_own(site: Certified, zone_ca: Authority, names: NameServer) -> None:
    names.set(DEEP, "A", ["127.0.0.1"])
    await site.map(DEEP)
    await site.work()
    assert [issued.names for issued in zone_ca.issued] == [[DEEP]]


async def test_the_records_of_the_challenge_are_withdrawn(
    site: Certified, zone_ca: Authority, names: NameServer
) -> None:
    await site.map(SHOP)
    await site.work()
    await dns_jobs.LOOP.run_once(site.resources)
    left = await site.owner.fetch("select from dns_records where owner = 'challenge' and removed_at is null")
    assert left == []


async def test_a_name_server_that_does_not_respond_is_reported(site: Certified, zone_ca: Authority) -> None:
    site.set(rfc2136_server="127.0.0.1:1")
    await site.map(SHOP)
    await site.work()
    row = await site.row(ZONE)
    assert (row["failures"], row["reason_code"], row["order_url"]) == (1, "dnsUnavailable", None)


async def test_the_wildcard_ends_with_the_last_host(site: Certified, zone_ca: Authority) -> None:
    ref = await site.map(SHOP)
    await site.work()
    await site.owner.execute("delete from site_domains where ref = $1", ref)
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        await domains_unmapped.notify(tx, [SHOP])
    assert await site.owner.fetchval("select count(*) from certificates") == 0
    assert await site.owner.fetchval("select count(*) from automatic_certificates") == 0
