"""GET /sites?domain= among many sites."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import httpx
import pytest

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.resources import Resources
from sitewright.sites.sites import store
from tests.sites.sites.shapes import reseller_user
from tests.sites.sites.test_search import find
from tests.support import contract
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF, Cast, SignedBy
from tests.support.http_clients import http_client
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


@pytest.fixture(scope="module")
async def brand_of_many(
    cleaning: str, owner_connection: OwnerConnection, resources: Resources
) -> AsyncIterator[list[int]]:
    """More sites than are read one by one, in two far places; every third is a reseller's; and others' among them. No
    test of this module changes anything."""
    user_ref = await make_user(owner_connection, resources, package_ref=3)
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    foreign = await make_user(owner_connection, resources, OTHER_BRAND)
    for first in (1_000, 500_000):
        for number, (brand_ref, owner_ref) in enumerate(((1, user_ref), (1, own), (1, user_ref), (2, foreign))):
            await owner_connection.execute(MANY, brand_ref, owner_ref, first + number, first + number + 2_400, 4)
    # As autovacuum does after a while; what it learned of nearly empty tables makes a reseller's search slow.
    await owner_connection.execute("vacuum analyze sites, site_domains")
    rows = await owner_connection.fetch("select ref from sites where brand_ref = 1 order by ref")
    yield [row["ref"] for row in rows]
    await owner_connection.execute(cleaning)


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


@pytest.fixture
async def clients(base_url: str, cast: Cast) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """The owner and the reseller; the rows stay, unlike with the fixtures of these names."""
    own, of_reseller = (
        http_client(base_url, auth=SignedBy(each), event_hooks=contract.HOOKS) for each in (cast.owner, cast.reseller)
    )
    async with own as owner, of_reseller as reseller:
        yield owner, reseller


async def test_parts_are_found_among_many(
    clients: tuple[httpx.AsyncClient, httpx.AsyncClient], brand_of_many: list[int]
) -> None:
    owner, reseller = clients
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
