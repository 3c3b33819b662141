"""Workers killed while they order certificates, an authority that does not respond for an hour, and wrong clocks.

A dozen orders and two kills in `make test`, two thousand and fifty in `make chaos`.
"""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest

from sitewright.demo.authority.behavior import Limits
from sitewright.demo.authority.service import Authority, authority
from sitewright.domains.certificates.acme.jobs import CONCURRENCY
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.chaos.stage import report
from tests.support.automatic_certificates import Certified, certified_site
from tests.support.customers import make_customer
from tests.support.depth import DEEP, share
from tests.support.eventually import eventually
from tests.support.service import TWO_OF_EACH, Service, free_port, owner_of, running_service
from tests.support.users import OwnerConnection

HOSTS, KILLS = share(12, 2000), share(2, 50)
HOSTS_OF_A_DOMAIN = 40
CUSTOMERS = share(2, 25)
"""Each has a site; the hosts are spread over them."""
MAPPING = 8
BEGUN = KILLS * CONCURRENCY
"""Orders that killed workers had begun, at most: the service counts them, whether the authority got them or not."""
LIMITS = Limits(orders_per_3_hours=HOSTS + CUSTOMERS + BEGUN + 10, certificates_per_domain_week=50)
"""Of the authority."""
END_LEASES = (
    "update domain_checks set due_at = now() where status is null and due_at is not null",
    "update automatic_certificates set due_at = now() where not_after is null and due_at is not null",
)
"""Work that a killed worker had claimed is done when its lease of a minute ends; in `make test`, immediately."""
DAY = timedelta(days=1)


def host(number: int) -> str:
    return f"shop-{number}.domain-{number // HOSTS_OF_A_DOMAIN}.example"


@asynccontextmanager
async def ordering(data_dir: Path) -> AsyncIterator[tuple[Service, Authority]]:
    site_port = free_port()
    async with authority(http_port=site_port, limits=LIMITS) as ca:
        settings = {
            "acme_directory": ca.directory,
            "acme_ca_file": ca.ca_file,
            "acme_orders_per_3_hours": LIMITS.orders_per_3_hours - 1,
            "site_domains_limit": HOSTS,
        }
        async with running_service(data_dir, site_port=site_port, **TWO_OF_EACH, **settings) as service:
            yield service, ca


async def map_hosts(service: Service) -> None:
    async with service.client() as client:
        pro = service.demo["brands"][0]["packages"]["pro"]
        customers = [
            await make_customer(client, 1, f"customer-{number}.example", package_ref=pro) for number in range(CUSTOMERS)
        ]
        slots = asyncio.Semaphore(MAPPING)

        async def map_host(number: int) -> None:
            path = f"{customers[number % CUSTOMERS].path}/domains"
            async with slots:
                response: httpx.Response = await client.post(path, json={"domain": host(number)})
            assert response.status_code == 201, response.text

        await asyncio.gather(*(map_host(number) for number in range(HOSTS)))


async def certified(rows: OwnerConnection) -> int:
    """How many of the hosts have their certificate."""
    found: int = await rows.fetchval(
        "select count(*) from automatic_certificates where not_after > now() and name like 'shop-%'"
    )
    return found


async def has_at_least(rows: OwnerConnection, count: int) -> bool:
    return await certified(rows) >= count


async def wait_for(rows: OwnerConnection, count: int) -> None:
    """As long as there is progress: in `make chaos` it takes minutes."""
    while (now := await certified(rows)) < count:
        await eventually(partial(has_at_least, rows, now + 1))


async def kill_worker(service: Service, rows: OwnerConnection) -> None:
    before = service.pids("worker")
    os.kill(before[-1], signal.SIGKILL)
    for statement in () if DEEP else END_LEASES:
        await rows.execute(statement)
    await eventually(lambda: len(service.pids("worker")) == len(before) + 1)


async def test_killed_workers_order_every_certificate_once(tmp_path: Path) -> None:
    async with ordering(tmp_path / "var") as (service, ca), owner_of(service) as rows:
        started = time.monotonic()
        mapping = asyncio.create_task(map_hosts(service))
        for number in range(KILLS):
            await wait_for(rows, HOSTS * number // (KILLS + 1) + 1)
            await kill_worker(service, rows)
        await mapping
        await wait_for(rows, HOSTS)
        report(f"{KILLS} kills of workers: {HOSTS} certificates in {time.monotonic() - started:.0f} s")
        bound = await rows.fetchval(
            "select count(distinct domain) from certificate_bindings where domain like 'shop-%'"
        )
    ordered = Counter(name for order in ca.orders for name in order.names if name.startswith("shop-"))
    assert {name: count for name, count in ordered.items() if count > 1} == {}
    assert {order.status for order in ca.orders} == {"valid"}
    issued = Counter(name for each in ca.issued for name in each.names if name.startswith("shop-"))
    assert issued == Counter(host(number) for number in range(HOSTS))
    assert bound == HOSTS
    assert [each for each in ca.refusals if each.kind == "rateLimited"] == []


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> AsyncIterator[Certified]:
    async with certified_site(owner_connection, resources) as certified:
        yield certified


async def test_an_hour_without_the_authority_loses_nothing(site: Certified) -> None:
    """Hosts are mapped all the time; nobody does anything when the authority is back."""
    hosts = [f"hour-{number}.example" for number in range(share(6, 600))]
    async with authority(http_port=site.edge_port) as ca:
        site.use(ca, acme_orders_per_3_hours=2 * len(hosts))
        ca.faults.is_unavailable = True
        for number, name in enumerate(hosts):
            clock.shift(3600 * number / len(hosts))
            await site.map(name)
            await site.work_on_due()
        clock.shift(3600)
        states = await site.owner.fetch("select failures, due_at is null, reason_code from automatic_certificates")
        assert {tuple(row)[:2] for row in states} == {(0, False)}, "waiting is no failure"
        assert ca.orders == []
        ca.faults.is_unavailable = False
        clock.shift(3600 + 15 * 60)
        await site.work_on_due()
        assert sorted(each.names[0] for each in ca.issued) == sorted(hosts)
        left = await site.owner.fetchval(
            "select count(*) from automatic_certificates where not_after is null or reason_code is not null"
        )
        assert left == 0


@pytest.mark.parametrize("ahead", [DAY, -DAY], ids=["behind", "ahead"])
async def test_a_clock_that_is_wrong_by_a_day_is_reported(
    site: Certified, caplog: pytest.LogCaptureFixture, ahead: timedelta
) -> None:
    """The authority's clock is the right one. The certificate is ordered and served nevertheless."""
    async with authority(http_port=site.edge_port, now=lambda: clock.real_now() + ahead) as ca:
        site.use(ca)
        await site.map("clock.example")
        await site.work()
        assert [each.names for each in ca.issued] == [["clock.example"]]
        assert "the clock of this machine is wrong" in caplog.text
        assert ("behind" if ahead > timedelta() else "ahead of") in caplog.text
        skew = await site.owner.fetchval("select clock_skew_seconds from acme_accounts")
        assert abs(skew + ahead.total_seconds()) < 600
        assert (await site.row("clock.example"))["reason_code"] is None
