"""One POST to a receiver, and its outcome in words that the receiver's brand may read."""

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
from sitewright.settings import Settings
from sitewright.webhooks.addresses import read_address
from sitewright.webhooks.deliveries.connector import CheckedResolver, SystemResolver, checked_sockets
from sitewright.webhooks.deliveries.responses import Response
from sitewright.webhooks.guard import DestinationRefused, Guard

MOST_READ = 64 * 1024
KEPT = 1024
LONGEST_ERROR = 300
IDLE_SECONDS = 1.5
"""For which a connection is kept: shorter than servers do, so that no delivery meets one that is just being closed."""
WORDS: dict[type[Exception], str | None] = {
    DestinationRefused: None,
    aiohttp.ClientConnectorDNSError: "the host name cannot be looked up",
    aiohttp.ClientSSLError: "there is no TLS at this address",
    aiohttp.ServerDisconnectedError: "the connection was closed before an answer",
    aiohttp.ClientOSError: "the connection was closed before an answer",
    aiohttp.InvalidURL: "the URL cannot be used",
    aiohttp.ClientError: "the answer is not HTTP",
    ValueError: "the URL cannot be used",
}
"""The first that fits; None: the failure's own."""
_OF_CONNECTIONS = (aiohttp.ClientConnectorDNSError, aiohttp.ClientSSLError)
_log = logging.getLogger("sitewright.webhooks")


class Poster:
    def __init__(self, session: aiohttp.ClientSession, seconds: float) -> None:
        self._session = session
        self._seconds = seconds

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Whatever a receiver does, there is an outcome when its time is up."""
        begun = clock.stopwatch()
        status = retry_after = text = error = None
        try:
            async with (
                asyncio.timeout(self._seconds),
                self._session.post(_connected(url), data=body, headers=headers, allow_redirects=False) as response,
            ):
                status, retry_after = response.status, response.headers.get("Retry-After")
                text = await _beginning(response)
        except Exception as failure:
            error = None if status is not None else self._words(failure)
        took = round((clock.stopwatch() - begun) * 1000)
        return Response(milliseconds=took, status=status, text=text, retry_after=retry_after, error=error)

    def _words(self, failure: Exception) -> str:
        if isinstance(failure, TimeoutError):
            return f"no answer within {self._seconds:g} s"
        if isinstance(failure, aiohttp.ClientConnectorCertificateError):
            return f"the certificate is not trusted: {failure.certificate_error}"[:LONGEST_ERROR]
        if isinstance(failure, aiohttp.ClientConnectorError) and not isinstance(failure, _OF_CONNECTIONS):
            return f"cannot connect: {os.strerror(failure.os_error.errno or errno.EIO)}"
        for kind, words in WORDS.items():
            if isinstance(failure, kind):
                return words or str(failure)
        _log.error("a delivery failed in a way of its own", exc_info=failure)
        return f"could not be sent ({type(failure).__name__})"


@asynccontextmanager
async def open_poster(settings: Settings, names: AbstractResolver | None = None) -> AsyncIterator[Poster]:
    """No cookies, no proxies, no redirects, no compression. `names` looks up host names."""
    guard = Guard(settings.webhook_allowed_networks)
    connector = aiohttp.TCPConnector(
        limit=0,  # the dispatcher limits connections
        resolver=CheckedResolver(guard, names or SystemResolver()),
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
        read_bufsize=MOST_READ // 2,
    ) as session:
        yield Poster(session, settings.webhook_timeout_seconds)


@lru_cache(maxsize=4096)
def _connected(url: str) -> URL:
    return URL(read_address(url).url, encoded=True)


async def _beginning(response: aiohttp.ClientResponse) -> str:
    """No more is read than so much; a connection with more on it is closed."""
    read = bytearray()
    while len(read) < MOST_READ and (some := await response.content.read(MOST_READ - len(read))):
        read += some
    return bytes(read[:KEPT]).decode("utf-8", "replace").replace("\0", "\ufffd")
