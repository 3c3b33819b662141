"""Test clocks with real workers: an advance goes on where a killed worker left it, and nothing happens twice."""

import asyncio
import os
import signal
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.processes.test_due_packages import start_worker
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.many_packages import make_packages
from tests.support.packages import EURO_STARTER
from tests.support.service import running_service
from tests.support.users import OwnerConnection

ACCOUNTS = share(120, 300)
MONTHS = 6
BEGIN = """
update brands set test_mode = true, clock_advancing_from = now(), clock_advancing_to = now() + interval '6 months'
 where brand_ref = 2
"""


@pytest.fixture
async def clock_database(database_url: str, pristine: str) -> str:
    """Accounts that renew monthly, two hours apart from one another; the clock is to be moved by half a year."""
    owner = await asyncpg.connect(database_url)
    await owner.execute("drop database if exists clocks with (force)")
    await owner.execute(f"create database clocks template {pristine}")
    await owner.close()
    url = urlunsplit(urlsplit(database_url)._replace(path="/clocks"))
    owner = await asyncpg.connect(url)
    await make_packages(
        owner, ACCOUNTS, brand_ref=2, package_ref=EURO_STARTER, called="u", is_trial=False, age=timedelta()
    )
    await owner.execute(
        "update account_packages set due_at = started_at + interval '1 month' + user_ref % 300 * interval '2 hours',"
        " started_at = started_at + user_ref % 300 * interval '2 hours'"
    )
    await owner.execute(BEGIN)
    await owner.close()
    return url


async def renewals(owner: OwnerConnection) -> int:
    count: int = await owner.fetchval("select count(*) from lifecycle_events where kind = 'renewal'")
    return count


async def has_done_more(owner: OwnerConnection, than: int) -> bool:
    return await renewals(owner) > than or await is_over(owner)


async def is_over(owner: OwnerConnection) -> bool:
    return await owner.fetchval("select clock_advancing_to is null from brands where brand_ref = 2") is True


async def test_killed_workers_do_everything_once_and_in_order(tmp_path: Path, clock_database: str) -> None:
    """Two at a time, killed with SIGKILL while the clock is being moved."""
    owner = await asyncpg.connect(clock_database)
    killed = 0
    while not await is_over(owner):
        workers = [await start_worker(tmp_path, clock_database) for _ in range(2)]
        before = await renewals(owner)

        enough = before if killed < 3 else ACCOUNTS * MONTHS
        await eventually(partial(has_done_more, owner, enough))
        for worker in workers:
            os.killpg(worker.pid, signal.SIGKILL)
            await worker.wait()
        killed += 1
    row = await owner.fetchrow(
        "select (select count(*) from account_packages where due_at <= now() + (select clock_offset from brands"
        "          where brand_ref = 2)) as left_behind,"
        " (select count(*) from (select from lifecycle_events group by user_ref, at having count(*) > 1) e) as twice,"
        " (select count(*) from lifecycle_events) - (select count(*) from charges) as uncharged,"
        " (select count(*) from lifecycle_events) - (select count(*) from mails where kind = 'renewed') as unmailed,"
        " (select count(*) from (select at, lag(at) over (order by ref) as before from lifecycle_events) e"
        "   where at < before) as disordered,"
        " (select count(*) from account_packages where due_at is not null"
        "   and due_at <> started_at + make_interval(months => periods)) as displaced"
    )
    total = await renewals(owner)
    await owner.close()
    assert row is not None
    assert dict(row) == dict.fromkeys(row.keys(), 0)
    assert ACCOUNTS * (MONTHS - 1) <= total <= ACCOUNTS * MONTHS
    assert killed >= 2


async def test_the_demo_has_a_test_brand_whose_clock_the_worker_moves(tmp_path: Path) -> None:
    async with running_service(tmp_path / "data") as service:
        brand = service.demo["testBrand"]
        auth = (brand["basic"]["username"], brand["basic"]["password"])
        async with service.client() as client:
            path = f"/brands/{brand['brandRef']}/test-clock"
            responses = await asyncio.gather(
                *(client.post(f"{path}/advance", json={"by": "P13M"}, auth=auth) for _ in range(3))
            )
            moved, *refused = sorted(response.status_code for response in responses)
            assert (moved in (200, 202), refused) == (True, [409, 409])  # 202: a slow machine is still at it

            async def is_ready() -> bool:
                return bool((await client.get(path, auth=auth)).json()["testClock"]["status"] == "ready")

            await eventually(is_ready)
            user = f"/users/{brand['demoUser']['userRef']}"
            [domain] = (await client.get(f"{user}/account-domains", auth=auth)).json()["accountDomains"]
            clock = (await client.get(path, auth=auth)).json()["testClock"]
    assert clock["status"] == "ready"
    assert domain["active"] == 1
    assert domain["expiryDate"]["date"][:10] > clock["time"][:10]
