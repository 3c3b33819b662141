"""`/template-picker/`: thumbnails, categories, a preview of the site, and a button to choose."""

from functools import partial

from msgspec import structs

from sitewright.catalogue.templates import service as templates
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.paging import MAX_LIMIT, Window
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site
from sitewright.web.account import service, views
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.catalogue_names import category_name, template_name
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.picker import Picker, Selection, picker_of
from sitewright.web.account.schemas import ChooseForm
from sitewright.web.account.site_labels import site_address
from sitewright.web.login import service as login


async def show_picker(request: PageRequest) -> Response:
    query = parse_query(request.http_request.query)
    site = await service.find_own_site(request, parse_ref(query.get("siteRef", "")))
    requested = Selection(
        site_ref=site.ref,
        category=query.get("selectedCategory"),
        type=query.get("selectedType"),
        preview=parse_ref(query.get("preview", "")),
    )
    return views.picker_page(request, site, await _picker(request, site, requested))


async def prepare_preview(request: PageRequest) -> Response | Work:
    """Previews are rendered without holding a connection, since a page can request several at once."""
    query = parse_query(request.http_request.query)
    site = await service.find_own_site(request, parse_ref(query.get("siteRef", "")))
    template_ref = await service.check_previewable(request, site, parse_ref(query.get("templateRef", "")))
    return partial(_preview, request, site, template_ref)


async def _preview(request: PageRequest, site: Site, template_ref: int) -> bytes | Problem:
    try:
        return await service.preview(request, site, template_ref)
    except (TemplateFailed, SiteTooLarge) as problem:
        return problem


async def show_preview(request: PageRequest, prepared: bytes | Problem) -> Response:
    if isinstance(prepared, Problem):
        return views.no_preview_page(request, prepared)
    return views.preview_page(prepared)


async def choose_template(request: PageRequest) -> Response:
    form = parse(ChooseForm, form_of(request.http_request))
    site = await service.find_own_site(request, form.site_ref, lock=True)
    await service.choose_template(request, site, form.template_ref)
    return redirect(login.editor_of(request.brand, site.ref) or f"{site_address(site.ref)}?done=template")


async def show_picker_again(request: PageRequest, problem: Problem) -> Response:
    site = await service.find_own_site(request, parse_ref(form_of(request.http_request).get("siteRef", "")))
    picker = await _picker(request, site, Selection(site_ref=site.ref))
    return views.picker_page(request, site, picker, status=problem.status, alert=request.messages("template_gone"))


async def _picker(request: PageRequest, site: Site, requested: Selection) -> Picker:
    messages = request.messages
    choosable = await sites.list_choosable_templates(request.tx, site.user_ref, site.template_ref)
    categories, _ = await templates.list_categories(request.tx, Window(limit=MAX_LIMIT))
    return picker_of(
        requested,
        site.template_ref,
        [structs.replace(each, name=template_name(each, messages)) for each in choosable],
        [structs.replace(each, category=category_name(each, messages)) for each in categories],
    )
