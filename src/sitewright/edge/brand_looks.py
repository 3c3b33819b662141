"""Cache of what holding and offline pages show of a brand; a change of the brand shows within a minute."""

from contextlib import suppress

from sitewright.edge.lru import Lru
from sitewright.kit import clock
from sitewright.kit.problems import NotFound, Unavailable
from sitewright.kit.replicas import ReadDatabase
from sitewright.kit.ui.brand import BrandLook
from sitewright.tenants.brands import service as brands

MAX_AGE_SECONDS = 60.0
MAX_ENTRIES = 1000
Entry = tuple[BrandLook | None, float]


class BrandLooks:
    def __init__(self, reads: ReadDatabase) -> None:
        self._reads = reads
        self._by_brand: Lru[int, Entry] = Lru(MAX_ENTRIES)
        self._brand_by_host: Lru[str, tuple[int | None, float]] = Lru(MAX_ENTRIES)

    async def of_brand(self, brand_ref: int) -> BrandLook | None:
        """None, or what is known from before, while the database is unavailable."""
        known = self._by_brand.get(brand_ref)
        if known is not None and _is_fresh(known[1]):
            return known[0]
        look = known and known[0]
        with suppress(Unavailable, NotFound):
            look = await self._reads.read(brand_ref, brands.find_look)
            self._by_brand.put(brand_ref, (look, clock.stopwatch()))
        return look

    async def of_host(self, host: str) -> BrandLook | None:
        """The brand whose domain the host is, or is below."""
        known = self._brand_by_host.get(host)
        if known is None or not _is_fresh(known[1]):
            with suppress(Unavailable):
                found = await self._reads.read(None, lambda connection: brands.find_brand_of_host(connection, host))
                known = (found, clock.stopwatch())
                self._brand_by_host.put(host, known)
        return None if known is None or known[0] is None else await self.of_brand(known[0])


def _is_fresh(read_at: float) -> bool:
    return clock.stopwatch() - read_at < MAX_AGE_SECONDS
