"""Responses of the edge server: immutable, so that they can be built once, cached and sent many times."""

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Literal

import msgspec

Header = tuple[bytes, bytes]
Page = Literal["page", "not-found", "offline", "holding"]

NO_CACHE = (b"cache-control", b"no-cache")
"""Browsers may store it but must revalidate it every time, so a publish is visible at once."""
NO_STORE = (b"cache-control", b"no-store")
IMMUTABLE = (b"cache-control", b"public, max-age=31536000, immutable")
VARY = (b"vary", b"Accept-Encoding")
GZIP = (b"content-encoding", b"gzip")
HSTS = (b"strict-transport-security", b"max-age=31536000")
NO_REFERRER = (b"referrer-policy", b"no-referrer")
NOSNIFF, FRAME_OPTIONS = (b"x-content-type-options", b"nosniff"), (b"x-frame-options", b"SAMEORIGIN")
SECURITY: tuple[Header, ...] = (
    NOSNIFF,
    FRAME_OPTIONS,
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
)
"""No Content-Security-Policy by default: which scripts a site runs is its owner's decision."""
CONTENT_POLICY = (
    b"content-security-policy",
    b"default-src 'self' https: data: blob:; script-src 'self' 'unsafe-inline' https:; style-src 'self' 'unsafe-inline'"
    b" https:; img-src 'self' http: https: data: blob:; object-src 'none'; base-uri 'self'; frame-ancestors 'self';"
    b" form-action 'self' https: mailto:",
)
"""For sites whose package has it: what any site can have, with its owner's scripts and embedded videos or maps."""
HTML = b"text/html"
KINDS: dict[Page, Header] = {
    "page": (b"x-sitewright-page", b"page"),
    "not-found": (b"x-sitewright-page", b"not-found"),
    "offline": (b"x-sitewright-page", b"offline"),
    "holding": (b"x-sitewright-page", b"holding"),
}
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class Response(msgspec.Struct, frozen=True, gc=False):
    """A response built by `build_response`, which keeps `head` consistent with `headers`."""

    status: int
    headers: tuple[Header, ...]
    head: bytes
    body: bytes | memoryview
    """A memoryview where connections share a large body (`edge/shared_bodies.py`)."""
    etag: bytes
    """Without quotes and encoding suffix; the ETag header differs for each encoding."""
    decompress: bool = False
    """The body is gzip and is decompressed while it is sent; the headers describe the decompressed body."""


def build_response(
    status: int,
    headers: Iterable[Header],
    body: bytes | memoryview = b"",
    etag: bytes = b"",
    *,
    decompress: bool = False,
) -> Response:
    """Build a response; control characters in headers are rejected, which prevents header injection."""
    headers = tuple(headers)
    if any(_CONTROL.search(value) for _, value in headers):
        raise ValueError("a header holds a control character")
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    head = b"HTTP/1.1 %d %s\r\n" % (status, HTTPStatus(status).phrase.encode()) + lines
    return Response(status, headers, head, body, etag, decompress)


def with_headers(response: Response, headers: Iterable[Header]) -> Response:
    return build_response(response.status, headers, response.body, response.etag, decompress=response.decompress)


def page_response(
    page: Page,
    status: int,
    body: bytes,
    content_type: str,
    headers: Iterable[Header] = (NO_CACHE,),
    etag: bytes = b"",
) -> Response:
    own = ((b"content-type", content_type.encode("latin-1", "replace")), (b"content-length", b"%d" % len(body)))
    return build_response(status, (*own, *headers, KINDS[page], *SECURITY), body, etag)


def redirect(status: int, location: str, *, is_secret: bool = False) -> Response:
    """Redirect without caching, since a site's domains can change any time. `is_secret`: the URL has a secret."""
    own = ((b"location", location.encode("ascii")), (b"content-length", b"0"), KINDS["page"])
    if is_secret:
        return build_response(status, (*own, NO_STORE, NO_REFERRER, NOSNIFF, FRAME_OPTIONS))
    return build_response(status, (*own, NO_CACHE, *SECURITY))


def with_hsts(response: Response) -> Response:
    """Add the HSTS header; only for responses sent over https."""
    return with_headers(response, (*response.headers, HSTS))


def with_content_policy(response: Response) -> Response:
    """Add the policy to a page; other files keep their own."""
    is_page = any(name == b"content-type" and value.startswith(HTML) for name, value in response.headers)
    return with_headers(response, (*response.headers, CONTENT_POLICY)) if is_page else response


def not_modified(response: Response) -> Response:
    """Build the 304 response, without headers that describe a body."""
    return build_response(304, (each for each in response.headers if not each[0].startswith(b"content-")))
