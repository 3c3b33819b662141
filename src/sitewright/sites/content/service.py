"""The interface of site content to other features."""

import hashlib
from collections.abc import Mapping

from sitewright.kit.db import Transaction
from sitewright.sites.content import store
from sitewright.sites.content.media_names import media_refs_in
from sitewright.sites.content.redirects.service import read_targets as read_redirects
from sitewright.sites.content.redirects.store import Target as RedirectTarget
from sitewright.sites.content.schemas import MAIN_ZONE, WidgetContent
from sitewright.sites.content.stored import ContentSize, StoredContent
from sitewright.sites.content.widget_types.parsing import DATA_IMAGE, ParsedValue
from sitewright.sites.content.widget_types.service import parse_values, widget_type
from sitewright.sites.sites.hooks import SiteCounts

__all__ = [
    "DATA_IMAGE",
    "MAIN_ZONE",
    "ContentSize",
    "ParsedValue",
    "RedirectTarget",
    "StoredContent",
    "clear",
    "count_site",
    "find_media_uses",
    "invalid_values",
    "lock",
    "measure",
    "media_refs_in",
    "read_digest",
    "read_redirects",
    "read_stored",
    "values_with_defaults",
    "widget_type",
]


async def read_stored(tx: Transaction, site_ref: int) -> StoredContent:
    """Read the content without decoding it: a large site is decoded where it is rendered, off the event loop."""
    pages: list[str] = []
    values: list[str] = []
    digests = []
    for is_page, part, digest in await store.read_parts(tx, site_ref):
        (pages if is_page else values).append(part)
        digests.append(digest)
    return StoredContent(pages, values, _digest("".join(digests)))


async def read_digest(tx: Transaction, site_ref: int) -> str:
    """Return the current digest of the content, without reading the content."""
    return _digest(await store.read_digests(tx, site_ref))


async def count_site(tx: Transaction, counts: SiteCounts) -> None:
    """Observes `site_counted`."""
    counts.found["pages"], counts.found["widgets"] = await store.count_all(tx, counts.site_ref)


async def measure(tx: Transaction, site_ref: int) -> ContentSize:
    """Return the size of a site's content, without reading it."""
    return ContentSize(*await store.weigh(tx, site_ref))


def _digest(digests: str) -> str:
    return hashlib.sha256(digests.encode()).hexdigest()


async def lock(tx: Transaction, site_ref: int) -> None:
    """Lock the site's content until the end of the transaction."""
    await store.lock_content(tx, site_ref)


async def find_media_uses(tx: Transaction, site_ref: int, media_ref: int) -> list[str]:
    """The places of the site's content that name a picture, in words."""
    return await store.find_media_uses(tx, site_ref, media_ref)


async def clear(tx: Transaction, site_ref: int) -> None:
    """Delete pages, widgets, values and redirects of a site. The caller writes the audit entry."""
    await store.lock_content(tx, site_ref)
    await store.delete_all(tx, site_ref)


def values_with_defaults(widget: WidgetContent) -> Mapping[str, ParsedValue]:
    """Parse the values of a widget of a known type, by the names in the type's definition.

    Text stays text (rich text is not sanitized here), an integer is an int, a flag a bool, a list a list of dicts with
    every field of its items. A missing or invalid value is replaced by its default.
    """
    known = widget_type(widget.type)
    return {} if known is None else parse_values(known, widget.values)[0]


def invalid_values(widget: WidgetContent) -> list[str]:
    """Return the names of values that cannot be parsed, for which defaults are used."""
    known = widget_type(widget.type)
    return [] if known is None else parse_values(known, widget.values)[1]
