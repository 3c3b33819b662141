"""Several edge processes share the ports of one node and behave identically."""

import asyncio
import os
import shutil
import signal
import socket
import ssl
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, open_shop
from tests.edge.test_nodes import PROCESSES, Node, both_listen
from tests.edge.tls_client import SecureVisitor, unverified
from tests.support.cast import OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

ENOUGH = 30
"""New connections; the kernel distributes them over the processes (all to one: once in 500 million times)."""


@pytest.fixture(scope="module")
async def node(
    resources: Resources, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Node]:
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(resources.settings.data_path / "master.key", folder / "master.key")
    async with Node(folder, database_url).running() as node:
        yield node


@pytest.fixture
async def shop(node: Node, resources: Resources, owner_connection: OwnerConnection, clean: None) -> Shop:
    shop = await open_shop(owner_connection, resources)
    await eventually(partial(node.shows, 200, FILES[""]))
    await both_listen(owner_connection, [node])
    return shop


async def visit(node: Node, path: str) -> httpx.Response:
    """Request a page on a new connection."""
    async with http_client(f"http://127.0.0.1:{node.port}") as client:
        return await client.get(path, headers={"Host": HOST})


async def visits(node: Node, path: str = "/") -> list[httpx.Response]:
    return await asyncio.gather(*(visit(node, path) for _ in range(ENOUGH)))


def processes_behind(responses: list[httpx.Response]) -> int:
    """Count the processes: each has its own prefix of request ids."""
    return len({response.headers["x-request-id"][:16] for response in responses})


async def test_both_processes_serve_and_are_notified_of_a_publish(node: Node, shop: Shop) -> None:
    assert processes_behind(await visits(node)) == PROCESSES
    await shop.publish(FILES | {"": "<h1>New</h1>"}, 2)

    async def is_new_everywhere() -> bool:
        responses = await visits(node)
        return processes_behind(responses) == PROCESSES and {each.text for each in responses} == {"<h1>New</h1>"}

    await eventually(is_new_everywhere)


async def test_both_processes_serve_the_same_certificates(node: Node, shop: Shop, resources: Resources) -> None:
    secure = SecureVisitor(node.tls_port)
    defaults = {await secure.serial("nobody.example") for _ in range(ENOUGH)}
    assert len(defaults) == 1
    issued = certificate_for(HOST)
    await make_certificate(shop.owner, resources, OWN_BRAND, issued, HOST)

    async def is_shown_everywhere() -> bool:
        return {await secure.serial() for _ in range(ENOUGH)} == {issued.certificate.serial_number}

    await eventually(is_shown_everywhere)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_session_of_one_process_falls_back_to_a_full_handshake_at_another(
    node: Node, version: ssl.TLSVersion
) -> None:
    """Each process has its own ticket keys."""
    context = unverified()
    context.maximum_version = version

    def reconnect() -> set[bool]:
        session, reused = None, set()
        for _ in range(ENOUGH):
            with (
                socket.create_connection(("127.0.0.1", node.tls_port), HANG_SECONDS) as plain,
                context.wrap_socket(plain, server_hostname=HOST, session=session) as tls,
            ):
                tls.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
                assert tls.recv(100).startswith(b"HTTP/1.1 200")
                reused.add(bool(tls.session_reused))
                session = session or tls.session
        return reused

    assert await asyncio.to_thread(reconnect) == {True, False}


@pytest.mark.usefixtures("shop")
async def test_requests_of_all_processes_are_counted_together(node: Node) -> None:
    """The page does not exist and is requested by no other test here."""

    def counted() -> float | None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(node.data_dir / "metrics"))  # type: ignore[no-untyped-call]
        return registry.get_sample_value("sitewright_visits_total", {"route": "not-found", "status": "404"})

    assert processes_behind(await visits(node, "/no-such-page")) == PROCESSES
    await eventually(lambda: counted() == ENOUGH)


@pytest.mark.usefixtures("shop")
async def test_connections_of_a_crashed_process_are_served_by_its_successor(node: Node) -> None:
    """The supervisor keeps the listening sockets open, so queued connections wait."""
    for _ in range(2):
        victim = node.children()[0]
        os.kill(victim, signal.SIGKILL)
        responses = await visits(node)
        assert {response.status_code for response in responses} == {200}
        await eventually(lambda: len(node.children()) == PROCESSES)
        assert processes_behind(await visits(node)) == PROCESSES


def test_a_new_node_creates_its_default_certificate_once(node: Node) -> None:
    kept = [file.name for file in Path(node.data_dir).glob("default-certificate.pem*")]
    assert kept == ["default-certificate.pem"]
