"""Against pebble: http-01, dns-01 and wildcards, rejected nonces and authorizations, an authority that is away."""

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sitewright.demo.name_server.service import NameServer, name_server
from sitewright.domains.dns import jobs as dns_jobs
from sitewright.kit import clock
from tests.domains.certificates.acme.conftest import HOST, WWW
from tests.support.account_domains import make_account_domain
from tests.support.automatic_certificates import Certified
from tests.support.cast import OWN_BRAND
from tests.support.pebble import pebble

pytestmark = pytest.mark.system
ZONE = "florist.example"
KEY_NAME, KEY = "sitewright", base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


@pytest.fixture
async def names() -> AsyncIterator[NameServer]:
    """All names lead to this machine, unless a test sets them."""
    async with name_server([ZONE], fallback=["127.0.0.1"], keys={KEY_NAME: KEY}) as server:
        yield server


async def test_http_01_for_two_names_and_a_renewal(site: Certified, names: NameServer, tmp_path: Path) -> None:
    async with pebble(tmp_path, site.edge_port, names.address) as ca:
        site.set(acme_directory=ca.directory, acme_ca_file=str(ca.ca_file), acme_contact="hostmaster@example.com")
        for host in (HOST, WWW):
            await site.map(host)
        await site.work()
        [first] = await site.certificates(HOST)
        assert sorted(first["names"]) == [HOST, WWW]
        await site.work()
        assert (await site.row(HOST))["window_start"] is None
        await site.set_row(HOST, renew_at=clock.real_now())
        await site.work()
        [second] = await site.certificates(WWW)
        assert second["ref"] != first["ref"]


async def test_many_rejected_nonces(site: Certified, names: NameServer, tmp_path: Path) -> None:
    async with pebble(tmp_path, site.edge_port, names.address, PEBBLE_WFE_NONCEREJECT="40") as ca:
        site.set(acme_directory=ca.directory, acme_ca_file=str(ca.ca_file))
        for number in range(5):
            await site.map(f"host{number}.example")
        await site.work()
        assert [len(await site.certificates(f"host{number}.example")) for number in range(5)] == [1] * 5


async def test_a_rejected_authorization_and_its_repair(site: Certified, names: NameServer, tmp_path: Path) -> None:
    names.set(HOST, "A", ["127.0.0.77"])
    async with pebble(tmp_path, site.edge_port, names.address, PEBBLE_AUTHZREUSE="0") as ca:
        site.set(acme_directory=ca.directory, acme_ca_file=str(ca.ca_file))
        await site.map(HOST)
        await site.work()
        row = await site.row(HOST)
        assert (row["failures"], row["reason_code"]) == (1, "challengeNotReachable")
        names.set(HOST, "A", ["127.0.0.1"])
        await site.work()
        assert len(await site.certificates(HOST)) == 1


async def test_a_wildcard_by_dns_01(site: Certified, names: NameServer, tmp_path: Path) -> None:
    async with pebble(tmp_path, site.edge_port, names.address) as ca:
        site.set(
            acme_directory=ca.directory,
            acme_ca_file=str(ca.ca_file),
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
        await site.map(f"shop.{ZONE}")
        await site.work()
        [stored] = await site.certificates(f"*.{ZONE}")
        assert sorted(stored["names"]) == [f"*.{ZONE}", ZONE]


async def test_a_directory_that_is_away_and_comes_back(site: Certified, names: NameServer, tmp_path: Path) -> None:
    async with pebble(tmp_path, site.edge_port, names.address) as ca:
        gone = ca
    site.set(acme_directory=gone.directory, acme_ca_file=str(gone.ca_file))
    await site.map(HOST)
    await site.work()
    assert (await site.row(HOST))["reason_code"] == "authorityUnavailable"
    async with pebble(tmp_path, site.edge_port, names.address) as ca:
        site.set(acme_directory=ca.directory)
        await site.work()
        assert len(await site.certificates(HOST)) == 1
