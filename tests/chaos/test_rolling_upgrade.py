"""A rolling upgrade from the previous release to this one and back, node by node, while clients read and write."""

import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx
import pytest

from sitewright.domains.health.mails import DOMAIN_FAILING
from tests.chaos.nodes import Node, RoundRobin
from tests.chaos.stage import Visits, more_is_written, report, visiting_nodes
from tests.previous_release.releases import THIS, Installation, Release, extract_previous_release
from tests.support.customers import Customer, done, make_customer
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.receiver import Receiver, open_receiver
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system

ROUNDS, WRITES, CLIENTS = share(1, 3), share(15, 60), 3
HOST = "rolling.example"
BRAND = 0
NEW_MAIL_KINDS = {DOMAIN_FAILING.name}


@pytest.fixture
async def new_database(empty_database_url: str) -> AsyncIterator[str]:
    server = await asyncpg.connect(empty_database_url)
    await server.execute("create database rolling")
    yield urlunsplit(urlsplit(empty_database_url)._replace(path="/rolling"))
    await server.execute("drop database rolling with (force)")
    await server.close()


@asynccontextmanager
async def nodes_of(previous: Release, folder: Path, installation: Installation, url: str) -> AsyncIterator[list[Node]]:
    """Two nodes of the previous release."""
    nodes = []
    for name in ("one", "other"):
        (folder / name).mkdir()
        shutil.copy(installation.data_dir / "master.key", folder / name / "master.key")
        nodes.append(Node(folder / name, url, edge_processes=1, webhook_allowed_networks="127.0.0.0/8"))
    try:
        for node in nodes:
            node.source = previous.source
            await node.start()
        yield nodes
    finally:
        for node in nodes:
            await node.end(signal.SIGTERM)


async def test_a_rolling_upgrade_and_its_way_back_are_not_noticed(tmp_path: Path, new_database: str) -> None:
    previous = extract_previous_release(tmp_path / "previous")
    installation = Installation(tmp_path / "data", new_database)
    async with installation.running(serve=previous):
        pass
    brand = installation.demo["brands"][BRAND]
    journal = Journal(brand["brandRef"], [brand["packages"]["starter"], brand["packages"]["pro"]])
    async with (
        nodes_of(previous, tmp_path, installation, new_database) as nodes,
        open_receiver() as receiver,
        client_of(installation, nodes) as client,
    ):
        await subscribe(client, receiver)
        customer = await publish(client, nodes, brand)
        async with visiting_nodes(nodes, customer.host) as visits, journal.kept_by([client] * CLIENTS):
            await more_is_written(journal, WRITES)
            await installation.run(THIS, "migrate")
            for _ in range(ROUNDS):
                for release in (THIS, previous):
                    await restart_each(nodes, release, journal)
        await check(journal, receiver, visits, new_database)


@asynccontextmanager
async def client_of(installation: Installation, nodes: list[Node]) -> AsyncIterator[httpx.AsyncClient]:
    basic = installation.demo["brands"][BRAND]["basic"]
    balancer = RoundRobin([node.ports["api_port"] for node in nodes])
    async with http_client(
        "http://127.0.0.1:80", auth=(basic["username"], basic["password"]), transport=balancer
    ) as client:
        yield client


async def subscribe(client: httpx.AsyncClient, receiver: Receiver) -> None:
    wanted = {"event": "site.publish", "url": receiver.url, "active": True}
    await done(client.post("/webhooks/subscription", json=wanted))


async def publish(client: httpx.AsyncClient, nodes: list[Node], brand: dict[str, dict[str, int]]) -> Customer:
    customer = await make_customer(client, 1, HOST, package_ref=brand["packages"]["pro"])
    await customer.publish()
    for node in nodes:
        await eventually(partial(shows, node))
    return customer


async def shows(node: Node) -> bool:
    async with http_client() as client:
        page = await client.get(f"http://127.0.0.1:{node.ports['site_port']}/", headers={"Host": HOST})
    return page.status_code == 200


async def restart_each(nodes: list[Node], release: Release, journal: Journal) -> None:
    for node in nodes:
        await node.end(signal.SIGTERM)
        node.source = release.source
        await node.start()
        await more_is_written(journal, WRITES)


async def check(journal: Journal, receiver: Receiver, visits: Visits, database_url: str) -> None:
    """No 5xx, no lost write, no job done twice: every event is delivered once, every user gets one mail."""
    rows = await asyncpg.connect(database_url)
    try:
        await journal.check(rows)
        published = 1 + sum(len(account.versions) for account in journal.accounts)
        await eventually(lambda: len(set(receiver.ids)) >= published)
        await eventually(lambda: all_known_are_sent(rows))
        mails = await mails_by_user(rows, journal)
    finally:
        await rows.close()
    report(
        f"{4 * ROUNDS} nodes changed their release: {journal.acknowledged} writes, heard {dict(journal.heard)};"
        f" {len(receiver.ids)} deliveries of {published} events; {visits.seen[200]} visits"
    )
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201"}
    assert set(visits.seen) == {200}
    assert [times for times in Counter(receiver.ids).values() if times > 1] == []
    assert set(mails) == {1}


async def all_known_are_sent(rows: OwnerConnection) -> bool:
    """Mails of kinds that only this release knows wait for the next upgrade."""
    waiting = "select from mails where sent_at is null and kind <> all ($1)"
    return bool(await rows.fetchval(f"select not exists ({waiting})", sorted(NEW_MAIL_KINDS)))


async def mails_by_user(rows: OwnerConnection, journal: Journal) -> list[int]:
    """How many mails of each kind each user of the journal got."""
    found = await rows.fetch(
        "select count(*) from mails m join users u on u.brand_ref = m.brand_ref and u.ref = m.user_ref"
        " where u.username like $1 group by u.ref, m.kind",
        f"{journal.name}-%",
    )
    return [row[0] for row in found]
