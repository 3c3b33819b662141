"""Separate edge nodes on one database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, open_shop
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.http_clients import http_client
from tests.support.service import children_of, environment, free_port
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

PROCESSES = 2
MODULE = "tests.support.patient_edge"
"""Without a notification these nodes would serve stale pages for a day."""


class Node:
    """A running `sitewright edge` with two processes."""

    def __init__(self, data_dir: Path, database_url: str, **settings: object) -> None:
        self.port, self.tls_port = free_port(), free_port()
        ports = {"site_port": self.port, "site_tls_port": self.tls_port}
        chosen = ports | {"edge_processes": PROCESSES} | settings
        self.data_dir = data_dir
        self._environment = environment(data_dir, database_url=database_url, **chosen)
        self._log = data_dir.with_suffix(".log")

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Node"]:
        with self._log.open("wb") as log:
            self.process = await fork_command("edge", env=self._environment, output=log, module=MODULE)
        url = f"http://127.0.0.1:{self.port}"
        async with http_client(url, headers={"Host": HOST}) as self._client:
            try:
                yield self
            finally:
                with suppress(ProcessLookupError):
                    self.process.terminate()
                assert await asyncio.wait_for(self.process.wait(), HANG_SECONDS) == 0, self._log.read_text()[-2000:]

    async def shows(self, status: int, text: str = "", path: str = "/") -> bool:
        try:
            response = await self._client.get(path)
        except httpx.HTTPError:
            return False
        return response.status_code == status and text in response.text

    def children(self) -> list[int]:
        return sorted(children_of(self.process.pid))

    def log(self) -> str:
        return self._log.read_text()


@pytest.fixture
async def nodes(tmp_path: Path, database_url: str) -> AsyncIterator[list[Node]]:
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(Node(tmp_path / str(number), database_url).running()) for number in range(2)
        ]


async def test_a_publish_is_visible_on_every_node(
    nodes: list[Node], resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    shop = await open_shop(owner_connection, resources)
    for node in nodes:
        await eventually(partial(node.shows, 200, FILES[""]))
    await both_listen(owner_connection, nodes)
    for version in (2, 3, 4):
        await shop.publish(FILES | {"": f"<h1>Version {version}</h1>"}, version)
        for node in nodes:
            await eventually(partial(node.shows, 200, f"Version {version}"))
    await offline_everywhere(shop, nodes)


async def both_listen(owner: OwnerConnection, nodes: list[Node]) -> None:
    async def are_listening() -> bool:
        count = await owner.fetchval(
            "select count(*) from pg_stat_activity"
            " where application_name like 'sitewright edge %' and query = 'select 1'"
        )
        return bool(count >= PROCESSES * len(nodes))

    await eventually(are_listening)


async def offline_everywhere(shop: Shop, nodes: list[Node]) -> None:
    await shop.set(live=False)
    for node in nodes:
        await eventually(partial(node.shows, 503))


async def test_a_stopped_node_has_logged_every_request(
    nodes: list[Node], resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await open_shop(owner_connection, resources)
    await eventually(partial(nodes[0].shows, 200))
    await asyncio.gather(*(nodes[0].shows(200) for _ in range(20)))
    nodes[0].process.terminate()
    await asyncio.wait_for(nodes[0].process.wait(), HANG_SECONDS)
    assert nodes[0].log().count('"route":"page"') == 21
