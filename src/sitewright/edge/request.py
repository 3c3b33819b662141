"""A request to a site: host, path and accepted encodings, parsed from untrusted headers.

Browsers repeat the same headers, so parsed values are cached by text; long texts, which only attackers send, are not.
"""

import itertools
import re
import secrets
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from typing import TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec

from sitewright.edge.store import Site
from sitewright.kit import hosts
from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.http.request_context import REQUEST_ID
from sitewright.kit.origin import NO_ADDRESS, Proxies

MAX_CACHED_BYTES = 300
READS = ("GET", "HEAD")
_PORT = re.compile(r":([0-9]{0,5})\Z")
_NOT_QUOTED = "%:/?#[]@!$&'()*+,;=~"
T = TypeVar("T")


class Host(msgspec.Struct, frozen=True):
    name: str
    port: str
    """With its colon; empty where the Host header had none."""


class SiteRequest(msgspec.Struct):
    scope: HTTPScope
    method: str
    headers: dict[bytes, bytes]
    host: Host | None
    is_https: bool
    request_id: bytes
    route: str = "page"
    site: Site | None = None
    stream: AsyncIterator[bytes] | None = None
    """The body of the response, where it is not held in memory."""

    @property
    def raw_path(self) -> bytes:
        raw_path: bytes = self.scope["raw_path"]
        return raw_path

    @property
    def query(self) -> bytes:
        query: bytes = self.scope["query_string"]
        return query

    @property
    def is_read(self) -> bool:
        return self.method in READS

    @property
    def accepts_gzip(self) -> bool:
        return accepts_gzip(self.headers.get(b"accept-encoding", b""))

    @property
    def target(self) -> str:
        """Path and query, quoted for use in a header."""
        query = b"?" + self.query if self.query else b""
        return quoted(self.raw_path + query)


class RequestReader:
    """Builds requests from ASGI scopes; forwarded headers count only when they come from a trusted proxy."""

    def __init__(self, proxies: Proxies, *, has_proxies: bool) -> None:
        self._proxies = proxies
        self._has_proxies = has_proxies
        self._prefix = secrets.token_hex(8).encode()
        self._numbers = itertools.count(1)

    def read(self, scope: HTTPScope) -> SiteRequest:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request = SiteRequest(
            scope=scope,
            method=scope["method"],
            headers=headers,
            host=host_of(headers.get(b"host", b"")),
            is_https=scope["scheme"] == "https",
            request_id=self.request_id(headers),
        )
        if self._has_proxies and scope["client"] and self._proxies.trusts(scope["client"][0]):
            self._apply_forwarded_headers(request)
        return request

    def address_of(self, request: SiteRequest) -> str:
        """Return the visitor's IP address, for rate limits."""
        client = request.scope["client"]
        address = client[0] if client else NO_ADDRESS
        return self._proxies.origin(address, "http", _joined_headers(request.scope)).address

    def _apply_forwarded_headers(self, request: SiteRequest) -> None:
        scope = request.scope
        origin = self._proxies.origin(scope["client"][0], scope["scheme"], _joined_headers(scope))
        request.host = host_of(origin.host.encode("latin-1"))
        request.is_https = origin.scheme == "https"

    def request_id(self, headers: dict[bytes, bytes]) -> bytes:
        """Return the client's request id, or a new one that is unique across processes."""
        sent = headers.get(b"x-request-id")
        if sent is not None and REQUEST_ID.fullmatch(sent):
            return sent
        return b"%s%08x" % (self._prefix, next(self._numbers))


def quoted(text: bytes) -> str:
    """Part of a URL for use in a header; what is percent-encoded stays as it is."""
    return quote(text, safe=_NOT_QUOTED)


def _joined_headers(scope: HTTPScope) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _cached(function: Callable[[bytes], T]) -> Callable[[bytes], T]:
    cached = lru_cache(maxsize=4096)(function)
    return lambda text: cached(text) if len(text) <= MAX_CACHED_BYTES else function(text)


@_cached
def host_of(header: bytes) -> Host | None:
    """Parse a Host header; None when it cannot be the host of a site."""
    try:
        text = header.decode("utf-8")
        port = _PORT.search(text)
        name = hosts.normalize(text[: port.start()] if port else text)
    except ValueError:
        return None
    return Host(name, f":{port[1]}" if port and port[1] else "")


@_cached
def path_of(raw_path: bytes) -> str | None:
    """Return the snapshot path of a page; None when there can be no such page.

    Decoded once. An encoded slash is not a separator, and paths that begin with a colon are internal to the snapshot.
    """
    if b"%" in raw_path and b"%2f" in raw_path.lower():
        return None
    try:
        path = unquote_to_bytes(raw_path).decode("utf-8").removeprefix("/").lower()
    except UnicodeDecodeError:
        return None
    return None if path.startswith(":") or "\0" in path else path


@_cached
def accepts_gzip(accept_encoding: bytes) -> bool:
    """Whether the client accepts gzip; an explicit weight of gzip takes precedence over that of `*`."""
    weights = {}
    for part in accept_encoding.lower().split(b","):
        coding, _, parameter = part.partition(b";")
        weights[coding.strip()] = _weight(parameter.strip())
    return weights.get(b"gzip", weights.get(b"x-gzip", weights.get(b"*", 0.0))) > 0


def _weight(parameter: bytes) -> float:
    try:
        return float(parameter.removeprefix(b"q=")) if parameter else 1.0
    except ValueError:
        return 0.0
