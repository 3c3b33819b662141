"""Provisioning customers end to end, as integrators do: user, package, site, domain, three pages, publish. Each client
creates one customer after another, since each call needs the previous response."""

import asyncio
import os
import time
from statistics import median
from typing import Any

import httpx
import msgspec
import uvloop
from rich.console import Console
from rich.progress import track

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import read_reply
from benchmarks.measurement import Measurement
from benchmarks.requests import address_of, signed_request, user_body
from benchmarks.service import Service

ONE, MANY = 1, 16
ALONE = Goal("customers provisioned a second by one client", None)
TOGETHER = Goal(f"customers provisioned a second by {MANY} clients", None)
BRAND = 1
PAGES = ("home", "about", "contact")
CALLS = 5 + len(PAGES)
CUSTOMERS = {ONE: 12, MANY: 48}  # per round
ROUNDS = 2
LONGEST_SECONDS = 30


def measure(service: Service) -> list[Figure]:
    provisioning = Provisioning(service)
    provisioning.rate(MANY, MANY)  # to warm up
    rounds = track(range(ROUNDS), "customers provisioned", auto_refresh=False, console=Console(stderr=True))
    rates = [(provisioning.rate(ONE, CUSTOMERS[ONE]), provisioning.rate(MANY, CUSTOMERS[MANY])) for _ in rounds]
    provisioning.check_last()
    alone, together = (median(each) for each in zip(*rates, strict=True))
    return [ALONE.measured(alone, _note(alone, ONE)), TOGETHER.measured(together, _note(together, MANY))]


def _note(rate: float, clients: int) -> str:
    cores = len(os.sched_getaffinity(0))
    return (
        f"{CALLS} calls each, {rate * CALLS:,.0f} calls/s, {clients / rate * 1000:.0f} ms from the first to the last;"
        f" median of {ROUNDS} rounds, an API process on every core, client on the same {cores} cores"
    )


class Provisioning:
    def __init__(self, service: Service, longest_seconds: float = LONGEST_SECONDS) -> None:
        self._service = service
        self._longest_seconds = longest_seconds
        self._credentials = service.credentials(BRAND)
        self._packages = service.brand(BRAND)["packages"]
        self._begun = 0

    def rate(self, clients: int, customers: int) -> float:
        """The rate per second."""
        return uvloop.run(self._rate(clients, customers))

    def check_last(self) -> None:
        """Whether visitors get the published page."""
        headers = {"Host": f"www.customer-{self._begun}.example"}
        response = httpx.get(f"{self._service.demo['siteUrl']}/about", headers=headers, trust_env=False)
        if response.status_code != 200 or "about" not in response.text:
            raise MeasurementFailed(f"a customer's page returned {response.status_code}: {response.text[:200]}")

    async def _rate(self, clients: int, customers: int) -> float:
        last = self._begun + customers
        started = time.perf_counter()
        async with asyncio.timeout(self._longest_seconds):
            await asyncio.gather(*(self._work_until(last) for _ in range(clients)))
        return customers / (time.perf_counter() - started)

    async def _work_until(self, last: int) -> None:
        reader, writer = await asyncio.open_connection(*address_of(self._service.url))
        try:
            while self._begun < last:
                self._begun += 1
                await self._provision(f"customer-{self._begun}", reader, writer)
        finally:
            writer.close()

    async def _provision(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def post(path: str, **body: Any) -> Any:
            encoded = msgspec.json.encode(body) if body else b""
            writer.write(signed_request(self._credentials, "POST", self._service.url + path, encoded))
            return await read_reply(reader)

        user_ref = (await post("/users", **user_body(BRAND, name)))["accountHolder"]["ref"]
        await post(f"/users/{user_ref}/account-packages", packageRef=self._packages["starter"], billingFrequency=1)
        created = await post("/sites", accountHolderRef=user_ref, brandRef=BRAND, domain=f"{name}.example")
        site = f"/sites/{created['site']['ref']}"
        await post(f"{site}/domains", domain=f"www.{name}.example")
        for url in PAGES:
            await post(f"{site}/pages", pageUrl=url, type="page", title=url.title(), status="active")
        await post(f"{site}/publish")


MEASUREMENT = Measurement(goals=[ALONE, TOGETHER], measure=measure, on_every_core=True)
