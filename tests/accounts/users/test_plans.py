"""Lists of large brands walk an index, under the service's role and row-level security."""

import itertools
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest

from sitewright.accounts.users import store
from sitewright.accounts.users.store import UserCriteria
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.users import OwnerConnection

USERS = 20_000
MANY = """
insert into users (brand_ref, reseller_ref, first_name, last_name, username, username_key, email, email_key,
                   language_code, created_at, updated_at, deleted_at)
select 1, case when n % 3 = 0 then 7 end, '', '', n, n, n, (n / 2) || '@mail.example', 'en',
       timestamptz '2026-01-01 00:00+00' + n * interval '1 minute', now(), case when n % 10 = 0 then now() end
  from generate_series(1, $1::int) n
"""
ONE_DAY = UserCriteria(since=datetime(2026, 1, 10, tzinfo=UTC), until=datetime(2026, 1, 11, tzinfo=UTC))


class Explained:
    """A transaction that keeps the plan of every statement."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.plans: list[dict[str, Any]] = []

    async def fetch(self, statement: str, *values: Any) -> Any:
        await self._explain(statement, values)
        return await self.tx.fetch(statement, *values)

    async def fetchrow(self, statement: str, *values: Any) -> Any:
        await self._explain(statement, values)
        return await self.tx.fetchrow(statement, *values)

    async def _explain(self, statement: str, values: Any) -> None:
        plan = await self.tx.fetchval(f"explain (analyze, format json) {statement}", *values)
        self.plans.append(json.loads(plan)[0]["Plan"])


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from nodes(part)


def users_seen(plan: dict[str, Any]) -> list[tuple[str, float]]:
    """How the users' table was read, and how many rows were looked at."""
    return [
        (node["Node Type"], (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"])
        for node in nodes(plan)
        if node.get("Relation Name") == "users" and node["Actual Loops"]
    ]


@pytest.fixture(scope="module")
async def many_users(cleaning: str, owner_connection: OwnerConnection) -> AsyncIterator[int]:
    """The ref of the first of them. No test of this module changes anything."""
    await owner_connection.execute("delete from users")
    await owner_connection.execute(MANY, USERS)
    await owner_connection.execute("vacuum (analyze) users")
    first: int = await owner_connection.fetchval("select min(ref) from users")
    yield first
    await owner_connection.execute(cleaning)


CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "the first page": ({}, {}),
    "the last pages": ({}, {"after": USERS - 100}),
    "backwards": ({}, {"before": USERS // 2}),
    "with deleted ones": ({"show_deleted": True}, {"after": USERS // 2}),
    "a reseller's": ({"reseller_ref": RESELLER_REF}, {}),
    "a reseller's last": ({"reseller_ref": RESELLER_REF}, {"after": USERS - 200}),
    "a reseller's with deleted ones": ({"reseller_ref": RESELLER_REF, "show_deleted": True}, {"after": USERS // 2}),
    "a username": ({"username_key": "777"}, {}),
    "a username with deleted ones": ({"username_key": "770", "show_deleted": True}, {}),
    "a username nobody has": ({"username_key": "nobody"}, {}),
    "an address": ({"email_key": "777@mail.example"}, {}),
    "an address with deleted ones": ({"email_key": "777@mail.example", "show_deleted": True}, {}),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_page_scans_only_the_index_entries_it_needs(many_users: int, resources: Resources, name: str) -> None:
    filters, place = CASES[name]
    window = Window(limit=20, **{key: many_users + ref for key, ref in place.items()})
    async with resources.database.transaction(OWN_BRAND) as tx:
        explained = Explained(tx)
        counted = await store.count_users(cast("Transaction", explained), UserCriteria(**filters))
        await store.read_page(cast("Transaction", explained), UserCriteria(**filters), counted, window)
    for kind, rows in [seen for plan in explained.plans for seen in users_seen(plan)]:
        assert kind.startswith("Index")
        assert rows <= 40


async def test_a_day_is_found_without_scanning_earlier_users(many_users: int, resources: Resources) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        explained = Explained(tx)
        counted = await store.count_users(cast("Transaction", explained), ONE_DAY)
        rows, _ = await store.read_page(cast("Transaction", explained), ONE_DAY, counted, Window(limit=20))
    assert (counted.users, len(rows)) == (1440 - 144, 21)
    for plan in explained.plans:
        assert max(seen for _, seen in users_seen(plan)) <= 1440


async def test_counters_agree_with_the_rows(many_users: int, resources: Resources) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        for reseller_ref, show_deleted in itertools.product((None, RESELLER_REF), (False, True)):
            criteria = UserCriteria(reseller_ref=reseller_ref, show_deleted=show_deleted)
            kept = await store.count_users(tx, criteria)
            one_by_one = msgspec.structs.replace(criteria, since=datetime(2000, 1, 1, tzinfo=UTC))
            counted = await store.count_users(tx, one_by_one)
            assert kept.users == counted.users > 0


async def test_one_user_is_one_statement_on_indexes(many_users: int, resources: Resources) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        explained = Explained(tx)
        assert await store.read_user(cast("Transaction", explained), many_users + 10, show_deleted=True)
    [seen] = [users_seen(plan) for plan in explained.plans]
    assert seen == [("Index Scan", 1)]
