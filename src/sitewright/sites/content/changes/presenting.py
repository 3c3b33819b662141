"""Responses of changes: what a change touched, and the whole content."""

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.timestamps import timestamp
from sitewright.sites.content import store as content_store
from sitewright.sites.content.changes import items, store
from sitewright.sites.content.changes.errors import ContentChanged, ContentTooLarge
from sitewright.sites.content.changes.images import store as images
from sitewright.sites.content.changes.images.recorder import read_rows
from sitewright.sites.content.changes.images.restoring import RowChanged, static_key
from sitewright.sites.content.changes.images.rows import GLOBALS, PAGES, STATICS, VALUES, WIDGETS, Rows, Scope
from sitewright.sites.content.changes.schemas import (
    ChangeMade,
    ChangeResponse,
    GlobalValueItem,
    Item,
    PageItem,
    StaticValueItem,
    WholeContent,
    WidgetItem,
)
from sitewright.sites.content.changes.store import RecordedChange
from sitewright.sites.content.changes.work import Editor, changed
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.content.pages import store as pages
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site

MAX_CONTENT_BYTES = 8 * 1024 * 1024
"""Of values in one response."""


async def present(
    tx: Transaction, editor: Editor, site: Site, change: RecordedChange, rows: Rows | None = None, *, repeated: int = 0
) -> ChangeResponse:
    """A change, and what it touched as it is now; `rows` are those of its scope, where they were read already."""
    scope = msgspec.json.decode(change.scope, type=Scope)
    if rows is None:
        rows = await read_rows(tx, site, scope, site.template_ref)
    found, deleted = items.items_of(rows, scope)
    summary = await store.summarize(tx, site.ref, editor.author)
    return ChangeResponse(
        change=present_made(change),
        items=found,
        deleted=deleted,
        zones=items.zones_of(rows, scope.zones),
        pages=items.page_places(rows) if scope.every_page else [],
        can_undo=int(summary.can_undo),
        can_redo=int(summary.can_redo),
        repeated=repeated,
    )


def present_made(change: RecordedChange) -> ChangeMade:
    made = timestamp(change.made_at, change.time_zone)
    return ChangeMade(change.number, change.id, change.kind, made, int(change.undone))


async def conflict(tx: Transaction, site: Site, label: str, error: RowChanged) -> ContentChanged:
    """What prevents an undo or redo, with the item as it is now."""
    item = await _find_item(tx, site, error)
    if item is None:
        detail = f"{label}: it was deleted since, or stands in something that was. Nothing was written."
    else:
        detail = f"{label}: somebody else changed it since. Nothing was written; `current` has it as it is now."
    return changed(item, detail)


async def _find_item(tx: Transaction, site: Site, error: RowChanged) -> Item | None:
    if error.table in (WIDGETS, VALUES):
        ref = int(error.key.partition(" ")[0])
        return items.find_widget(await images.read_rows(tx, site.ref, Scope(widgets=[ref])), ref)
    if error.table == PAGES:
        ref = int(error.key)
        return items.find_page(await images.read_rows(tx, site.ref, Scope(pages=[ref])), ref)
    if error.table == GLOBALS:
        rows = await images.read_rows(tx, site.ref, Scope(global_values=[error.key]))
        return items.find_global_value(rows, error.key)
    if error.table == STATICS:
        key = static_key(error.key)
        return items.find_static_value(await images.read_rows(tx, site.ref, Scope(static_values=[key])), *key)
    return None


async def read_content(tx: Transaction, caller: Caller, site_ref: int, page_ref: int | None) -> WholeContent:
    """Read the content with etags; `page_ref`: only the widgets of this page."""
    site = await sites.find_site(tx, caller, site_ref)
    parents = await pages.read_parents(tx, site_ref)
    if page_ref is not None and page_ref not in parents:
        raise PageNotFound
    if await content_store.count_bytes(tx, site_ref, page_ref) > MAX_CONTENT_BYTES:
        raise ContentTooLarge
    refs = list(parents)
    scope = Scope(pages=refs, widgets_of_pages=refs if page_ref is None else [page_ref], every_value=True)
    rows = await images.read_rows(tx, site_ref, scope)
    summary = await store.summarize(tx, site_ref, caller.name)
    return _whole(rows, site, summary)


def _whole(rows: Rows, site: Site, summary: store.Summary) -> WholeContent:
    names = Scope(
        pages=[place.ref for place in items.page_places(rows)],
        widgets=_in_order(rows),
        global_values=list(rows[GLOBALS]),
        static_values=[static_key(key) for key in rows[STATICS]],
    )
    found, _ = items.items_of(rows, names)
    return WholeContent(
        number=summary.last,
        template_ref=site.template_ref,
        pages=[each for each in found if isinstance(each, PageItem)],
        widgets=[each for each in found if isinstance(each, WidgetItem)],
        global_values=[each for each in found if isinstance(each, GlobalValueItem)],
        static_values=[each for each in found if isinstance(each, StaticValueItem)],
        can_undo=int(summary.can_undo),
        can_redo=int(summary.can_redo),
    )


def _in_order(rows: Rows) -> list[int]:
    """The refs of widgets by page, parent and place."""
    order = {place.ref: index for index, place in enumerate(items.page_places(rows))}

    def place(ref: str) -> tuple[int, str, int, int]:
        row = rows[WIDGETS][ref]
        return order[row["page_ref"]], row["parent_id"], row["position"], int(ref)

    return [int(ref) for ref in sorted(rows[WIDGETS], key=place)]
