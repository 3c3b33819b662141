"""Point-in-time recovery with PostgreSQL's own archiving, while the service writes: nothing before the chosen point is
lost, and nothing after it is there."""

import shutil
from datetime import datetime
from pathlib import Path

import asyncpg
import msgspec
import pytest

from tests.chaos.archiving_postgres import ArchivingServer, archiving_server, recovered
from tests.chaos.stage import journal_of, report
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import Journal
from tests.support.service import Service, run_command, running_service, started_service
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system

DRILLS, WRITES = share(2, 20), share(8, 30)
CLIENTS = 2


class Point(msgspec.Struct, frozen=True):
    """A moment, and what had been acknowledged by then."""

    at: datetime
    packages: dict[str, list[int]]
    """By user name, in order."""
    versions: dict[str, list[int]]


async def test_every_chosen_point_in_time_is_recovered(tmp_path: Path) -> None:
    async with (
        archiving_server() as server,
        running_service(tmp_path / "var", database_url=server.url, workers=1, edge_processes=1) as service,
        service.client() as client,
    ):
        journal, rows = journal_of(service), await asyncpg.connect(server.url)
        async with journal.kept_by([client] * CLIENTS):
            await more_is_written(journal)
            await server.take_base_backup()
            points = []
            for _ in range(DRILLS):
                await more_is_written(journal)
                points.append(await choose_point(journal, rows))
            await more_is_written(journal, new_accounts=CLIENTS + 1)  # each client may have begun one before the point
        await server.archive_all(rows)
        for point in points:
            async with recovered(server, point.at) as url:
                await check(point, journal, url)
        await serve_from(server, points[-1], service, tmp_path)
        await rows.close()
    report(f"{DRILLS} recoveries to points in time among {journal.acknowledged} writes")


async def more_is_written(journal: Journal, new_accounts: int = 1) -> None:
    enough, accounts = journal.acknowledged + WRITES, len(journal.accounts) + new_accounts
    await eventually(lambda: journal.acknowledged >= enough and len(journal.accounts) >= accounts)


async def choose_point(journal: Journal, rows: OwnerConnection) -> Point:
    packages = {account.username: list(account.packages) for account in journal.accounts}
    versions = {account.username: list(account.versions) for account in journal.accounts}
    return Point(await rows.fetchval("select clock_timestamp()"), packages, versions)


async def check(point: Point, journal: Journal, url: str) -> None:
    recovered_rows = await asyncpg.connect(url)
    try:
        found = await journal.find(recovered_rows)
        newest = await recovered_rows.fetchval("select max(at) from audit_entries")
    finally:
        await recovered_rows.close()
    assert newest <= point.at
    assert set(found) >= set(point.packages)
    assert len(found) < len(journal.accounts), "writes after the chosen point must be missing"
    for name, packages in point.packages.items():
        assert found[name]["packages"][: len(packages)] == packages
        versions = point.versions[name]
        assert (found[name]["versions"] or [])[: len(versions)] == versions


async def serve_from(server: ArchivingServer, point: Point, former: Service, folder: Path) -> None:
    """The service runs on the recovered database, with the same master key."""
    (folder / "after").mkdir()
    shutil.copy(former.data_dir / "master.key", folder / "after")
    basic = former.demo["brands"][0]["basic"]
    async with recovered(server, point.at) as url:
        code, output = await run_command(folder / "after", "doctor", database_url=url, api_port=1, site_port=2)
        assert "ok    master key decrypts the secrets in the database" in output, (code, output)
        async with (
            started_service(folder / "after", database_url=url, workers=1, edge_processes=1) as service,
            http_client(service.api_url, auth=(basic["username"], basic["password"])) as client,
        ):
            assert (await client.get("/users")).status_code == 200
