from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction

_PAGES = """
select row_to_json(x)::text from (
    select p.site_ref as "siteRef", p.ref, p.request as "pageUrl", p.title, p.status, p.keywords, p.description,
           p.seo_title as "seoTitle", p.parent_id as "parentId", p.display_order as "displayOrder", p.headscript,
           p.bodyscript, p.hidden_from_navigation as "hiddenFromNavigation"
      from hosted_sites s join pages p on p.brand_ref = s.brand_ref and p.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by p.site_ref, p.display_order, p.ref) x
"""
_WIDGETS = """
select row_to_json(x)::text from (
    select w.site_ref as "siteRef", w.page_ref as "pageRef", w.ref, w.parent_id as "parentId", w.collection, w.name,
           w.type, w.position,
           (select json_object_agg(v.name, v.value order by v.ref) from widget_values v
             where v.brand_ref = w.brand_ref and v.widget_ref = w.ref) as "values"
      from hosted_sites s join widgets w on w.brand_ref = s.brand_ref and w.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by w.site_ref, w.page_ref, w.ref) x
"""
_GLOBAL_VALUES = """
select row_to_json(x)::text from (
    select g.site_ref as "siteRef", g.name, g.value
      from hosted_sites s join global_values g on g.brand_ref = s.brand_ref and g.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by g.site_ref, g.ref) x
"""
_STATIC_VALUES = """
select row_to_json(x)::text from (
    select v.site_ref as "siteRef", v.static_widget_id as "id", v.name, v.value
      from hosted_sites s join static_values v on v.brand_ref = s.brand_ref and v.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by v.site_ref, v.ref) x
"""
_REDIRECTS = """
select row_to_json(x)::text from (
    select r.site_ref as "siteRef", r.from_path as "from", r.page_ref as "pageRef", r.url
      from hosted_sites s join site_redirects r on r.brand_ref = s.brand_ref and r.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by r.site_ref, r.ref) x
"""


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write("pages.json", tx.cursor(_PAGES, export.user_ref))
    await export.write("widgets.json", tx.cursor(_WIDGETS, export.user_ref))
    await export.write("global-values.json", tx.cursor(_GLOBAL_VALUES, export.user_ref))
    await export.write("static-values.json", tx.cursor(_STATIC_VALUES, export.user_ref))
    await export.write("redirects.json", tx.cursor(_REDIRECTS, export.user_ref))
