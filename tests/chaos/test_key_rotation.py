"""Rotation of the master key on two nodes, each with its own copy of the key file, while clients read and write."""

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from sitewright.features import SEALED_COLUMNS
from sitewright.kit import rotation
from sitewright.kit.key_file import KeyFile
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials import service as credentials
from tests.chaos.nodes import Node, RoundRobin, second_database, two_nodes
from tests.chaos.stage import more_is_written, report
from tests.support.cast import OWN_BRAND, PASSWORD, TESTER
from tests.support.depth import share
from tests.support.http_clients import http_client
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.packages import PRO, STARTER
from tests.support.service import run_command

ROTATIONS, WRITES = share(1, 5), share(8, 40)
OPERATOR = "rotating"


@pytest.fixture
async def rotating_database_url(database_url: str) -> AsyncIterator[str]:
    async with second_database(database_url, "rotating") as url:
        yield url


async def make_operator(resources: Resources, url: str) -> None:
    password_hash = await resources.passwords.hash(PASSWORD, None)
    connection = await asyncpg.connect(url)
    async with connection.transaction():
        await connection.execute(f"set local sitewright.brand_ref = '{OWN_BRAND}'")
        await credentials.create_operator(
            connection, TESTER, brand_ref=OWN_BRAND, username=OPERATOR, password_hash=password_hash
        )
    await connection.close()


async def test_keys_are_rotated_on_two_nodes_without_a_failed_request(
    resources: Resources, rotating_database_url: str, tmp_path: Path
) -> None:
    await make_operator(resources, rotating_database_url)
    journal = Journal(OWN_BRAND, [STARTER, PRO])
    async with two_nodes(tmp_path, resources.settings.data_path / "master.key", rotating_database_url) as nodes:
        balancer = RoundRobin([node.ports["api_port"] for node in nodes])
        async with (
            http_client("http://127.0.0.1:80", auth=(OPERATOR, PASSWORD), transport=balancer) as client,
            journal.kept_by([client] * 2),
        ):
            for _ in range(ROTATIONS):
                await more_is_written(journal, WRITES)
                await rotate(tmp_path, nodes, rotating_database_url)
            await more_is_written(journal, WRITES)
    await check(journal, tmp_path, rotating_database_url)


async def rotate(folder: Path, nodes: list[Node], url: str) -> None:
    """As docs/operate.md says for several nodes: add the key everywhere, then use it everywhere, then re-encrypt."""
    one, other = folder / "one", folder / "other"
    assert len(nodes) == 2
    name = re.findall(r"Key ([0-9a-f]{16}) is in", await keys(one, url, "add"))[0]
    shutil.copy(one / "master.key", other / "master.key")
    await keys(one, url, "rotate", "--to", name)
    shutil.copy(one / "master.key", other / "master.key")
    await keys(one, url, "rotate", "--to", name)


async def keys(folder: Path, url: str, *arguments: str) -> str:
    code, output = await run_command(folder, "keys", *arguments, database_url=url)
    assert code == 0, output
    return output


async def check(journal: Journal, folder: Path, url: str) -> None:
    """Nothing is lost, no request failed, and the newest key alone decrypts everything."""
    newest = KeyFile(folder / "one" / "master.key").read()[0]
    rows = await asyncpg.connect(url)
    try:
        await journal.check(rows)
        total, unreadable = await rotation.check_all(rows, Sealer(newest), SEALED_COLUMNS)
    finally:
        await rows.close()
    report(f"{ROTATIONS} rotations: {journal.acknowledged} writes, heard {dict(journal.heard)}, {total} secrets")
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201"}
    assert (total > 0, unreadable) == (True, {})
