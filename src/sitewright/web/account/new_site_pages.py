"""`/account/sites/new`: create a site."""

from sitewright.accounts.account_packages import service as account_packages
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.sites.sites import service as sites
from sitewright.web.account import service
from sitewright.web.account.catalogue_names import template_name
from sitewright.web.account.new_site import MAX_DOMAIN, MAX_NAME, TemplateChoice, create_site, errors_by_field
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.picker import thumbnail_of
from sitewright.web.account.rendering import render
from sitewright.web.account.site_labels import site_address


async def show_form(request: PageRequest) -> Response:
    return await _page(request, {}, {})


async def create(request: PageRequest) -> Response:
    site_ref = await create_site(request, form_of(request.http_request))
    return redirect(f"{site_address(site_ref)}?done=created")


async def show_form_again(request: PageRequest, problem: Problem) -> Response:
    typed = form_of(request.http_request)
    return await _page(request, typed, errors_by_field(problem, typed, request.messages), problem.status)


async def _page(request: PageRequest, typed: dict[str, str], errors: dict[str, str], status: int = 200) -> Response:
    own = await service.list_own_sites(request)
    limit = (await account_packages.capabilities_of(request.tx, request.holder.user_ref))["liveSites"]
    live = sum(site.live for site in own)
    return render(
        request,
        "new_site.html",
        status,
        typed=typed,
        errors=errors,
        choices=await _choices(request, typed.get("templateRef")),
        brand_domain=request.brand.domain and decode_domain(request.brand.domain),
        limits={"max_name": MAX_NAME, "max_domain": MAX_DOMAIN},
        live_limit={"limit": limit, "used": live} if live >= limit else None,
    )


async def _choices(request: PageRequest, chosen: str | None) -> list[TemplateChoice]:
    choosable = await sites.list_choosable_templates(request.tx, request.holder.user_ref)
    return [
        TemplateChoice(
            ref=each.ref,
            name=template_name(each, request.messages),
            thumbnail=thumbnail_of(each),
            is_chosen=str(each.ref) == chosen or (not chosen and number == 0),
        )
        for number, each in enumerate(choosable)
    ]
