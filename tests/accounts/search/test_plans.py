"""Searches read the index, under the service's role and row-level security, and only as much of it as they may."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from sitewright.accounts.search.lookup import service
from sitewright.accounts.search.lookup.service import Filter
from sitewright.accounts.search.lookup.store import BLOCK_BITS
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.resources import Resources
from tests.accounts.users.test_plans import Explained, nodes
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.users import OwnerConnection, make_reseller

USERS = 40_000
MANY = """
insert into users (brand_ref, ref, reseller_ref, first_name, last_name, username, username_key, email, email_key,
                   language_code, created_at, updated_at)
select 1, 700000000 + n, case when n % 100 = 0 then 7 end, '', '', n, n, n, n, 'en', now(), now()
  from generate_series(1, $1::int) n
"""
TERMS = """
insert into search_terms (brand_ref, user_ref, source, term)
select 1, 700000000 + n, 0, term from generate_series(1, $1::int) n
 cross join lateral unnest(array['everyone', 'user' || n, case n % 2 when 0 then 'even' else 'odd' end]) term
"""


@pytest.fixture(scope="module")
async def many_users(cleaning: str, owner_connection: OwnerConnection) -> AsyncIterator[None]:
    """No test of this module changes anything."""
    await owner_connection.execute("delete from users")
    await make_reseller(owner_connection, OWN_BRAND, RESELLER_REF)
    await owner_connection.execute(MANY, USERS)
    await owner_connection.execute("analyze users")  # or each key below may be checked by the plan for an empty table
    await owner_connection.execute(TERMS, USERS)
    await owner_connection.execute("vacuum analyze users, search_terms")
    yield
    await owner_connection.execute(cleaning)


class ExplainedSearch(Explained):
    async def fetchval(self, statement: str, *values: Any) -> Any:
        await self._explain(statement, values)
        return await self.tx.fetchval(statement, *values)

    def read(self, table: str) -> list[tuple[str, float]]:
        """How the table was read, and how many rows."""
        found = [node for plan in self.plans for node in nodes(plan) if node.get("Relation Name") == table]
        return [
            (node["Node Type"], (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"])
            for node in found
        ]


@pytest.mark.parametrize(
    ("search", "where", "users", "most"),
    [
        ("user777", Filter(), 11, 50),
        ("every", Filter(), 21, 1 << BLOCK_BITS),
        ("nobody", Filter(), 0, 0),
        ("even every", Filter(), 21, 2 << BLOCK_BITS),
        ("odd even", Filter(), 0, 8 << BLOCK_BITS),
        ("user777 every", Filter(), 11, 3_400),
        ("every", Filter(reseller_ref=RESELLER_REF), 21, 6_000),
    ],
)
async def test_a_search_reads_the_index_as_far_as_it_may(
    many_users: None, resources: Resources, search: str, where: Filter, users: int, most: int
) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        explained = ExplainedSearch(tx)
        found = await service.find_users(cast("Transaction", explained), search, where, Window(limit=20))
    assert len(found.refs) == users
    reads = explained.read("search_terms")
    assert {kind for kind, _ in reads} <= {"Index Only Scan", "Index Scan", "Bitmap Heap Scan"}
    assert sum(rows for _, rows in reads) <= most
    assert sum(rows for _, rows in explained.read("users")) <= most + 200
