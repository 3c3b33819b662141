"""The changes of widgets, made by the services of widgets."""

import secrets
from collections.abc import Sequence
from itertools import pairwise

from msgspec import UNSET, UnsetType

from sitewright.sites.content import usage
from sitewright.sites.content.changes import package_rules
from sitewright.sites.content.changes.images import store
from sitewright.sites.content.changes.images.rows import WIDGETS, ZONES, Row, Rows, Scope
from sitewright.sites.content.changes.items import find_widget, values_by_widget, widget_item
from sitewright.sites.content.changes.requests import AddWidget, DeleteWidget, DuplicateWidget, MoveWidget, SetValues
from sitewright.sites.content.changes.work import Work, changed, check_etag, check_fields
from sitewright.sites.content.errors import WidgetNotFound
from sitewright.sites.content.widget_types.service import PREFIX
from sitewright.sites.content.widgets import copies
from sitewright.sites.content.widgets import service as widgets
from sitewright.sites.content.widgets.copies import NewWidgetRow
from sitewright.sites.content.widgets.requests import NewWidget, NewWidgetValue, WidgetChanges
from sitewright.sites.content.widgets.store import PlacedWidget, Placement

Zone = tuple[int, str]


async def set_values(work: Work, change: SetValues) -> str:
    rows = await work.recorder.watch(Scope(widgets=[change.widget_ref]))
    item = find_widget(rows, change.widget_ref)
    if item is None:
        raise WidgetNotFound
    check_etag(item, change.etag)
    await package_rules.check_widgets(work, [item.type])
    check_fields(await widgets.check_widget(work.tx, work.site.ref, None, {"values": change.values}))
    values = WidgetChanges(values=change.values)
    await widgets.edit_widget(work.tx, work.caller, work.site.ref, _placed(rows, change.widget_ref), values)
    return item.name


async def add_widget(work: Work, change: AddWidget) -> str:
    zone = (change.page_ref, change.parent_id)
    rows = await work.recorder.watch(Scope(zones=[zone]))
    fields = {"page_ref": change.page_ref, "values": change.values}
    check_fields(await widgets.check_widget(work.tx, work.site.ref, None, fields))
    await package_rules.check_widgets(work, [change.type])
    await usage.check_widget_count(work.tx, work.settings, work.site.ref)
    siblings = list((await siblings_of(work, rows, zone)).values())
    new = NewWidget(
        collection=change.collection,
        name=change.name or new_name(change.type),
        parent_id=change.parent_id,
        type=change.type,
        page_ref=change.page_ref,
        position=position_at(siblings, change.position),
        values=change.values,
    )
    widget = await widgets.create_widget(work.tx, work.caller, work.site.ref, new)
    work.recorder.created(widgets=[widget.ref])
    return new.name


async def move_widget(work: Work, change: MoveWidget) -> str:
    """Positions of the change count the siblings without the widget itself."""
    widget = await widgets.find_widget(work.tx, work.site.ref, change.widget_ref)
    old_zone = _zone_of(widget)
    zone = (change.page_ref or widget.placement.page_ref, change.parent_id)
    inside = (widget.placement.page_ref, widget.own_id)
    zones = list(dict.fromkeys([old_zone, zone]))
    rows = await work.recorder.watch(Scope(widgets=[widget.ref], inside=inside, zones=zones))
    fields = {"page_ref": zone[0], "parent_id": change.parent_id}
    check_fields(await widgets.check_widget(work.tx, work.site.ref, widget, fields))
    gap = (await siblings_of(work, rows, old_zone))[widget.ref]
    others = await siblings_of(work, rows, zone)
    if zone == old_zone:  # those after it move back by one before it is placed again
        others = {ref: position - (position > gap) for ref, position in others.items() if ref != widget.ref}
    changes = WidgetChanges(
        page_ref=zone[0],
        parent_id=zone[1],
        position=position_at(list(others.values()), change.position),
        name=_free_name(rows, zone, widget),
    )
    placed = PlacedWidget(widget.ref, Placement(*old_zone, gap), widget.name)
    await widgets.edit_widget(work.tx, work.caller, work.site.ref, placed, changes)
    return widget.name


def _free_name(rows: Rows, zone: Zone, widget: PlacedWidget) -> str | UnsetType:
    """A new name where another widget of the zone has the widget's name."""
    for ref, row in rows[ZONES].items():
        if (row["page_ref"], row["parent_id"], row["name"]) == (*zone, widget.name) and int(ref) != widget.ref:
            return new_name(rows[WIDGETS][str(widget.ref)]["type"])
    return UNSET


async def duplicate_widget(work: Work, change: DuplicateWidget) -> str:
    widget = await widgets.find_widget(work.tx, work.site.ref, change.widget_ref)
    zone, page_ref = _zone_of(widget), widget.placement.page_ref
    inside = (page_ref, widget.own_id)
    rows = await work.recorder.watch(Scope(widgets=[widget.ref], inside=inside, zones=[zone]))
    siblings = await siblings_of(work, rows, zone)
    position = siblings[widget.ref] + 1
    name = new_name(rows[WIDGETS][str(widget.ref)]["type"])
    copied = [
        each.placed(zone[1], name, position) if ref == widget.ref else each.moved(widget.own_id, f"{zone[1]}__{name}")
        for ref, each in copies_of(rows)
    ]
    await insert_widgets(work, page_ref, copied, Placement(*zone, position))
    return widget.name


async def insert_widgets(
    work: Work, page_ref: int, new: Sequence[NewWidgetRow], first: Placement | None = None
) -> None:
    """Insert several widgets with their values; others at the place of the first one move on."""
    await package_rules.check_widgets(work, {each.type for each in new})
    await usage.check_widget_count(work.tx, work.settings, work.site.ref, len(new))
    refs = await copies.insert_widgets(work.tx, work.caller, work.site.ref, page_ref, new, first)
    work.recorder.created(widgets=refs)


async def delete_widget(work: Work, change: DeleteWidget) -> str:
    widget = await widgets.find_widget(work.tx, work.site.ref, change.widget_ref)
    place = widget.placement
    rows = await work.recorder.watch(
        Scope(
            widgets=[widget.ref],
            inside=(place.page_ref, widget.own_id),
            zones=[(place.page_ref, place.parent_id)],
        )
    )
    check_etag(find_widget(rows, widget.ref), change.etag)
    if change.inside is not UNSET:
        check_inside(rows, {widget.ref}, change.inside)
    await widgets.delete_widget(work.tx, work.caller, work.site.ref, widget)
    return widget.name


def check_inside(rows: Rows, besides: set[int], seen: Sequence[NewWidgetValue]) -> None:
    """Raise ContentChanged where a widget inside is not the one that the caller saw."""
    etags = {each.name: each.value for each in seen}
    for ref, row, values in _with_values(rows):
        item = widget_item(ref, row, values)
        if ref not in besides and etags.get(str(ref)) != item.etag:
            raise changed(
                item, f"The widget {item.name}, which would be deleted as well, was changed since you read it."
            )


def _placed(rows: Rows, ref: int) -> PlacedWidget:
    row = rows[WIDGETS][str(ref)]
    return PlacedWidget(ref, Placement(row["page_ref"], row["parent_id"], row["position"]), row["name"])


def _zone_of(widget: PlacedWidget) -> Zone:
    return widget.placement.page_ref, widget.placement.parent_id


def copies_of(rows: Rows) -> list[tuple[int, NewWidgetRow]]:
    """New widgets like these, by the refs of the originals."""
    return [
        (ref, NewWidgetRow(row["parent_id"], row["collection"], row["name"], row["type"], row["position"], values))
        for ref, row, values in _with_values(rows)
    ]


def _with_values(rows: Rows) -> list[tuple[int, Row, dict[str, str]]]:
    values = values_by_widget(rows)
    return [(int(ref), row, values.get(int(ref), {})) for ref, row in rows[WIDGETS].items()]


def new_name(widget_type: str) -> str:
    return f"{widget_type.removeprefix(PREFIX)[:100]}-{secrets.token_hex(4)}"


async def siblings_of(work: Work, rows: Rows, zone: Zone) -> dict[int, int]:
    """The positions of the widgets of a zone, in order. Where two have the same one, all are numbered anew."""
    found = {
        int(ref): row["position"] for ref, row in rows[ZONES].items() if (row["page_ref"], row["parent_id"]) == zone
    }
    if any(one >= two for one, two in pairwise(found.values())):
        found = {ref: index for index, ref in enumerate(found)}
        await store.set_positions(work.tx, found)
    return found


def position_at(siblings: Sequence[int], index: int | None) -> int:
    """The stored position for a place among siblings, whose positions can have gaps; None: after them."""
    if index is None or index >= len(siblings):
        return siblings[-1] + 1 if siblings else 0
    return siblings[index]
