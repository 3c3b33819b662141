"""`/account`: the account holder's sites, with thumbnails of their home pages, the checklist and the package."""

from functools import partial
from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.page import ANYWHERE, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.paging import Window
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site
from sitewright.web.account import service, store, views
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.checklist import checklist_of
from sitewright.web.account.overview import SiteFacts, cards_of
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.reseller_links import external_account_url
from sitewright.web.account.support import contact_of
from sitewright.web.login.service import ACCOUNT

THUMBNAIL_CACHING = {"cache-control": "private, no-cache"}
"""Browsers keep it, and ask each time whether it has changed: a log-out also ends access to it."""


PAGE_SIZE = 24


class OverviewQuery(msgspec.Struct, frozen=True):
    """Which sites to show; the oldest without either."""

    after: Annotated[str | None, about("Only sites that were created after this one.", "41")] = None
    before: Annotated[str | None, about("The page of sites just before this one.", "41")] = None


class HomePage(msgspec.Struct, frozen=True):
    """The rendered home page, or why there is none, with the version of the site that it shows."""

    version: str
    html: bytes
    problem: Problem | None = None


async def show_account(request: PageRequest) -> Response:
    external_url = external_account_url(request)
    if external_url is not None:
        return redirect(external_url)
    window = _window(request)
    shown, page = await sites.page_of_user_sites(request.tx, request.holder.user_ref, window)
    current = await service.facts_of(request, shown)
    deleted = [] if page.more_after else await _deleted_sites(request)  # below the last page
    contact = contact_of(request.brand)
    package = await store.find_package(request.tx, request.holder.user_ref)
    return render(
        request,
        "account.html",
        form_action=ANYWHERE,
        more_directives="frame-src 'self'",
        name=f"{request.holder.first_name} {request.holder.last_name}",
        package=views.summary_of(request, package),
        cards=cards_of(current, request.brand, contact, request.messages),
        deleted=cards_of(deleted, request.brand, contact, request.messages),
        checklist=checklist_of(current[0], request.brand) if current and not page.more_before else [],
        is_beyond=window.after is not None or window.before is not None,
        previous=f"{ACCOUNT}?before={page.refs[0]}" if page.more_before and page.refs else None,
        next=f"{ACCOUNT}?after={page.refs[-1]}" if page.more_after and page.refs else None,
        contact=contact,
    )


def _window(request: PageRequest) -> Window:
    query = parse_query(request.http_request.query)
    after, before = (parse_ref(query.get(name, "")) for name in ("after", "before"))
    return Window(limit=PAGE_SIZE, after=after, before=before)


async def _deleted_sites(request: PageRequest) -> list[SiteFacts]:
    window = Window(limit=PAGE_SIZE)
    shown, _ = await sites.page_of_user_sites(request.tx, request.holder.user_ref, window, deleted=True)
    return await service.facts_of(request, shown)


async def prepare_home(request: PageRequest, site_ref: int | None) -> Response | Work:
    """Render outside of any transaction; a client that has the current version needs no rendering."""
    site = await service.find_own_site(request, site_ref)
    version = await service.version_of(request, site)
    if request.http_request.headers.get("if-none-match") == _etag(version):
        return views.preview_not_modified({"etag": _etag(version)} | THUMBNAIL_CACHING)
    return partial(_render_home, request, site, version)


async def _render_home(request: PageRequest, site: Site, version: str) -> HomePage:
    try:
        return HomePage(version, await service.preview(request, site, None))
    except (TemplateFailed, SiteTooLarge) as problem:
        return HomePage(version, b"", problem)


async def show_home(request: PageRequest, prepared: HomePage, **_path_parameters: object) -> Response:
    if prepared.problem is not None:
        return views.no_preview_page(request, prepared.problem)
    return views.preview_page(prepared.html, {"etag": _etag(prepared.version)} | THUMBNAIL_CACHING)


def _etag(version: str) -> str:
    """Weak, because the response may be compressed."""
    return f'W/"{version}"'
