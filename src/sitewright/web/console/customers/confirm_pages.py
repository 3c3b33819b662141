"""Actions that ask first: suspend with a reason, delete, and anonymise after the name was typed."""

from functools import partial
from typing import Any

from sitewright.accounts.users import service as users
from sitewright.accounts.users.customers import service as customers
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import MAX_TEXT, parse
from sitewright.web.console.customers.addresses import CUSTOMER, NOT_ALLOWED, NOT_FOUND, address_of, done
from sitewright.web.console.customers.schemas import AnonymiseForm, SuspendForm
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render


async def ask(
    template: str, request: ConsoleRequest, user_ref: int | None, problem: Problem | None = None, **_others: Any
) -> Response:
    """Say what it means, and ask; with the problem and what was typed where the form was rejected."""
    if problem is not None and problem.status == 404:
        raise problem
    customer = await customers.find_customer(request.tx, user_ref or 0)
    errors = field_errors(request, problem)
    return render(
        request,
        template,
        200 if problem is None else problem.status,
        page=address_of(customer.ref),
        customer=customer,
        typed=form_of(request.http_request) if problem is not None else {},
        errors=errors,
        alert=errors.get(""),
        max_reason=MAX_TEXT,
    )


async def suspend(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, lock=True)
    form = parse(SuspendForm, form_of(request.http_request))
    await users.suspend_user(request.tx, request.caller, user, form.reason.strip())
    return done(user.ref, "suspended")


async def delete(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, lock=True)
    await users.delete_user(request.tx, request.caller, user)
    return done(user.ref, "deleted")


async def anonymise(request: ConsoleRequest, user_ref: int | None) -> Response:
    """The typed name protects against the wrong customer: case and spaces do not matter."""
    user = await users.find_user(request.tx, request.caller, user_ref or 0, deleted=True, lock=True)
    customer = await customers.find_customer(request.tx, user.ref)
    typed = parse(AnonymiseForm, form_of(request.http_request)).name
    if typed.casefold().split() != customer.name.casefold().split():
        raise Invalid.fields({"name": {"otherName": "is not the customer's name"}})
    await users.anonymize_user(request.tx, request.caller, user)
    return done(user.ref, "anonymised")


PAGES = [
    *(
        console_page(
            page_route(f"{CUSTOMER}/{path}", f"confirm{path.title()}Customer", summary, more=NOT_FOUND | NOT_ALLOWED),
            partial(ask, f"customer_{path}.html"),
            right=right,
        )
        for path, summary, right in (
            ("suspend", "Ask why to suspend a customer.", Right.SUPPORT),
            ("delete", "Ask whether to delete a customer.", Right.CHANGE),
            ("anonymise", "Ask whether to anonymise a customer.", Right.CHANGE),
        )
    ),
    console_page(
        form_route(
            f"{CUSTOMER}/suspend", "suspendCustomer", "Suspend a customer, with the reason.", SuspendForm, NOT_FOUND
        ),
        suspend,
        partial(ask, "customer_suspend.html"),
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(f"{CUSTOMER}/delete", "deleteCustomer", "Delete a customer.", more=NOT_FOUND),
        delete,
        partial(ask, "customer_delete.html"),
    ),
    console_page(
        form_route(
            f"{CUSTOMER}/anonymise",
            "anonymiseCustomer",
            "Erase a customer's personal details, for good.",
            AnonymiseForm,
            NOT_FOUND,
        ),
        anonymise,
        partial(ask, "customer_anonymise.html"),
    ),
]
