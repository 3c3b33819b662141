"""What other features need to know of a site's content."""

import hashlib
from collections.abc import Mapping

from sitewright.kit.db import Transaction
from sitewright.sites.content import store
from sitewright.sites.content.schemas import MAIN_ZONE, SiteContent, WidgetContent
from sitewright.sites.content.stored import StoredContent, Weight
from sitewright.sites.content.widget_types.reading import PICTURE, Read
from sitewright.sites.content.widget_types.service import read_values, widget_type

__all__ = [
    "MAIN_ZONE",
    "PICTURE",
    "Read",
    "StoredContent",
    "Weight",
    "clear",
    "read_content",
    "read_digest",
    "read_stored",
    "values_with_defaults",
    "weigh",
    "widget_type",
    "wrong_values",
]


async def read_content(tx: Transaction, site_ref: int) -> SiteContent:
    """All that is on a site, of one instant."""
    return (await read_stored(tx, site_ref)).decoded()


async def read_stored(tx: Transaction, site_ref: int) -> StoredContent:
    """The same, not decoded yet: a large site is decoded where it is rendered, off the event loop."""
    pages: list[str] = []
    values: list[str] = []
    digests = []
    for is_page, part, digest in await store.read_parts(tx, site_ref):
        (pages if is_page else values).append(part)
        digests.append(digest)
    return StoredContent(pages, values, _digest("".join(digests)))


async def read_digest(tx: Transaction, site_ref: int) -> str:
    """What `read_stored` would give as digest now."""
    return _digest(await store.read_digests(tx, site_ref))


async def weigh(tx: Transaction, site_ref: int) -> Weight:
    """How much there is on a site, without reading it."""
    return Weight(*await store.weigh(tx, site_ref))


def _digest(digests: str) -> str:
    return hashlib.sha256(digests.encode()).hexdigest()


async def clear(tx: Transaction, site_ref: int) -> None:
    """Pages, widgets, global and static values of a site go. The caller audits it."""
    await store.lock_content(tx, site_ref)
    await store.delete_all(tx, site_ref)


def values_with_defaults(widget: WidgetContent) -> Mapping[str, Read]:
    """What the values of a widget of a known type mean, by the names in the type's data.

    Text stays text (rich text is not sanitised here), an integer is an int, a flag a bool, a list a list of dicts with
    every field of its items. What is not there or cannot be read is the default.
    """
    known = widget_type(widget.type)
    return {} if known is None else read_values(known, widget.values)[0]


def wrong_values(widget: WidgetContent) -> list[str]:
    """The names of values that cannot be read, and so count as their defaults."""
    known = widget_type(widget.type)
    return [] if known is None else read_values(known, widget.values)[1]
