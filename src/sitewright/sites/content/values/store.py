"""SQL of global and static values."""

from datetime import datetime
from typing import Any

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.sites.content.errors import GlobalValueExists
from sitewright.sites.content.schemas import GlobalValue
from sitewright.sites.content.store import Listed, list_rows

_STATIC_COLUMNS = "v.ref, v.static_widget_id, v.name, v.value, v.created_at, v.updated_at, b.time_zone"
_BRANDS = "join brand_settings b on b.brand_ref = v.brand_ref"
_STATIC = f"""
select {_STATIC_COLUMNS}
  from static_values v {_BRANDS}
 where v.brand_ref = current_brand() and v.site_ref = $1 and v.static_widget_id = $2
 order by v.ref
"""  # noqa: S608 - fixed parts
_LISTED_GLOBALS = Listed(
    table="global_values",
    t="v",
    columns="v.ref, v.name, v.value",
    size="60 + octet_length(v.name) + octet_length(v.value)",
)
_LISTED_STATICS = Listed(
    table="static_values",
    t="v",
    columns=_STATIC_COLUMNS,
    size="150 + octet_length(v.static_widget_id) + octet_length(v.name) + octet_length(v.value)",
    where="($6::text is null or v.static_widget_id = $6)",
    joined=_BRANDS,
)


async def list_global_values(tx: Transaction, site_ref: int, window: Window) -> tuple[list[GlobalValue], bool]:
    """List at most `window.rows` values by ref, and whether more were left out because of their size."""
    rows, too_large = await list_rows(tx, _LISTED_GLOBALS, site_ref, window)
    return [GlobalValue(*row.values()) for row in rows], too_large


async def find_global_value(tx: Transaction, site_ref: int, name: str) -> int | None:
    ref: int | None = await tx.fetchval(
        "select ref from global_values where brand_ref = current_brand() and site_ref = $1 and name = $2",
        site_ref,
        name,
    )
    return ref


async def insert_global_value(tx: Transaction, site_ref: int, name: str, value: str) -> int:
    try:
        ref: int = await tx.fetchval(
            "insert into global_values (brand_ref, site_ref, name, value) values (current_brand(), $1, $2, $3)"
            " returning ref",
            site_ref,
            name,
            value,
        )
    except asyncpg.UniqueViolationError:
        raise GlobalValueExists from None
    return ref


async def update_global_value(tx: Transaction, ref: int, value: str) -> None:
    await tx.execute("update global_values set value = $2 where brand_ref = current_brand() and ref = $1", ref, value)


async def delete_global_value(tx: Transaction, ref: int) -> None:
    await tx.execute("delete from global_values where brand_ref = current_brand() and ref = $1", ref)


async def list_static_values(
    tx: Transaction, site_ref: int, static_widget_id: str | None, window: Window
) -> tuple[list[dict[str, Any]], bool]:
    """List at most `window.rows` values of the site or of one static widget, and whether more were left out."""
    return await list_rows(tx, _LISTED_STATICS, site_ref, window, static_widget_id)


async def read_static_values(tx: Transaction, site_ref: int, static_widget_id: str) -> list[asyncpg.Record]:
    """Return all values of one static widget."""
    return await tx.fetch(_STATIC, site_ref, static_widget_id)


async def delete_static_value(tx: Transaction, ref: int) -> None:
    await tx.execute("delete from static_values where brand_ref = current_brand() and ref = $1", ref)


async def set_static_values(
    tx: Transaction, site_ref: int, static_widget_id: str, values: dict[str, str], now: datetime
) -> None:
    await tx.execute(
        "insert into static_values (brand_ref, site_ref, static_widget_id, name, value, created_at, updated_at)"
        " select current_brand(), $1, $2, name, value, $5, $5 from unnest($3::text[], $4::text[]) as sent (name, value)"
        " on conflict (brand_ref, site_ref, static_widget_id, name)"
        " do update set value = excluded.value, updated_at = excluded.updated_at",
        site_ref,
        static_widget_id,
        list(values),
        list(values.values()),
        now,
    )
