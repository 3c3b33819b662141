"""The fast path: an LRU cache of complete responses, keyed by the raw bytes of the request that decide the response.

A response is valid as long as the cache entry of its host, so invalidating or evicting that entry invalidates it too.
"""

from typing import Any

import msgspec

from sitewright.edge.access_log import LogFields, log_fields
from sitewright.edge.file_cache import RESPONSE_OVERHEAD
from sitewright.edge.lru import Lru
from sitewright.edge.request import MAX_CACHED_BYTES, SiteRequest
from sitewright.edge.response import Response
from sitewright.edge.site_cache import SiteCache, SiteEntry
from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.http.responses import CHUNK_BYTES
from sitewright.kit.origin import Proxies

Headers = dict[bytes, bytes]
VARYING_HEADERS = frozenset({b"if-none-match", b"range", b"transfer-encoding"})
CACHED_ROUTES = ("page", "media")
"""Requests with these headers, or with a body, can have another response than the page."""


class CachedResponse(msgspec.Struct, frozen=True):
    site_entry: SiteEntry
    """The host's cache entry; the response is fresh as long as this entry is."""
    response: Response
    log_fields: LogFields
    page: str | None
    """The page whose view is counted."""


class ResponseCache:
    def __init__(self, sites: SiteCache, proxies: Proxies, *, has_proxies: bool, max_bytes: int) -> None:
        self._sites = sites
        self._proxies = proxies
        self._has_proxies = has_proxies
        self._entries: Lru[tuple[Any, ...], CachedResponse] = Lru(max_bytes)

    def find(self, scope: HTTPScope, headers: Headers) -> CachedResponse | None:
        """Return the cached response to a GET request."""
        cached = self._entries.get(self._key(scope, headers))
        is_fresh = (
            cached is not None
            and self._sites.is_fresh(cached.site_entry)
            and not scope["query_string"]
            and len(headers) == len(scope["headers"])
            and _is_plain(headers)
        )
        return cached if is_fresh else None

    def put(self, request: SiteRequest, response: Response, page: str | None = None) -> None:
        """Cache the response, if equal requests always get the same one. `page` is what to count as seen."""
        is_file = request.method == "GET" and request.route in CACHED_ROUTES and response.status == 200
        if not is_file or response.decompress or request.stream is not None or request.host is None:
            return
        entry = self._sites.known(request.host.name)
        if entry is None or entry.value is not request.site or request.query or not _is_plain(request.headers):
            return
        key = self._key(request.scope, request.headers)
        length = sum(len(part) for part in key if isinstance(part, bytes))
        if length <= MAX_CACHED_BYTES and len(response.body) <= CHUNK_BYTES:  # larger ones are sent in pieces
            weight = len(response.body) + length + RESPONSE_OVERHEAD
            self._entries.put(key, CachedResponse(entry, response, log_fields(request, 200), page), weight)

    def _key(self, scope: HTTPScope, headers: Headers) -> tuple[Any, ...]:
        """Everything in the request that decides which page it is."""
        key = (headers.get(b"host"), scope["raw_path"], headers.get(b"accept-encoding"), scope["scheme"])
        if not self._has_proxies:
            return key
        is_trusted = bool(scope["client"]) and self._proxies.trusts(scope["client"][0])
        return (*key, is_trusted, headers.get(b"x-forwarded-host"), headers.get(b"x-forwarded-proto"))


def _is_plain(headers: Headers) -> bool:
    return VARYING_HEADERS.isdisjoint(headers) and headers.get(b"content-length", b"0") == b"0"
