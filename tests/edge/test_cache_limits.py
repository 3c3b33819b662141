"""Caches of the listener are bounded, whatever clients request."""

import random
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from sitewright.edge.app import SiteListener
from sitewright.edge.host_cache import MAX_UNKNOWN_HOSTS, Entry
from sitewright.edge.lru import Lru
from sitewright.edge.request import MAX_CACHED_BYTES, accepts_gzip, host_of, path_of
from sitewright.edge.store import Site
from sitewright.kit import clock
from tests.edge.shops import FILES, Shop, Visitor, kind_of
from tests.support.depth import cases

SITE = Site(1, 1, 1, 1, None, "http", False, None, "en")


@cases(200, 5000)
@given(st.lists(st.tuples(st.sampled_from(["put", "get", "evict"]), st.integers(0, 20), st.integers(0, 12))))
def test_an_lru_never_exceeds_its_capacity(steps: list[tuple[str, int, int]]) -> None:
    evicted: list[int] = []
    lru: Lru[int, int] = Lru(40, lambda key, _value: evicted.append(key))
    held: dict[int, int] = {}
    for verb, key, weight in steps:
        if verb == "put":
            lru.put(key, weight, weight)
            held[key] = weight
        elif verb == "get":
            found = lru.get(key)
            assert found is None or found == held[key]
        else:
            lru.evict(key)
            assert lru.get(key) is None
        assert lru.weight <= 40


def test_the_least_recently_used_value_is_evicted() -> None:
    lru: Lru[str, int] = Lru(16)
    for key in "abcdefghijklmnop":
        lru.put(key, 1)
    lru.get("a")
    lru.put("new", 1)
    assert (lru.get("a"), lru.get("b"), len(lru)) == (1, None, 16)


def test_a_value_that_would_evict_everything_is_not_cached() -> None:
    lru: Lru[str, int] = Lru(80)
    lru.put("small", 1, 10)
    lru.put("large", 1, 11)
    assert (lru.get("small"), lru.get("large")) == (1, None)


async def test_random_hosts_are_bounded(listener: SiteListener) -> None:
    """They do not evict known sites either."""
    sites = listener.sites
    sites.cache.put("shop.example", Entry(SITE, clock.stopwatch()))
    tracemalloc.start()
    for number in range(MAX_UNKNOWN_HOSTS * 3):
        sites.cache.put(f"host-{number}.example", Entry(None, clock.stopwatch()))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(sites), sites.known("shop.example") is not None) == (MAX_UNKNOWN_HOSTS + 1, True)
    assert size < 16 * 1024 * 1024


async def test_the_index_is_cleaned_up_with_its_entries(listener: SiteListener) -> None:
    sites = listener.sites
    for number in range(100):
        site = Site(1, number % 10, number, 1, None, "http", False, None, "en")
        sites.cache.put(f"host-{number}.example", Entry(site, clock.stopwatch()))
    assert set(sites.cache._groups) == set(range(10))
    for number in range(10):
        sites.on_notification(str(number))
    assert (len(sites), sites.cache._groups) == (0, {})


def test_long_headers_are_not_cached() -> None:
    long = b"a" * (MAX_CACHED_BYTES + 1)
    tracemalloc.start()
    for number in range(2000):
        for read in (host_of, path_of, accepts_gzip):
            read(long * 20 + str(number).encode())
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 1024 * 1024


async def test_the_file_cache_keeps_its_limit(listener: SiteListener, visitor: Visitor, shop: Shop) -> None:
    noise = random.Random(1)  # noqa: S311 - it shall not compress
    pages = {f"page-{number}": noise.randbytes(30_000).hex() for number in range(40)}
    await shop.publish(FILES | pages, 2)
    listener.files._responses.capacity = 500_000
    for path in [*pages, *pages]:
        for encoding in ("gzip", "identity"):
            response = await visitor.get(f"/{path}", headers={"Accept-Encoding": encoding})
            assert (kind_of(response), response.text) == ((200, "page"), pages[path])
    assert 0 < listener.files.weight <= 700_000
