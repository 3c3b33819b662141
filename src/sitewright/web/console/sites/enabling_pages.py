"""Disabling a site, which asks first, and enabling it again."""

from functools import partial

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.operating import service
from sitewright.sites.sites.service import SiteChanges
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import SITES
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.sites.list_pages import site_name

SITE = f"{SITES}/{{site_ref:int}}"


async def confirm_disable(request: ConsoleRequest, site_ref: int | None) -> Response:
    await sites.find_site(request.tx, request.caller, site_ref or 0)
    row, messages, path = await service.find_site(request.tx, site_ref or 0), request.messages, f"{SITES}/{site_ref}"
    name = site_name(row, messages)
    return render(
        request,
        "confirm.html",
        question=messages("site_disable_question", name=name),
        consequence=messages("site_disable_consequence"),
        button=messages("site_disable"),
        action=f"{path}/disable",
        back=path,
        back_label=name,
    )


async def _set_enabled(is_enabled: bool, request: ConsoleRequest, site_ref: int | None) -> Response:
    """As PUT /sites/:siteRef with `enabled`. A site that is so already stays as it is."""
    site = await sites.find_site(request.tx, request.caller, site_ref or 0, lock=True)
    if site.enabled != is_enabled:
        await sites.edit_site(request.tx, request.caller, site, SiteChanges(enabled=is_enabled))
    return redirect(f"{SITES}/{site.ref}?done={'enabled' if is_enabled else 'disabled'}")


NO_SITE = {404: "A page: the brand has no such site, or it is deleted."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
PAGES = [
    console_page(
        page_route(
            f"{SITE}/disable", "confirmSiteDisable", "Ask whether to disable a site.", more=NO_SITE | NOT_ALLOWED
        ),
        confirm_disable,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{SITE}/disable", "disableSite", "Take a site offline until it is enabled again.", more=NO_SITE),
        partial(_set_enabled, False),
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{SITE}/enable", "enableSite", "End that a site is disabled.", more=NO_SITE),
        partial(_set_enabled, True),
        right=Right.CHANGE,
    ),
]
