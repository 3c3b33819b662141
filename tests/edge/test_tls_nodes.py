"""TLS of separate edge nodes, and with OpenSSL's own client."""

import asyncio
import contextlib
import shutil
import ssl
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from sitewright.edge.contact_form import PATH as CONTACT
from sitewright.edge.default_certificate import default_certificate
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, open_shop
from tests.edge.test_nodes import Node, both_listen
from tests.edge.tls_client import SecureVisitor
from tests.http.test_client_hello import HELLO
from tests.support.cast import OWN_BRAND
from tests.support.certificates import Issued, certificate_for, make_certificate
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection


async def shows(node: Node, issued: Issued | None = None, name: str = HOST) -> bool:
    """Whether the node serves that certificate; None: any certificate."""
    try:
        shown = await SecureVisitor(node.tls_port).certificate(name)
    except OSError:
        return False
    return issued is None or shown == issued.certificate


@pytest.fixture(scope="module")
def folders(resources: Resources, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Data folders of nodes that share the master key, as nodes on one database do."""
    made = [tmp_path_factory.mktemp("node") for _ in range(3)]
    for folder in made:
        shutil.copy(resources.settings.data_path / "master.key", folder / "master.key")
    return made


@pytest.fixture(scope="module")
async def nodes(folders: list[Path], database_url: str) -> AsyncIterator[list[Node]]:
    async with Node(folders[0], database_url).running() as one, Node(folders[1], database_url).running() as other:
        yield [one, other]


@pytest.fixture
async def shop(nodes: list[Node], resources: Resources, owner_connection: OwnerConnection, clean: None) -> Shop:
    shop = await open_shop(owner_connection, resources)
    for node in nodes:
        await eventually(partial(node.shows, 200, FILES[""]))
    await both_listen(owner_connection, nodes)
    return shop


async def test_every_node_is_notified_of_a_certificate(
    nodes: list[Node],
    shop: Shop,
    resources: Resources,
) -> None:
    """Also if it has served another one just before. Without a notification that one would stay for a day."""
    for _ in range(3):
        issued = certificate_for(HOST)
        await make_certificate(shop.owner, resources, OWN_BRAND, issued, HOST)
        for node in nodes:
            await eventually(partial(shows, node, issued))


async def test_each_node_has_its_own_persistent_default_certificate(
    nodes: list[Node],
    shop: Shop,
    folders: list[Path],
) -> None:
    shown = [await SecureVisitor(node.tls_port).serial("nobody.example") for node in nodes]
    kept = [default_certificate(folder)[0].decode() for folder in folders[:2]]
    assert len(set(shown)) == 2
    again = [ssl.PEM_cert_to_DER_cert(each) for each in kept]
    for node, each in zip(nodes, again, strict=True):
        async with SecureVisitor(node.tls_port).connected("nobody.example") as connection:
            assert connection.tls.getpeercert(binary_form=True) == each


async def test_a_node_drains_its_connections_on_sigterm(
    folders: list[Path], database_url: str, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    """Keep-alive connections and requests in progress get their responses, which say that the connection closes, also
    while handshakes are pending; idle connections are closed."""
    await open_shop(owner_connection, resources)
    async with Node(folders[2], database_url, edge_processes=1).running() as node, contextlib.AsyncExitStack() as stack:
        await eventually(partial(shows, node))
        secure = SecureVisitor(node.tls_port)
        kept = await stack.enter_async_context(secure.connected())
        await kept.get()
        begun = await stack.enter_async_context(secure.connected())
        await begun.send(f"POST /{CONTACT} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 5\r\n\r\n".encode())
        for part in (b"", HELLO[:60]):
            _, writer = await asyncio.open_connection("127.0.0.1", node.tls_port)
            writer.write(part)
            stack.callback(writer.close)
        node.process.terminate()
        await eventually(partial(_is_closed, node))
        await begun.send(b"a=b&c")
        head, _ = await begun.receive()
        assert (head.split()[1], b"connection: close" in head.lower()) == (b"400", True)
        assert await kept.rest() == b""


async def _is_closed(node: Node) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", node.tls_port)
    except OSError:
        return True
    writer.close()
    return False


# --- openssl's own client -----------------------------------------------------------------------------------------


async def s_client(node: Node, *options: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "openssl", "s_client", "-connect", f"127.0.0.1:{node.tls_port}", *options,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    received, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    return received.decode()


@pytest.mark.system
async def test_openssl_sees_the_chain_and_modern_protocols(
    nodes: list[Node],
    shop: Shop,
    resources: Resources,
) -> None:
    issued = certificate_for(HOST)
    await make_certificate(shop.owner, resources, OWN_BRAND, issued, HOST)
    await eventually(partial(shows, nodes[0], issued))
    received = await s_client(nodes[0], "-servername", HOST, "-showcerts", "-status", "-alpn", "h2,http/1.1")
    assert (received.count("BEGIN CERTIFICATE"), "ALPN protocol: http/1.1" in received) == (2, True)
    assert "TLSv1.3" in received and "Compression: NONE" in received
    assert "TLSv1.2" in await s_client(nodes[0], "-servername", HOST, "-tls1_2")
    for old in (["-tls1"], ["-tls1_1"], ["-tls1_2", "-cipher", "AES128-SHA"], ["-tls1_2", "-cipher", "ECDHE+AES+SHA1"]):
        assert "BEGIN CERTIFICATE" not in await s_client(nodes[0], "-servername", HOST, *old)
    assert "CN = default.invalid" in await s_client(nodes[0], "-noservername")
