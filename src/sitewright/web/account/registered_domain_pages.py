"""`/account/domains/:accountDomainRef`: a registered domain, whether it works, and its DNS records."""

from functools import partial
from typing import Annotated, Any

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.dns import service as dns
from sitewright.domains.dns.errors import DnsRecordNotFound
from sitewright.domains.dns.service import RecordRow
from sitewright.domains.health import service as health
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.domain_pages import DOMAINS, POLLING, describe_done
from sitewright.web.account.errors import OwnDomainNotFound
from sitewright.web.account.navigation import Section
from sitewright.web.account.package_view import domain_state, domain_term
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.support import contact_of
from sitewright.web.domains.service import (
    form_values,
    health_view,
    read_form,
    record_errors,
    record_lists,
    type_links,
    typed_record,
    zone_view,
)

DONE = ("record_added", "record_changed", "record_deleted", "record_restored")


class RegisteredDomainQuery(msgspec.Struct, frozen=True):
    """What has just been done."""

    done: Annotated[str | None, about("What has just been done, for the page to say so.", "record_added")] = None


async def find_own_domain(request: PageRequest, ref: int | None, *, lock: bool = False) -> AccountDomain:
    """A registered domain of the user; another user's looks like a missing one."""
    user_ref = request.holder.user_ref
    try:
        return await account_domains.find_account_domain(request.tx, request.caller, user_ref, ref or 0, lock=lock)
    except AccountDomainNotFound:
        raise OwnDomainNotFound from None


async def find_own_record(request: PageRequest, domain: AccountDomain, ref: int | None) -> RecordRow:
    try:
        return await dns.find_record(request.tx, domain, ref or 0)
    except DnsRecordNotFound:
        raise OwnDomainNotFound from None


async def show_domain(request: PageRequest, account_domain_ref: int | None) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return await _page(request, account_domain_ref, done=describe_done(request, done, DONE))


async def _page(
    request: PageRequest, account_domain_ref: int | None, *, done: str | None = None, problem: Problem | None = None
) -> Response:
    domain = await find_own_domain(request, account_domain_ref)
    tx, messages, page = request.tx, request.messages, f"{DOMAINS}/{domain.ref}"
    zone = zone_view(await dns.zone_state(tx, request.resources.settings, domain.ref), messages)
    checked = await health.read_result(
        tx, health.Key("accountDomain", domain.ref), domain.domain, health.messages_in(messages.language)
    )
    is_pending = zone.status == "publishing"
    return render(
        request,
        "registered_domain.html",
        200 if problem is None else problem.status,
        section=Section.DOMAINS,
        page=page,
        name=decode_domain(domain.domain),
        state=domain_state(domain),
        term=domain_term(domain, messages, request.brand.time_zone),
        zone=zone,
        records=record_lists(await dns.list_records(tx, domain), domain.domain, f"{page}/records", messages),
        health=health_view(checked, messages),
        is_pending=is_pending,
        more_directives=POLLING if is_pending else "",
        contact=contact_of(request.brand),
        done=done,
        alert=record_errors(problem, messages).get(""),
    )


async def prepare_check(request: PageRequest, account_domain_ref: int | None) -> Work:
    """Check the domain without a transaction open."""
    domain = await find_own_domain(request, account_domain_ref)
    key = health.Key("accountDomain", domain.ref)
    return partial(health.check, request.resources, request.brand.brand_ref, key)


async def show_checked(_request: PageRequest, account_domain_ref: int | None, *, prepared: bool) -> Response:
    return redirect(f"{DOMAINS}/{account_domain_ref}?done={'checked' if prepared else 'recently'}")


async def show_new_record(request: PageRequest, account_domain_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref)
    return _record_page(request, domain, parse_query(request.http_request.query))


async def add_record(request: PageRequest, account_domain_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref, lock=True)
    fields = read_form(form_of(request.http_request))
    await dns.create_record(request.tx, request.resources.settings, request.caller, domain, fields)
    return redirect(f"{DOMAINS}/{domain.ref}?done=record_added")


async def show_new_record_again(request: PageRequest, problem: Problem, account_domain_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref)
    return _record_page(request, domain, form_of(request.http_request), problem=problem)


async def show_record(request: PageRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref)
    record = await find_own_record(request, domain, record_ref)
    return _record_page(request, domain, typed_record(record, domain.domain), record)


async def change_record(request: PageRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref, lock=True)
    record = await find_own_record(request, domain, record_ref)
    fields = read_form(form_of(request.http_request))
    await dns.edit_record(request.tx, request.resources.settings, request.caller, domain, record, fields)
    return redirect(f"{DOMAINS}/{domain.ref}?done=record_changed")


async def show_record_again(
    request: PageRequest, problem: Problem, account_domain_ref: int | None, record_ref: int | None
) -> Response:
    domain = await find_own_domain(request, account_domain_ref)
    record = await find_own_record(request, domain, record_ref)
    return _record_page(request, domain, form_of(request.http_request), record, problem)


async def delete_record(request: PageRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref, lock=True)
    record = await find_own_record(request, domain, record_ref)
    await dns.delete_record(request.tx, request.resources.settings, request.caller, domain, record)
    return redirect(f"{DOMAINS}/{domain.ref}?done=record_deleted")


async def restore_record(request: PageRequest, account_domain_ref: int | None, record_ref: int | None) -> Response:
    domain = await find_own_domain(request, account_domain_ref, lock=True)
    record = await find_own_record(request, domain, record_ref)
    await dns.restore_record(request.tx, request.resources.settings, request.caller, domain, record)
    return redirect(f"{DOMAINS}/{domain.ref}?done=record_restored")


async def show_domain_after_problem(
    request: PageRequest, problem: Problem, account_domain_ref: int | None, **_path_parameters: object
) -> Response:
    return await _page(request, account_domain_ref, problem=problem)


def _record_page(
    request: PageRequest,
    domain: AccountDomain,
    typed: dict[str, str],
    record: RecordRow | None = None,
    problem: Problem | None = None,
) -> Response:
    page = f"{DOMAINS}/{domain.ref}"
    values: dict[str, Any] = form_values(request.messages, typed, problem)
    return render(
        request,
        "dns_record.html",
        200 if problem is None else problem.status,
        section=Section.DOMAINS,
        page=page,
        name=decode_domain(domain.domain),
        record=record,
        is_restorable=record is not None and dns.is_restorable(record),
        kinds=type_links(f"{page}/records/new", values["record_type"], request.messages),
        **values,
    )
