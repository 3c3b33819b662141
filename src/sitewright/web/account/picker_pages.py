"""`/template-picker/`: thumbnails, categories, a preview of the site at work, and a button to choose."""

from functools import partial

from sitewright.catalogue.templates import service as templates
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.paging import MAX_LIMIT, Window
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites.service import Site
from sitewright.web.account import service, views
from sitewright.web.account.holder_pages import Work
from sitewright.web.account.naming import site_address
from sitewright.web.account.picking import Picker, Selection, picker_of
from sitewright.web.account.schemas import ChooseForm
from sitewright.web.account.visits import Visit
from sitewright.web.login import service as login


async def show_picker(visit: Visit) -> Answered:
    query = parse_query(visit.incoming.query)
    site = await service.find_own_site(visit, parse_ref(query.get("siteRef", "")))
    asked = Selection(
        site_ref=site.ref,
        category=query.get("selectedCategory"),
        type=query.get("selectedType"),
        preview=parse_ref(query.get("preview", "")),
    )
    return views.picker_page(visit, site, await _picker(visit, site, asked))


async def prepare_preview(visit: Visit) -> Answered | Work:
    """Several may be asked for at once: none holds a connection while it is put together."""
    query = parse_query(visit.incoming.query)
    site = await service.find_own_site(visit, parse_ref(query.get("siteRef", "")))
    template_ref = await service.check_previewable(visit, parse_ref(query.get("templateRef", "")))
    return partial(_preview, visit, site, template_ref)


async def _preview(visit: Visit, site: Site, template_ref: int) -> bytes | Problem:
    try:
        return await service.preview(visit, site, template_ref)
    except (TemplateFailed, SiteTooLarge) as problem:
        return problem


async def show_preview(visit: Visit, prepared: bytes | Problem) -> Answered:
    if isinstance(prepared, Problem):
        return views.no_preview_page(visit, prepared)
    return views.preview_page(prepared)


async def choose_template(visit: Visit) -> Answered:
    form = parse(ChooseForm, form_of(visit.incoming))
    site = await service.find_own_site(visit, form.site_ref, lock=True)
    await service.choose_template(visit, site, form.template_ref)
    return redirect(login.editor_of(visit.brand, site.ref) or f"{site_address(site.ref)}?done=template")


async def show_picker_again(visit: Visit, problem: Problem) -> Answered:
    site = await service.find_own_site(visit, parse_ref(form_of(visit.incoming).get("siteRef", "")))
    picker = await _picker(visit, site, Selection(site_ref=site.ref))
    return views.picker_page(visit, site, picker, status=problem.status, alert=visit.words("template_gone"))


async def _picker(visit: Visit, site: Site, asked: Selection) -> Picker:
    choosable = await templates.list_choosable(visit.tx, visit.holder.user_ref)
    categories, _ = await templates.list_categories(visit.tx, Window(limit=MAX_LIMIT))
    return picker_of(asked, site.template_ref, choosable, categories)
