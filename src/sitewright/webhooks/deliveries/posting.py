"""Posts a delivery to a receiver; errors become messages that the brand may read."""

import asyncio
import errno
import logging
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from sitewright.kit import clock
from sitewright.kit.network_guard import DestinationRefused, Guard
from sitewright.settings import Settings
from sitewright.webhooks.deliveries.connector import CheckedResolver, SystemResolver, checked_sockets
from sitewright.webhooks.deliveries.responses import Response
from sitewright.webhooks.urls import parse_url

MAX_READ_BYTES = 64 * 1024
MAX_STORED_BYTES = 1024
MAX_ERROR = 300
IDLE_SECONDS = 1.5
"""Keep-alive: shorter than that of servers, so that no delivery uses a connection that is being closed."""
ERROR_MESSAGES: dict[type[Exception], str | None] = {
    DestinationRefused: None,
    aiohttp.ClientConnectorDNSError: "the host name cannot be looked up",
    aiohttp.ClientSSLError: "there is no TLS at this address",
    aiohttp.ServerDisconnectedError: "the connection was closed before a response",
    aiohttp.ClientOSError: "the connection was closed before a response",
    aiohttp.InvalidURL: "the URL cannot be used",
    aiohttp.ClientError: "the response is not HTTP",
    ValueError: "the URL cannot be used",
}
"""The first matching type counts; None: the exception's own message."""
_SPECIFIC_CONNECTION_ERRORS = (aiohttp.ClientConnectorDNSError, aiohttp.ClientSSLError)
_log = logging.getLogger("sitewright.webhooks")


class Poster:
    def __init__(self, session: aiohttp.ClientSession, seconds: float) -> None:
        self._session = session
        self._seconds = seconds

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Always returns, at the latest after the timeout."""
        started = clock.stopwatch()
        status = retry_after = text = error = None
        try:
            async with (
                asyncio.timeout(self._seconds),
                self._session.post(_parsed_url(url), data=body, headers=headers, allow_redirects=False) as response,
            ):
                status, retry_after = response.status, response.headers.get("Retry-After")
                text = await _read_beginning(response)
        except Exception as failure:
            error = None if status is not None else self._error_message(failure)
        took = round((clock.stopwatch() - started) * 1000)
        return Response(milliseconds=took, status=status, text=text, retry_after=retry_after, error=error)

    def _error_message(self, failure: Exception) -> str:
        if isinstance(failure, TimeoutError):
            return f"no response within {self._seconds:g} s"
        if isinstance(failure, aiohttp.ClientConnectorCertificateError):
            return f"the certificate is not trusted: {failure.certificate_error}"[:MAX_ERROR]
        if isinstance(failure, aiohttp.ClientConnectorError) and not isinstance(failure, _SPECIFIC_CONNECTION_ERRORS):
            return f"cannot connect: {os.strerror(failure.os_error.errno or errno.EIO)}"
        for kind, message in ERROR_MESSAGES.items():
            if isinstance(failure, kind):
                return message or str(failure)
        _log.error("a delivery failed with an unexpected error", exc_info=failure)
        return f"could not be sent ({type(failure).__name__})"


@asynccontextmanager
async def open_poster(settings: Settings, resolver: AbstractResolver | None = None) -> AsyncIterator[Poster]:
    """No cookies, no proxies, no redirects, no compression. `resolver` resolves host names."""
    guard = Guard(settings.webhook_allowed_networks)
    connector = aiohttp.TCPConnector(
        limit=0,  # the dispatcher limits connections
        resolver=CheckedResolver(guard, resolver or SystemResolver(settings.webhook_connections)),
        use_dns_cache=False,
        socket_factory=checked_sockets(guard),
        ssl=ssl.create_default_context(cafile=settings.webhook_ca_file or None),
        keepalive_timeout=IDLE_SECONDS,
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept": "*/*", "Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None),
        trust_env=False,
        auto_decompress=False,
        read_bufsize=MAX_READ_BYTES // 2,
    ) as session:
        yield Poster(session, settings.webhook_timeout_seconds)


@lru_cache(maxsize=4096)
def _parsed_url(url: str) -> URL:
    return URL(parse_url(url).url, encoded=True)


async def _read_beginning(response: aiohttp.ClientResponse) -> str:
    """Reads at most MAX_READ_BYTES; a connection with more data is closed."""
    read = bytearray()
    while len(read) < MAX_READ_BYTES and (some := await response.content.read(MAX_READ_BYTES - len(read))):
        read += some
    return bytes(read[:MAX_STORED_BYTES]).decode("utf-8", "replace").replace("\0", "\ufffd")
