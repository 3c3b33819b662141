"""Cached plans of a connection are made for the brand that uses it most, and are not used for others."""

import asyncpg
import pytest

from sitewright.kit.db import Transaction
from sitewright.kit.plan_owners import DISCARD_PLANS, FIRST_SECONDS, MOST_SECONDS, PLAN_EACH_TIME, PlanOwners
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND

STATEMENT = (
    "select count(*) from users u join sites s on s.user_ref = u.ref where u.brand_ref = current_brand() and u.ref > $1"
)
EXECUTIONS = 10


async def _plans(tx: Transaction) -> tuple[int, int]:
    """How often the statement was executed with the cached plan, and with a plan for one execution."""
    found = await tx.fetchrow(
        "select generic_plans, custom_plans from pg_prepared_statements where statement = $1", STATEMENT
    )
    return (0, 0) if found is None else tuple(found)


async def _execute(resources: Resources, brand_ref: int) -> tuple[int, int]:
    for _ in range(EXECUTIONS):
        async with resources.database.transaction(brand_ref) as tx:
            await tx.fetchval(STATEMENT, 0)
    async with resources.database.transaction(None) as tx:
        return await _plans(tx)


async def test_a_plan_of_one_brand_is_not_used_for_another(
    resources: Resources, clean: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlanOwners, "end", lambda *_: None)  # the first brand stays the owner, however long this takes
    monkeypatch.setattr(resources.database, "plan_owners", PlanOwners())
    generic, custom = await _execute(resources, OWN_BRAND)
    assert generic > 0
    again = await _execute(resources, OWN_BRAND)
    assert again == (generic + EXECUTIONS, custom)
    assert await _execute(resources, OTHER_BRAND) == (generic + EXECUTIONS, custom + EXECUTIONS)


async def test_the_brand_of_most_work_becomes_the_owner(database_url: str) -> None:
    connection, owners = await asyncpg.connect(database_url), PlanOwners()

    async def work(brand_ref: int, seconds: float) -> str:
        begun = owners.begin(connection, brand_ref)
        for statements in begun:
            await connection.execute(statements)
        await connection.execute("set transaction isolation level repeatable read, read only")
        assert await connection.fetchval("select current_brand()") == brand_ref
        await connection.execute("COMMIT")
        assert await connection.fetchval("show plan_cache_mode") == "auto"
        owners.end(connection, brand_ref, seconds)
        return "; ".join(begun)

    try:
        for _ in range(2):
            first = await work(1, MOST_SECONDS)
            assert PLAN_EACH_TIME not in first and DISCARD_PLANS not in first
        for _ in range(3):
            assert PLAN_EACH_TIME in await work(2, FIRST_SECONDS)
        assert PLAN_EACH_TIME in await work(2, MOST_SECONDS)
        assert DISCARD_PLANS in await work(2, 0)
        assert DISCARD_PLANS not in await work(2, 0)
        for _ in range(20):
            assert PLAN_EACH_TIME in await work(1, FIRST_SECONDS / 2)
            assert PLAN_EACH_TIME not in await work(2, FIRST_SECONDS / 2)
    finally:
        await connection.close()
