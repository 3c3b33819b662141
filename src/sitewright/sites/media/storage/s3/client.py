"""Signed requests to one bucket, with timeouts, and retries with back-off."""

import asyncio
import hashlib
import html
import io
import logging
import random
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

import aiohttp
import msgspec
from yarl import URL

from sitewright.kit import clock
from sitewright.kit.problems import Unavailable
from sitewright.settings import Settings
from sitewright.sites.media.storage.s3.sigv4 import EMPTY_PAYLOAD, Credentials, quote_path, quote_query, sign

ATTEMPTS = 4
FIRST_BACKOFF_SECONDS = 0.2
MAX_CONNECTIONS = 32
INLINE_HASH_BYTES = 64 * 1024
"""Larger bodies are hashed in a thread: 5 MiB take some 10 ms."""
RETRIED = frozenset({429, 500, 502, 503, 504})
MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
MAX_LOGGED_CHARACTERS = 200
Query = Iterable[tuple[str, str]]
_log = logging.getLogger("sitewright.media")


class StoreUnavailable(Unavailable):
    detail = "The store of media cannot be reached just now. Repeat the request in a moment."


class S3Error(Exception):
    """The store refused a request; retrying does not help."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"the S3 store returned {status} {code}".strip())
        self.status = status
        self.code = code


class Document(msgspec.Struct, frozen=True):
    """A response with a small body."""

    headers: Mapping[str, str]
    text: str

    def values(self, element: str) -> list[str]:
        """The texts of all elements with this name; those that we read have no attributes."""
        return [html.unescape(each.partition("<")[0]) for each in self.text.split(f"<{element}>")[1:]]


class S3Client:
    """Path-style addresses (`endpoint/bucket/key`), which every S3-compatible store understands."""

    def __init__(self, settings: Settings) -> None:
        endpoint = URL(settings.s3_endpoint)
        self._origin = endpoint.origin()
        self._host = endpoint.host_port_subcomponent or ""
        self._base = f"{endpoint.path.rstrip('/')}/{settings.s3_bucket}"
        self._credentials = Credentials(settings.s3_access_key_id, settings.s3_secret_access_key, settings.s3_region)
        self._seconds = settings.s3_timeout_seconds
        trust = ssl.create_default_context()
        if settings.s3_ca_file:
            trust.load_verify_locations(settings.s3_ca_file)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS, ssl=trust),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._seconds, sock_read=self._seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        )

    async def close(self) -> None:
        await self._session.close()

    async def request(
        self,
        method: str,
        key: str = "",
        query: Query = (),
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Document:
        """Send a request until it succeeds; all that we send may be repeated.

        Raises `S3Error` where the store refused it, and `StoreUnavailable` where it did not respond.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with asyncio.timeout(self._seconds), self.open(method, key, query, body, headers) as response:
                    text = await response.content.read(MAX_DOCUMENT_BYTES)
                    return Document(response.headers, text.decode("utf-8", "replace"))
            except StoreUnavailable:
                if attempt == ATTEMPTS:
                    raise
            except TimeoutError:
                _log.warning("the S3 store did not respond to %s within %s s", method, self._seconds)
                if attempt == ATTEMPTS:
                    raise StoreUnavailable from None
            await back_off(attempt)
        raise AssertionError  # the loop returns or raises

    @asynccontextmanager
    async def open(
        self,
        method: str,
        key: str = "",
        query: Query = (),
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request once. Raises `S3Error`, or `StoreUnavailable` where a retry may help, also while reading."""
        path, quoted_query = quote_path(f"{self._base}/{key}" if key else self._base), quote_query(query)
        digest = await _digest(body)
        signed = sign(
            method, self._host, path, quoted_query, headers or {}, digest, self._credentials, clock.real_now()
        )
        url = URL(f"{self._origin}{path}{'?' if quoted_query else ''}{quoted_query}", encoded=True)
        try:
            async with self._session.request(
                method, url, data=io.BytesIO(body) if body else None, headers=signed, allow_redirects=False
            ) as response:
                if response.status >= 300:
                    await _raise_for(method, response)
                yield response
        except (aiohttp.ClientError, OSError) as error:
            _log.warning("the S3 store cannot be reached: %s", type(error).__name__)
            raise StoreUnavailable from None


async def back_off(attempt: int) -> None:
    """Wait before the next attempt: exponentially, with jitter."""
    await asyncio.sleep(FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


async def _raise_for(method: str, response: aiohttp.ClientResponse) -> None:
    document = Document(response.headers, (await response.content.read(MAX_DOCUMENT_BYTES)).decode("utf-8", "replace"))
    code = next(iter(document.values("Code")), "")[:MAX_LOGGED_CHARACTERS]
    if response.status in RETRIED:
        _log.warning("the S3 store responded to %s with %s %s", method, response.status, code)
        raise StoreUnavailable
    raise S3Error(response.status, code)


async def _digest(body: bytes) -> str:
    if not body:
        return EMPTY_PAYLOAD
    if len(body) <= INLINE_HASH_BYTES:
        return hashlib.sha256(body).hexdigest()
    return await asyncio.to_thread(lambda: hashlib.sha256(body).hexdigest())
