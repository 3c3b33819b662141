"""Failover of the database under load: nothing acknowledged is lost, nothing is done twice, and sites stay online.

The primary's node is killed, stalled or cut off from the network, in turn: once each or less in `make test-system`, 20
times in `make chaos`. Two nodes of the service run meanwhile: one on PostgreSQL itself, one through PgBouncer.
"""

import asyncio
import shutil
import signal
import time
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest

from sitewright.demo.service import apply_demo_catalogue
from sitewright.features import MAIL
from sitewright.kit.auth.argon2id import HASHER
from sitewright.kit.db import open_database
from sitewright.kit.migrations import migrate
from sitewright.kit.primary import connect
from sitewright.tenants.credentials import service as credentials
from tests.chaos.nodes import Node
from tests.chaos.stage import Visits, limit, report
from tests.ha.cluster import Cluster, DatabaseNode, patroni_cluster, promoted_at
from tests.ha.guide import block, replaced
from tests.support import contract
from tests.support.cast import OWN_BRAND, PASSWORD, TESTER
from tests.support.customers import Customer, make_customer
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.packages import PRO, STARTER
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system

FAILOVERS = share(2, 20)
TTL, RECOVERY = 20.0, 5.0
"""Seconds: of the guide's Patroni, and from the new primary to the first successful write."""
OPERATOR = "failover"
HOST = "failover.example"
CONNECTIONS = 6
PROBE_SECONDS = 0.1
END_LEASES = "update mails set next_attempt_at = now() where sent_at is null"
UNSENT = "select count(*) from mails where sent_at is null"
Settings = dict[str, str]


class Fault(msgspec.Struct, frozen=True):
    name: str
    strike: Callable[[DatabaseNode], Awaitable[None]]
    repair: Callable[[DatabaseNode], Awaitable[None]]


STALLED = Fault("stalled", DatabaseNode.stall, DatabaseNode.resume)
KILLED = Fault("killed", DatabaseNode.kill, DatabaseNode.start)
CUT_OFF = Fault("cut off", DatabaseNode.cut_off, DatabaseNode.reconnect)


async def prepare_database(cluster: Cluster) -> list[Settings]:
    """Returns the settings of the guide: for PostgreSQL itself, and through PgBouncer."""
    await cluster.execute(block("sql", "create role sitewright_owner"))
    direct, pooled = (tomllib.loads(cluster.in_guide(block("toml", port))) for port in (":5432", ":6432"))
    await migrate(direct["database_url"])
    owner = await connect(direct["database_url"])
    await apply_demo_catalogue(owner, MAIL.kinds)
    await owner.execute(block("sql", "create role sitewright_login"))
    await owner.close()
    database = open_database(direct["database_url"], connections=2, wait_seconds=HANG_SECONDS, name="tests")
    async with database.transaction(OWN_BRAND) as tx:
        await credentials.create_operator(
            tx, TESTER, brand_ref=OWN_BRAND, username=OPERATOR, password_hash=HASHER.hash(PASSWORD)
        )
    await database.close()
    return [direct, pooled]


@asynccontextmanager
async def service_nodes(folder: Path, settings: list[Settings]) -> AsyncIterator[list[Node]]:
    nodes = []
    for number, chosen in enumerate(settings):
        own = folder / f"node{number}"
        own.mkdir()
        if number:
            shutil.copy(folder / "node0" / "master.key", own / "master.key")
        # As in production: a request does not wait for a connection for long.
        nodes.append(Node(own, **chosen, database_connections=CONNECTIONS, database_wait_seconds=5, edge_processes=1))
        try:
            await nodes[-1].start()
        except BaseException:
            await asyncio.gather(*(node.end(signal.SIGKILL) for node in nodes))
            raise
    try:
        yield nodes
    finally:
        await asyncio.gather(*(node.end(signal.SIGTERM) for node in nodes))


class Writer:
    """Writes one value again and again, and records when it succeeded and what else it heard."""

    def __init__(self, name: str, client: httpx.AsyncClient, customer: Customer) -> None:
        self.name = name
        self._client = client
        self._path = f"/users/{customer.user_ref}"
        self.succeeded: list[tuple[float, float]] = []
        self.refused: list[tuple[float, str]] = []

    async def write_repeatedly(self) -> None:
        number = 0
        while True:
            number += 1
            started = time.monotonic()
            try:
                response = await self._client.put(self._path, json={"firstName": f"{self.name} {number}"}, timeout=5)
            except httpx.TimeoutException:
                self.refused.append((time.monotonic(), "timeout"))
                continue
            if response.is_success:
                self.succeeded.append((started, time.monotonic()))
            else:
                assert response.status_code != 503 or response.headers["retry-after"].isdigit()
                self.refused.append((time.monotonic(), str(response.status_code)))
            await asyncio.sleep(PROBE_SECONDS)

    def first_success_after(self, moment: float) -> float | None:
        return next((ended for started, ended in self.succeeded if started > moment), None)

    def heard_between(self, start: float, end: float) -> set[str]:
        return {what for at, what in self.refused if start < at < end}


class Stage(msgspec.Struct):
    cluster: Cluster
    nodes: list[Node]
    customer: Customer
    writers: list[Writer]
    publishes: int = 0


def caller(node: Node) -> httpx.AsyncClient:
    url = f"http://127.0.0.1:{node.ports['api_port']}"
    return http_client(url, auth=(OPERATOR, PASSWORD), event_hooks=contract.HOOKS)


async def shows(node: Node, text: str) -> bool:
    async with http_client() as client:
        response = await client.get(f"http://127.0.0.1:{node.ports['site_port']}/", headers={"Host": HOST})
    return response.status_code == 200 and text in response.text


async def make_site(client: httpx.AsyncClient, nodes: list[Node]) -> Customer:
    customer = await make_customer(client, OWN_BRAND, HOST, package_ref=PRO)
    await customer.add_page("home", "Version 0")
    await customer.publish()
    for node in nodes:
        await eventually(partial(shows, node, "Version 0"))
    return customer


async def publish_is_seen(stage: Stage) -> None:
    """A publish is seen by every edge server, whose caches are only invalidated by notifications."""
    stage.publishes += 1
    title = f"Version {stage.publishes}"
    client = stage.customer.client
    [page] = (await client.get(f"{stage.customer.path}/pages")).json()["pages"]

    async def is_published() -> bool:
        changed = await client.put(f"{stage.customer.path}/pages/{page['ref']}", json={"title": title})
        return changed.is_success and (await client.post(f"{stage.customer.path}/publish")).is_success

    await eventually(is_published)
    for node in stage.nodes:
        await eventually(partial(shows, node, title))


async def fail_over(stage: Stage, fault: Fault) -> None:
    victim = await stage.cluster.leader()
    started = time.monotonic()
    await fault.strike(victim)
    promoted = await promoted_at([node for node in stage.cluster.nodes if node is not victim])
    figures = []
    for writer in stage.writers:
        back = await eventually(partial(writer.first_success_after, promoted))
        assert "503" in writer.heard_between(started, back), f"{writer.name}: no 503 during the failover"
        figures.append(f"{writer.name} back after {back - promoted:.1f} s, outage {back - started:.1f} s")
        assert back - promoted < limit(RECOVERY)
        assert back - started < limit(TTL + RECOVERY)
    report(f"{fault.name}: new primary after {promoted - started:.1f} s; {'; '.join(figures)}")
    await publish_is_seen(stage)
    await fault.repair(victim)
    await eventually(stage.cluster.is_healthy)
    report(f"{await stage.cluster.streaming_standbys()} standbys stream already")


@asynccontextmanager
async def under_load(stage: Stage, journal: Journal) -> AsyncIterator[list[Visits]]:
    async with AsyncExitStack() as stack:
        visits = [Visits() for _ in stage.nodes]
        visitor = await stack.enter_async_context(http_client(limits=httpx.Limits(max_keepalive_connections=0)))
        clients = [await stack.enter_async_context(caller(node)) for node in stage.nodes]
        tasks = [asyncio.create_task(writer.write_repeatedly()) for writer in stage.writers]
        for node, seen in zip(stage.nodes, visits, strict=True):
            url = f"http://127.0.0.1:{node.ports['site_port']}/"
            tasks.append(asyncio.create_task(seen.visit_repeatedly(visitor, url, HOST)))
        try:
            async with journal.kept_by(clients):
                yield visits
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes), outcomes


async def switch_over(stage: Stage) -> None:
    """The guide's commands for maintenance: another node becomes the primary, on purpose."""
    former = await stage.cluster.leader()
    started = time.monotonic()
    script = replaced(block("sh", "patronictl"), {"/etc/patroni/config.yml": str(former.folder / "patroni.yml")})
    process = await asyncio.create_subprocess_exec("sh", "-ec", script, stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    assert process.returncode == 0, output.decode()
    assert "Successfully switched over" in output.decode()
    assert await stage.cluster.leader() is not former
    switched = time.monotonic()
    back = [await eventually(partial(writer.first_success_after, switched)) for writer in stage.writers]
    report(f"switchover: outage of at most {max(back) - started:.1f} s")
    await publish_is_seen(stage)


def faults_of(cluster: Cluster) -> list[Fault]:
    if cluster.nodes[0].machine.link is None:
        report("no right to make network namespaces: machines are not cut off")
        return [STALLED, KILLED]
    return [STALLED, CUT_OFF, KILLED]


async def test_failovers_lose_and_duplicate_nothing(tmp_path: Path) -> None:
    async with patroni_cluster() as cluster:
        await drill(cluster, await prepare_database(cluster), tmp_path)


async def drill(cluster: Cluster, settings: list[Settings], tmp_path: Path) -> None:
    journal = Journal(OWN_BRAND, [STARTER, PRO])
    async with service_nodes(tmp_path, settings) as nodes, caller(nodes[0]) as client, caller(nodes[1]) as other:
        customer = await make_site(client, nodes)
        second = await make_customer(client, OWN_BRAND, "second.example")
        writers = [Writer("direct", client, customer), Writer("through PgBouncer", other, second)]
        stage = Stage(cluster, nodes, customer, writers)
        faults = faults_of(cluster)
        async with under_load(stage, journal) as visits:
            for number in range(FAILOVERS):
                await fail_over(stage, faults[number % len(faults)])
            await switch_over(stage)
        rows = await (await cluster.leader()).open("sitewright")
        await journal.check(rows)
        await rows.execute(END_LEASES)
        await eventually(partial(all_mails_are_sent, rows))
        await rows.close()
    report(
        f"{FAILOVERS} failovers: {journal.acknowledged} writes acknowledged, {journal.replayed} by a repetition;"
        f" heard {dict(journal.heard)}; {sum(each.seen[200] for each in visits)} visits,"
        f" the slowest {max(each.slowest for each in visits):.2f} s"
    )
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201", "503"}
    assert [set(each.seen) for each in visits] == [{200}, {200}]


async def all_mails_are_sent(rows: OwnerConnection) -> bool:
    return bool(await rows.fetchval(UNSENT) == 0)
