"""A real server whose listener is new for every test, so that nothing is remembered from the one before."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import msgspec
import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.http.asgi import HTTPScope, Ready, Receive, Send
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.resources import Resources
from tests.edge.stage import Shop, Visitor, open_shop
from tests.edge.tls_stage import SecureVisitor
from tests.support.trust import TRUST
from tests.support.users import OwnerConnection


class Door:
    listener: SiteListener
    tls_port: int

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        await self.listener(scope, receive, send)

    def at_hand(self, scope: HTTPScope, headers: dict[bytes, bytes]) -> Ready | None:
        return self.listener.at_hand(scope, headers)


class DoorCertificates:
    def __init__(self, door: Door) -> None:
        self._door = door

    def at_hand(self, name: str | None) -> ssl.SSLContext | None:
        return self._door.listener.certificates.at_hand(name)

    async def find(self, name: str | None) -> ssl.SSLContext:
        return await self._door.listener.certificates.find(name)


@pytest.fixture(scope="session")
async def door() -> AsyncIterator[tuple[Door, str]]:
    door, socket, tls_socket = Door(), listen("127.0.0.1", 0), listen("127.0.0.1", 0)
    door.tls_port = tls_socket.getsockname()[1]
    server = server_for(door, tls=Tls(tls_socket, DoorCertificates(door)))
    serving = asyncio.create_task(server._serve([socket]))
    yield door, f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = True
    await serving


@pytest.fixture
async def listener(door: tuple[Door, str], resources: Resources, clean: None) -> SiteListener:
    """Not told of anything; `told` is."""
    settings = msgspec.structs.replace(resources.settings, public_url="https://service.example")
    door[0].listener = SiteListener(msgspec.structs.replace(resources, settings=settings))
    return door[0].listener


@pytest.fixture
async def notified(listener: SiteListener) -> AsyncIterator[SiteListener]:
    """A listener whose database tells it of changes, and which knows that it does."""
    listening = asyncio.Event()
    doubt_all = listener.sites.doubt_all

    def doubt() -> None:
        doubt_all()
        listening.set()

    listener.sites.doubt_all = doubt  # type: ignore[method-assign]
    working = asyncio.create_task(listener.work())
    await asyncio.wait_for(listening.wait(), 10)
    yield listener
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


@pytest.fixture
async def visitor(door: tuple[Door, str], listener: SiteListener) -> AsyncIterator[Visitor]:
    async with httpx.AsyncClient(base_url=door[1], trust_env=False, verify=TRUST) as client:
        yield Visitor(client)


@pytest.fixture
async def secure(door: tuple[Door, str], listener: SiteListener) -> SecureVisitor:
    return SecureVisitor(door[0].tls_port)


@pytest.fixture
async def shop(listener: SiteListener, resources: Resources, owner_connection: OwnerConnection) -> Shop:
    return await open_shop(owner_connection, resources)
