"""The brand of a host, for error pages: looked up at most once a minute, and never while that would take long."""

import asyncio
from contextlib import suppress

from sitewright.kit import clock
from sitewright.kit.links import host_of
from sitewright.kit.problems import NotFound, Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.ui.brand import Brand
from sitewright.tenants.brands import service as brands

MAX_AGE_SECONDS = 60.0
MAX_HOSTS = 1000
PATIENCE_SECONDS = 1.0


class ErrorBrands:
    """A small cache by host; the oldest entries are evicted."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Brand | None, float]] = {}

    async def find(self, resources: Resources, host_header: str) -> Brand | None:
        try:
            host = host_of(f"http://{host_header}")
        except ValueError:
            return None
        known = self._known.get(host)
        if known is not None and clock.stopwatch() - known[1] < MAX_AGE_SECONDS:
            return known[0]
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                brand = await _brand_of(resources, host)
            self._remember(host, brand)
            return brand
        return known and known[0]

    def _remember(self, host: str, brand: Brand | None) -> None:
        self._known.pop(host, None)
        self._known[host] = (brand, clock.stopwatch())
        if len(self._known) > MAX_HOSTS:
            del self._known[next(iter(self._known))]


async def _brand_of(resources: Resources, host: str) -> Brand | None:
    async with resources.database.lease() as lease:
        brand_ref = await brands.find_brand_of_host(await lease.connection(), host)
        if brand_ref is None:
            return None
        with suppress(NotFound):
            async with lease.transaction(brand_ref) as tx:
                return await brands.settings_of_brand(tx)
    return None
