"""All that is on a site, at once."""

import asyncpg

from sitewright.kit.db import Transaction

PAGE = """
       p.ref, p.type, p.status, p.request, p.title, p.keywords, p.description, p.can_publish, p.parent_id, p.seo_title,
       p.theme_ref, p.color_swatch_ref, p.font_swatch_ref, p.headscript, p.bodyscript, p.display_order, p.template_type,
       p.hidden_from_navigation, p.immutable
"""
"""What the interface tells of a page, named as it tells it."""
_PAGES = f"""
select {PAGE},
       array(select row(w.ref, w.parent_id, w.collection, w.name, w.type, w.position, v.names, v.texts)
               from widgets w cross join lateral (
                    select coalesce(array_agg(v.name), '{{}}') as names, coalesce(array_agg(v.value), '{{}}') as texts
                      from widget_values v where v.brand_ref = w.brand_ref and v.widget_ref = w.ref) v
              where w.brand_ref = p.brand_ref and w.page_ref = p.ref
              order by w.parent_id, w.position, w.ref) as widgets
  from pages p
 where p.brand_ref = current_brand() and p.site_ref = $1
 order by p.display_order, p.ref
"""  # noqa: S608 - fixed parts
_VALUES = """
select null as static_widget_id, name, value from global_values where brand_ref = current_brand() and site_ref = $1
 union all
select static_widget_id, name, value from static_values where brand_ref = current_brand() and site_ref = $1
"""


async def read_pages(tx: Transaction, site_ref: int) -> list[asyncpg.Record]:
    """Pages with their widgets and the widgets' values, as they were at one instant."""
    return await tx.fetch(_PAGES, site_ref)


async def read_values(tx: Transaction, site_ref: int) -> list[asyncpg.Record]:
    """Global values, which have no `static_widget_id`, and static values."""
    return await tx.fetch(_VALUES, site_ref)


async def delete_all(tx: Transaction, site_ref: int) -> None:
    """Pages take their widgets along."""
    await tx.execute(
        """
        with pages_gone as (delete from pages where brand_ref = current_brand() and site_ref = $1),
             globals_gone as (delete from global_values where brand_ref = current_brand() and site_ref = $1)
        delete from static_values where brand_ref = current_brand() and site_ref = $1
        """,
        site_ref,
    )


async def lock_content(tx: Transaction, site_ref: int) -> bool:
    """Whether the site is still there; if so, until the transaction ends it stays and nobody else changes its content.

    Those who only read it, or publish it, do not wait.
    """
    row = await tx.fetchrow(
        "select pg_advisory_xact_lock(hashtextextended('content of site ' || $1::bigint, 0)) from sites"
        " where brand_ref = current_brand() and ref = $1 for key share",
        site_ref,
    )
    return row is not None
