"""A real receiver of webhooks on a free loopback port, which responds, stalls and disconnects as configured."""

import asyncio
import inspect
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from standardwebhooks import Webhook

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Reply = bytes | None
"""The bytes to send; None disconnects."""


class Arrived(msgspec.Struct, frozen=True):
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    at: float

    @property
    def webhook_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> Any:
        return msgspec.json.decode(self.body)

    def verified(self, secret: str) -> Any:
        """Verify as an integrator in Python would."""
        return Webhook(secret).verify(self.body, self.headers)


def reply(status: int, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join([f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *lines])
    return head.encode() + b"\r\n\r\n" + body


async def never() -> Reply:
    await asyncio.Event().wait()
    return None


class HeldResponses:
    """Responses that come only once they are released, as those of a receiver that hangs."""

    def __init__(self) -> None:
        self._released = asyncio.Event()

    async def respond(self, _arrived: Arrived) -> Reply:
        await self._released.wait()
        return OK

    def release(self) -> None:
        """Call it before the worker stops, which waits for the deliveries in flight."""
        self._released.set()


class Receiver:
    def __init__(self) -> None:
        self.arrived: list[Arrived] = []
        self.respond: Callable[[Arrived], Reply | Awaitable[Reply]] = lambda _arrived: OK
        self.connections = 0
        self.at_once = self.most_at_once = 0
        self.host, self.port = "127.0.0.1", 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [each.webhook_id for each in self.arrived]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        arrived = Arrived(first.split()[1], headers, body, time.time())
        self.arrived.append(arrived)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            response = self.respond(arrived)
            written = await response if inspect.isawaitable(response) else response
        finally:
            self.at_once -= 1
        if written is None:
            return False
        writer.write(written)
        await writer.drain()
        return True


@asynccontextmanager
async def open_receiver(
    host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, host, port, ssl=tls)
    receiver.host, receiver.port = server.sockets[0].getsockname()[:2]
    receiver.scheme = "http" if tls is None else "https"
    try:
        yield receiver
    finally:
        server.close()
