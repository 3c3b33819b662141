"""`/console/domains/:accountDomainRef/records`: add, change and delete DNS records of a registered domain."""

from typing import Any

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.dns import service as dns
from sitewright.domains.dns.service import RecordRow
from sitewright.kit.auth.rights import Right
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import DOMAINS
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.domains.service import NewRecordQuery, RecordForm, form_values, read_form, type_links, typed_record

RECORDS = f"{DOMAINS}/{{account_domain_ref:int}}/records"
RECORD = f"{RECORDS}/{{record_ref:int}}"


async def _find(request: ConsoleRequest, ref: int | None, *, lock: bool = False) -> AccountDomain:
    return await account_domains.find_by_ref(request.tx, request.caller, ref or 0, lock=lock)


async def show_new(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref)
    return _page(request, domain, parse_query(request.http_request.query))


async def add(request: ConsoleRequest, account_domain_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref, lock=True)
    fields = read_form(form_of(request.http_request))
    await dns.create_record(request.tx, request.resources.settings, request.caller, domain, fields)
    return _done(domain, "record_added")


async def show_new_again(request: ConsoleRequest, problem: Problem, account_domain_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref)
    return _page(request, domain, form_of(request.http_request), problem=problem)


async def show(request: ConsoleRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref)
    record = await dns.find_record(request.tx, domain, record_ref or 0)
    return _page(request, domain, typed_record(record, domain.domain), record)


async def change(request: ConsoleRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref, lock=True)
    record = await dns.find_record(request.tx, domain, record_ref or 0)
    fields = read_form(form_of(request.http_request))
    await dns.edit_record(request.tx, request.resources.settings, request.caller, domain, record, fields)
    return _done(domain, "record_changed")


async def delete(request: ConsoleRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref, lock=True)
    record = await dns.find_record(request.tx, domain, record_ref or 0)
    await dns.delete_record(request.tx, request.resources.settings, request.caller, domain, record)
    return _done(domain, "record_deleted")


async def restore(request: ConsoleRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await _find(request, account_domain_ref, lock=True)
    record = await dns.find_record(request.tx, domain, record_ref or 0)
    await dns.restore_record(request.tx, request.resources.settings, request.caller, domain, record)
    return _done(domain, "record_restored")


async def show_again(
    request: ConsoleRequest, problem: Problem, account_domain_ref: int | None, record_ref: int | None
) -> Response:
    if problem.status == 404:
        raise problem
    domain = await _find(request, account_domain_ref)
    record = await dns.find_record(request.tx, domain, record_ref or 0)
    typed = typed_record(record, domain.domain) | form_of(request.http_request)
    return _page(request, domain, typed, record, problem)


def _done(domain: AccountDomain, what: str) -> Response:
    return redirect(f"{DOMAINS}/{domain.ref}?done={what}")


def _page(
    request: ConsoleRequest,
    domain: AccountDomain,
    typed: dict[str, str],
    record: RecordRow | None = None,
    problem: Problem | None = None,
) -> Response:
    page = f"{DOMAINS}/{domain.ref}"
    values: dict[str, Any] = form_values(request.messages, typed, problem)
    return render(
        request,
        "domain_record.html",
        200 if problem is None else problem.status,
        page=page,
        name=decode_domain(domain.domain),
        record=record,
        is_restorable=record is not None and dns.is_restorable(record),
        kinds=type_links(f"{page}/records/new", values["record_type"], request.messages),
        **values,
    )


NO_DOMAIN = {404: "A page: the brand has no such domain."}
NO_RECORD = {404: "A page: the brand has no such domain, or the domain no such record."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
NOT_MANAGED = {409: "The page again: the DNS of the domain is managed elsewhere, or the zone is full."}
PAGES = [
    console_page(
        page_route(
            f"{RECORDS}/new",
            "showNewRecord",
            "The form that adds a DNS record.",
            NewRecordQuery,
            NO_DOMAIN | NOT_ALLOWED,
        ),
        show_new,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(RECORDS, "addRecord", "Add a DNS record.", RecordForm, NO_DOMAIN | NOT_MANAGED), add, show_new_again
    ),
    console_page(
        page_route(RECORD, "showRecord", "The form that changes a DNS record.", more=NO_RECORD | NOT_ALLOWED),
        show,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(RECORD, "changeRecord", "Change a DNS record.", RecordForm, NO_RECORD | NOT_MANAGED),
        change,
        show_again,
    ),
    console_page(
        form_route(f"{RECORD}/delete", "deleteRecord", "Delete a DNS record.", more=NO_RECORD | NOT_MANAGED),
        delete,
        show_again,
    ),
    console_page(
        form_route(
            f"{RECORD}/restore",
            "restoreRecord",
            "Let the service manage a DNS record again.",
            more=NO_RECORD | NOT_MANAGED,
        ),
        restore,
        show_again,
    ),
]
