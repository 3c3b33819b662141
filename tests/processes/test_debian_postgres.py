"""Any PostgreSQL from 15 on will do: Debian's own, with an owner that is no superuser."""

from pathlib import Path

import asyncpg
import pytest

from tests.support.debian_postgres import debian_postgres
from tests.support.service import run_command, running_service

pytestmark = pytest.mark.system


async def test_the_whole_service_runs_on_it(tmp_path: Path) -> None:
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
