"""A search reads block after block of users: each is listed once, forwards and backwards, however much work it is."""

import re

import httpx
import pytest

from sitewright.accounts.search.lookup import service, walk
from sitewright.accounts.search.lookup.store import BLOCK_BITS
from tests.accounts.search.support import found
from tests.support.paging import links, refs_in
from tests.support.paging import walk as walk_pages
from tests.support.users import OwnerConnection

BLOCK = 1 << BLOCK_BITS
FIRST = 500_000_000
REFS = [FIRST + number * 700 for number in range(40)] + [FIRST * 4 + number for number in range(5)] + [2**40]
"""In five adjacent blocks, and beyond large gaps."""
USERS = """
    insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key, language_code,
                       created_at, updated_at)
    select 1, ref, 'Anna', '', 'u' || ref, 'u' || ref, '', '', 'en', now(), now() from unnest($1::bigint[]) ref
"""
TERMS = (
    "insert into search_terms (brand_ref, user_ref, source, term) select 1, ref, 0, $2 from unnest($1::bigint[]) ref"
)


@pytest.fixture
async def users(clean: None, owner_connection: OwnerConnection) -> None:
    """All are Anna, each second one is Bell too, none is Bella."""
    await owner_connection.execute(USERS, REFS)
    await insert_terms(owner_connection, REFS, "anna")
    await insert_terms(owner_connection, REFS[::2], "bell")


async def insert_terms(owner: OwnerConnection, refs: list[int], term: str) -> None:
    await owner.execute(TERMS, refs, term)


@pytest.fixture(params=[1, 7, 1_000_000])
def work(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many entries a page may read."""
    monkeypatch.setattr(service, "MAX_ENTRIES", request.param)
    return int(request.param)


@pytest.mark.parametrize("limit", [1, 6, 100])
@pytest.mark.parametrize(("search", "refs"), [("an", REFS), ("anna bel", REFS[::2]), ("bella", []), ("zz anna", [])])
async def test_each_user_is_listed_once_in_both_directions(
    owner: httpx.AsyncClient, users: None, work: int, limit: int, search: str, refs: list[int]
) -> None:
    first = httpx.URL("/users", params={"search": search, "limit": limit})
    pages = await walk_pages(owner, str(first))
    assert [ref for page in pages for ref in page] == refs
    assert all(len(page) <= limit for page in pages)
    last = httpx.URL("/users", params={"search": search, "limit": limit, "before": 2**41})
    assert [ref for page in reversed(await walk_pages(owner, str(last), "prev")) for ref in page] == refs


async def test_a_page_ends_when_it_has_cost_enough_and_the_link_leads_on(
    owner: httpx.AsyncClient, users: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_ENTRIES", 1)
    response = await owner.get("/users", params={"search": "anna", "limit": 1000})
    first_block = [ref for ref in REFS if ref >> BLOCK_BITS == FIRST >> BLOCK_BITS]
    assert refs_in(response) == first_block
    cursor = int(re.findall(r"after=(\d+)", links(response)["next"])[0])
    assert cursor == ((FIRST >> BLOCK_BITS) + 1) * BLOCK - 1


async def test_gaps_between_blocks_are_crossed_at_once(
    owner: httpx.AsyncClient, users: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_BLOCKS", 2)
    assert len(await found(owner, "anna", limit=1000)) == len(REFS)
    assert refs_in(await owner.get("/users", params={"search": "anna", "after": FIRST * 4 + 4})) == [2**40]
    assert refs_in(await owner.get("/users", params={"search": "anna", "after": 2**62})) == []


async def test_the_next_page_keeps_the_search(owner: httpx.AsyncClient, users: None) -> None:
    response = await owner.get("/users", params={"search": "änn ", "limit": 2})
    following = await owner.get(links(response)["next"])
    assert refs_in(response) + refs_in(following) == REFS[:4]
    assert refs_in(await owner.get(links(following)["prev"])) == REFS[:2]
