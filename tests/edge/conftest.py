"""A real server whose listener is replaced for every test, so that its caches are empty."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec
import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.http.asgi import HTTPScope, Ready, Receive, Send
from sitewright.kit.http.server import listen
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.resources import Resources
from tests.edge.shops import Shop, Visitor, open_shop
from tests.edge.tls_client import SecureVisitor
from tests.support.http_clients import http_client
from tests.support.patient_edge import only_notifications_invalidate, wait_for_look_ups
from tests.support.serving import serve
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection


class SwappableListener:
    listener: SiteListener
    tls_port: int

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        await self.listener(scope, receive, send)

    def cached_response(self, scope: HTTPScope, headers: dict[bytes, bytes]) -> Ready | None:
        return self.listener.cached_response(scope, headers)


class SwappableCertificates:
    def __init__(self, swappable: SwappableListener) -> None:
        self._swappable = swappable

    def cached_context(self, name: str | None) -> ssl.SSLContext | None:
        return self._swappable.listener.certificates.cached_context(name)

    async def find(self, name: str | None) -> ssl.SSLContext:
        return await self._swappable.listener.certificates.find(name)


@pytest.fixture(scope="session")
async def edge_server() -> AsyncIterator[tuple[SwappableListener, str]]:
    swappable, tls_socket = SwappableListener(), listen("127.0.0.1", 0)
    swappable.tls_port = tls_socket.getsockname()[1]
    async with serve(swappable, tls=Tls(tls_socket, SwappableCertificates(swappable))) as url:
        yield swappable, url


@pytest.fixture
async def listener(edge_server: tuple[SwappableListener, str], resources: Resources, clean: None) -> SiteListener:
    """A listener that receives no notifications; `notified` does."""
    settings = msgspec.structs.replace(resources.settings, public_url="https://service.example")
    edge_server[0].listener = SiteListener(msgspec.structs.replace(resources, settings=settings))
    return edge_server[0].listener


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for_look_ups(monkeypatch)


@pytest.fixture
async def notified(listener: SiteListener, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SiteListener]:
    """A listener that has subscribed to database notifications, and without them would serve stale pages for a day."""
    only_notifications_invalidate(monkeypatch)
    listening = asyncio.Event()
    expire_all = listener.sites.expire_all

    def on_connect() -> None:
        expire_all()
        listening.set()

    listener.sites.expire_all = on_connect  # type: ignore[method-assign]
    working = asyncio.create_task(listener.work())
    await asyncio.wait_for(listening.wait(), HANG_SECONDS)
    yield listener
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


@pytest.fixture
async def visitor(edge_server: tuple[SwappableListener, str], listener: SiteListener) -> AsyncIterator[Visitor]:
    async with http_client(edge_server[1]) as client:
        yield Visitor(client)


@pytest.fixture
async def secure(edge_server: tuple[SwappableListener, str], listener: SiteListener) -> SecureVisitor:
    return SecureVisitor(edge_server[0].tls_port)


@pytest.fixture
async def shop(listener: SiteListener, resources: Resources, owner_connection: OwnerConnection) -> Shop:
    return await open_shop(owner_connection, resources)
