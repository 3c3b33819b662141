"""Edge servers on a replica: never older than a publish they were notified of, and served while a server is away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import asyncpg
import msgspec
import pytest

from sitewright.cli.replica_checkup import check_replicas
from sitewright.demo.service import apply_demo_catalogue
from sitewright.edge import store
from sitewright.edge.app import SiteListener
from sitewright.edge.store import StoredFile
from sitewright.features import MAIL
from sitewright.kit import replicas
from sitewright.kit.db import Database, Transaction, open_database
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.migrations import migrate
from sitewright.kit.replicas import ReadDatabase, replica_urls
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from tests.edge.conftest import SwappableListener
from tests.edge.shops import FILES, HOST, Shop, Visitor, open_shop
from tests.edge.test_nodes import Node
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.patient_edge import only_notifications_invalidate
from tests.support.replica import make_replica, running, servers_folder, stalled
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection


class Servers(msgspec.Struct):
    primary: EmbeddedPostgres
    replica: EmbeddedPostgres


@pytest.fixture(scope="module")
async def servers() -> AsyncIterator[Servers]:
    with servers_folder() as folder, running(EmbeddedPostgres(folder / "primary")) as primary:
        await _migrate(primary.url)
        with running(make_replica(primary, folder / "primary", folder / "replica")) as replica:
            yield Servers(primary, replica)


async def _migrate(url: str) -> None:
    await migrate(url)
    owner = await asyncpg.connect(url)
    await apply_demo_catalogue(owner, MAIL.kinds)
    await owner.close()


@pytest.fixture
async def owner(servers: Servers) -> AsyncIterator[OwnerConnection]:
    connection = await asyncpg.connect(servers.primary.url, server_settings={"sitewright.release": "tests"})
    yield connection
    await connection.close()
    cleaning = await asyncpg.connect(servers.primary.url)  # a test may have restarted the server
    await cleaning.execute("truncate users cascade")
    await cleaning.close()


class Edge(msgspec.Struct):
    """A listener that reads from the replica, and what became of its reads."""

    listener: SiteListener
    reads: ReadDatabase
    outcomes: list[str]

    async def reads_from_replica(self) -> bool:
        """Look the site up again, past the cache."""
        self.outcomes.clear()
        await self.reads.read(None, partial(store.site_of_host, host=HOST))
        return self.outcomes == ["read"]

    async def is_notified(self, at_least: int) -> bool:
        """Whether the position of this many notifications or more is known."""
        return self.reads.position._notifications >= at_least and self.reads.position.current is not None


@pytest.fixture
def databases(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> tuple[Database, Database]:
    monkeypatch.setattr(replicas, "REPLICA_WAIT_SECONDS", HANG_SECONDS)
    monkeypatch.setattr(replicas, "PAUSE_SECONDS", 0.0)
    primary, replica = (
        open_database(server.url, connections=4, wait_seconds=HANG_SECONDS, name="edge")
        for server in (servers.primary, servers.replica)
    )
    return primary, replica


@pytest.fixture
async def edge(
    databases: tuple[Database, Database],
    edge_server: tuple[SwappableListener, str],
    visitor: Visitor,  # before this listener: it sets one of its own
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Edge]:
    only_notifications_invalidate(monkeypatch)
    outcomes: list[str] = []
    reads = ReadDatabase(databases[0], [databases[1]], outcomes.append)
    on_them = msgspec.structs.replace(resources, database=databases[0], reads=reads)
    listener = edge_server[0].listener = SiteListener(on_them)
    working = asyncio.create_task(listener.work())
    made = Edge(listener, reads, outcomes)
    await eventually(partial(made.is_notified, 1))
    yield made
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    await reads.close()
    await databases[0].close()


@pytest.fixture
async def shop(edge: Edge, resources: Resources, owner: OwnerConnection) -> Shop:
    """A site that the replica has, and of which the listener was notified."""
    before = edge.reads.position._notifications
    made = await open_shop(owner, resources)
    await eventually(partial(edge.is_notified, before + 1))
    await eventually(edge.reads_from_replica)
    return made


async def publish(shop: Shop, edge: Edge, version: int) -> None:
    """Publish a version, and wait until the edge server was notified of it."""
    before = edge.reads.position._notifications
    await shop.publish(FILES | {"": f"<h1>Version {version}</h1>"}, version)
    await eventually(lambda: edge.reads.position._notifications > before)


async def shown(visitor: Visitor) -> str:
    response = await visitor.get("/")
    assert response.status_code == 200
    return response.text


async def test_pages_are_read_from_the_replica(edge: Edge, shop: Shop, visitor: Visitor) -> None:
    edge.outcomes.clear()
    assert await shown(visitor) == FILES[""]
    assert (await visitor.get("/about")).text == FILES["about"]
    assert (await visitor.get("/", host="nobody.example")).status_code == 404
    assert set(edge.outcomes) == {"read"}


async def test_a_stalled_replica_never_shows_less_than_was_notified(
    edge: Edge, shop: Shop, visitor: Visitor, servers: Servers
) -> None:
    assert await shown(visitor) == FILES[""]
    async with stalled(servers.replica):
        for version in range(2, 6):
            await publish(shop, edge, version)
            assert await shown(visitor) == f"<h1>Version {version}</h1>"
        await eventually(partial(edge.is_notified, 1))
        assert not await edge.reads_from_replica()
        assert "behind" in edge.outcomes
    await eventually(edge.reads_from_replica)
    assert await shown(visitor) == "<h1>Version 5</h1>"


async def test_publishes_during_visits_are_never_taken_back(edge: Edge, shop: Shop, visitor: Visitor) -> None:
    """The replica follows at its own pace; visitors ask all the time."""
    notified, done = 1, asyncio.Event()

    async def visit() -> None:
        while not done.is_set():
            least = notified
            text = await shown(visitor)
            version = 1 if text == FILES[""] else int(text.removeprefix("<h1>Version ").removesuffix("</h1>"))
            assert version >= least

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(visit())
        for version in range(2, 32):
            await publish(shop, edge, version)
            notified = version
        done.set()


async def test_rows_that_the_replica_lacks_are_read_from_the_primary(
    edge: Edge, shop: Shop, servers: Servers, databases: tuple[Database, Database]
) -> None:
    """The site was read from another replica that is ahead."""

    async def read_home(tx: Transaction) -> StoredFile | None:
        return await store.read_file(tx, shop.ref, 2, "", 100_000)

    async with stalled(servers.replica):
        await shop.publish(FILES, 2)
        behind = ReadDatabase(databases[0], [databases[1]])
        behind.position._position = 0
        assert await behind.read(OWN_BRAND, read_home) is None
        assert await behind.find(OWN_BRAND, read_home) is not None


async def test_a_server_that_is_no_replica_is_not_used(edge: Edge, databases: tuple[Database, Database]) -> None:
    """It was promoted, or is a former primary that nobody writes to any more."""
    outcomes: list[str] = []
    reads = ReadDatabase(databases[0], [databases[0]], outcomes.append)
    reads.position._position = 0
    assert await reads.read(None, partial(store.site_of_host, host=HOST)) is None
    assert outcomes == ["behind"]


async def test_while_the_primary_is_away_the_replica_serves_what_is_not_cached(
    edge: Edge, shop: Shop, visitor: Visitor, servers: Servers
) -> None:
    servers.primary.stop()
    try:
        assert await shown(visitor) == FILES[""]
        assert (await visitor.get("/about")).text == FILES["about"]
    finally:
        servers.primary.start()
    await eventually(edge.reads_from_replica)


async def test_while_the_replica_is_away_the_primary_serves(
    edge: Edge, shop: Shop, visitor: Visitor, servers: Servers
) -> None:
    servers.replica.stop()
    try:
        assert await shown(visitor) == FILES[""]
        assert "unavailable" in edge.outcomes
    finally:
        servers.replica.start()
    await eventually(edge.reads_from_replica)


async def test_the_edge_command_reads_from_the_configured_replica(
    shop: Shop, servers: Servers, tmp_path: Path, databases: tuple[Database, Database]
) -> None:
    async with Node(tmp_path / "node", servers.primary.url, replica_database_url=servers.replica.url).running() as node:
        await eventually(partial(node.shows, 200, FILES[""]))
        await eventually(partial(_is_used, servers.replica.url, node))
        await shop.publish(FILES | {"": "<h1>New</h1>"}, 2)
        await eventually(partial(node.shows, 200, "New"))


async def _is_used(replica_url: str, node: Node) -> bool:
    await node.shows(404, path="/nothing")
    connection = await asyncpg.connect(replica_url)
    used: bool = await connection.fetchval(
        "select exists (select from pg_stat_activity where application_name = 'sitewright edge replica')"
    )
    await connection.close()
    return used


async def test_doctor_tells_replicas_from_other_servers(servers: Servers, resources: Resources) -> None:
    def naming(url: str) -> Settings:
        return msgspec.structs.replace(resources.settings, replica_database_url=url)

    assert await check_replicas(naming("")) == []
    assert [finding.ok for finding in await check_replicas(naming(servers.replica.url))] == [True]
    (primary,) = await check_replicas(naming(servers.primary.url))
    assert (primary.ok, "not a replica" in primary.remedy) == (False, True)
    nowhere = f"postgresql://owner@127.0.0.1:{free_port()},127.0.0.1:{free_port()}/sitewright"
    assert [finding.ok for finding in await check_replicas(naming(nowhere))] == [False, False]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", []),
        ("postgresql://u:p@one/db", ["postgresql://u:p@one/db"]),
        (
            "postgresql://u:p@one,two:5433/db?sslmode=require",
            ["postgresql://u:p@one/db?sslmode=require", "postgresql://u:p@two:5433/db?sslmode=require"],
        ),
        ("postgresql://u:p@/db?host=%2Frun", ["postgresql://u:p@/db?host=%2Frun"]),
        ("postgresql://one,two/db", ["postgresql://one/db", "postgresql://two/db"]),
    ],
)
def test_every_host_of_the_url_is_a_replica(url: str, expected: list[str]) -> None:
    assert replica_urls(url) == expected
