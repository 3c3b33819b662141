"""Rows of several tables in one statement: each part keeps its own places, and all of them are written or none."""

import asyncpg
import pytest

from sitewright.kit import audit
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.writing import Writing, write
from tests.support.cast import OWN_BRAND, TESTER

LATE_PLACES = Writing(("sums as (select $2::bigint - $1::bigint as difference)",), (3, 10))
TWO_PARTS = Writing(
    ("named as (select $1::text as name)", "shouted as (select upper(name) || $2 from named)"), ("a", "!")
)


async def actions(tx: Transaction) -> list[tuple[str, int]]:
    return [tuple(row) for row in await tx.fetch("select action, subject_ref from audit_entries order by ref")]


async def test_each_part_has_the_values_that_came_with_it(resources: Resources) -> None:
    async with resources.database.transaction(None) as tx:
        row = await write(tx, LATE_PLACES, TWO_PARTS, told="select difference, name, (table shouted) from sums, named")
        turned = await write(
            tx, TWO_PARTS, LATE_PLACES, told="select difference, name, (table shouted) from sums, named"
        )

    assert tuple(row) == tuple(turned) == (7, "a", "A!")


async def test_more_places_than_one_digit_can_count(resources: Resources) -> None:
    again = Writing(("sums_again as (select $2::bigint - $1::bigint as again)",), (3, 10))
    many = Writing((f"many as (select {' + '.join(f'${n}::bigint' for n in range(1, 31))} as total)",), range(1, 31))
    async with resources.database.transaction(None) as tx:
        row = await write(tx, LATE_PLACES, many, again, told="select total, again from many, sums_again")

    assert tuple(row) == (465, 7)


async def test_what_is_written_is_there_though_nobody_reads_the_part(resources: Resources, clean: None) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        before = await actions(tx)
        row = await write(tx, LATE_PLACES, audit.entry_by(TESTER, "look", "thing", 5))

        assert (tuple(row), await actions(tx)) == ((), [*before, ("look", 5)])


async def test_when_one_part_fails_none_is_written(resources: Resources, clean: None) -> None:
    divided = Writing(("divided as materialized (select 1 / $1::bigint as part)",), (0,))
    async with resources.database.transaction(OWN_BRAND) as tx:
        before = await actions(tx)
    with pytest.raises(asyncpg.DivisionByZeroError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await write(tx, audit.entry_by(TESTER, "look", "thing", 5), divided, told="select part from divided")

    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await actions(tx) == before
