"""SQL that replaces the whole content of a site."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sitewright.kit.db import Transaction

BATCH_BYTES = 2 * 1024 * 1024
_PAGES = """
  with parts as materialized (select part::json as part from unnest($2::text[]) part),
       found as materialized (
       select p.* from parts cross join lateral json_to_record(part -> 0) as p (
              ref bigint, type text, status text, request text, title text, keywords text, description text,
              can_publish integer, parent_id bigint, seo_title text, theme_ref bigint, color_swatch_ref bigint,
              font_swatch_ref bigint, headscript text, bodyscript text, display_order integer, template_type text,
              hidden_from_navigation integer, immutable integer)),
       pages_in as (
       insert into pages (brand_ref, site_ref, request_key, ref, type, status, request, title, keywords, description,
              can_publish, parent_id, seo_title, theme_ref, color_swatch_ref, font_swatch_ref, headscript, bodyscript,
              display_order, template_type, hidden_from_navigation, immutable)
       select current_brand(), $1, lower(f.request), f.* from found f),
       widgets_found as materialized (
       select (part -> 0 ->> 'ref')::bigint as page_ref, w.value as widget
         from parts cross join lateral json_array_elements(part -> 1) w),
       widgets_in as (
       insert into widgets (brand_ref, ref, site_ref, page_ref, parent_id, collection, name, type, position)
       select current_brand(), (widget ->> 0)::bigint, $1, page_ref, widget ->> 1, widget ->> 2, widget ->> 3,
              widget ->> 4, (widget ->> 5)::integer
         from widgets_found)
insert into widget_values (brand_ref, widget_ref, name, value)
select current_brand(), (widget ->> 0)::bigint, v.key, v.value
  from widgets_found cross join lateral json_each_text(widget -> 6) with ordinality v (key, value, place)
 order by 2, v.place
"""
_VALUES = """
  with found as materialized (
       select part ->> 0 as static_widget_id, part ->> 1 as name, part ->> 2 as value, place
         from unnest($2::json[]) with ordinality x (part, place)),
       globals_in as (
       insert into global_values (brand_ref, site_ref, name, value)
       select current_brand(), $1, name, value from found where static_widget_id is null order by place)
insert into static_values (brand_ref, site_ref, static_widget_id, name, value, created_at, updated_at)
select current_brand(), $1, static_widget_id, name, value, $3, $3 from found where static_widget_id is not null
 order by place
"""


async def insert_pages(tx: Transaction, site_ref: int, pages: Sequence[str]) -> None:
    """Insert pages with their widgets, as `read_parts` returned them: with the same refs."""
    for batch in _batches(pages):
        await tx.execute(_PAGES, site_ref, batch)


async def insert_values(tx: Transaction, site_ref: int, values: Sequence[str], at: datetime) -> None:
    """Insert global and static values, as `read_parts` returned them."""
    for batch in _batches(values):
        await tx.execute(_VALUES, site_ref, batch, at)


def _batches(parts: Sequence[str]) -> Iterator[list[str]]:
    """Parameters are encoded on the event loop, so that they are sent in batches of a few MiB."""
    batch: list[str] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += len(part)
        if size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
