"""Test clocks: a year of a test brand with 1,000 accounts that renew monthly, spread evenly over the month."""

import asyncio
import base64
import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.population import Population, delete_mails
from benchmarks.service import Service

GOAL_SECONDS = 60
SPEED = Goal(f"{GOAL_SECONDS} s / a year of a test brand with 1,000 accounts", 1)
ACCOUNTS = Population(brand_ref=101, first_ref=8_000_000_000, users=1_000, package="pro")
SPREAD = """
    update account_packages set started_at = now() - (user_ref - $2) * interval '30 days' / $3,
           due_at = now() + interval '1 month' - (user_ref - $2) * interval '30 days' / $3
     where brand_ref = $1 and user_ref >= $2
"""
RENEWALS = "select count(*) from lifecycle_events where brand_ref = $1 and user_ref >= $2 and kind = 'renewal'"


def measure(service: Service) -> list[Figure]:
    asyncio.run(_fill(service))
    started = time.perf_counter()
    calls = 0
    while not _is_done(service):
        calls += 1
    seconds = time.perf_counter() - started
    renewals = asyncio.run(_count(service))
    detail = f"{renewals:,} renewals in {seconds:.1f} s, {renewals / seconds:,.0f} a second, in {calls + 1} calls"
    return [SPEED.measured(GOAL_SECONDS / seconds, detail)]


async def _fill(service: Service) -> None:
    owner = await asyncpg.connect(service.database_url)
    await ACCOUNTS.fill(owner)
    await owner.execute(SPREAD, ACCOUNTS.brand_ref, ACCOUNTS.first_ref, ACCOUNTS.users)
    await owner.close()


def _is_done(service: Service) -> bool:
    """Repeats the call until the status is 200."""
    basic: dict[str, Any] = service.demo["testBrand"]["basic"]
    address = urlsplit(service.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=120)
    password = base64.b64encode(f"{basic['username']}:{basic['password']}".encode()).decode()
    headers = {"Authorization": f"Basic {password}", "Content-Type": "application/json"}
    path = f"/brands/{ACCOUNTS.brand_ref}/test-clock/advance"
    connection.request("POST", path, json.dumps({"by": "P1Y"}), headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status not in (200, 202):
        raise MeasurementFailed(f"the clock was not moved: {body.decode()}")
    return response.status == 200


async def _count(service: Service) -> int:
    owner = await asyncpg.connect(service.database_url)
    try:
        count: int = await owner.fetchval(RENEWALS, ACCOUNTS.brand_ref, ACCOUNTS.first_ref)
        if count != 12 * ACCOUNTS.users:
            raise MeasurementFailed(f"there were {count} renewals in a year of {ACCOUNTS.users} accounts")
        await delete_mails(owner)
        return count
    finally:
        await owner.close()


MEASUREMENT = Measurement(goals=[SPEED], measure=measure)
