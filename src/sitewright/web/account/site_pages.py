"""`/account/sites/:siteRef`: the page of a site with its forms."""

from functools import partial

from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.publishing.service import Prepared, Reason
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.web.account import service, site_settings, views
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.details import LINK, error_messages
from sitewright.web.account.formatting import describe_problem
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.schemas import LiveForm
from sitewright.web.account.site_labels import site_address
from sitewright.web.login import service as login

DONE = ("created", "published", "live", "offline", "details", "template", "settings", "page")


async def prepare_to_show(request: PageRequest, site_ref: int | None) -> Response | Work:
    """Check outside of any transaction whether the site can be published."""
    return partial(service.check, request, await service.find_own_site(request, site_ref))


async def show_site(request: PageRequest, site_ref: int | None, prepared: list[Reason] | None) -> Response:
    site = await service.find_own_site(request, site_ref)
    done = parse_query(request.http_request.query).get("done")
    presented = await service.present(request, site, prepared)
    return views.site_page(request, presented, done=request.messages(f"done_{done}") if done in DONE else None)


async def prepare_to_publish(request: PageRequest, site_ref: int | None) -> Response | Work:
    """Render the site before the transaction that publishes it."""
    site = await service.find_own_site(request, site_ref)
    if request.brand.activation_url is not None and service.must_be_activated(site):
        return redirect(login.expand_site_ref(request.brand.activation_url, site.ref))
    return partial(service.prepare, request, site)


async def publish_site(request: PageRequest, site_ref: int | None, prepared: Prepared | None) -> Response:
    site = await service.find_own_site(request, site_ref)
    await service.publish(request, site, prepared)
    return _done(site.ref, "published")


async def set_site_live(request: PageRequest, site_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref, lock=True)
    live = parse(LiveForm, form_of(request.http_request)).live
    await service.set_live(request, site, live=live)
    return _done(site.ref, "live" if live else "offline")


async def save_details(request: PageRequest, site_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref)
    await service.save_details(request, site, form_of(request.http_request))
    return _done(site.ref, "details")


async def save_settings(request: PageRequest, site_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref, lock=True)
    await site_settings.save_settings(request, site, form_of(request.http_request))
    return _done(site.ref, "settings")


async def show_site_again(request: PageRequest, problem: Problem, site_ref: int | None) -> Response:
    """Show the page with the service's problem."""
    presented = await service.present(request, await service.find_own_site(request, site_ref))
    alert = describe_problem(problem, request.messages)
    limit_reached = isinstance(problem, PackageLimitReached)
    return views.site_page(request, presented, status=problem.status, alert=alert, limit_reached=limit_reached)


async def show_details_again(request: PageRequest, problem: Problem, site_ref: int | None) -> Response:
    """Show the page with the unsaved input, so that it is not lost."""
    presented = await service.present(request, await service.find_own_site(request, site_ref))
    typed = form_of(request.http_request)
    alert = request.messages("details_not_saved", fields=", ".join(_labels(problem, request)))
    errors = error_messages(problem, request.messages)
    return views.site_page(request, presented, status=problem.status, alert=alert, typed=typed, errors=errors)


def _done(site_ref: int, what: str) -> Response:
    return redirect(f"{site_address(site_ref)}?done={what}")


def _labels(problem: Problem, request: PageRequest) -> list[str]:
    """Return the labels of the invalid fields; links have names of their own."""
    messages = request.messages
    return [
        messages(f"field_{name}") if f"field_{name}" in messages else name.removeprefix(LINK) for name in problem.errors
    ]
