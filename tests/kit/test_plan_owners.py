"""Cached plans of a connection are made for the brand that uses it most, and are not used for others."""

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.plan_owners import DISCARD_PLANS, FIRST_VOTES, MOST_VOTES, PLAN_EACH_TIME, PlanOwners
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


async def test_a_plan_of_one_brand_is_not_used_for_another(resources: Resources, clean: None) -> None:
    generic, custom = await _execute(resources, OWN_BRAND)
    assert generic > 0
    resources.database.plan_owners = PlanOwners()
    again = await _execute(resources, OWN_BRAND)
    assert again == (generic + EXECUTIONS, custom)
    assert await _execute(resources, OTHER_BRAND) == (generic + EXECUTIONS, custom + EXECUTIONS)


async def test_the_brand_of_most_transactions_becomes_the_owner(database_url: str) -> None:
    connection, owners = await asyncpg.connect(database_url), PlanOwners()

    async def begin(brand_ref: int, times: int) -> list[str]:
        begun = []
        for _ in range(times):
            begun.append(owners.begin(connection, brand_ref))
            await connection.execute(begun[-1])
            assert await connection.fetchval("select current_brand()") == brand_ref
            await connection.execute("COMMIT")
        assert await connection.fetchval("show plan_cache_mode") == "auto"
        return begun

    try:
        first = await begin(1, 2)
        assert not any(word in each for each in first for word in (PLAN_EACH_TIME, DISCARD_PLANS))
        others = await begin(2, FIRST_VOTES + 3)
        took_over = [number for number, each in enumerate(others) if DISCARD_PLANS in each]
        assert took_over == [FIRST_VOTES + 1]
        assert [PLAN_EACH_TIME in each for each in others] == [True] * (FIRST_VOTES + 1) + [False, False]
        await begin(2, MOST_VOTES * 2)
        alternating = [each for _ in range(MOST_VOTES) for brand in (1, 2) for each in await begin(brand, 1)]
        assert not any(DISCARD_PLANS in each for each in alternating)
    finally:
        await connection.close()
