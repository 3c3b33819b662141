"""The page index and sitemap of a snapshot. A page that did not change since the last snapshot keeps its date."""

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from sitewright.sites.publishing.render_input import File, compressed_file
from sitewright.sites.publishing.sitemap import CONTENT_TYPE, SITEMAP, sitemap

PAGES = ":pages"


class ListedPage(msgspec.Struct, frozen=True):
    path: str
    lastmod: str
    etag: str


def add_page_index(files: list[File], previous: bytes | None, at: datetime) -> list[File]:
    """Add page index and sitemap; `previous` is the compressed page index of the current snapshot."""
    known = {} if previous is None else {page.path: page for page in _read(previous)}
    now = at.astimezone(UTC).isoformat(timespec="seconds")
    pages = [file for file in files if file.content_type.startswith("text/html") and not file.path.startswith(":")]
    home_etag = next(page.etag for page in pages if page.path == "")
    # The home page is also stored under its own path, with the same content: that copy is not listed.
    distinct = [page for page in pages if page.path == "" or page.etag != home_etag]
    listed = [_listed(page, known.get(page.path), now) for page in distinct]
    addresses = sitemap((page.path, page.lastmod) for page in listed)
    return [
        *files,
        compressed_file(PAGES, "application/json", msgspec.json.encode(listed)),
        compressed_file(SITEMAP, CONTENT_TYPE, addresses),
    ]


def count_pages(files: Iterable[File]) -> int:
    """Count the pages of a snapshot with a page index."""
    return next(len(list(_read(file.body))) for file in files if file.path == PAGES)


def _listed(page: File, previous: ListedPage | None, now: str) -> ListedPage:
    is_same = previous is not None and previous.etag == page.etag
    return ListedPage(page.path, previous.lastmod if previous is not None and is_same else now, page.etag)


def _read(body: bytes) -> Iterable[ListedPage]:
    return msgspec.json.decode(gzip.decompress(body), type=list[ListedPage])
