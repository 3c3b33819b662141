"""SQL that reads and writes rows of a site's content by image."""

import asyncio
from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.content.changes.images.rows import LARGE, Rows, Scope

_PAGE_COLUMNS = (
    "type", "status", "request", "request_key", "title", "keywords", "description", "can_publish", "parent_id",
    "seo_title", "theme_ref", "color_swatch_ref", "font_swatch_ref", "headscript", "bodyscript", "display_order",
    "template_type", "hidden_from_navigation", "immutable",
)  # fmt: skip
_WIDGET_COLUMNS = ("page_ref", "parent_id", "collection", "name", "type", "position")
_COLUMNS = {
    "pages": _PAGE_COLUMNS,
    "widgets": _WIDGET_COLUMNS,
    "widget_values": ("widget_ref", "name", "value"),
    "global_values": ("name", "value"),
    "static_values": ("static_widget_id", "name", "value", "created_at", "updated_at"),
}
"""What can be written, by table; `ref` is the key, brand and site are the transaction's."""
_KEYS = {"pages": "request_key", "widgets": "name"}
"""The column of each unique key that a row can hand over to another one."""
_READ = """
  with deep as (
       select ref from widgets where brand_ref = current_brand() and site_ref = $1 and ref = any($4)
        union
       select ref from widgets where brand_ref = current_brand() and site_ref = $1 and page_ref = any($5)
        union
       select ref from widgets where brand_ref = current_brand() and site_ref = $1 and page_ref = $6
          and starts_with(parent_id, $7 || '__') and substr(parent_id, length($7) + 3) ~ '^[0-9]+(__|$)')
select json_build_object(
       'pages', (
           select json_object_agg(p.ref, case when p.ref = any($2) then to_jsonb(p) - '{brand_ref,site_ref,ref}'::text[]
                  else jsonb_build_object('parent_id', p.parent_id, 'display_order', p.display_order) end)
             from pages p
            where p.brand_ref = current_brand() and p.site_ref = $1 and ($3 or p.ref = any($2))),
       'widgets', (
           select json_object_agg(w.ref, to_jsonb(w) - '{brand_ref,site_ref,ref}'::text[])
             from widgets w where w.brand_ref = current_brand() and w.site_ref = $1
              and w.ref in (select ref from deep union select unnest($13::bigint[]))),
       'values', (
           select json_object_agg(v.widget_ref || ' ' || v.name, json_build_object('ref', v.ref, 'value', v.value)
                                  order by v.ref)
             from widget_values v join deep on v.widget_ref = deep.ref where v.brand_ref = current_brand()),
       'zones', (
           select json_object_agg(w.ref, json_build_object(
                  'page_ref', w.page_ref, 'parent_id', w.parent_id, 'name', w.name, 'position', w.position)
                  order by w.position, w.ref)
             from unnest($8::bigint[], $9::text[]) as zone (page_ref, parent_id)
             join widgets w on w.page_ref = zone.page_ref and w.parent_id = zone.parent_id
            where w.brand_ref = current_brand() and w.site_ref = $1),
       'globals', (
           select json_object_agg(g.name, json_build_object('ref', g.ref, 'value', g.value))
             from global_values g
            where g.brand_ref = current_brand() and g.site_ref = $1 and ($14 or g.name = any($10))),
       'statics', (
           select json_object_agg(json_build_array(s.static_widget_id, s.name)::text, json_build_object(
                  'ref', s.ref, 'value', s.value, 'created_at', s.created_at))
             from static_values s
            where s.brand_ref = current_brand() and s.site_ref = $1
              and ($14 or (s.static_widget_id, s.name) in (select * from unnest($11::text[], $12::text[])))))::text
"""
_decode = msgspec.json.Decoder(dict[str, dict[str, dict[str, Any]] | None]).decode


async def read_rows(tx: Transaction, site_ref: int, scope: Scope) -> Rows:
    """Read the rows of a scope in one statement."""
    page_ref, own_id = scope.inside or (None, None)
    text = await tx.fetchval(
        _READ,
        site_ref,
        scope.pages,
        scope.every_page,
        scope.widgets,
        scope.widgets_of_pages,
        page_ref,
        own_id,
        [zone[0] for zone in scope.zones],
        [zone[1] for zone in scope.zones],
        scope.global_values,
        [each[0] for each in scope.static_values],
        [each[1] for each in scope.static_values],
        scope.rows,
        scope.every_value,
    )
    decoded = await asyncio.to_thread(_decode, text) if len(text) > LARGE else _decode(text)
    return {table: rows or {} for table, rows in decoded.items()}


async def delete_rows(tx: Transaction, table: str, refs: Sequence[int]) -> None:
    await tx.execute(f"delete from {table} where brand_ref = current_brand() and ref = any($1)", refs)  # noqa: S608


async def park_keys(tx: Transaction, table: str, refs: Sequence[int]) -> None:
    """Give rows keys that no other row can have, so that they can exchange theirs in the next statement."""
    column = _KEYS[table]
    await tx.execute(
        f"update {table} set {column} = ' ' || ref where brand_ref = current_brand() and ref = any($1)",  # noqa: S608
        refs,
    )


async def update_rows(tx: Transaction, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write every column of these rows."""
    columns = ", ".join(_COLUMNS[table])
    values = ", ".join(f"new.{name}" for name in _COLUMNS[table])
    await tx.execute(
        f"update {table} t set ({columns}) = row({values}) from jsonb_populate_recordset(null::{table}, $1::jsonb) new"  # noqa: S608
        " where t.brand_ref = current_brand() and t.ref = new.ref",
        msgspec.json.encode(rows).decode(),
    )


async def insert_rows(tx: Transaction, table: str, site_ref: int, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows with the refs that they had."""
    site, site_value = ("", "") if table == "widget_values" else ("site_ref, ", "$2::bigint, ")
    columns = f"ref, {', '.join(_COLUMNS[table])}"
    await tx.execute(
        f"insert into {table} (brand_ref, {site}{columns})"  # noqa: S608
        f" select current_brand(), {site_value}{columns} from jsonb_populate_recordset(null::{table}, $1::jsonb)",
        msgspec.json.encode(rows).decode(),
        *([site_ref] if site else []),
    )


async def set_positions(tx: Transaction, positions: dict[int, int]) -> None:
    """Set the positions of widgets, by ref."""
    await tx.execute(
        "update widgets w set position = new.position from unnest($1::bigint[], $2::integer[]) as new (ref, position)"
        " where w.brand_ref = current_brand() and w.ref = new.ref",
        list(positions),
        list(positions.values()),
    )


async def find_other_widget(
    tx: Transaction,
    site_ref: int,
    besides: Sequence[int],
    *,
    pages: Sequence[int] = (),
    own_ids: Sequence[tuple[int, str]] = (),
) -> int | None:
    """Find a widget on these pages, or in the columns of these widgets, besides those that are known."""
    ref: int | None = await tx.fetchval(
        """
        select w.ref from widgets w
         where w.brand_ref = current_brand() and w.site_ref = $1 and w.ref <> all($2)
           and (w.page_ref = any($3) or exists (
                select from unnest($4::bigint[], $5::text[]) as container (page_ref, own_id)
                 where container.page_ref = w.page_ref and starts_with(w.parent_id, container.own_id || '__')
                   and substr(w.parent_id, length(container.own_id) + 3) ~ '^[0-9]+(__|$)'))
         limit 1
        """,
        site_ref,
        besides,
        pages,
        [each[0] for each in own_ids],
        [each[1] for each in own_ids],
    )
    return ref


async def find_orphan(tx: Transaction, places: Sequence[tuple[int, int, str]]) -> int | None:
    """Find a widget whose columns do not exist; `places` are widget, page and own id of the columns."""
    ref: int | None = await tx.fetchval(
        """
        select place.ref from unnest($1::bigint[], $2::bigint[], $3::text[]) as place (ref, page_ref, own_id)
         where not exists (select from widgets w where w.brand_ref = current_brand() and w.page_ref = place.page_ref
                              and w.parent_id || '__' || w.name = place.own_id)
         limit 1
        """,
        [each[0] for each in places],
        [each[1] for each in places],
        [each[2] for each in places],
    )
    return ref


async def has_other_children(tx: Transaction, site_ref: int, pages: Sequence[int]) -> bool:
    """Whether a page that is not among these has one of them as its parent."""
    found = await tx.fetchval(
        "select exists (select from pages where brand_ref = current_brand() and site_ref = $1"
        " and parent_id = any($2) and ref <> all($2))",
        site_ref,
        pages,
    )
    return found is True


Conflict = (asyncpg.UniqueViolationError, asyncpg.ForeignKeyViolationError)
"""What rows that somebody else wrote meanwhile raise."""
