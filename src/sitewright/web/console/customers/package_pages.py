"""`/console/customers/{user_ref}/package`: assign a package, after saying what it means and costs; stop a renewal."""

from typing import Any

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.history import service as history
from sitewright.accounts.account_packages.quotes import service as quotes
from sitewright.accounts.account_packages.schemas import PackageRequest, RenewalRequest
from sitewright.accounts.users import service as users
from sitewright.accounts.users.customers import service as customers
from sitewright.accounts.users.errors import Anonymized
from sitewright.accounts.users.service import User
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.web.console.customers.addresses import CONFLICT, CUSTOMER, NOT_ALLOWED, NOT_FOUND, address_of, done
from sitewright.web.console.customers.schemas import PackageForm, RefusedQuery, RenewalForm
from sitewright.web.console.customers.sections import MORE
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render

REFUSED = ("wrong_packageRef", "wrong_billingFrequency")
"""Why a package cannot be assigned."""


async def show_offers(
    request: ConsoleRequest, user_ref: int | None, problem: Problem | None = None, **_others: Any
) -> Response:
    """The packages that the customer has, and those that it can get, with their prices."""
    if problem is not None and problem.status == 404:
        raise problem
    user = await _find(request, user_ref, lock=False)
    if problem is not None and problem.errors:
        return redirect(f"{address_of(user.ref)}/package?refused={next(iter(problem.errors))}")
    refused = f"wrong_{parse_query(request.http_request.query).get('refused')}"
    held = await history.newest_packages(request.tx, user.ref, MORE)
    return render(
        request,
        "customer_package.html",
        200 if problem is None else problem.status,
        page=address_of(user.ref),
        customer=await customers.find_customer(request.tx, user.ref),
        held=[each for each in held if each.ended_at is None],
        offers=await quotes.list_offers(request.tx, user.ref),
        zone=_zone(request),
        alert=request.messages(refused) if refused in REFUSED else field_errors(request, problem).get(""),
    )


async def show_quote(request: ConsoleRequest, user_ref: int | None) -> Response:
    """What assigning the package now means and costs."""
    user = await _find(request, user_ref, lock=False)
    wanted = parse(PackageForm, parse_query(request.http_request.query))
    return render(
        request,
        "customer_quote.html",
        page=address_of(user.ref),
        customer=await customers.find_customer(request.tx, user.ref),
        quote=await quotes.quote_package(request.tx, user.ref, _request(wanted)),
        wanted=wanted,
        zone=_zone(request),
    )


async def assign(request: ConsoleRequest, user_ref: int | None) -> Response:
    user = await _find(request, user_ref, lock=True)
    wanted = _request(parse(PackageForm, form_of(request.http_request)))
    await account_packages.assign_package(request.tx, request.resources.sealer, request.caller, user.ref, wanted)
    return done(user.ref, "package")


async def set_renewal(request: ConsoleRequest, user_ref: int | None, account_package_ref: int | None) -> Response:
    user, ref = await _find(request, user_ref, lock=True), account_package_ref or 0
    await account_packages.require_account_package(request.tx, user.ref, ref)
    form = parse(RenewalForm, form_of(request.http_request))
    wanted = RenewalRequest(form.delete_on_expiry)
    await account_packages.set_renewal(request.tx, request.resources.sealer, request.caller, user, ref, wanted)
    return done(user.ref, "ends" if form.delete_on_expiry else "renews")


async def _find(request: ConsoleRequest, user_ref: int | None, *, lock: bool) -> User:
    user = await users.find_user(request.tx, request.caller, user_ref or 0, lock=lock)
    if user.anonymized:
        raise Anonymized
    return user


def _request(form: PackageForm) -> PackageRequest:
    return PackageRequest(form.package_ref, form.billing_frequency, form.delete_on_expiry)


def _zone(request: ConsoleRequest) -> str:
    return "UTC" if request.brand is None else request.brand.time_zone


PACKAGE = f"{CUSTOMER}/package"
GONE = NOT_FOUND | NOT_ALLOWED | {409: "A page: the customer is anonymized."}
PAGES = [
    console_page(
        page_route(PACKAGE, "showCustomerOffers", "The packages that a customer has and can get.", RefusedQuery, GONE),
        show_offers,
        right=Right.CHANGE,
    ),
    console_page(
        page_route(
            f"{PACKAGE}/confirm",
            "quoteCustomerPackage",
            "What assigning a package means and costs.",
            PackageForm,
            GONE | {303: "The package cannot be assigned; or not logged in."},
        ),
        show_quote,
        show_offers,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            PACKAGE, "assignCustomerPackage", "Assign a package to a customer.", PackageForm, NOT_FOUND | CONFLICT
        ),
        assign,
        show_offers,
    ),
    console_page(
        form_route(
            f"{CUSTOMER}/packages/{{account_package_ref:int}}/renewal",
            "setCustomerRenewal",
            "Let a customer's package end with its period, or renew again.",
            RenewalForm,
            {404: "A page: the brand has no such customer, or the customer no such package."} | CONFLICT,
        ),
        set_renewal,
        show_offers,
    ),
]
