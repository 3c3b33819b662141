"""Pages that are asked for again and again, found by the very bytes of a request: what they mean is known already."""

from typing import Any

import msgspec

from sitewright.edge.answer import Answer
from sitewright.edge.files import OVERHEAD
from sitewright.edge.journal import About, about
from sitewright.edge.lru import Lru
from sitewright.edge.sites import Known, Sites
from sitewright.edge.visit import LONGEST_REMEMBERED, Visit
from sitewright.kit.http.answers import CHUNK_BYTES
from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.origin import Proxies

Headers = dict[bytes, bytes]
DECIDING = frozenset({b"if-none-match", b"transfer-encoding"})
"""Who sends these, or a body, may get something else than the page."""


class Shortcut(msgspec.Struct, frozen=True):
    known: Known
    """What was known of the host; the shortcut is good as long as this is."""
    answer: Answer
    about: About


class Shortcuts:
    def __init__(self, sites: Sites, proxies: Proxies, *, has_proxies: bool, room: int) -> None:
        self._sites = sites
        self._proxies = proxies
        self._has_proxies = has_proxies
        self._kept: Lru[tuple[Any, ...], Shortcut] = Lru(room)

    def find(self, scope: HTTPScope, headers: Headers) -> Shortcut | None:
        """For a GET."""
        shortcut = self._kept.get(self._key(scope, headers))
        is_good = (
            shortcut is not None
            and self._sites.is_good(shortcut.known)
            and not scope["query_string"]
            and len(headers) == len(scope["headers"])
            and _is_plain(headers)
        )
        return shortcut if is_good else None

    def keep(self, visit: Visit, answer: Answer) -> None:
        """After a visit that went the long way: the next one like it need not."""
        is_page = visit.method == "GET" and visit.route == "page" and answer.status == 200 and not answer.inflates
        if not is_page or visit.host is None:
            return
        known = self._sites.known(visit.host.name)
        if known is None or known.value is not visit.site or visit.query or not _is_plain(visit.headers):
            return
        key = self._key(visit.scope, visit.headers)
        length = sum(len(part) for part in key if isinstance(part, bytes))
        if length <= LONGEST_REMEMBERED and len(answer.body) <= CHUNK_BYTES:  # larger ones are sent in pieces
            self._kept.put(key, Shortcut(known, answer, about(visit, 200)), len(answer.body) + length + OVERHEAD)

    def _key(self, scope: HTTPScope, headers: Headers) -> tuple[Any, ...]:
        """All that decides which page it is."""
        key = (headers.get(b"host"), scope["raw_path"], headers.get(b"accept-encoding"), scope["scheme"])
        if not self._has_proxies:
            return key
        is_trusted = bool(scope["client"]) and self._proxies.trusts(scope["client"][0])
        return (*key, is_trusted, headers.get(b"x-forwarded-host"), headers.get(b"x-forwarded-proto"))


def _is_plain(headers: Headers) -> bool:
    return DECIDING.isdisjoint(headers) and headers.get(b"content-length", b"0") == b"0"
