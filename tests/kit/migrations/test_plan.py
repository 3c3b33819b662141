"""A plan says what pending migrations lock, rewrite and build, and changes nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sitewright.kit.migration_plan import make_plan
from sitewright.kit.migration_plan.rehearsal import Step
from sitewright.kit.migration_plan.service import estimate
from sitewright.kit.migration_plan.store import Size
from sitewright.kit.migrations import migrate
from sitewright.kit.migrations.sources import Run, Source, all_sources
from tests.kit.migrations.before_squash import migrate_as_before
from tests.support.catalogs import catalog_of
from tests.support.users import OwnerConnection

CHANGES = {
    "accounts/0002_nickname.sql": "alter table users add column nickname text;\n",
    "accounts/0003_random.sql": "alter table users add column chance double precision not null default random();\n",
    "accounts/0004_index.sql": "create index users_by_nickname on users (brand_ref, nickname);\n",
    "accounts/0005_concurrently.sql": (
        "-- run: outside a transaction\ncreate index concurrently users_by_chance on users (brand_ref, chance);\n"
    ),
    "accounts/0006_backfill.sql": (
        "-- run: in batches\nupdate users set nickname = '' where ref in"
        " (select ref from users where nickname is null limit 100);\n"
    ),
    "accounts/0007_check.sql": "alter table users add constraint short check (length(nickname) < 50);\n",
    "accounts/0008_new.sql": "create table pets (ref bigint);\ncreate index pets_all on pets (ref);\n",
    "accounts/functions_pets.sql": "create or replace function pets() returns int language sql as $$ select 1 $$;\n",
}


@pytest.fixture
async def migrated(empty_database: str) -> AsyncIterator[str]:
    await migrate(empty_database)
    yield empty_database


async def test_each_kind_of_step_is_recognized(migrated: str, connection: OwnerConnection) -> None:
    await connection.execute("analyze users")
    before = await catalog_of(connection)
    sources = [*all_sources(), *(Source(path, sql) for path, sql in CHANGES.items())]
    plan = (await asyncio.to_thread(make_plan, migrated, sources)).steps
    assert await catalog_of(connection) == before
    steps = {each.step.path: each for each in plan}
    assert [*steps] == [*CHANGES]

    def locked(name: str) -> str | None:
        return steps[name].step.locks.get("users")

    assert (locked("accounts/0002_nickname.sql"), steps["accounts/0002_nickname.sql"].step.rewritten) == (
        "AccessExclusiveLock",
        [],
    )
    assert steps["accounts/0003_random.sql"].step.rewritten == ["users"]
    assert locked("accounts/0003_random.sql") == "AccessExclusiveLock"
    assert steps["accounts/0004_index.sql"].step.indexes == {"users_by_nickname": "users"}
    assert steps["accounts/0004_index.sql"].blocked == {"users": "AccessExclusiveLock"}
    concurrent = steps["accounts/0005_concurrently.sql"]
    assert (concurrent.step.indexes, concurrent.blocked) == ({"users_by_chance": "users"}, {})
    batches = steps["accounts/0006_backfill.sql"]
    assert (batches.step.run, batches.step.rewritten, batches.blocked) == (Run.IN_BATCHES, ["users"], {})
    assert steps["accounts/0007_check.sql"].step.read == ["users"]
    assert (steps["accounts/0008_new.sql"].step.locks, steps["accounts/0008_new.sql"].step.indexes) == ({}, {})
    assert steps["accounts/functions_pets.sql"].blocked == {}


async def test_the_upgrade_of_the_previous_schema_is_planned(empty_database: str, connection: OwnerConnection) -> None:
    await migrate_as_before(connection)
    plan = await asyncio.to_thread(make_plan, empty_database)
    steps = {each.step.path: each for each in plan.steps}
    assert steps["upgrade/from_0032.sql"].step.locks["users"] == "AccessExclusiveLock"
    first = plan.steps[0]
    assert (first.step.path, first.blocked) == ("upgrade/from_0032_indexes.sql", {})
    assert "audit_entries" not in steps["upgrade/from_0032.sql"].step.indexes.values()
    assert await connection.fetchval("select to_regclass('schema_files')") is None
    await migrate(empty_database)
    assert (await asyncio.to_thread(make_plan, empty_database)).steps == []


async def test_an_empty_database_has_nothing_to_lock(empty_database: str) -> None:
    plan = await asyncio.to_thread(make_plan, empty_database)
    assert (plan.steps, plan.is_new, plan.longest_wait) == ([], True, 0.0)


def test_estimates_grow_with_the_tables() -> None:
    def step(**changes: Any) -> Step:
        nothing: dict[str, Any] = {"locks": {}, "rewritten": [], "indexes": {}, "read": []}
        return Step(path="x", run=Run.IN_A_TRANSACTION, **nothing | changes)

    small, large = {"users": Size(10, 10_000_000)}, {"users": Size(1000, 1_000_000_000)}
    for each in (step(rewritten=["users"]), step(indexes={"i": "users", "j": "users"}), step(read=["users"])):
        assert estimate(each, large) == pytest.approx(100 * estimate(each, small))
        assert estimate(each, small) > 0
    both = step(rewritten=["users"], read=["users"])
    assert estimate(both, small) == estimate(step(rewritten=["users"]), small)
    assert estimate(step(locks={"users": "AccessExclusiveLock"}), large) == 0
