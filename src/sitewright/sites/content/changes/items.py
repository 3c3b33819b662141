"""Items of a site's content with their etags, from rows."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sitewright.sites.content.changes.images.rows import (
    GLOBALS,
    PAGES,
    SITE,
    STATICS,
    VALUES,
    WIDGETS,
    ZONES,
    Row,
    Rows,
    Scope,
)
from sitewright.sites.content.changes.schemas import (
    DeletedItem,
    GlobalValueItem,
    Item,
    PageItem,
    PagePlace,
    StaticValueItem,
    TemplateItem,
    WidgetItem,
    Zone,
)
from sitewright.sites.content.schemas import Page

PLACE_OF_PAGE = {"parent_id", "display_order"}
"""Columns that the `etag` of a page leaves out: moving a page does not disturb those who edit it."""
ETAG_LENGTH = 16


def etag_of(*content: Any) -> str:
    """A short digest of an item's editable content."""
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:ETAG_LENGTH]


def page_item(page: Page) -> PageItem:
    fields = {name: value for name, value in msgspec.structs.asdict(page).items() if name not in PLACE_OF_PAGE}
    return PageItem(page.ref, etag_of(fields), page)


def widget_item(ref: int, row: Row, values: Mapping[str, str]) -> WidgetItem:
    places = (row["page_ref"], row["parent_id"], row["collection"], row["name"], row["type"], row["position"])
    return WidgetItem(ref, etag_of(row["type"], dict(values)), *places, dict(values))


def values_by_widget(rows: Rows) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    for key, row in rows.get(VALUES, {}).items():
        ref, _, name = key.partition(" ")
        found.setdefault(int(ref), {})[name] = row["value"]
    return found


def find_widget(rows: Rows, ref: int) -> WidgetItem | None:
    row = rows.get(WIDGETS, {}).get(str(ref))
    if row is None:
        return None
    prefix = f"{ref} "
    values = rows.get(VALUES, {})
    return widget_item(
        ref, row, {key.removeprefix(prefix): each["value"] for key, each in values.items() if key.startswith(prefix)}
    )


def find_page(rows: Rows, ref: int) -> PageItem | None:
    row = rows.get(PAGES, {}).get(str(ref))
    return None if row is None or "title" not in row else page_item(_page(ref, row))


def _page(ref: int, row: Row) -> Page:
    return Page(ref=ref, **{name: row[name] for name in Page.__struct_fields__ if name != "ref"})


def find_global_value(rows: Rows, name: str) -> GlobalValueItem | None:
    row = rows.get(GLOBALS, {}).get(name)
    return None if row is None else GlobalValueItem(row["ref"], etag_of(row["value"]), name, row["value"])


def find_static_value(rows: Rows, static_widget_id: str, name: str) -> StaticValueItem | None:
    for key, row in rows.get(STATICS, {}).items():
        if msgspec.json.decode(key) == [static_widget_id, name]:
            return StaticValueItem(row["ref"], etag_of(row["value"]), static_widget_id, name, row["value"])
    return None


def items_of(rows: Rows, scope: Scope) -> tuple[list[Item], list[DeletedItem]]:
    """The items of a scope that exist, and those that do not."""
    items: list[Item] = []
    deleted: list[DeletedItem] = []
    for page_ref in scope.pages:
        _add(items, deleted, find_page(rows, page_ref), DeletedItem("page", page_ref))
    values = values_by_widget(rows)
    for ref in [*scope.widgets, *_others_of_pages(rows, scope)]:
        row = rows.get(WIDGETS, {}).get(str(ref))
        item = None if row is None else widget_item(ref, row, values.get(ref, {}))
        _add(items, deleted, item, DeletedItem("widget", ref))
    for name in scope.global_values:
        _add(items, deleted, find_global_value(rows, name), DeletedItem("globalValue", None, name=name))
    for static_widget_id, name in scope.static_values:
        gone = DeletedItem("staticValue", None, static_widget_id, name)
        _add(items, deleted, find_static_value(rows, static_widget_id, name), gone)
    if scope.template:
        items.append(TemplateItem(rows[SITE]["site"]["template_ref"]))
    return items, deleted


def _others_of_pages(rows: Rows, scope: Scope) -> list[int]:
    """Widgets that came back with their pages."""
    known, pages = set(scope.widgets), set(scope.widgets_of_pages)
    found = rows.get(WIDGETS, {}).items() if pages else ()
    return [int(ref) for ref, row in found if row["page_ref"] in pages and int(ref) not in known]


def _add(items: list[Item], deleted: list[DeletedItem], item: Item | None, gone: DeletedItem) -> None:
    if item is None:
        deleted.append(gone)
    else:
        items.append(item)


def zones_of(rows: Rows, zones: Iterable[tuple[int, str]]) -> list[Zone]:
    """The order of the widgets of each zone."""
    order: dict[tuple[int, str], list[int]] = {zone: [] for zone in zones}
    for ref, row in rows.get(ZONES, {}).items():
        if (zone := (row["page_ref"], row["parent_id"])) in order:
            order[zone].append(int(ref))
    return [Zone(*zone, refs) for zone, refs in order.items()]


def page_places(rows: Rows) -> list[PagePlace]:
    """All pages in order; their rows were read with `Scope.every_page`."""
    places = [PagePlace(int(ref), row["parent_id"], row["display_order"]) for ref, row in rows.get(PAGES, {}).items()]
    return sorted(places, key=lambda place: (place.display_order, place.ref))
