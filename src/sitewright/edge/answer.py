"""Answers to visitors, as they go out: made once where they can be, and sent many times."""

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Literal

import msgspec

Header = tuple[bytes, bytes]
Page = Literal["page", "not-found", "offline", "holding"]

NO_CACHE = (b"cache-control", b"no-cache")
"""May be kept, and is asked for again every time: a publish shows at once."""
NO_STORE = (b"cache-control", b"no-store")
FOR_EVER = (b"cache-control", b"public, max-age=31536000, immutable")
VARY = (b"vary", b"Accept-Encoding")
GZIP = (b"content-encoding", b"gzip")
HSTS = (b"strict-transport-security", b"max-age=31536000")
NO_REFERRER = (b"referrer-policy", b"no-referrer")
NOT_SNIFFED, NOT_FRAMED = (b"x-content-type-options", b"nosniff"), (b"x-frame-options", b"SAMEORIGIN")
SECURITY: tuple[Header, ...] = (
    NOT_SNIFFED,
    NOT_FRAMED,
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
)
"""A site's own scripts are its owner's business, and so are their rules: no Content-Security-Policy."""
KINDS: dict[Page, Header] = {
    "page": (b"x-sitewright-page", b"page"),
    "not-found": (b"x-sitewright-page", b"not-found"),
    "offline": (b"x-sitewright-page", b"offline"),
    "holding": (b"x-sitewright-page", b"holding"),
}
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Made by `make`, which sees to it that `head` says what `headers` do."""

    status: int
    headers: tuple[Header, ...]
    head: bytes
    body: bytes | memoryview
    """A view where all who read a large body share it (`edge/bodies.py`)."""
    etag: bytes
    """Without the quotes; the same for every encoding, though each has an ETag of its own."""
    inflates: bool = False
    """The body is gzip that is decompressed while it is sent; the headers describe it as it arrives."""


def make(
    status: int, headers: Iterable[Header], body: bytes | memoryview = b"", etag: bytes = b"", *, inflates: bool = False
) -> Answer:
    """Nothing of a header can end it and begin another."""
    headers = tuple(headers)
    if any(_CONTROL.search(value) for _, value in headers):
        raise ValueError("a header holds a control character")
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    head = b"HTTP/1.1 %d %s\r\n" % (status, HTTPStatus(status).phrase.encode()) + lines
    return Answer(status, headers, head, body, etag, inflates)


def with_headers(found: Answer, headers: Iterable[Header]) -> Answer:
    return make(found.status, headers, found.body, found.etag, inflates=found.inflates)


def answer(
    page: Page,
    status: int,
    body: bytes,
    content_type: str,
    headers: Iterable[Header] = (NO_CACHE,),
    etag: bytes = b"",
) -> Answer:
    own = ((b"content-type", content_type.encode("latin-1", "replace")), (b"content-length", b"%d" % len(body)))
    return make(status, (*own, *headers, KINDS[page], *SECURITY), body, etag)


def redirect(status: int, location: str, *, is_secret: bool = False) -> Answer:
    """Not kept by browsers: where a site's addresses lead may change any time. `is_secret`: the addresses are."""
    own = ((b"location", location.encode("ascii")), (b"content-length", b"0"), KINDS["page"])
    if is_secret:
        return make(status, (*own, NO_STORE, NO_REFERRER, NOT_SNIFFED, NOT_FRAMED))
    return make(status, (*own, NO_CACHE, *SECURITY))


def by_https_alone(found: Answer) -> Answer:
    """The same, and that browsers come by https from now on. Only what itself went by https may say so."""
    return with_headers(found, (*found.headers, HSTS))


def not_modified(found: Answer) -> Answer:
    """Without what describes a body."""
    return make(304, (each for each in found.headers if not each[0].startswith(b"content-")))
