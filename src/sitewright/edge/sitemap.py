"""What search engines read: robots.txt, and the sitemap.xml of the snapshot with the site's own address filled in."""

import gzip
import hashlib
from urllib.parse import quote
from xml.sax.saxutils import escape

import msgspec

from sitewright.edge.answer import NO_CACHE, Answer, answer

HOME = b"{home}"
"""Stands in the snapshot's sitemap for the address of the site, which may change without a publish."""
MOST_ADDRESSES = 50_000  # as many as the protocol of sitemaps allows


class ListedPage(msgspec.Struct, frozen=True):
    path: str
    lastmod: str | None = None


def robots(home: str) -> Answer:
    return answer(
        "page", 200, f"User-agent: *\nAllow: /\nSitemap: {home}/sitemap.xml\n".encode(), "text/plain; charset=utf-8"
    )


def filled(home: str, stored: bytes | memoryview) -> Answer:
    """From the snapshot's sitemap. For a thread: a large one takes milliseconds, like the one below."""
    return _answer(gzip.decompress(stored).replace(HOME, escape(home).encode()))


def from_pages(home: str, pages: bytes | memoryview) -> Answer:
    """From the list of pages, for a snapshot of a release that made no sitemap at publish."""
    listed = msgspec.json.decode(gzip.decompress(pages), type=list[ListedPage])
    addresses = "".join(_address(home, page) for page in listed[:MOST_ADDRESSES])
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{addresses}</urlset>\n'
    )
    return _answer(body.encode())


def _answer(body: bytes) -> Answer:
    etag = hashlib.sha256(body).hexdigest()[:32].encode()
    return answer("page", 200, body, "application/xml; charset=utf-8", (NO_CACHE, (b"etag", b'"%s"' % etag)), etag)


def _address(home: str, page: ListedPage) -> str:
    changed = f"<lastmod>{escape(page.lastmod)}</lastmod>" if page.lastmod else ""
    return f"<url><loc>{escape(home)}/{escape(quote(page.path, safe='/~'))}</loc>{changed}</url>\n"
