"""The service's own limits, which apply before the authority's."""

from datetime import timedelta

import pytest

from sitewright.demo.authority.service import Authority
from sitewright.domains.certificates.acme.limits import service as limits
from sitewright.kit import clock
from tests.domains.certificates.acme.conftest import HOST
from tests.support.automatic_certificates import Certified
from tests.support.cast import OWN_BRAND


@pytest.mark.parametrize(
    ("names", "domains"),
    [
        (["shop.example.co.uk", "www.shop.example.co.uk"], ["example.co.uk"]),
        (["example.com", "*.example.com"], ["example.com"]),
        (["a.example.com", "b.example.org"], ["example.com", "example.org"]),
        (["localhost"], ["localhost"]),
    ],
)
def test_registered_domains(names: list[str], domains: list[str]) -> None:
    assert limits.registered_domains(names) == domains


async def test_orders_in_three_hours(site: Certified, ca: Authority) -> None:
    site.set(acme_orders_per_3_hours=2)
    for number in range(4):
        await site.map(f"host{number}.example{number}.com")
    await site.work()
    assert len(ca.orders) == 2
    waiting = await site.owner.fetch("select * from automatic_certificates where reason_code = 'limitReached'")
    assert {row["failures"] for row in waiting} == {0}
    assert all(
        timedelta(hours=2, minutes=59) < row["due_at"] - clock.now() < timedelta(hours=3, minutes=1) for row in waiting
    )
    await site.owner.execute("update acme_usage set at = at - interval '3 hours'")
    await site.work()
    assert len(ca.orders) == 4


async def test_certificates_of_a_registered_domain_in_a_week(site: Certified, ca: Authority) -> None:
    site.set(acme_certificates_per_domain_week=2)
    for number in range(3):
        await site.map(f"host{number}.bakery.com")
    await site.map("other.com")
    await site.work()
    assert len(ca.orders) == 3
    [waiting] = await site.owner.fetch("select * from automatic_certificates where reason_code = 'limitReached'")
    assert "bakery.com" in waiting["reason_detail"]
    assert waiting["due_at"] - clock.now() > timedelta(days=6)


async def test_renewals_with_a_predecessor_are_exempt(site: Certified, ca: Authority) -> None:
    site.set(acme_orders_per_3_hours=1, acme_certificates_per_domain_week=1)
    await site.map(HOST)
    await site.work()
    await site.set_row(HOST, renew_at=clock.real_now())
    await site.work()
    assert len(ca.issued) == 2


async def test_failed_validations_of_a_host_in_an_hour(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    ca.faults.rejected_hosts.add(HOST)
    for _ in range(6):
        await site.work()
    assert len(ca.orders) == 4
    row = await site.row(HOST)
    assert (row["reason_code"], row["failures"]) == ("limitReached", 4)


async def test_old_usage_is_pruned(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    await site.owner.execute("update acme_usage set at = at - interval '8 days'")
    await limits.prune(site.resources)
    assert await site.owner.fetchval("select count(*) from acme_usage") == 0


async def test_what_a_killed_worker_had_reserved_does_not_block_a_domain(site: Certified, ca: Authority) -> None:
    """It ended before the order was stored, so that there is no certificate that counts."""
    site.set(acme_certificates_per_domain_week=1)
    await site.map(HOST)
    ref = (await site.row(HOST))["ref"]
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        await limits.reserve(tx, site.resources.settings, ref, [HOST], clock.real_now())
    await site.work()
    assert [order.names for order in ca.orders] == [[HOST]]
    assert await site.owner.fetchval("select count(*) from acme_usage where kind = 'certificate'") == 1
