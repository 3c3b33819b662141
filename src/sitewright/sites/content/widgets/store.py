"""SQL of widgets and their values.

A widget in a column of another has a parent id that begins with the other's own id, `__` and a number.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.sites.content.errors import WidgetNameTaken
from sitewright.sites.content.store import Listed, list_rows

_WIDGET = """
       w.ref, w.parent_id, w.name, w.type, w.position,
       array(select row(v.ref, v.name, v.value) from widget_values v
              where v.brand_ref = w.brand_ref and v.widget_ref = w.ref order by v.ref) as values
"""
_LISTED = Listed(
    table="widgets",
    t="w",
    columns=_WIDGET,
    size="""
       (select 300 + coalesce(sum(60 + octet_length(v.name) + octet_length(v.value)), 0) from widget_values v
         where v.brand_ref = w.brand_ref and v.widget_ref = w.ref)""",
    where="($6::bigint is null or w.page_ref = $6)",
)
_INSIDE = """
 w.brand_ref = current_brand() and w.page_ref = $1 and starts_with(w.parent_id, $2 || '__')
 and substr(w.parent_id, length($2) + 3) ~ '^[0-9]+(__|$)'
"""


class Placement(msgspec.Struct, frozen=True):
    """The position of a widget."""

    page_ref: int
    parent_id: str
    position: int


class PlacedWidget(msgspec.Struct, frozen=True):
    """A widget with its placement, as the rules need it."""

    ref: int
    placement: Placement
    name: str

    @property
    def own_id(self) -> str:
        return f"{self.placement.parent_id}__{self.name}"


async def find_widget(tx: Transaction, site_ref: int, widget_ref: int) -> PlacedWidget | None:
    row = await tx.fetchrow(
        "select ref, page_ref, parent_id, position, name from widgets"
        " where brand_ref = current_brand() and site_ref = $1 and ref = $2",
        site_ref,
        widget_ref,
    )
    return None if row is None else PlacedWidget(row[0], Placement(*row[1:4]), row[4])


async def read_widget(tx: Transaction, site_ref: int, widget_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(
        f"select {_WIDGET} from widgets w where w.brand_ref = current_brand() and w.site_ref = $1 and w.ref = $2",  # noqa: S608
        site_ref,
        widget_ref,
    )


async def list_widgets(
    tx: Transaction, site_ref: int, page_ref: int | None, window: Window
) -> tuple[list[dict[str, Any]], bool]:
    """List at most `window.rows` widgets by ref, and whether more were left out because of their size."""
    return await list_rows(tx, _LISTED, site_ref, window, page_ref)


async def find_value(tx: Transaction, site_ref: int, widget_type: str, name: str) -> str | None:
    """The value of the site's first widget of a type that has it."""
    found: str | None = await tx.fetchval(
        "select v.value from widgets w join widget_values v on v.brand_ref = w.brand_ref and v.widget_ref = w.ref"
        " where w.brand_ref = current_brand() and w.site_ref = $1 and w.type = $2 and v.name = $3"
        " order by w.ref limit 1",
        site_ref,
        widget_type,
        name,
    )
    return found


async def page_exists(tx: Transaction, site_ref: int, page_ref: int) -> bool:
    there = await tx.fetchval(
        "select exists (select from pages where brand_ref = current_brand() and site_ref = $1 and ref = $2)",
        site_ref,
        page_ref,
    )
    return there is True


async def insert_widget(
    tx: Transaction, site_ref: int, placement: Placement, collection: str, name: str, widget_type: str
) -> int:
    try:
        ref: int = await tx.fetchval(
            "insert into widgets (brand_ref, site_ref, page_ref, parent_id, position, collection, name, type)"
            " values (current_brand(), $1, $2, $3, $4, $5, $6, $7) returning ref",
            site_ref,
            placement.page_ref,
            placement.parent_id,
            placement.position,
            collection,
            name,
            widget_type,
        )
    except asyncpg.UniqueViolationError:
        raise WidgetNameTaken from None
    return ref


async def insert_widgets(
    tx: Transaction, site_ref: int, page_ref: int, rows: Sequence[tuple[str, str, str, str, int]]
) -> list[int]:
    """Insert widgets of one page (parent id, collection, name, type, position) and return their refs, in order."""
    columns = list(zip(*rows, strict=True)) or [()] * 5
    try:
        found = await tx.fetch(
            "insert into widgets (brand_ref, site_ref, page_ref, parent_id, collection, name, type, position)"
            " select current_brand(), $1, $2, x.*"
            " from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::integer[]) as x"
            " returning parent_id, name, ref",
            site_ref,
            page_ref,
            *columns,
        )
    except asyncpg.UniqueViolationError:
        raise WidgetNameTaken from None
    refs = {(parent_id, name): ref for parent_id, name, ref in found}
    return [refs[row[0], row[2]] for row in rows]


async def insert_values(tx: Transaction, values: Sequence[tuple[int, str, str]]) -> None:
    """Insert values of new widgets: widget, name and value."""
    await tx.execute(
        "insert into widget_values (brand_ref, widget_ref, name, value)"
        " select current_brand(), x.* from unnest($1::bigint[], $2::text[], $3::text[]) as x",
        *(list(zip(*values, strict=True)) or [()] * 3),
    )


async def update_widget(tx: Transaction, widget_ref: int, columns: dict[str, Any]) -> None:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    try:
        await tx.execute(
            f"update widgets set {changes} where brand_ref = current_brand() and ref = $1",  # noqa: S608
            widget_ref,
            *columns.values(),
        )
    except asyncpg.UniqueViolationError:
        raise WidgetNameTaken from None


async def shift_following(tx: Transaction, placement: Placement, widget_ref: int | None = None, count: int = 1) -> None:
    """If other widgets have one of `count` positions from this one on, move them and those after them by `count`."""
    await tx.execute(
        """
        update widgets set position = position + $5
         where brand_ref = current_brand() and page_ref = $1 and parent_id = $2 and position >= $3
           and ref is distinct from $4
           and exists (select from widgets where brand_ref = current_brand() and page_ref = $1 and parent_id = $2
                          and position >= $3 and position < $3 + $5 and ref is distinct from $4)
        """,
        placement.page_ref,
        placement.parent_id,
        placement.position,
        widget_ref,
        count,
    )


async def close_gap(tx: Transaction, placement: Placement) -> None:
    """Move the widgets after this position back by one."""
    await tx.execute(
        "update widgets set position = position - 1"
        " where brand_ref = current_brand() and page_ref = $1 and parent_id = $2 and position > $3",
        placement.page_ref,
        placement.parent_id,
        placement.position,
    )


async def longest_parent_inside(tx: Transaction, widget: PlacedWidget) -> int:
    """Return the length of the longest parent id in the widget's columns; 0 when they are empty."""
    length: int = await tx.fetchval(
        f"select coalesce(max(length(w.parent_id)), 0) from widgets w where {_INSIDE}",  # noqa: S608
        widget.placement.page_ref,
        widget.own_id,
    )
    return length


async def move_inside(tx: Transaction, widget: PlacedWidget, page_ref: int, own_id: str) -> None:
    """Move the widgets in the widget's columns to its new page or id."""
    new_parent_id = "$4 || substr(w.parent_id, length($2) + 1)"
    try:
        await tx.execute(
            f"update widgets w set page_ref = $3, parent_id = {new_parent_id} where {_INSIDE}",  # noqa: S608
            widget.placement.page_ref,
            widget.own_id,
            page_ref,
            own_id,
        )
    except asyncpg.UniqueViolationError:
        raise WidgetNameTaken from None


async def delete_widget(tx: Transaction, widget: PlacedWidget) -> None:
    """Delete a widget with the widgets in its columns."""
    await tx.execute(
        f"delete from widgets w where {_INSIDE}",  # noqa: S608
        widget.placement.page_ref,
        widget.own_id,
    )
    await tx.execute("delete from widgets where brand_ref = current_brand() and ref = $1", widget.ref)


async def set_values(tx: Transaction, widget_ref: int, values: Mapping[str, str | None]) -> None:
    """Set values; None removes one, and other values are kept."""
    gone = [name for name, value in values.items() if value is None]
    if gone:
        await tx.execute(
            "delete from widget_values where brand_ref = current_brand() and widget_ref = $1 and name = any($2)",
            widget_ref,
            gone,
        )
    kept = {name: value for name, value in values.items() if value is not None}
    if kept:
        await tx.execute(
            "insert into widget_values (brand_ref, widget_ref, name, value)"
            " select current_brand(), $1, name, value from unnest($2::text[], $3::text[]) as sent (name, value)"
            " on conflict (brand_ref, widget_ref, name) do update set value = excluded.value",
            widget_ref,
            list(kept),
            list(kept.values()),
        )
