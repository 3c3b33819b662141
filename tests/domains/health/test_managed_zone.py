"""Domains whose zone the service manages: what it has written is what it expects to find."""

import pytest

from sitewright.domains.dns import jobs
from sitewright.domains.health.findings import Status
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import DOMAIN, NameServers, managing, name_servers
from tests.domains.health.conftest import LOOPBACK, findings_of
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.name_server import NameServer
from tests.support.users import OwnerConnection, insert, make_user

__all__ = ["managing", "name_servers"]
MAIL = ("mx", "spf", "dkim", "dmarc")


@pytest.fixture
async def zone(
    owner_connection: OwnerConnection, managing: Resources, name_servers: NameServers, clean: None
) -> NameServers:
    """Of a domain with a mailbox."""
    user_ref = await make_user(owner_connection, managing, OWN_BRAND)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref, DOMAIN)
    box = {"account_domain_ref": ref, "name": "ann", "password_hash": "x", "status": "active"}
    times = {"created_at": clock.now(), "updated_at": clock.now()}
    await insert(owner_connection, "mailboxes", {"brand_ref": OWN_BRAND, **box, **times})
    await jobs.refresh_zones(managing)
    await jobs.LOOP.run_once(managing)
    return name_servers


async def test_a_zone_as_the_service_writes_it_is_healthy(
    zone: NameServers, managing: Resources, names: NameServer
) -> None:
    for key, rrset in zone.zones[DOMAIN].items():
        names.set(key.name, key.type, *rrset.values)
    names.add_zone(DOMAIN, *managing.settings.dns_nameservers)
    for each in managing.settings.dns_nameservers:
        names.set(each, "A", LOOPBACK)
    found = await findings_of(managing, DOMAIN)
    assert {code: found[code].reason for code in MAIL} == {
        "mx": "mxRight",
        "spf": "spfRight",
        "dkim": "dkimRight",
        "dmarc": "dmarcRight",
    }
    assert (found["delegation"].status, found["registration"].status) == (Status.OK, Status.OK)
    assert {each.code for each in found.values() if each.status is Status.FAILING} == set()


async def test_a_domain_that_is_delegated_elsewhere(zone: NameServers, managing: Resources, names: NameServer) -> None:
    names.add_zone(DOMAIN, "ns.elsewhere.example")
    names.set("ns.elsewhere.example", "A", LOOPBACK)
    names.set(DOMAIN, "A", LOOPBACK)
    found = await findings_of(managing, DOMAIN)
    assert (found["delegation"].status, found["delegation"].reason) == (Status.ATTENTION, "otherNameServers")
    assert found["delegation"].records == [
        f"{DOMAIN}. 3600 IN NS {each}." for each in managing.settings.dns_nameservers
    ]
    [record] = found["dkim"].records
    assert found["dkim"].reason == "dkimMissing"
    name, _, value = record.partition(". 3600 IN TXT ")
    names.set(name, "TXT", value)
    assert (await findings_of(managing, DOMAIN))["dkim"].status is Status.OK
