"""An https client that inspects the served certificate."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

import httpx
from cryptography import x509

from sitewright.edge.default_certificate import NAME
from tests.edge.shops import HOST
from tests.support.certificates import authority, pem
from tests.support.http_clients import http_client
from tests.support.timeouts import HANG_SECONDS

DEFAULT = f"CN={NAME}"


@cache
def verified() -> ssl.SSLContext:
    """A context that verifies names and chains against the tests' certificate authority."""
    return ssl.create_default_context(cadata=pem(authority().certificate))


def unverified() -> ssl.SSLContext:
    """A context that accepts any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class SecureVisitor:
    def __init__(self, port: int) -> None:
        self.port = port

    @asynccontextmanager
    async def connected(
        self, name: str | None = HOST, context: ssl.SSLContext | None = None
    ) -> AsyncIterator["SecureConnection"]:
        context = context or unverified()
        reader, writer = await asyncio.wait_for(
            asyncio.open_connection("127.0.0.1", self.port, ssl=context, server_hostname=name or ""), HANG_SECONDS
        )
        try:
            yield SecureConnection(reader, writer)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def certificate(self, name: str | None = HOST, context: ssl.SSLContext | None = None) -> x509.Certificate:
        async with self.connected(name, context) as connection:
            return connection.certificate

    async def serial(self, name: str | None = HOST) -> int:
        return (await self.certificate(name)).serial_number

    async def is_served_default(self, name: str | None = HOST) -> bool:
        return (await self.certificate(name)).subject.rfc4514_string() == DEFAULT

    async def get(self, path: str = "/", name: str = HOST, *, trusted: bool = True, **options: Any) -> httpx.Response:
        """Send the name in SNI and Host; the certificate is verified if `trusted`."""
        verify = verified() if trusted else unverified()
        headers = {"Host": name} | options.pop("headers", {})
        url = f"https://127.0.0.1:{self.port}{path}"
        async with http_client(verify=verify) as client:
            return await client.get(url, headers=headers, extensions={"sni_hostname": name}, **options)


class SecureConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.tls: ssl.SSLObject = writer.get_extra_info("ssl_object")

    @property
    def certificate(self) -> x509.Certificate:
        shown = self.tls.getpeercert(binary_form=True)
        assert shown is not None
        return x509.load_der_x509_certificate(shown)

    async def send(self, request: bytes) -> None:
        self._writer.write(request)
        await self._writer.drain()

    async def receive(self) -> tuple[bytes, bytes]:
        """Head and body of a response."""
        head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), HANG_SECONDS)
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        return head, await asyncio.wait_for(self._reader.readexactly(length), HANG_SECONDS)

    async def get(self, path: str = "/", host: str = HOST) -> tuple[bytes, bytes]:
        await self.send(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return await self.receive()

    async def rest(self) -> bytes:
        return await asyncio.wait_for(self._reader.read(), HANG_SECONDS)
