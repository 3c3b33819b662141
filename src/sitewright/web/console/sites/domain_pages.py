"""`/console/sites/:siteRef/domains/:domainRef`: the full health check and the certificate of one address of a site."""

from sitewright.domains.certificates.acme import service as certificates
from sitewright.domains.health import service as health
from sitewright.kit.auth.rights import Right
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse_query
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.domains import service as site_domains
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT, SITES
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.domains.service import certificate_view, health_view

DOMAIN = f"{SITES}/{{site_ref:int}}/domains/{{domain_ref:int}}"


async def find_host(request: ConsoleRequest, site_ref: int | None, domain_ref: int | None) -> str:
    """The host name; another brand's looks like a missing one."""
    site = await sites.find_site(request.tx, request.caller, site_ref or 0)
    return await site_domains.find_name(request.tx, site.ref, domain_ref or 0)


async def show_domain(request: ConsoleRequest, site_ref: int | None, domain_ref: int | None) -> Response:
    host, messages = await find_host(request, site_ref, domain_ref), request.messages
    key = health.Key("domain", domain_ref or 0)
    result = await health.read_result(request.tx, key, host, health.messages_in(messages.language))
    states = await certificates.states_of_domains(request.tx, request.resources.settings, [domain_ref or 0])
    return render(
        request,
        "site_domain.html",
        name=decode_domain(host),
        site_href=f"{SITES}/{site_ref}",
        page=f"{SITES}/{site_ref}/domains/{domain_ref}",
        audit_href=f"{AUDIT}?subject=domain&ref={domain_ref}",
        health=health_view(result, messages, states[domain_ref or 0]),
        certificate=certificate_view(states[domain_ref or 0], messages),
        detail=states[domain_ref or 0].reason,
        may_support=request.may(Right.SUPPORT),
        done=_done(request),
    )


def _done(request: ConsoleRequest) -> str | None:
    done = parse_query(request.http_request.query).get("done")
    if done in ("checked", "recently"):
        return request.messages(f"health_done_{done}", seconds=health.BETWEEN.seconds)
    return request.messages("site_done_ordered") if done == "ordered" else None


async def check(request: ConsoleRequest, site_ref: int | None, domain_ref: int | None) -> Response:
    """Asks other servers, without holding a connection."""
    resources, brand_ref = request.resources, request.brand_ref or 0
    async with resources.database.transaction(brand_ref) as tx:
        await find_host(request.within(tx), site_ref, domain_ref)
    is_checked = await health.check(resources, brand_ref, health.Key("domain", domain_ref or 0))
    return redirect(f"{SITES}/{site_ref}/domains/{domain_ref}?done={'checked' if is_checked else 'recently'}")


async def order_certificate(request: ConsoleRequest, site_ref: int | None, domain_ref: int | None) -> Response:
    await find_host(request, site_ref, domain_ref)
    states = await certificates.states_of_domains(request.tx, request.resources.settings, [domain_ref or 0])
    page, ref = f"{SITES}/{site_ref}/domains/{domain_ref}", states[domain_ref or 0].automatic_ref
    if ref is None:
        return redirect(page)  # it says why no certificate is ordered
    await certificates.retry(request.tx, request.caller, ref)
    return redirect(f"{page}?done=ordered")


NO_DOMAIN = {404: "A page: the brand has no such site, or the site no such domain."}
PAGES = [
    console_page(
        page_route(DOMAIN, "showSiteDomain", "One address of a site: health and certificate.", DoneQuery, NO_DOMAIN),
        show_domain,
    ),
    console_page(
        form_route(f"{DOMAIN}/check", "checkSiteDomain", "Check an address of a site again.", more=NO_DOMAIN),
        check,
        right=Right.SUPPORT,
        scope=Scope.NONE,
    ),
    console_page(
        form_route(
            f"{DOMAIN}/certificate/retry",
            "retrySiteCertificate",
            "Order the automatic certificate of an address again now.",
            more=NO_DOMAIN,
        ),
        order_certificate,
        right=Right.SUPPORT,
    ),
]
