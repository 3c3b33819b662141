"""Any PostgreSQL from 15 on works: Debian's own, with an owner that is not a superuser."""

import shutil
from pathlib import Path

import asyncpg
import pytest

from tests.support.debian_postgres import debian_postgres
from tests.support.service import run_command, running_service

pytestmark = pytest.mark.system


async def test_the_whole_service_runs_on_debians_postgresql(tmp_path: Path) -> None:
    async with (
        debian_postgres() as debian_url,
        running_service(tmp_path / "var", database_url=debian_url) as service,
    ):
        async with service.client(brand=1) as client:
            assert (await client.get("/brands/2/languages")).status_code == 200
            assert (await client.get("/brands/1/languages")).json()["code"] == "brandMismatch"
        code, output = await run_command(service.data_dir, "call", "GET", "/brands/1/languages", **service.settings)
        assert (code, "Deutsch" in output) == (0, True)
        owner = await asyncpg.connect(debian_url)
        assert await owner.fetchval("select rolsuper from pg_roles where rolname = current_user") is False
        assert int(await owner.fetchval("show server_version_num")) >= 150000
        await owner.close()
    assert not (tmp_path / "var" / "postgres").exists()


FORCED = "select relname from pg_class where relforcerowsecurity order by relname"


async def count_rows(url: str) -> dict[str, int]:
    """Of every table whose owner is subject to its policies too; `pg_dump` is let through."""
    reader = await asyncpg.connect(url, server_settings={"application_name": "pg_dump"})
    tables = [row[0] for row in await reader.fetch(FORCED)]
    counts = {table: await reader.fetchval(f"select count(*) from {table}") for table in tables}
    await reader.close()
    return counts


async def test_a_backup_by_an_owner_subject_to_policies_is_complete(tmp_path: Path) -> None:
    dump, restored = tmp_path / "night.dump", tmp_path / "restored"
    async with debian_postgres() as debian_url, debian_postgres() as second_url:
        async with running_service(tmp_path / "var", database_url=debian_url) as service, service.client() as client:
            page = {"pageUrl": "home", "type": "page", "title": "Hello", "status": "active"}
            site_ref = service.demo["brands"][0]["demoUser"]["siteRef"]
            assert (await client.post(f"/sites/{site_ref}/pages", json=page)).status_code == 200
            assert (await client.post(f"/sites/{site_ref}/publish")).status_code == 200
        named = service.settings | {"database_url": f"{debian_url}?application_name=nightly"}
        code, output = await run_command(service.data_dir, "backup", str(dump), **named)
        assert code == 0, output
        owner = await asyncpg.connect(debian_url)
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="holds the owner"):
            await owner.fetch("select * from pages")
        await owner.execute("set sitewright.brand_ref = '2'")
        assert await owner.fetchval("select count(*) from pages") == 0
        await owner.close()
        before = await count_rows(debian_url)
        code, output = await run_command(restored, "restore", str(dump), database_url=second_url)
        assert code == 0, output
        after = await count_rows(second_url)
        assert (after, before["pages"] > 0, before["site_files"] > 0) == (before, True, True)
        restored.mkdir()
        shutil.copy(tmp_path / "var" / "master.key", restored / "master.key")
        async with running_service(restored, database_url=second_url) as service, service.client() as client:
            listed = (await client.get(f"/sites/{site_ref}/pages")).json()["pages"]
            assert "Hello" in [each["title"] for each in listed]
