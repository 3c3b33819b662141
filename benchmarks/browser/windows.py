"""Windows of Chromium with an empty cache, and the bytes that they load."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page, Request

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.requests import address_of
from benchmarks.service import Service
from tests.support.chromium import chromium_on_ports

LONGEST_SECONDS = 60


def in_chromium(goals: Sequence[Goal], measure: Callable[[Service, Browser], Awaitable[list[Figure]]]) -> Measurement:
    """Measured with an API process on every core, as an operator runs the service."""

    async def measured(service: Service) -> list[Figure]:
        try:
            async with _running(service) as browser:
                return await measure(service, browser)
        except (Error, AssertionError) as failure:
            raise MeasurementFailed(str(failure)) from None

    def run(service: Service) -> list[Figure]:
        if shutil.which("chromium") is None:
            return [goal.without_peer("Chromium") for goal in goals]
        return asyncio.run(measured(service))

    return Measurement(goals=goals, measure=run, on_every_core=True)


@asynccontextmanager
async def _running(service: Service) -> AsyncIterator[Browser]:
    """The names of sites resolve to the edge server."""
    ports = address_of(service.url)[1], address_of(service.demo["siteUrl"])[1]
    async with chromium_on_ports(*ports) as browser:
        yield browser


@asynccontextmanager
async def new_context(browser: Browser, screen: dict[str, Any]) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(**screen, locale="en-GB")
    context.set_default_timeout(LONGEST_SECONDS * 1000)
    try:
        yield context
    finally:
        await context.close()


class Traffic:
    """The responses that a page loads."""

    def __init__(self, page: Page) -> None:
        self.requests: list[Request] = []
        page.on("requestfinished", self._note)

    def _note(self, request: Request) -> None:
        self.requests.append(request)

    async def compressed_bytes(self) -> dict[str, int]:
        """The bodies as they were sent, by the kind of resource: document, script, stylesheet, font, image ..."""
        found: dict[str, int] = {}
        for request in self.requests:
            if not request.url.startswith("data:"):
                size = (await request.sizes())["responseBodySize"]
                found[request.resource_type] = found.get(request.resource_type, 0) + size
        return found
