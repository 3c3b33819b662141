"""SQL of a site's content as a whole."""

from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import MAX_LIST_BYTES, Window

PAGE = """
       p.ref, p.type, p.status, p.request, p.title, p.keywords, p.description, p.can_publish, p.parent_id, p.seo_title,
       p.theme_ref, p.color_swatch_ref, p.font_swatch_ref, p.headscript, p.bodyscript, p.display_order, p.template_type,
       p.hidden_from_navigation, p.immutable
"""
"""The columns of a page in responses, by their wire names."""
_LIST = """
  with page as materialized (
       select {t}.ref from {table} {t} where {t}.brand_ref = current_brand() and {t}.site_ref = $1 and {where}
          and ($2::bigint is null or {t}.ref > $2) and ($3::bigint is null or {t}.ref < $3)
        order by {t}.ref {direction} limit $4 offset $5),
       sums as materialized (
       select {t}.ref, coalesce(sum({size}) over (
              order by {t}.ref {direction} rows between unbounded preceding and 1 preceding), 0) as bytes_before
         from page join {table} {t} on {t}.brand_ref = current_brand() and {t}.ref = page.ref),
       shown as materialized (
       select ref, (select max(bytes_before) from sums) >= {max_bytes} as too_large from sums
        where bytes_before < {max_bytes})
select {columns}, shown.too_large
  from shown join {table} {t} on {t}.brand_ref = current_brand() and {t}.ref = shown.ref {joined} order by {t}.ref
"""
_PARTS = f"""
  with parts as (
       select 1 as kind, p.display_order as place, p.ref, json_build_array(
              (select row_to_json(page) from (select {PAGE}) page),
              array(select json_build_array(w.ref, w.parent_id, w.collection, w.name, w.type, w.position, (
                           select coalesce(json_object_agg(v.name, v.value order by v.ref), '{{}}') from widget_values v
                            where v.brand_ref = w.brand_ref and v.widget_ref = w.ref))
                      from widgets w where w.brand_ref = p.brand_ref and w.page_ref = p.ref
                     order by w.parent_id, w.position, w.ref))::text as part
         from pages p where p.brand_ref = current_brand() and p.site_ref = $1
        union all
       select 2, 0, ref, json_build_array(null, name, value)::text
         from global_values where brand_ref = current_brand() and site_ref = $1
        union all
       select 3, 0, ref, json_build_array(static_widget_id, name, value)::text
         from static_values where brand_ref = current_brand() and site_ref = $1)
"""  # noqa: S608 - fixed parts
_READ = (
    _PARTS
    + """
select kind = 1 as is_page, part, encode(sha256(convert_to(part, 'UTF8')), 'hex') as digest
  from parts order by kind, place, ref
"""
)
_DIGEST = (
    _PARTS
    + """
select coalesce(string_agg(encode(sha256(convert_to(part, 'UTF8')), 'hex'), '' order by kind, place, ref), '')
  from parts
"""
)
_WEIGHT = """
select (select count(*) from pages where brand_ref = current_brand() and site_ref = $1) as pages,
       (select coalesce(sum(octet_length(v.value)), 0)
          from widgets w join widget_values v on v.brand_ref = w.brand_ref and v.widget_ref = w.ref
         where w.brand_ref = current_brand() and w.site_ref = $1)
     + (select coalesce(sum(coalesce(octet_length(headscript), 0) + coalesce(octet_length(bodyscript), 0)), 0)
          from pages where brand_ref = current_brand() and site_ref = $1) as page_bytes,
       (select coalesce(sum(octet_length(value)), 0)
          from global_values where brand_ref = current_brand() and site_ref = $1)
     + (select coalesce(sum(octet_length(value)), 0)
          from static_values where brand_ref = current_brand() and site_ref = $1) as shared_bytes
"""

_MEASURE = """
insert into site_usage (brand_ref, site_ref, bytes)
select current_brand(), $1, coalesce(sum(bytes), 0) from (
       select sum(octet_length(request) + octet_length(title) + octet_length(template_type)
                  + octet_length(concat(keywords, description, seo_title))
                  + coalesce(octet_length(headscript), 0) + coalesce(octet_length(bodyscript), 0)) as bytes
         from pages where brand_ref = current_brand() and site_ref = $1
        union all
       select sum(octet_length(parent_id) + octet_length(collection) + octet_length(name) + octet_length(type))
         from widgets where brand_ref = current_brand() and site_ref = $1
        union all
       select sum(octet_length(v.name) + octet_length(v.value))
         from widgets w join widget_values v on v.brand_ref = w.brand_ref and v.widget_ref = w.ref
        where w.brand_ref = current_brand() and w.site_ref = $1
        union all
       select sum(octet_length(name) + octet_length(value))
         from global_values where brand_ref = current_brand() and site_ref = $1
        union all
       select sum(octet_length(static_widget_id) + octet_length(name) + octet_length(value))
         from static_values where brand_ref = current_brand() and site_ref = $1) parts
    on conflict (brand_ref, site_ref) do update set bytes = excluded.bytes
returning bytes
"""
_MEDIA_USES = """
select format('page %s, widget %s, value %s', to_json(p.title), w.name, v.name) as place
  from widgets w join widget_values v on v.brand_ref = w.brand_ref and v.widget_ref = w.ref
  join pages p on p.brand_ref = w.brand_ref and p.ref = w.page_ref
 where w.brand_ref = current_brand() and w.site_ref = $1 and v.value ~ $2
 union all
select format('page %s, %s', to_json(p.title), s.name)
  from pages p, lateral (values ('headscript', p.headscript), ('bodyscript', p.bodyscript)) s (name, script)
 where p.brand_ref = current_brand() and p.site_ref = $1 and s.script ~ $2
 union all
select format('global value %s', name) from global_values
 where brand_ref = current_brand() and site_ref = $1 and value ~ $2
 union all
select format('static value %s, %s', static_widget_id, name) from static_values
 where brand_ref = current_brand() and site_ref = $1 and value ~ $2
"""


class Listed(msgspec.Struct, frozen=True):
    """How rows of a table are listed."""

    table: str
    t: str
    """The table's alias in the other parts."""
    columns: str
    size: str
    """The size of a row in bytes. `octet_length` does not fetch large values."""
    where: str = "true"
    joined: str = ""


async def list_rows(
    tx: Transaction, listed: Listed, site_ref: int, window: Window, *more: object
) -> tuple[list[dict[str, Any]], bool]:
    """List at most `window.rows` rows of a site by ref, and whether more were left out because of their size.

    Rows after the first `MAX_LIST_BYTES` are not read. `more` are the parameters of `where`.
    """
    parts = msgspec.structs.asdict(listed)
    statement = _LIST.format(direction=window.direction, max_bytes=MAX_LIST_BYTES, **parts)
    rows = [dict(row) for row in await tx.fetch(statement, site_ref, *window.position, *more)]
    too_large = [row.pop("too_large") for row in rows]
    return rows, any(too_large)


async def read_parts(tx: Transaction, site_ref: int) -> list[asyncpg.Record]:
    """Read pages with their widgets, then global and static values, in one statement: each as JSON with its digest.

    PostgreSQL builds the JSON, so that a large site is not converted row by row on the event loop.
    """
    return await tx.fetch(_READ, site_ref)


async def read_digests(tx: Transaction, site_ref: int) -> str:
    """Return the concatenated digests of all parts, to detect changes without reading the content."""
    digests: str = await tx.fetchval(_DIGEST, site_ref)
    return digests


async def weigh(tx: Transaction, site_ref: int) -> asyncpg.Record:
    """Return the number of pages, and the bytes on pages and in shared values, without reading the values."""
    row = await tx.fetchrow(_WEIGHT, site_ref)
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return row


async def count_bytes(tx: Transaction, site_ref: int, page_ref: int | None) -> int:
    """The bytes of all values of a site, of its widgets those on one page only, without reading them."""
    count: int = await tx.fetchval(
        """
        select (select coalesce(sum(octet_length(v.value)), 0)
                  from widgets w join widget_values v on v.brand_ref = w.brand_ref and v.widget_ref = w.ref
                 where w.brand_ref = current_brand() and w.site_ref = $1 and ($2::bigint is null or w.page_ref = $2))
             + (select coalesce(sum(coalesce(octet_length(headscript), 0) + coalesce(octet_length(bodyscript), 0)), 0)
                  from pages where brand_ref = current_brand() and site_ref = $1)
             + (select coalesce(sum(octet_length(value)), 0)
                  from global_values where brand_ref = current_brand() and site_ref = $1)
             + (select coalesce(sum(octet_length(value)), 0)
                  from static_values where brand_ref = current_brand() and site_ref = $1)
        """,
        site_ref,
        page_ref,
    )
    return count


async def find_media_uses(tx: Transaction, site_ref: int, media_ref: int) -> list[str]:
    """The places of values that name `media:<ref>`, alone or in quotation marks."""
    pattern = f"""(^\\s*|["'])media:{media_ref}(\\s*$|["'])"""
    return [row["place"] for row in await tx.fetch(_MEDIA_USES, site_ref, pattern)]


async def count_pages(tx: Transaction, site_ref: int, limit: int) -> int:
    """Count the pages in an index, up to `limit`."""
    count: int = await tx.fetchval(
        "select count(*) from (select from pages where brand_ref = current_brand() and site_ref = $1 limit $2) found",
        site_ref,
        limit,
    )
    return count


async def count_widgets(tx: Transaction, site_ref: int, limit: int) -> int:
    """Count the widgets in an index, up to `limit`."""
    count: int = await tx.fetchval(
        "select count(*) from (select from widgets where brand_ref = current_brand() and site_ref = $1 limit $2) found",
        site_ref,
        limit,
    )
    return count


async def count_all(tx: Transaction, site_ref: int) -> tuple[int, int]:
    """Count the pages and widgets of a site."""
    row = await tx.fetchrow(
        "select (select count(*) from pages where brand_ref = current_brand() and site_ref = $1),"
        "       (select count(*) from widgets where brand_ref = current_brand() and site_ref = $1)",
        site_ref,
    )
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return row[0], row[1]


async def add_bytes(tx: Transaction, site_ref: int, added: int) -> int | None:
    """Add to the site's byte counter and return it; None when it was never measured."""
    count: int | None = await tx.fetchval(
        "update site_usage set bytes = bytes + $2 where brand_ref = current_brand() and site_ref = $1 returning bytes",
        site_ref,
        added,
    )
    return count


async def measure_bytes(tx: Transaction, site_ref: int) -> int:
    """Recompute the site's byte counter without reading long values."""
    count: int = await tx.fetchval(_MEASURE, site_ref)
    return count


async def delete_content(tx: Transaction, site_ref: int) -> None:
    """Delete pages, widgets (with their pages) and values."""
    await tx.execute(
        """
        with pages_gone as (delete from pages where brand_ref = current_brand() and site_ref = $1),
             usage_gone as (delete from site_usage where brand_ref = current_brand() and site_ref = $1),
             globals_gone as (delete from global_values where brand_ref = current_brand() and site_ref = $1)
        delete from static_values where brand_ref = current_brand() and site_ref = $1
        """,
        site_ref,
    )


async def delete_all(tx: Transaction, site_ref: int) -> None:
    """Delete all content, its recorded changes and redirects too."""
    await delete_content(tx, site_ref)
    await tx.execute(
        """
        with changes_gone as (delete from content_changes where brand_ref = current_brand() and site_ref = $1)
        delete from site_redirects where brand_ref = current_brand() and site_ref = $1
        """,
        site_ref,
    )


async def lock_content(tx: Transaction, site_ref: int) -> bool:
    """Lock the site's content until the end of the transaction, and return whether the site still exists.

    Readers and publishing do not wait for this lock.
    """
    row = await tx.fetchrow(
        "select pg_advisory_xact_lock(hashtextextended('content of site ' || $1::bigint, 0)) from lock_site($1)",
        site_ref,
    )
    return row is not None
