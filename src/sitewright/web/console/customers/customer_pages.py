"""`/console/customers/{user_ref}`: everything about a customer, and actions that need no question."""

from typing import Any

import msgspec

from sitewright.accounts.mailed_links import service as mailed_links
from sitewright.accounts.reports.data_exports import service as data_exports
from sitewright.accounts.reports.data_exports.service import ZIP
from sitewright.accounts.users import service as users
from sitewright.accounts.users.customers.service import CustomerDetails, state_of
from sitewright.accounts.users.service import UserChanges
from sitewright.kit.auth.rights import Right
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.devices import device_name
from sitewright.kit.http.page import HTML, UNAVAILABLE, redirect
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.sites.sites.service import offline_reason
from sitewright.web.console.customers.addresses import (
    CONFLICT,
    CUSTOMER,
    NOT_ALLOWED,
    NOT_FOUND,
    TOO_MANY,
    address_of,
    done,
)
from sitewright.web.console.customers.list_pages import TONES
from sitewright.web.console.customers.schemas import CustomerPageQuery
from sitewright.web.console.customers.sections import Sections, read_sections
from sitewright.web.console.customers.texts_of import describe_action, describe_actor, metadata_of
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.mail_kinds import kind_label
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.login.service import reset_link


async def show_customer(request: ConsoleRequest, user_ref: int | None) -> Response:
    return await _page(request, user_ref or 0)


async def show_again(request: ConsoleRequest, user_ref: int | None, problem: Problem, **_others: Any) -> Response:
    """With the problem; what does not exist has the page of any other address."""
    if problem.status == 404:
        raise problem
    return await _page(request, user_ref or 0, problem)


async def _page(request: ConsoleRequest, user_ref: int, problem: Problem | None = None) -> Response:
    query, messages = parse_query(request.http_request.query), request.messages
    complete = query.get("all", "")
    sections = await read_sections(request.tx, user_ref, complete)
    said = query.get("done", "") if problem is None else ""
    key = f"customer_done_{said}"
    return render(
        request,
        "customer.html",
        200 if problem is None else problem.status,
        page=address_of(user_ref),
        of=sections,
        complete=complete,
        customer=sections.customer,
        state=state_of(sections.customer),
        tones=TONES,
        metadata=metadata_of(sections.customer),
        language=messages.language_name(sections.customer.language_code),
        zone=request.brand.time_zone if request.brand else "UTC",
        may=_allowed(request, sections.customer),
        is_admin=request.may(Right.CHANGE),
        site_states=_site_states(sections),
        domain_name=decode_domain,
        device_name=device_name,
        actions=[
            (entry, describe_action(entry.action, messages), describe_actor(entry.actor, sections, messages))
            for entry in sections.audit.rows
        ],
        mail_name=lambda kind: kind_label(kind, messages),
        done=messages(key) if key in messages else None,
        alert=field_errors(request, problem).get(""),
    )


def _allowed(request: ConsoleRequest, customer: CustomerDetails) -> dict[str, bool]:
    """Which actions the page offers: those that the role has, and that make sense for the customer as it is."""
    supports, changes = request.may(Right.SUPPORT), request.may(Right.CHANGE)
    is_erased, is_deleted = customer.anonymised_at is not None, customer.deleted_at is not None
    is_suspended = customer.suspended_at is not None
    exists = not is_deleted and not is_erased
    return {
        "edit": changes and exists,
        "package": changes and exists,
        "log_in_as": supports and exists and not is_suspended,
        "password_email": supports and exists and not is_suspended,
        "suspend": supports and not is_deleted,
        "unsuspend": supports and not is_deleted and is_suspended,
        "export": changes and not is_erased,
        "delete": changes and not is_deleted,
        "restore": changes and is_deleted and not is_erased,
        "anonymise": changes and not is_erased,
    }


def _site_states(sections: Sections) -> dict[int, str]:
    """By site: deleted, online, or why it is offline."""
    customer = sections.customer
    owner = {
        "is_owner_suspended": customer.suspended_at is not None,
        "is_owner_deleted": customer.deleted_at is not None,
    }
    return {
        site.ref: "deleted"
        if site.deleted
        else (offline_reason(msgspec.structs.replace(site.state, **owner)) or "online")
        for site in sections.sites.rows
    }


async def unsuspend(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, lock=True)
    await users.unsuspend_user(request.tx, request.caller, user)
    return done(user.ref, "unsuspended")


async def mail_password(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, lock=True)
    resources = request.resources
    link = reset_link(resources.settings, request.brand)
    await mailed_links.mail_password_reset(request.tx, resources.sealer, request.caller, user, link)
    return done(user.ref, "mailed")


async def restore(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, deleted=True, lock=True)
    changes = UserChanges(deleted=False)
    await users.edit_user(request.tx, request.resources.sealer, request.caller, user, changes, None)
    return done(user.ref, "restored")


async def request_export(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, deleted=True, lock=True)
    await data_exports.request_copy(request.tx, request.caller, user.brand_ref, user.ref)
    return redirect(f"{address_of(user.ref)}?done=exported#data")


async def download_export(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, deleted=True)
    file = await data_exports.open_file_of_customer(request.tx, request.caller, user.ref)
    if file is None:
        return redirect(f"{address_of(user.ref)}#data")
    return data_exports.stream(request.http_request, request.resources, file)


DOWNLOAD = PublicRoute(
    path=f"{CUSTOMER}/export",
    operation_id="downloadCustomerData",
    summary="Download the copy of a customer's data.",
    description="For operators who are logged in to the console. One `Range` may be requested.",
    responses={
        200: "A zip archive of JSON files.",
        206: "The requested part.",
        303: "There is none, or none any more; or not logged in.",
    }
    | NOT_ALLOWED
    | NOT_FOUND
    | UNAVAILABLE,
    media_type=ZIP,
    error_media_type=HTML,
    tag="console",
)
PAGES = [
    console_page(
        page_route(CUSTOMER, "showCustomer", "Everything about a customer.", CustomerPageQuery, NOT_FOUND),
        show_customer,
    ),
    console_page(
        form_route(f"{CUSTOMER}/unsuspend", "unsuspendCustomer", "End a customer's suspension.", more=NOT_FOUND),
        unsuspend,
        show_again,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(
            f"{CUSTOMER}/password-email",
            "mailCustomerPassword",
            "Mail a customer a link that sets a new password.",
            more=NOT_FOUND | CONFLICT | TOO_MANY,
        ),
        mail_password,
        show_again,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(f"{CUSTOMER}/restore", "restoreCustomer", "Restore a deleted customer.", more=NOT_FOUND | CONFLICT),
        restore,
        show_again,
    ),
    console_page(
        form_route(f"{CUSTOMER}/export", "exportCustomer", "Have a copy of a customer's data made.", more=NOT_FOUND),
        request_export,
        show_again,
    ),
    console_page(DOWNLOAD, download_export, right=Right.CHANGE),
]
