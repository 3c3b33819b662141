"""What other features need to know of a site's content."""

from collections.abc import Mapping

import asyncpg

from sitewright.content import store
from sitewright.content.schemas import MAIN_ZONE, Page, PageContent, SiteContent, WidgetContent
from sitewright.content.widget_types.reading import PICTURE, Read
from sitewright.content.widget_types.service import read_values, widget_type
from sitewright.kit.db import Transaction

__all__ = [
    "MAIN_ZONE",
    "PICTURE",
    "Read",
    "clear",
    "read_content",
    "values_with_defaults",
    "widget_type",
    "wrong_values",
]


async def read_content(tx: Transaction, site_ref: int) -> SiteContent:
    """All that is on a site, in two statements: the pages and everything on them are of one instant."""
    pages = [_page(row) for row in await store.read_pages(tx, site_ref)]
    global_values: dict[str, str] = {}
    static_values: dict[str, dict[str, str]] = {}
    for static_widget_id, name, value in await store.read_values(tx, site_ref):
        values = global_values if static_widget_id is None else static_values.setdefault(static_widget_id, {})
        values[name] = value
    return SiteContent(pages, global_values, static_values)


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


def _page(row: asyncpg.Record) -> PageContent:
    fields = dict(row)
    by_parent: dict[str, list[WidgetContent]] = {}
    for ref, parent_id, collection, name, kind, position, names, values in fields.pop("widgets"):
        widget = WidgetContent(ref, parent_id, collection, name, kind, position, dict(zip(names, values, strict=True)))
        by_parent.setdefault(parent_id, []).append(widget)
    return PageContent(Page(**fields), by_parent)
