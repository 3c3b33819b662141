"""Transactions, row-level security, and an unavailable database."""

import asyncio

import asyncpg
import pytest

from sitewright.kit.db import open_database
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.users import OwnerConnection


async def test_a_transaction_sees_only_its_brand(resources: Resources, clean: None) -> None:
    seen = []
    for brand_ref in (OWN_BRAND, OTHER_BRAND, None, 999):
        async with resources.database.transaction(brand_ref) as tx:
            seen.append([row["brand_ref"] for row in await tx.fetch("select brand_ref from brands")])
    assert seen == [[OWN_BRAND], [OTHER_BRAND], [], []]


async def test_the_brand_does_not_outlive_its_transaction(resources: Resources, clean: None) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        backend = await tx.fetchval("select pg_backend_pid()")
    async with resources.database.connection() as connection:
        assert await connection.fetchval("select pg_backend_pid()") == backend
        assert await connection.fetchval("select count(*) from brands") == 0


async def test_a_row_cannot_be_written_for_another_brand(resources: Resources, clean: None) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute(
                "insert into audit_entries (brand_ref, at, actor, action, subject) values ($1, now(), 'a', 'b', 'c')",
                OTHER_BRAND,
            )


async def test_an_exception_rolls_back(resources: Resources, owner_connection: OwnerConnection, clean: None) -> None:
    with pytest.raises(ZeroDivisionError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute("insert into job_starts (job_id) values (42)")
            raise ZeroDivisionError
    assert await owner_connection.fetchval("select count(*) from job_starts") == 0


async def test_a_cancelled_transaction_rolls_back_and_its_connection_is_reusable(
    resources: Resources, clean: None
) -> None:
    async def wait_inside() -> None:
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute("insert into job_starts (job_id) values (42)")
            await tx.execute("select pg_sleep(30)")

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wait_inside(), 0.2)
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await tx.fetchval("select count(*) from job_starts") == 0


async def test_a_swallowed_error_is_not_taken_for_a_commit(resources: Resources, clean: None) -> None:
    with pytest.raises(RuntimeError, match="swallowed"):
        async with resources.database.transaction(OWN_BRAND) as tx:
            with pytest.raises(asyncpg.DivisionByZeroError):
                await tx.fetchval("select 1 / 0")


async def test_the_service_role_owns_nothing_and_cannot_bypass_row_level_security(
    resources: Resources, clean: None
) -> None:
    async with resources.database.connection() as connection:
        assert await connection.fetchval("select current_user") == "sitewright_service"
        facts = await connection.fetchrow(
            "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user"
        )
        owned = await connection.fetchval("select count(*) from pg_class where relowner = current_user::regrole")
    assert facts is not None
    assert (any(facts), owned) == (False, 0)


async def test_every_tenant_table_has_row_level_security(owner_connection: OwnerConnection, clean: None) -> None:
    open_tables = await owner_connection.fetch(
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'brand_ref'"
        " where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (not c.relrowsecurity"
        " or not exists (select from pg_policy p where p.polrelid = c.oid))"
    )
    assert open_tables == []


async def test_tables_without_a_brand_are_listed(owner_connection: OwnerConnection, clean: None) -> None:
    """A new table either has a brand_ref, and thus row-level security, or is listed here on purpose."""
    rows = await owner_connection.fetch(
        "select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        " and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'brand_ref')"
    )
    assert {row["relname"] for row in rows} == {
        "acme_accounts", "acme_usage", "authentication_failures", "currencies", "job_starts", "languages", "nodes",
        "oauth_nonces", "own_certificates", "product_suppliers", "schema_files", "schema_migrations",
        "signing_keys", "template_categories", "template_groups", "template_tags", "trusted_addresses",
    }  # fmt: skip


@pytest.mark.parametrize("table", ["oauth_nonces", "authentication_failures", "trusted_addresses"])
async def test_authentication_tables_are_accessible_only_through_functions(
    resources: Resources, clean: None, table: str
) -> None:
    async with resources.database.connection() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch(f"select * from {table}")


async def test_an_unreachable_database_is_unavailable() -> None:
    database = open_database("postgresql://nobody@127.0.0.1:1/nothing", connections=2, wait_seconds=1, name="test")
    with pytest.raises(Unavailable) as caught:
        async with database.transaction(OWN_BRAND):
            pass
    assert caught.value.headers["Retry-After"] == "2"
    await database.close()


async def test_a_connection_lost_during_a_transaction_is_unavailable_and_the_next_one_works(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    with pytest.raises(Unavailable):
        async with resources.database.transaction(OWN_BRAND) as tx:
            pid = await tx.fetchval("select pg_backend_pid()")
            await owner_connection.execute("select pg_terminate_backend($1)", pid)
            await tx.fetchval("select 1")
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await tx.fetchval("select 1") == 1


async def test_waiting_for_a_connection_times_out(database_url: str, clean: None) -> None:
    database = open_database(database_url, connections=2, wait_seconds=0.2, name="test")
    async with database.connection(), database.connection():
        with pytest.raises(Unavailable):
            async with database.connection():
                pass
    async with database.connection() as connection:
        assert await connection.fetchval("select 1") == 1
    await database.close()
