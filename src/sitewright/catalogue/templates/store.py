import asyncpg

from sitewright.catalogue.templates.schemas import (
    ChoosableTemplate,
    TemplateCategory,
    TemplateDesign,
    TemplateFilter,
    TemplateOffer,
)
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

_TEMPLATES = """
select t.ref, t.name, t.directory, t.thumbnail, t.font_swatch_ref, t.color_swatch_ref, t.code_host_repository,
       t.brand_ref is not null as private, t.git_ref, t.updated_at, t.group_refs, b.time_zone
  from templates t join brand_settings b on b.brand_ref = current_brand()
 where ($1::text is null or t.tag_refs && array(select ref from template_tags where name = $1))
   and ($2::bigint is null or $2 = any(t.tag_refs))
   and ($3::bigint is null or $3 = any(t.group_refs))
   and ($4::bigint[] is null or t.group_refs && $4)
   and ($5::text is null or t.category_refs && array(select ref from template_categories where key = $5))
   and ($6::bigint is null or t.account_holder_ref = $6)
   and (t.account_holder_ref is null or exists (select from account_holders u
        where u.brand_ref = current_brand() and u.ref = t.account_holder_ref and u.deleted_at is null
          and ($7::bigint is null or u.reseller_ref = $7)))
   and ($12::text is null or t.category_refs && array(select ref from template_categories where key = $12))
"""
_BY_REF = " and ($8::bigint is null or t.ref > $8) and ($9::bigint is null or t.ref < $9)"
_BY_KEY = """
   and ($8::bigint is null or coalesce(({t}, t.ref) > (select {c}, c.ref from templates c where c.ref = $8), true))
   and ($9::bigint is null or coalesce(({t}, t.ref) < (select {c}, c.ref from templates c where c.ref = $9), true))
"""
_SORT_KEYS = {"name": 'lower({0}.name) collate "C"', "updated": "-extract(epoch from {0}.updated_at)"}
"""Sort keys of templates; the ref is the tie-breaker."""
_CATEGORIES = """
select ref, key, category from template_categories
 where ($1::bigint is null or ref > $1) and ($2::bigint is null or ref < $2)
"""


async def list_templates(
    tx: Transaction, wanted: TemplateFilter, group_refs: list[int] | None, reseller_ref: int | None
) -> list[asyncpg.Record]:
    """List at most `window.rows` templates in order; for `before` the nearest ones.

    After a cursor whose template was removed, a sorted list starts from the beginning, so that none is skipped.
    """
    window = wanted.window
    key = _SORT_KEYS.get(wanted.sort_by or "")
    place = _BY_REF if key is None else _BY_KEY.format(t=key.format("t"), c=key.format("c"))
    first = "" if key is None else f"{key.format('t')} {window.direction}, "
    rows = await tx.fetch(
        f"{_TEMPLATES} {place} order by {first}t.ref {window.direction} limit $10 offset $11",
        wanted.tag,
        wanted.tag_ref,
        wanted.template_group_ref,
        group_refs,
        wanted.category_key,
        wanted.account_holder_ref,
        reseller_ref,
        *window.position,
        wanted.category,
    )
    return window.in_order(rows)


async def list_categories(tx: Transaction, window: Window) -> list[TemplateCategory]:
    """List at most `window.rows` categories in order; for `before` the nearest ones."""
    rows = await tx.fetch(
        f"{_CATEGORIES} order by ref {window.direction} limit $3 offset $4",
        *window.position,
    )
    return [TemplateCategory(*row) for row in window.in_order(rows)]


async def list_choosable(
    tx: Transaction, user_ref: int, offer: TemplateOffer, current_ref: int | None
) -> list[ChoosableTemplate]:
    rows = await tx.fetch(
        "select t.ref, t.name, t.directory, t.thumbnail,"
        " array(select c.key from template_categories c where c.ref = any(t.category_refs) order by c.ref),"
        " array(select g.name from template_tags g where g.ref = any(t.tag_refs) order by g.ref)"
        " from templates t where t.account_holder_ref = $1"
        "  or (t.account_holder_ref is null and (t.ref = $4 or t.ref in ("
        "  select o.ref from templates o where o.account_holder_ref is null"
        "     and ($2::bigint is null or $2 = any(o.group_refs)) order by o.ref limit $3))) order by t.ref",
        user_ref,
        offer.group_ref,
        offer.limit,
        current_ref,
    )
    return [ChoosableTemplate(*row) for row in rows]


async def is_choosable(tx: Transaction, template_ref: int, user_ref: int | None) -> bool:
    found: bool = await tx.fetchval(
        "select exists (select from templates t"
        " where t.ref = $1 and (t.account_holder_ref is null or t.account_holder_ref = $2))",
        template_ref,
        user_ref,
    )
    return found


async def find_design(tx: Transaction, template_ref: int) -> TemplateDesign | None:
    row = await tx.fetchrow(
        "select directory, brand_ref is not null, font_swatch_ref, color_swatch_ref from templates where ref = $1",
        template_ref,
    )
    return None if row is None else TemplateDesign(*row)
