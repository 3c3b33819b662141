"""GET /sites?domain=: search by a part of a host name, also among many sites."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx
import pytest

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.resources import Resources
from sitewright.sites.sites import store
from tests.sites.sites.shapes import map_domain, ref_of_new_site, reseller_user
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.paging import refs_in, walk
from tests.support.users import OwnerConnection, make_user

T = TypeVar("T")
MANY = """
with made as (
    insert into profiles (brand_ref, ref, user_ref, updated_at)
    select $1::bigint, n, $2::bigint, now() from generate_series($3::bigint, $4::bigint, $5::bigint) n
), there as (
    insert into sites (brand_ref, ref, user_ref, reseller_ref, profile_ref, site_type, created_at, updated_at)
    select $1, n, $2, u.reseller_ref, n, 'responsive', now(), now()
      from generate_series($3, $4, $5) n, users u where u.brand_ref = $1 and u.ref = $2
)
insert into site_domains (brand_ref, site_ref, domain, created_at)
select $1, n, format('%s%s.%s', case when n % 7 = 0 then 'seventh' else 'shop' end, n,
                     case when n > 100000 then 'late.example' else 'early.example' end), now()
  from generate_series($3, $4, $5) n
"""


async def find(client: httpx.AsyncClient, part: str, **more: int) -> list[int]:
    query: dict[str, str | int] = {"brandRef": 1, "domain": part, **more}
    return refs_in(await client.get("/sites", params=query))


async def test_any_part_of_a_name_finds_its_site(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "www.joes-bakery.example")
    await ref_of_new_site(owner, user_ref, "other.test")
    for part in ("www.joes-bakery.example", "joes", "JOES", "w", "s-", "-", ".ex", "ample", "www.j", "bakery.example"):
        assert await find(owner, part) == [ref], part
    for part in ("joes_", "zzz", "www.joes-bakery.example.", "%", "joes%", "_oes", "'", "\\", "joes bakery", "a:1:joe"):
        assert await find(owner, part) == [], part


async def test_internationalized_names_are_found_by_whole_labels(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "www.bücher.example")
    for part in ("bücher", "BÜCHER.example", "www.bücher", "xn--bcher", ".bücher."):
        assert await find(owner, part) == [ref], part
    assert await find(owner, "☃") == []


async def test_an_empty_part_is_no_filter(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    assert await find(owner, "") == [ref]


async def test_a_site_with_several_matching_names_is_listed_once(owner: httpx.AsyncClient, user_ref: int) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"a{number}.example") for number in range(3)]
    for number in range(5):
        await map_domain(owner, refs[1], f"b{number}.example")
    assert await find(owner, "example") == refs
    assert await walk(owner, "/sites?brandRef=1&domain=example&limit=2") == [refs[:2], refs[2:]]


async def test_unmapped_names_and_deleted_sites_are_not_found(owner: httpx.AsyncClient, user_ref: int) -> None:
    first, second = [await ref_of_new_site(owner, user_ref, f"a{number}.example") for number in range(2)]
    domain_ref = await map_domain(owner, first, "extra.example")
    await owner.delete(f"/sites/{first}/domains/{domain_ref}")
    await owner.delete(f"/sites/{second}")
    assert await find(owner, "extra") == []
    assert await find(owner, "a1", deleted=1) == []
    assert await find(owner, "a0") == [first]


@pytest.fixture
async def brand_of_many(owner_connection: OwnerConnection, resources: Resources, user_ref: int) -> list[int]:
    """More sites than are read one by one, in two far places; every third is a reseller's; and others' among them."""
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    foreign = await make_user(owner_connection, resources, OTHER_BRAND)
    for first in (1_000, 500_000):
        for number, (brand_ref, owner_ref) in enumerate(((1, user_ref), (1, own), (1, user_ref), (2, foreign))):
            await owner_connection.execute(MANY, brand_ref, owner_ref, first + number, first + number + 2_400, 4)
    # As autovacuum does after a while; what it learned of nearly empty tables makes a reseller's search slow.
    await owner_connection.execute("vacuum analyze sites, site_domains")
    rows = await owner_connection.fetch("select ref from sites where brand_ref = 1 order by ref")
    return [row["ref"] for row in rows]


Fits = Callable[[int], bool]
PARTS: list[tuple[str, Fits]] = [
    ("o", lambda ref: ref % 7 > 0),
    ("sh", lambda ref: ref % 7 > 0),
    ("v", lambda ref: ref % 7 == 0),
    ("late", lambda ref: ref > 100_000),
    ("7.l", lambda ref: ref % 10 == 7 and ref > 100_000),
    ("seventh50", lambda ref: ref % 7 == 0 and str(ref).startswith("50")),
    ("shop500001.late.example", lambda ref: ref == 500_001),
    ("q", lambda _ref: False),
    ("zq", lambda _ref: False),
    ("early.exampl-", lambda _ref: False),
]


async def test_parts_are_found_among_many(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, brand_of_many: list[int]
) -> None:
    for part, fits in PARTS:
        wanted = [ref for ref in brand_of_many if fits(ref)]
        of_reseller = [ref for ref in wanted if ref % 4 == 1]
        assert await find(owner, part, limit=7) == wanted[:7], part
        assert await find(owner, part, limit=1000, offset=10) == wanted[10:1010], part
        assert await find(owner, part, limit=5, after=500_100) == [ref for ref in wanted if ref > 500_100][:5], part
        assert await find(owner, part, limit=5, before=500_010) == [ref for ref in wanted if ref < 500_010][-5:], part
        assert await find(owner, part, limit=5, before=10**9) == wanted[-5:], part
        assert await find(reseller, part, limit=7) == of_reseller[:7], part
        assert await find(reseller, part, limit=5, before=10**9) == of_reseller[-5:], part


async def reading(resources: Resources, table: str, read: Callable[[Transaction], Awaitable[T]]) -> tuple[T, int]:
    """Return what `read` finds, and how many rows of the table it reads."""

    async def rows_read(tx: Transaction) -> int:
        rows: int | None = await tx.fetchval(
            "select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where relname = $1", table
        )
        return rows or 0

    async with resources.database.transaction(OWN_BRAND) as tx:
        before = await rows_read(tx)
        return await read(tx), await rows_read(tx) - before


@pytest.mark.parametrize("reseller_ref", [None, RESELLER_REF])
async def test_a_list_reads_few_of_many_sites(
    resources: Resources, brand_of_many: list[int], reseller_ref: int | None
) -> None:
    window = Window(limit=10, after=500_000)
    page, rows = await reading(resources, "sites", lambda tx: store.read_page(tx, reseller_ref, window, deleted=False))
    assert len(page) == 11
    assert rows <= 50


async def test_a_search_reads_few_of_many_names(resources: Resources, brand_of_many: list[int]) -> None:
    page, rows = await reading(
        resources, "site_domains", lambda tx: store.search_page(tx, "shop500001.l", None, Window(limit=10))
    )
    assert (page, 1_000 <= rows < 1_100) == ([500_001], True)
