"""Requests as bytes, as the recorded clients write them, and the responses to them."""

import asyncio
import json
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

from tests.support.timeouts import HANG_SECONDS

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


class Response(msgspec.Struct, frozen=True):
    status: int
    version: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def expect(self, status: int) -> Any:
        """The parsed body (None if empty) of a response that must have this status."""
        assert self.status == status, (self.status, self.body.decode(errors="replace"))
        return self.json() if self.body else None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request whose headers are sent exactly as listed: only Host and Content-Length are added."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    version: str = "1.1"

    def head(self, host: str) -> bytes:
        lines = [f"{self.method} {self.target} HTTP/{self.version}", f"Host: {host}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.body is not None:
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Connection:
    """One TCP connection to the service."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.host = host
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, base_url: str) -> Self:
        address = urlsplit(base_url)
        return cls(address.netloc, *await asyncio.open_connection(address.hostname, address.port))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def send_request(self, request: Request) -> Response:
        """Send the request and return the response."""
        await self.send(request.head(self.host) + (request.body or b""))
        return await self.response()

    async def head(self) -> list[str]:
        """The lines of one response head, final or interim."""
        async with asyncio.timeout(HANG_SECONDS):
            return (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")

    async def response(self) -> Response:
        first, *lines = await self.head()
        version, status, *_ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        async with asyncio.timeout(HANG_SECONDS):
            body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        return Response(int(status), version, headers, body)

    async def ends(self) -> bool:
        """Whether the server closes the connection without sending anything else."""
        async with asyncio.timeout(HANG_SECONDS):
            return await self._reader.read() == b""


async def send_request(base_url: str, request: Request) -> Response:
    """Send the request on a new connection and return the response."""
    async with await Connection.open(base_url) as connection:
        return await connection.send_request(request)
