"""A server without a database, on the event loop of production, and clients that send arbitrary bytes."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import uvloop

from sitewright.edge.default_certificate import self_signed
from sitewright.kit.http.asgi import HTTPScope, Ready, Receive, Send
from sitewright.kit.http.limits import Pace, WireLimits
from sitewright.kit.http.request_reader import read_body
from sitewright.kit.http.responses import Response, problem_response, send_response
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.origin import Proxies
from sitewright.kit.problems import Problem
from sitewright.kit.tls import server_context
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS

CONTEXT = server_context(*self_signed())
LARGE = b"x" * (32 * 1024 * 1024)
MAX_BODY = 1024 * 1024
Scenario = Callable[["Stage"], Awaitable[None]]
Play = Callable[..., Awaitable[None]]


class App:
    """Echoes the request. `/held` responds once `go` is set, `/ready` is cached, `/ignores-body` reads no body."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.go = asyncio.Event()
        self.began = asyncio.Event()
        self.requested: list[str] = []
        self.headers: list[tuple[bytes, bytes]] = []

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        self.requested.append(scope["path"])
        self.headers = scope["headers"]
        self.began.set()
        try:
            body = b"" if scope["path"] == "/ignores-body" else await read_body(receive, MAX_BODY, self._pace)
        except Problem as problem:
            await send_response(problem_response(problem, "x"), [], send)
            return
        if scope["path"] == "/held":
            await self.go.wait()
        response = LARGE if scope["path"] == "/large" else f"{scope['path']} {len(body)}".encode()
        await send_response(Response(200, response, {}), [], send)

    def cached_response(self, scope: HTTPScope, _headers: dict[bytes, bytes]) -> Ready | None:
        if scope["raw_path"] != b"/ready":
            return None
        self.requested.append("/ready")
        return b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n", b"/ready"


class OneCertificate:
    def cached_context(self, _name: str | None) -> ssl.SSLContext:
        return CONTEXT

    async def find(self, _name: str | None) -> ssl.SSLContext:
        return CONTEXT


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def rest(self) -> bytes:
        """Read until the server closes, including what arrived before a reset."""
        got = b""
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(HANG_SECONDS):
                while piece := await self.reader.read(65536):
                    got += piece
        return got

    async def response(self) -> tuple[bytes, bytes]:
        async with asyncio.timeout(HANG_SECONDS):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            return head, await self.reader.readexactly(length)


class Stage:
    def __init__(self, limits: WireLimits, trusted: list[str]) -> None:
        plain, secure = listen("127.0.0.1", 0), listen("127.0.0.1", 0)
        self.app = App(limits.body)
        self.ports = {"http": plain.getsockname()[1], "https": secure.getsockname()[1]}
        self._listener = plain
        self._clients: list[Client] = []
        self._tls = Tls(secure, OneCertificate())
        self.server = server_for(self.app, tls=self._tls, limits=limits, proxies=Proxies(trusted), drain_seconds=1)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        running = asyncio.create_task(self.server._serve([self._listener]))
        try:
            await eventually(lambda: self.server.started)
            yield
        finally:
            for client in self._clients:
                client.writer.transport.abort()
            self.app.go.set()
            self.server.should_exit = True
            await running

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)

    @property
    def has_stopped_reading(self) -> bool:
        return all(each._stopped for each in self.server.server_state.connections)  # type: ignore[union-attr]

    @property
    def waiting(self) -> int:
        """Pipelined requests."""
        connections: set[Any] = self.server.server_state.connections
        return sum(len(each.pipeline) for each in connections)

    async def connect(self, scheme: str = "http", **options: Any) -> Client:
        """A reader that reads hardly more from its socket than requested."""
        secure: dict[str, Any] = {}
        if scheme == "https":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            secure = {"ssl": context, "server_hostname": "a.example"}
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self.ports[scheme]))
        client = Client(*await asyncio.open_connection(sock=raw, limit=64 * 1024, **secure, **options))
        self._clients.append(client)
        return client


async def _played(scenario: Scenario, limits: WireLimits, trusted: list[str]) -> None:
    stage = Stage(limits, trusted)
    async with asyncio.timeout(HANG_SECONDS), stage.serving():
        await scenario(stage)


@pytest.fixture
def play() -> Play:
    """Run a scenario in a thread with its own event loop."""

    def on_stage(scenario: Scenario, limits: WireLimits | None = None, trusted: list[str] | None = None) -> Any:
        return asyncio.to_thread(uvloop.run, _played(scenario, limits or WireLimits(), trusted or []))

    return on_stage
