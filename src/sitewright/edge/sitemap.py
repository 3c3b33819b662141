"""robots.txt, and the snapshot's sitemap.xml with the site's URL filled in."""

import gzip
import hashlib
from urllib.parse import quote
from xml.sax.saxutils import escape

import msgspec

from sitewright.edge.response import GZIP, NO_CACHE, VARY, Response, page_response

HOME_PLACEHOLDER = b"{home}"
"""Placeholder in the snapshot's sitemap for the site's URL, which can change without a publish."""
MAX_URLS = 50_000  # limit of the sitemap protocol
LEVEL = 5


class ListedPage(msgspec.Struct, frozen=True):
    path: str
    lastmod: str | None = None


def robots(home: str) -> Response:
    return page_response(
        "page", 200, f"User-agent: *\nAllow: /\nSitemap: {home}/sitemap.xml\n".encode(), "text/plain; charset=utf-8"
    )


def fill_in(home: str, stored: bytes | memoryview, gzipped: bool) -> Response:
    """Build from the snapshot's sitemap. Slow for large sitemaps, as `from_pages` is: run it in a thread."""
    return _xml_response(gzip.decompress(stored).replace(HOME_PLACEHOLDER, escape(home).encode()), gzipped)


def from_pages(home: str, pages: bytes | memoryview, gzipped: bool) -> Response:
    """Build from the list of pages, for snapshots of a release that stored no sitemap."""
    listed = msgspec.json.decode(gzip.decompress(pages), type=list[ListedPage])
    urls = "".join(_url_element(home, page) for page in listed[:MAX_URLS])
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )
    return _xml_response(body.encode(), gzipped)


def _xml_response(body: bytes, gzipped: bool) -> Response:
    """HTTP requires a different ETag for each encoding."""
    etag = hashlib.sha256(body).hexdigest()[:32].encode()
    headers = [NO_CACHE, VARY, (b"etag", b'"%s"' % etag)]
    if gzipped:
        body = gzip.compress(body, LEVEL, mtime=0)
        headers = [NO_CACHE, VARY, GZIP, (b"etag", b'"%s-gzip"' % etag)]
    return page_response("page", 200, body, "application/xml; charset=utf-8", headers, etag)


def _url_element(home: str, page: ListedPage) -> str:
    changed = f"<lastmod>{escape(page.lastmod)}</lastmod>" if page.lastmod else ""
    return f"<url><loc>{escape(home)}/{escape(quote(page.path, safe='/~'))}</loc>{changed}</url>\n"
