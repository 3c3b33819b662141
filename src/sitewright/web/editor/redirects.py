"""Redirects in the editor: list, add, delete."""

from sitewright.kit.http.call import plain_body
from sitewright.kit.paging import Window
from sitewright.kit.problems import Invalid
from sitewright.kit.validation.fields import read_fields
from sitewright.sites.content import service as content
from sitewright.sites.content.errors import PageUrlTaken, RedirectExists, RedirectNotFound, SiteFull
from sitewright.sites.content.redirects import service as redirects
from sitewright.sites.content.redirects.service import NewRedirect, RedirectResponse
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.web.account.holder_pages.service import PageRequest, find_own_site
from sitewright.web.editor.panel_schemas import EditorRedirects
from sitewright.web.editor.routes import EDIT, change, read
from sitewright.web.editor.session_call import SessionCall

REDIRECTS = f"{EDIT}/redirects"
REDIRECT = REDIRECTS + "/{redirect_ref:int}"


async def list_redirects(request: PageRequest, site_ref: int | None) -> EditorRedirects:
    site = await find_own_site(request, site_ref)
    found, _ = await redirects.list_redirects(request.tx, site.ref, Window(limit=redirects.MAX_REDIRECTS))
    return EditorRedirects(found[::-1])


async def add_redirect(request: PageRequest, site_ref: int | None) -> RedirectResponse:
    site = await find_own_site(request, site_ref)
    await content.lock(request.tx, site.ref)
    fields, errors = read_fields(NewRedirect, plain_body(request.http_request))
    errors |= await redirects.check_redirect(request.tx, site.ref, fields)
    if errors:
        raise Invalid.fields(errors)
    new = NewRedirect(**fields)
    return RedirectResponse(await redirects.add_redirect(request.tx, request.caller, site.ref, new))


async def delete_redirect(request: PageRequest, site_ref: int | None, redirect_ref: int | None) -> None:
    site = await find_own_site(request, site_ref)
    await content.lock(request.tx, site.ref)
    await redirects.delete_redirect(request.tx, request.caller, site.ref, redirect_ref or 0)


REDIRECT_CALLS = [
    SessionCall(
        route=read(REDIRECTS, "listOwnRedirects", "The redirects of the site.", EditorRedirects),
        function=list_redirects,
    ),
    SessionCall(
        route=change(
            REDIRECTS,
            "addOwnRedirect",
            "Add a redirect.",
            RedirectResponse,
            PackageLimitReached,
            PageUrlTaken,
            RedirectExists,
            SiteFull,
            form=NewRedirect,
        ),
        function=add_redirect,
    ),
    SessionCall(
        route=change(
            f"{REDIRECT}/delete", "deleteOwnRedirect", "Delete a redirect.", None, RedirectNotFound, PackageLimitReached
        ),
        function=delete_redirect,
    ),
]
