"""Health and DNS of a registered domain: what its page shows, another check, and the plan that waits for staff."""

from typing import Any

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.operating.service import ListedDomain
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.dns import service as dns
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.operating import service as operating
from sitewright.domains.dns.operating.service import Plan
from sitewright.domains.health import service as health
from sitewright.kit.auth.rights import Right
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import DOMAINS
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.domains.service import health_view, record_lists, zone_view

DOMAIN = f"{DOMAINS}/{{account_domain_ref:int}}"
CHECKED = ("checked", "recently")
UNAVAILABLE = 503


class ChangeView(msgspec.Struct, frozen=True):
    """One RRset of a plan."""

    kind: str
    tone: str
    name: str
    type: str
    before: list[str]
    after: list[str]


def describe_done(messages: Messages, done: str | None) -> str:
    return messages(f"health_done_{done}", seconds=health.BETWEEN.seconds)


async def dns_values(request: ConsoleRequest, row: ListedDomain) -> dict[str, Any]:
    """For the page of a domain; a deleted one has neither health nor records."""
    tx, messages, page = request.tx, request.messages, f"{DOMAINS}/{row.ref}"
    domain = await account_domains.find_registered(tx, row.ref)
    if domain is None or domain.deleted:
        return {"health": None, "page": page}
    key, texts = health.Key("accountDomain", row.ref), health.messages_in(messages.language)
    may_change = request.may(Right.CHANGE)
    path = f"{page}/records" if may_change else None
    return {
        "page": page,
        "health": health_view(await health.read_result(tx, key, row.domain, texts), messages),
        "zone": zone_view(await dns.zone_state(tx, request.resources.settings, row.ref), messages),
        "records": record_lists(await dns.list_records(tx, domain), row.domain, path, messages),
        "may_change": may_change,
    }


async def check(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    """Asks other servers, without holding a connection."""
    domain = await _find(request, account_domain_ref)
    key = health.Key("accountDomain", domain.ref)
    is_checked = await health.check(request.resources, request.brand_ref or 0, key)
    return redirect(f"{DOMAINS}/{domain.ref}?done={'checked' if is_checked else 'recently'}")


async def show_plan(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    return await _plan_page(request, await _find(request, account_domain_ref))


async def apply(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref)
    try:
        await operating.apply_plan(request.resources, request.caller, request.brand_ref or 0, domain.ref)
    except DnsUnavailable as error:
        return await _plan_page(request, domain, str(error))
    return redirect(f"{DOMAINS}/{domain.ref}?done=applied")


async def _find(request: ConsoleRequest, ref: int | None) -> AccountDomain:
    async with request.resources.database.transaction(request.brand_ref) as tx:
        return await account_domains.find_by_ref(tx, request.caller, ref or 0)


async def _plan_page(request: ConsoleRequest, domain: AccountDomain, error: str | None = None) -> Response:
    plan = Plan([], 0, 0)
    if error is None:
        try:
            plan = await operating.preview(request.resources, request.brand_ref or 0, domain.ref)
        except DnsUnavailable as unavailable:
            error = str(unavailable)
    return render(
        request,
        "zone_plan.html",
        200 if error is None else UNAVAILABLE,
        name=decode_domain(domain.domain),
        page=f"{DOMAINS}/{domain.ref}",
        plan=plan,
        changes=_changes(plan, request.messages),
        may_change=request.may(Right.CHANGE),
        error=error,
    )


def _changes(plan: Plan, messages: Messages) -> list[ChangeView]:
    kinds = {"add": "good", "remove": "bad", "replace": "warn"}
    found = []
    for each in plan.changes:
        kind = "remove" if each.after is None else "add" if each.before is None else "replace"
        before = [] if each.before is None else list(each.before.values)
        after = [] if each.after is None else list(each.after.values)
        label = messages(f"domain_plan_{kind}")
        found.append(ChangeView(label, kinds[kind], each.key.name, each.key.type, before, after))
    return found


NO_DOMAIN = {404: "A page: the brand has no such domain."}
NOT_REACHED = {503: "A page: the DNS provider was not reached, or the database is temporarily unavailable."}
PAGES = [
    console_page(
        form_route(f"{DOMAIN}/check", "checkDomain", "Check a registered domain again.", more=NO_DOMAIN),
        check,
        right=Right.SUPPORT,
        scope=Scope.NONE,
    ),
    console_page(
        page_route(
            f"{DOMAIN}/plan",
            "showZonePlan",
            "What would be sent to the DNS provider of a domain.",
            more=NO_DOMAIN | NOT_REACHED,
        ),
        show_plan,
        scope=Scope.NONE,
    ),
    console_page(
        form_route(
            f"{DOMAIN}/plan", "applyZonePlan", "Send all changes to the DNS provider.", more=NO_DOMAIN | NOT_REACHED
        ),
        apply,
        scope=Scope.NONE,
    ),
]
