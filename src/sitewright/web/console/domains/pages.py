"""`/console/domains/:accountDomainRef`: one registered domain with its mailboxes, and retries."""

from typing import Any

from sitewright.domains.account_domains.operating import service
from sitewright.domains.account_domains.operating.service import ListedDomain, state_of
from sitewright.domains.mailboxes.operating import service as mailboxes
from sitewright.domains.mailboxes.operating.service import ListedMailbox
from sitewright.kit.auth.rights import Right
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse_query
from sitewright.web.console.domains import list_pages, record_pages, zone_pages
from sitewright.web.console.domains.list_pages import state_cell
from sitewright.web.console.domains.zone_pages import CHECKED, describe_done, dns_values
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT, CUSTOMERS, DOMAINS
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import render

DOMAIN = f"{DOMAINS}/{{account_domain_ref:int}}"
DONE = ("retried", "mailbox", "record_added", "record_changed", "record_deleted", "record_restored", "applied")
MAILBOX_TONES = {"pending": "accent", "active": "good", "failed": "bad"}


async def show_domain(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    row = await service.find_of_brand(request.tx, account_domain_ref or 0)
    found = await mailboxes.list_of_domain(request.tx, row.ref)
    messages, done = request.messages, parse_query(request.http_request.query).get("done")
    return render(
        request,
        "domain.html",
        **_values(request, row),
        mailboxes=[_mailbox(request, row, each) for each in found],
        may_retry=request.may(Right.SUPPORT),
        **await dns_values(request, row),
        done=describe_done(messages, done)
        if done in CHECKED
        else messages(f"domain_done_{done}")
        if done in DONE
        else None,
    )


def _values(request: ConsoleRequest, row: ListedDomain) -> dict[str, Any]:
    messages, state = request.messages, state_of(row)
    times = {
        name: None if at is None else messages.short_time(at)
        for name, at in (
            ("registered", row.registered_at),
            ("expires", None if row.is_void else row.expires_at),
            ("confirmed", row.registered_until),
            ("ended", row.ended_at),
            ("released", row.released_at),
            ("deleted", row.deleted_at),
            ("failed", row.failed_at),
            ("due", row.due_at),
        )
    }
    return {
        "domain": row,
        "name": decode_domain(row.domain),
        "why": messages(f"domain_why_{'not_registered' if row.is_void else state}"),
        "badge": state_cell(row, messages),
        "owner_href": f"{CUSTOMERS}/{row.user_ref}",
        "audit_href": f"{AUDIT}?subject=account+domain&ref={row.ref}",
        "times": times,
    }


def _mailbox(request: ConsoleRequest, row: ListedDomain, mailbox: ListedMailbox) -> dict[str, Any]:
    return {
        "address": f"{mailbox.name}@{decode_domain(row.domain)}",
        "state": request.messages(f"domain_mailbox_{mailbox.status}"),
        "tone": MAILBOX_TONES[mailbox.status],
        "reason": mailbox.reason,
        "changed": request.messages.short_time(mailbox.updated_at),
        "retry": None if mailbox.status == "active" else f"{DOMAINS}/{row.ref}/mailboxes/{mailbox.name}/retry",
    }


async def retry(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    is_retried = await service.retry_domain(request.tx, request.caller, account_domain_ref or 0)
    return redirect(f"{DOMAINS}/{account_domain_ref}{'?done=retried' if is_retried else ''}")


async def retry_all(request: ConsoleRequest) -> Response:
    await service.retry_failed(request.tx, request.caller)
    return redirect(f"{DOMAINS}?done=retried")


async def retry_mailbox(request: ConsoleRequest, account_domain_ref: int | None, user: str) -> Response:
    await mailboxes.retry_mailbox(request.tx, request.caller, account_domain_ref or 0, user)
    return redirect(f"{DOMAINS}/{account_domain_ref}?done=mailbox")


NO_DOMAIN = {404: "A page: the brand has no such domain."}
PAGES = [
    *list_pages.PAGES,
    *record_pages.PAGES,
    *zone_pages.PAGES,
    console_page(
        page_route(DOMAIN, "showDomain", "One registered domain with its mailboxes.", DoneQuery, NO_DOMAIN),
        show_domain,
    ),
    console_page(
        form_route(f"{DOMAINS}/retry", "retryFailedDomains", "Call the registrar again for all domains that failed."),
        retry_all,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(f"{DOMAIN}/retry", "retryDomain", "Call the registrar again for a domain.", more=NO_DOMAIN),
        retry,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(
            f"{DOMAIN}/mailboxes/{{user:str}}/retry",
            "retryMailbox",
            "Have the mail server set up a mailbox again.",
            more={404: "A page: the brand has no such domain, or the domain no such mailbox."},
        ),
        retry_mailbox,
        right=Right.SUPPORT,
    ),
]
