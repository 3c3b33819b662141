"""The rules of widgets. Changes require the lock on the site's content (`content.access`)."""

import re
import secrets
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.kit import audit, paging
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.validation import MAX_TEXT
from sitewright.sites.content.errors import WidgetNotFound
from sitewright.sites.content.media_names import check_media
from sitewright.sites.content.pairs import duplicate_names
from sitewright.sites.content.schemas import Widget, WidgetValue
from sitewright.sites.content.widgets import store
from sitewright.sites.content.widgets.requests import NewWidget, WidgetChanges
from sitewright.sites.content.widgets.store import PlacedWidget, Placement

LOCAL_CLASS = "localClass"
_COLUMN = re.compile(r"__[0-9]+(__|$)")


async def find_widget(tx: Transaction, site_ref: int, widget_ref: int) -> PlacedWidget:
    widget = await store.find_widget(tx, site_ref, widget_ref)
    if widget is None:
        raise WidgetNotFound
    return widget


async def get_widget(tx: Transaction, site_ref: int, widget_ref: int) -> Widget:
    row = await store.read_widget(tx, site_ref, widget_ref)
    if row is None:
        raise WidgetNotFound
    return _serialize(row)


async def list_widgets(
    tx: Transaction, site_ref: int, page_ref: int | None, window: Window
) -> tuple[list[Widget], paging.Page]:
    rows, too_large = await store.list_widgets(tx, site_ref, page_ref, window)
    widgets = [_serialize(row.values()) for row in rows]
    shown = paging.cut(window, [widget.ref for widget in widgets], too_large=too_large)
    return [widget for widget in widgets if shown.refs[0] <= widget.ref <= shown.refs[-1]], shown


async def check_page_ref(tx: Transaction, site_ref: int, read: dict[str, Any]) -> FieldErrors:
    page_ref = read.get("page_ref")
    if not page_ref or await store.page_exists(tx, site_ref, page_ref):
        return {}
    return {"pageRef": {"invalidPageRef": "is not a page of this site"}}


async def check_widget(
    tx: Transaction, site_ref: int, widget: PlacedWidget | None, read: dict[str, Any]
) -> FieldErrors:
    """Validate the fields of a widget beyond their types; `widget` is set when an existing widget is changed."""
    errors = await check_page_ref(tx, site_ref, read)
    values = read.get("values", [])
    errors |= duplicate_names(values)
    texts = {f"values[{index}].value": each.value or "" for index, each in enumerate(values)}
    errors |= await check_media(tx, site_ref, texts)
    parent_id = read.get("parent_id")
    if widget is not None and isinstance(parent_id, str) and _is_inside(widget.own_id, parent_id):
        errors["parentId"] = {"invalidParentId": "is a column of this widget itself"}
    return errors


def _is_inside(own_id: str, parent_id: str) -> bool:
    return parent_id.startswith(own_id) and _COLUMN.match(parent_id, len(own_id)) is not None


async def create_widget(tx: Transaction, caller: Caller, site_ref: int, new: NewWidget) -> Widget:
    placement = Placement(new.page_ref, new.parent_id, new.position)
    await store.shift_following(tx, placement)
    ref = await store.insert_widget(tx, site_ref, placement, new.collection, new.name, new.type)
    generated = {LOCAL_CLASS: f"w-{secrets.token_hex(4)}"}
    await store.set_values(tx, ref, generated | {each.name: each.value for each in new.values})
    await audit.record_by(tx, caller, "create", "widget", ref, site=site_ref, page=new.page_ref)
    return await get_widget(tx, site_ref, ref)


async def edit_widget(
    tx: Transaction, caller: Caller, site_ref: int, widget: PlacedWidget, changes: WidgetChanges
) -> Widget:
    columns = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if changes.page_ref == 0:
        del columns["page_ref"]
    values = {each.name: each.value for each in columns.pop("values", [])}
    await _move(tx, widget, columns)
    if columns:
        await store.update_widget(tx, widget.ref, columns)
    await store.set_values(tx, widget.ref, values)
    fields = sorted(msgspec.to_builtins(changes))
    await audit.record_by(tx, caller, "edit", "widget", widget.ref, site=site_ref, fields=fields)
    return await get_widget(tx, site_ref, widget.ref)


async def _move(tx: Transaction, widget: PlacedWidget, columns: dict[str, Any]) -> None:
    """Update the positions of siblings at the old and the new placement, and move the widgets inside along."""
    old = widget.placement
    new = Placement(*(columns.get(name, getattr(old, name)) for name in Placement.__struct_fields__))
    if new != old:
        await store.close_gap(tx, old)
        await store.shift_following(tx, new, widget.ref)
    own_id = f"{new.parent_id}__{columns.get('name', widget.name)}"
    if (new.page_ref, own_id) == (old.page_ref, widget.own_id):
        return
    if await store.longest_parent_inside(tx, widget) + len(own_id) - len(widget.own_id) > MAX_TEXT:
        field = "name" if "name" in columns else "parentId"
        message = f"makes the parent ids of the widgets in its columns longer than {MAX_TEXT} characters"
        raise Invalid.fields({field: {f"invalid{field[:1].upper()}{field[1:]}": message}})
    await store.move_inside(tx, widget, new.page_ref, own_id)


async def delete_widget(tx: Transaction, caller: Caller, site_ref: int, widget: PlacedWidget) -> None:
    await store.delete_widget(tx, widget)
    await store.close_gap(tx, widget.placement)
    await audit.record_by(tx, caller, "delete", "widget", widget.ref, site=site_ref)


def _serialize(row: Iterable[Any]) -> Widget:
    ref, parent_id, name, widget_type, position, values = row
    return Widget(ref, parent_id, name, widget_type, position, [WidgetValue(*value) for value in values])
