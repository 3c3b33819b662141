"""Behind PgBouncer in session mode, which drops start-up parameters, brands are isolated as everywhere."""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from sitewright.demo.service import apply_demo_catalogue
from sitewright.features import MAIL
from sitewright.kit.db import Database, open_database
from sitewright.kit.login_role import login_role_of, statements_for
from sitewright.kit.migrations import migrate
from sitewright.kit.service_login import check_login
from tests.support.debian_postgres import debian_postgres
from tests.support.eventually import eventually
from tests.support.pgbouncer import pgbouncer
from tests.support.service import run_command, running_service

pytestmark = pytest.mark.system

USERS = "select distinct usename from pg_stat_activity where application_name like 'sitewright%'"
SESSION = "select current_user::text, current_setting('statement_timeout'), (select count(*) from brands)"


async def test_the_whole_service_runs_behind_pgbouncer(tmp_path: Path) -> None:
    """One URL, and a pooler that knows only the owner: the service uses SET ROLE."""
    async with (
        debian_postgres() as direct,
        pgbouncer(direct, ["owner"]) as pooled,
        running_service(tmp_path / "var", database_url=pooled, workers=1, database_connections=4) as service,
    ):
        async with service.client(brand=1) as client:
            assert (await client.get("/brands/2/languages")).status_code == 200
            assert (await client.get("/brands/1/languages")).json()["code"] == "brandMismatch"
        owner = await asyncpg.connect(direct)
        seen = await owner.fetch(USERS)
        await owner.close()
        assert [row["usename"] for row in seen] == ["owner"]
        code, output = await run_command(service.data_dir, "doctor", **service.settings)
        assert (code, "create role" in output) == (1, True)


@pytest.mark.parametrize("known", [True, False], ids=["its own role", "the owner alone"])
async def test_brands_are_isolated_and_timeouts_apply(*, known: bool) -> None:
    async with debian_postgres() as direct:
        await migrate(direct)
        owner = await asyncpg.connect(direct)
        await apply_demo_catalogue(owner, MAIL.kinds)
        await owner.close()
        own = login_role_of(direct).name
        async with pgbouncer(direct, ["owner", own] if known else ["owner"]) as pooled:
            database = open_database(pooled, connections=2, wait_seconds=5, name="test")
            await _check(database, own if known else "owner", is_lasting=known)
            await database.close()
            assert (await check_login(pooled, own_role=True) is None) is known


async def _check(database: Database, user: str, *, is_lasting: bool) -> None:
    async with database.connection() as connection:
        assert await connection.fetchval("select session_user::text") == user
        for statement in ("select 1", "reset all", "discard all") if is_lasting else ("select 1",):
            await connection.execute(statement)
            seen = await (await connection.prepare(SESSION)).fetchrow()
            assert tuple(seen or ()) == ("sitewright_service", "1min", 0)
    for brand_ref in (1, 2):
        async with database.transaction(brand_ref) as tx:
            seen = await (await tx.prepare("select array_agg(brand_ref) from brands")).fetchrow()
            assert tuple(seen or ()) == ([brand_ref],)


async def test_the_operators_login_is_isolated_and_gets_notifications() -> None:
    """Two URLs: the log-in was created by the operator, with the statements that `doctor` shows."""
    async with debian_postgres() as direct:
        await migrate(direct, own_role=False)
        owner = await asyncpg.connect(direct)
        await apply_demo_catalogue(owner, MAIL.kinds)
        await owner.execute("create role service_login login")
        for statement in statements_for("service_login"):
            await owner.execute(statement)
        parts = urlsplit(direct)
        login = urlunsplit(parts._replace(netloc=parts.netloc.replace("owner@", "service_login@")))
        async with pgbouncer(login, ["service_login"]) as pooled:
            assert await check_login(pooled, own_role=False) is None
            database = open_database(pooled, connections=2, wait_seconds=5, name="test", own_role=False)
            heard: list[object] = []
            listening = await database.connect()
            await listening.add_listener("changes", lambda *notified: heard.append(notified[-1]))
            await owner.execute("notify changes, 'something'")
            await eventually(lambda: heard == ["something"])
            await listening.close()
            await _check(database, "service_login", is_lasting=True)
            await database.close()
        await owner.close()
