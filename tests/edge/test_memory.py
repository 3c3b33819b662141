"""What the listener remembers has an end, whatever visitors ask for."""

import random
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from sitewright.edge.app import SiteListener
from sitewright.edge.host_cache import MAX_UNKNOWN_HOSTS, Entry
from sitewright.edge.lru import Lru
from sitewright.edge.store import Site
from sitewright.edge.visit import LONGEST_REMEMBERED, host_of, path_of, takes_gzip
from sitewright.kit import clock
from tests.edge.stage import FILES, Shop, Visitor, kind_of
from tests.support.depth import cases

SITE = Site(1, 1, 1, 1, True, "http", False, None, "en")


@cases(200, 5000)
@given(st.lists(st.tuples(st.sampled_from(["put", "get", "drop"]), st.integers(0, 20), st.integers(0, 12))))
def test_an_lru_never_holds_more_than_its_room(steps: list[tuple[str, int, int]]) -> None:
    dropped: list[int] = []
    lru: Lru[int, int] = Lru(40, lambda key, _value: dropped.append(key))
    held: dict[int, int] = {}
    for verb, key, weight in steps:
        if verb == "put":
            lru.put(key, weight, weight)
            held[key] = weight
        elif verb == "get":
            found = lru.get(key)
            assert found is None or found == held[key]
        else:
            lru.drop(key)
            assert lru.get(key) is None
        assert lru.weight <= 40


def test_what_was_used_last_stays() -> None:
    lru: Lru[str, int] = Lru(16)
    for key in "abcdefghijklmnop":
        lru.put(key, 1)
    lru.get("a")
    lru.put("new", 1)
    assert (lru.get("a"), lru.get("b"), len(lru)) == (1, None, 16)


def test_what_would_push_out_all_else_is_not_kept() -> None:
    lru: Lru[str, int] = Lru(80)
    lru.put("small", 1, 10)
    lru.put("large", 1, 11)
    assert (lru.get("small"), lru.get("large")) == (1, None)


async def test_random_hosts_do_not_add_up(listener: SiteListener) -> None:
    """Nor do they push out what is known of sites."""
    sites = listener.sites
    sites.cache.put("shop.example", Entry(SITE, clock.stopwatch()))
    tracemalloc.start()
    for number in range(MAX_UNKNOWN_HOSTS * 3):
        sites.cache.put(f"host-{number}.example", Entry(None, clock.stopwatch()))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(sites), sites.known("shop.example") is not None) == (MAX_UNKNOWN_HOSTS + 1, True)
    assert size < 16 * 1024 * 1024


async def test_what_belongs_to_a_host_goes_with_it(listener: SiteListener) -> None:
    sites = listener.sites
    for number in range(100):
        site = Site(1, number % 10, number, 1, True, "http", False, None, "en")
        sites.cache.put(f"host-{number}.example", Entry(site, clock.stopwatch()))
    assert set(sites.cache._groups) == set(range(10))
    for number in range(10):
        sites.tell(str(number))
    assert (len(sites), sites.cache._groups) == (0, {})


def test_long_headers_are_not_remembered() -> None:
    long = b"a" * (LONGEST_REMEMBERED + 1)
    tracemalloc.start()
    for number in range(2000):
        for read in (host_of, path_of, takes_gzip):
            read(long * 20 + str(number).encode())
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 1024 * 1024


async def test_files_have_the_room_they_are_given(listener: SiteListener, visitor: Visitor, shop: Shop) -> None:
    noise = random.Random(1)  # noqa: S311 - it shall not compress
    pages = {f"page-{number}": noise.randbytes(30_000).hex() for number in range(40)}
    await shop.publish(FILES | pages, 2)
    listener.files._answers.room = 500_000
    for path in [*pages, *pages]:
        for encoding in ("gzip", "identity"):
            response = await visitor.get(f"/{path}", headers={"Accept-Encoding": encoding})
            assert (kind_of(response), response.text) == ((200, "page"), pages[path])
    assert 0 < listener.files.weight <= 700_000
