"""`/console/sites/:siteRef`: one site, putting a version back online, and publishing."""

from datetime import datetime
from functools import partial

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.retries import retry_stale
from sitewright.kit.timestamps import instant_of
from sitewright.kit.validation import parse_query
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.versions import service as versions
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.sites.sites.operating import service
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import SITES
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.sites import domain_pages, enabling_pages, list_pages
from sitewright.web.console.sites.list_pages import site_name
from sitewright.web.console.sites.view import site_values

SITE = f"{SITES}/{{site_ref:int}}"
RESTORE = f"{SITE}/versions/{{version_ref:int}}/restore"
DONE = ("restored", "published", "enabled", "disabled")


async def show_site(request: ConsoleRequest, site_ref: int | None) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return await _page(request, site_ref, done=done if done in DONE else None)


async def confirm_restore(request: ConsoleRequest, site_ref: int | None, version_ref: int | None) -> Response:
    """Ask once: visitors see the other version at once."""
    version = await versions.find_version(request.tx, request.caller, site_ref or 0, version_ref or 0)
    published_at = datetime.fromisoformat(instant_of(version.published))
    row, messages, path = await service.find_site(request.tx, site_ref or 0), request.messages, f"{SITES}/{site_ref}"
    name = site_name(row, messages)
    return render(
        request,
        "confirm.html",
        question=messages("site_restore_question", version=version.version_ref, name=name),
        consequence=messages.html("site_restore_consequence", time=messages.time(published_at)),
        button=messages("site_restore"),
        kind="primary",
        action=f"{path}/versions/{version.version_ref}/restore",
        back=path,
        back_label=name,
    )


async def restore(request: ConsoleRequest, site_ref: int | None, version_ref: int | None) -> Response:
    await versions.restore(request.tx, request.caller, site_ref or 0, version_ref or 0)
    return _done(site_ref, "restored")


async def confirm_publish(request: ConsoleRequest, site_ref: int | None) -> Response:
    await sites.find_site(request.tx, request.caller, site_ref or 0)
    row, messages, path = await service.find_site(request.tx, site_ref or 0), request.messages, f"{SITES}/{site_ref}"
    name = site_name(row, messages)
    return render(
        request,
        "confirm.html",
        question=messages("site_publish_question", name=name),
        consequence=messages("site_publish_consequence"),
        button=messages("site_publish"),
        kind="primary",
        action=f"{path}/publish",
        back=path,
        back_label=name,
    )


async def publish(request: ConsoleRequest, site_ref: int | None) -> Response:
    """Renders first, without holding a connection."""
    await retry_stale(partial(_publish, request, site_ref or 0))
    return _done(site_ref, "published")


async def _publish(request: ConsoleRequest, site_ref: int) -> None:
    resources, brand_ref = request.resources, request.brand_ref or 0
    prepared = await publishing.prepare(resources, brand_ref, request.caller, site_ref)
    async with resources.database.transaction(brand_ref) as tx:
        site = await sites.find_site(tx, request.caller, site_ref)
        await publishing.publish(tx, request.caller, site, prepared)


async def show_again(request: ConsoleRequest, problem: Problem, site_ref: int | None) -> Response:
    """With the reason why it was not published."""
    if problem.status == 404:
        raise problem
    async with request.resources.database.transaction(request.brand_ref) as tx:
        return await _page(request.within(tx), site_ref, problem=problem)


def _done(site_ref: int | None, what: str) -> Response:
    return redirect(f"{SITES}/{site_ref}?done={what}")


async def _page(
    request: ConsoleRequest, site_ref: int | None, *, done: str | None = None, problem: Problem | None = None
) -> Response:
    row = await service.find_site(request.tx, site_ref or 0)
    is_deleted = row.deleted_at is not None or row.is_owner_deleted
    return render(
        request,
        "site.html",
        200 if problem is None else problem.status,
        **await site_values(request, row),
        may_restore=request.may(Right.SUPPORT) and not is_deleted,
        may_publish=request.may(Right.CHANGE) and not is_deleted and row.is_enabled,
        may_enable=request.may(Right.CHANGE) and not is_deleted,
        done=None if done is None else request.messages(f"site_done_{done}"),
        alert=_alert(request, problem),
    )


def _alert(request: ConsoleRequest, problem: Problem | None) -> str | None:
    """A package limit is explained with what is used and what is allowed."""
    messages = request.messages
    if isinstance(problem, PackageLimitReached) and f"site_limit_{problem.capability}" in messages:
        numbers = {"limit": messages.number(problem.limit), "used": messages.number(problem.use)}
        return messages(f"site_limit_{problem.capability}", **numbers)
    errors = field_errors(request, problem)
    return errors.get("") or next(iter(errors.values()), None)


NO_SITE = {404: "A page: the brand has no such site."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
NO_VERSION = {404: "A page: the brand has no such site, or the site no such version."}
NOT_PUBLISHED = {409: "The page again: the site cannot be published."}
PAGES = [
    *list_pages.PAGES,
    *domain_pages.PAGES,
    *enabling_pages.PAGES,
    console_page(
        page_route(SITE, "showSiteOfBrand", "One site: state, domains, versions and visits.", DoneQuery, NO_SITE),
        show_site,
    ),
    console_page(
        page_route(
            RESTORE, "confirmSiteRestore", "Ask whether to put a version back online.", more=NO_VERSION | NOT_ALLOWED
        ),
        confirm_restore,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(RESTORE, "restoreSiteVersion", "Put a version back online.", more=NO_VERSION),
        restore,
        right=Right.SUPPORT,
    ),
    console_page(
        page_route(
            f"{SITE}/publish", "confirmSitePublish", "Ask whether to publish a site.", more=NO_SITE | NOT_ALLOWED
        ),
        confirm_publish,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{SITE}/publish", "publishSiteAgain", "Publish what is edited now.", more=NO_SITE | NOT_PUBLISHED),
        publish,
        show_again,
        scope=Scope.NONE,
    ),
]
