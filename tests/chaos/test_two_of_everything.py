"""Two nodes, each with an API, an edge server and a worker, on one PostgreSQL."""

import asyncio
import signal
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from functools import partial

import asyncpg
import httpx
import msgspec
import pytest

from sitewright.kit.db import open_database
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service as credentials
from tests.chaos.nodes import Node, RoundRobin, second_database, two_nodes
from tests.chaos.stage import limit, more_is_written, report, visiting_nodes
from tests.edge.tls_client import SecureVisitor
from tests.support import contract
from tests.support.cast import OWN_BRAND, PASSWORD, TESTER
from tests.support.certificates import Issued, certificate_for, make_certificate
from tests.support.customers import Customer, make_customer
from tests.support.database import with_database
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.many_packages import make_packages
from tests.support.packages import PRO, STARTER, TRIAL
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

PROPAGATION_SECONDS = 1.0
CHANGES = share(2, 20)
DUE = share(500, 5000)
DEATHS, WRITES = share(1, 5), share(10, 40)
OPERATOR = "two-nodes"
HOST = "two.example"


@pytest.fixture(scope="module")
async def nodes_database_url(database_url: str) -> AsyncIterator[str]:
    async with second_database(database_url, "two") as url:
        yield url


@pytest.fixture(scope="module")
async def rows(nodes_database_url: str) -> AsyncIterator[OwnerConnection]:
    connection = await asyncpg.connect(nodes_database_url)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
async def nodes_resources(resources: Resources, nodes_database_url: str) -> AsyncIterator[Resources]:
    """The tests' own resources, on the database of the two nodes."""
    database = open_database(nodes_database_url, connections=2, wait_seconds=HANG_SECONDS, name="tests")
    yield with_database(resources, database)
    await database.close()


async def make_operator(nodes_resources: Resources, username: str) -> int:
    password_hash = await nodes_resources.passwords.hash(PASSWORD, None)
    async with nodes_resources.database.transaction(OWN_BRAND) as tx:
        return await credentials.create_operator(
            tx, TESTER, brand_ref=OWN_BRAND, username=username, password_hash=password_hash
        )


@pytest.fixture(scope="module")
async def nodes(
    nodes_resources: Resources, nodes_database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[list[Node]]:
    await make_operator(nodes_resources, OPERATOR)
    key = nodes_resources.settings.data_path / "master.key"
    async with two_nodes(tmp_path_factory.mktemp("two"), key, nodes_database_url) as nodes:
        yield nodes


def caller(transport: httpx.AsyncBaseTransport | None = None, port: int = 80) -> httpx.AsyncClient:
    url = f"http://127.0.0.1:{port}"
    return http_client(url, auth=(OPERATOR, PASSWORD), transport=transport, event_hooks=contract.HOOKS)


@pytest.fixture(scope="module")
async def callers(nodes: list[Node]) -> AsyncIterator[list[httpx.AsyncClient]]:
    """One client for each API."""
    async with caller(port=nodes[0].ports["api_port"]) as one, caller(port=nodes[1].ports["api_port"]) as other:
        yield [one, other]


@pytest.fixture(scope="module")
async def customer(nodes: list[Node], callers: list[httpx.AsyncClient]) -> Customer:
    customer = await make_customer(callers[0], OWN_BRAND, HOST, package_ref=PRO)
    await customer.add_page("home", "Version 0")
    await customer.publish()
    for node in nodes:
        await eventually(partial(shows, node, "Version 0"))
    return customer


async def shows(node: Node, text: str) -> bool:
    async with http_client() as client:
        response = await client.get(f"http://127.0.0.1:{node.ports['site_port']}/", headers={"Host": HOST})
    return response.status_code == 200 and text in response.text


async def seconds_until_all(nodes: list[Node], holds: Callable[[Node], Awaitable[bool]]) -> float:
    """Seconds until the condition holds on every node."""
    changed = time.monotonic()
    await asyncio.gather(*(eventually(partial(holds, node)) for node in nodes))
    return time.monotonic() - changed


def check_propagation(what: str, took: list[float]) -> None:
    """The median time is below the limit; single times include waits of this test for a CPU on a busy machine."""
    usual = statistics.median(took)
    report(f"{len(took)} {what} were seen on both nodes after {usual:.2f} s, and {max(took):.2f} s at most")
    assert usual < limit(PROPAGATION_SECONDS)


async def test_a_publish_by_either_api_is_seen_on_both_edge_servers(
    nodes: list[Node], callers: list[httpx.AsyncClient], customer: Customer
) -> None:
    pages = (await callers[0].get(f"{customer.path}/pages")).json()["pages"]
    took = []
    for number in range(1, CHANGES + 1):
        through = msgspec.structs.replace(customer, client=callers[number % 2])
        body = {"title": f"Version {number}"}
        assert (await through.client.put(f"{customer.path}/pages/{pages[0]['ref']}", json=body)).is_success
        await through.publish()
        took.append(await seconds_until_all(nodes, partial(shows, text=f"Version {number}")))
    check_propagation("publishes", took)


async def shows_certificate(node: Node, issued: Issued) -> bool:
    return await SecureVisitor(node.ports["site_tls_port"]).certificate(HOST) == issued.certificate


async def test_a_certificate_is_served_by_both_edge_servers(
    nodes: list[Node], customer: Customer, nodes_resources: Resources, rows: OwnerConnection
) -> None:
    took = []
    for _ in range(CHANGES):
        issued = certificate_for(HOST)
        await rows.execute("delete from certificate_bindings where domain = $1", HOST)
        await make_certificate(rows, nodes_resources, OWN_BRAND, issued, HOST)
        took.append(await seconds_until_all(nodes, partial(shows_certificate, issued=issued)))
    check_propagation("certificates", took)


async def test_revoked_credentials_are_refused_by_both_apis_at_once(
    callers: list[httpx.AsyncClient], nodes_resources: Resources
) -> None:
    """Also if a correct password was cached a moment ago."""
    ref = await make_operator(nodes_resources, "short-lived")
    auth = ("short-lived", PASSWORD)
    assert [(await each.get("/brands/1/languages", auth=auth)).status_code for each in callers] == [200, 200]
    async with nodes_resources.database.transaction(OWN_BRAND) as tx:
        await credentials.revoke(tx, TESTER, kind="operator", ref=ref)
    assert [(await each.get("/brands/1/languages", auth=auth)).status_code for each in callers] == [401, 401]


async def test_two_workers_apply_each_due_change_once(nodes: list[Node], rows: OwnerConnection) -> None:
    month = timedelta(days=31)
    await make_packages(rows, DUE, brand_ref=2, package_ref=TRIAL, called="u", is_trial=True, age=month)
    await make_packages(rows, DUE, brand_ref=1, package_ref=STARTER, called="r", is_trial=False, age=month)
    due = "select not exists (select from account_packages where ended_at is null and due_at < now())"
    await eventually(partial(rows.fetchval, due))
    counts = await rows.fetchrow(
        "with trials as (select user_ref from lifecycle_events e join users u on u.ref = e.user_ref"
        "                where u.username ~ '^u[0-9]'),"
        " renewals as (select user_ref from lifecycle_events e join users u on u.ref = e.user_ref"
        "              where u.username ~ '^r[0-9]' and e.kind = 'renewal')"
        " select (select count(*) from trials), (select count(distinct user_ref) from trials),"
        " (select count(*) from renewals), (select count(distinct user_ref) from renewals),"
        " (select count(*) from charges c join users u on u.ref = c.user_ref where u.username ~ '^r[0-9]'),"
        " (select count(*) from mails where kind = 'trialEnded')"
    )
    assert counts is not None
    assert tuple(counts) == (DUE,) * 6


async def test_clients_behind_a_load_balancer_do_not_notice_a_killed_node(
    nodes: list[Node], customer: Customer, rows: OwnerConnection
) -> None:
    """Killed and drained alternately. A 409 means that the dead node's transaction has not ended yet."""
    journal = Journal(OWN_BRAND, [STARTER, PRO])
    balancer = RoundRobin([node.ports["api_port"] for node in nodes])
    async with caller(balancer) as client, visiting_nodes(nodes, HOST) as visits, journal.kept_by([client] * 3):
        for number in range(2 * DEATHS):
            await more_is_written(journal, WRITES)
            node = nodes[number % 2]
            await node.end(signal.SIGTERM if number % 2 else signal.SIGKILL)
            await more_is_written(journal, WRITES)
            if number + 1 < 2 * DEATHS:
                await node.start()
    await journal.check(rows)
    report(
        f"{2 * DEATHS} nodes ended: {journal.acknowledged} writes, heard {dict(journal.heard)},"
        f" {balancer.turned_away} went to the other node; {visits.seen[200]} visits"
    )
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201"}
    assert set(visits.seen) == {200}
