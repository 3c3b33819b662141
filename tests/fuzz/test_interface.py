"""Fuzzing the whole API: no response is a 5xx, undeclared, or violates its schema.

`make test` sends the same 700 requests every time (except for random values in responses, like tokens); `make fuzz`
sends 50,000, others each time. FUZZ_SEED repeats a campaign.
"""

import asyncio
import os
import random
import secrets
import time
from pathlib import Path

import pytest
from rich.console import Console

from sitewright.kit.db import open_database
from sitewright.kit.embedded import EmbeddedPostgres
from tests.fuzz.callers import Callers
from tests.fuzz.campaign import Campaign
from tests.fuzz.steering import Steering
from tests.fuzz.stock import Stock
from tests.fuzz.tally import Tally
from tests.support.service import TWO_OF_EACH, Service, running_service

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "700"))
SEED = int(os.environ.get("FUZZ_SEED", secrets.randbelow(10**6) if "FUZZ_REQUESTS" in os.environ else 1))
SETTINGS = TWO_OF_EACH | {
    "failures_per_key": 10**6,
    "failures_of_unknown_keys": 10**6,
    "login_failures_per_address": 10**6,
    "login_failures_per_account": 10**6,
    "trusted_proxies": "127.0.0.1",
}
"""A request that the fuzzer's client changes after signing counts as a failed authentication, which must not lock out
all callers."""


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # Hypothesis, of the settings of a brand
async def test_every_response_is_in_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    tally, began = Tally(), time.monotonic()
    async with running_service(tmp_path / "data", **SETTINGS) as service:
        failures = await fuzz(service, tally)
    tally.show(Console(width=140), f"seed {SEED}, {time.monotonic() - began:.0f} s")
    found = failures + bugs_in(service.log)
    assert not found, "\n\n".join(found)
    assert tally.sent >= REQUESTS
    assert tally.accepted > tally.sent // 4, "too few requests get past the first refusals to prove anything"


async def fuzz(service: Service, tally: Tally) -> list[str]:
    running = EmbeddedPostgres.running(service.data_dir)
    assert running is not None
    database = open_database(running.url, connections=1, wait_seconds=20, name="fuzzer")
    async with service.client() as client:
        brand, document = service.demo["brands"][0], (await client.get("/openapi.json")).json()
        chance, stock = random.Random(SEED), Stock(client, database, brand)  # noqa: S311 - to be had again
        await stock.fill()
        callers = Callers(brand, service.demo["systemOwner"], chance)
        steering = Steering(stock, callers, document, tally, chance)
        campaign = Campaign(service.api_url, document, steering, tally, SEED)
        await asyncio.to_thread(campaign.run, REQUESTS)
    await database.close()
    return campaign.failures


def bugs_in(log: Path) -> list[str]:
    """Whatever the service, including its workers, logged as a bug."""
    return [line for line in log.read_text().splitlines() if '"level":"error"' in line or "Traceback" in line]
