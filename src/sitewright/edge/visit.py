"""A visitor's request: which host, path and representation is asked for, read off the wire without trust.

Browsers repeat themselves, so what a header means is worked out once for each text of it; long ones, which only
somebody with bad intentions sends, are not remembered.
"""

import itertools
import re
import secrets
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec

from sitewright.edge.store import Site
from sitewright.kit import hosts
from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.http.trace import REQUEST_ID
from sitewright.kit.origin import NO_ADDRESS, Proxies

LONGEST_REMEMBERED = 300
READS = ("GET", "HEAD")
_PORT = re.compile(r":([0-9]{0,5})\Z")
_UNRESERVED = "%:/?#[]@!$&'()*+,;=~"
T = TypeVar("T")


class Host(msgspec.Struct, frozen=True):
    name: str
    port: str
    """With its colon; empty where the address named none."""


class Visit(msgspec.Struct):
    scope: HTTPScope
    method: str
    headers: dict[bytes, bytes]
    host: Host | None
    is_https: bool
    request_id: bytes
    route: str = "page"
    site: Site | None = None

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
    def takes_gzip(self) -> bool:
        return takes_gzip(self.headers.get(b"accept-encoding", b""))

    @property
    def rest(self) -> str:
        """Path and query, fit to stand in a header."""
        query = b"?" + self.query if self.query else b""
        return quote(self.raw_path + query, safe=_UNRESERVED)


class Reception:
    """Takes visits in. Proxies that are trusted say which host and scheme the visitor used."""

    def __init__(self, proxies: Proxies, *, has_proxies: bool) -> None:
        self._proxies = proxies
        self._has_proxies = has_proxies
        self._prefix = secrets.token_hex(8).encode()
        self._numbers = itertools.count(1)

    def welcome(self, scope: HTTPScope) -> Visit:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        visit = Visit(
            scope=scope,
            method=scope["method"],
            headers=headers,
            host=host_of(headers.get(b"host", b"")),
            is_https=scope["scheme"] == "https",
            request_id=self.request_id(headers),
        )
        if self._has_proxies and scope["client"] and self._proxies.trusts(scope["client"][0]):
            self._believe(visit)
        return visit

    def address_of(self, visit: Visit) -> str:
        """Who the visitor is to us."""
        client = visit.scope["client"]
        return self._proxies.origin(client[0] if client else NO_ADDRESS, "http", _joined(visit.scope)).address

    def _believe(self, visit: Visit) -> None:
        origin = self._proxies.origin(visit.scope["client"][0], visit.scope["scheme"], _joined(visit.scope))
        visit.host = host_of(origin.host.encode("latin-1"))
        visit.is_https = origin.scheme == "https"

    def request_id(self, headers: dict[bytes, bytes]) -> bytes:
        """The visitor's own, else one that no other process gives out."""
        sent = headers.get(b"x-request-id")
        if sent is not None and REQUEST_ID.fullmatch(sent):
            return sent
        return b"%s%08x" % (self._prefix, next(self._numbers))


def _joined(scope: HTTPScope) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _remembered(function: Callable[[bytes], T]) -> Callable[[bytes], T]:
    remembering = lru_cache(maxsize=4096)(function)
    return lambda text: remembering(text) if len(text) <= LONGEST_REMEMBERED else function(text)


@_remembered
def host_of(header: bytes) -> Host | None:
    """None: nothing that could be the host of a site."""
    try:
        text = header.decode("utf-8")
        port = _PORT.search(text)
        name = hosts.normalise(text[: port.start()] if port else text)
    except ValueError:
        return None
    return Host(name, f":{port[1]}" if port and port[1] else "")


@_remembered
def path_of(raw_path: bytes) -> str | None:
    """The path of a page as snapshots name it; None: there can be no such page.

    Decoded once. A slash that was encoded is no slash, and names that begin with a colon are the snapshot's own.
    """
    if b"%" in raw_path and b"%2f" in raw_path.lower():
        return None
    try:
        path = unquote_to_bytes(raw_path).decode("utf-8").removeprefix("/").lower()
    except UnicodeDecodeError:
        return None
    return None if path.startswith(":") or "\0" in path else path


@_remembered
def takes_gzip(accept_encoding: bytes) -> bool:
    """What is said of gzip counts more than what is said of everything (`*`)."""
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
