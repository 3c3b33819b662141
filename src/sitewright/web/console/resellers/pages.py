"""`/console/resellers/:resellerRef`: a reseller with its prices; creating, changing and deleting one."""

from typing import Any

import msgspec

from sitewright.accounts.resellers import service
from sitewright.accounts.resellers.listing import service as listing
from sitewright.accounts.resellers.prices import service as prices
from sitewright.accounts.resellers.schemas import ResellerDetails
from sitewright.accounts.resellers.service import URLS, ResellerChanges
from sitewright.catalogue.packages import service as packages
from sitewright.catalogue.packages.schemas import Price
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.http.shown_values import write_shown
from sitewright.kit.paging import Window
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT, CUSTOMERS, RESELLERS
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.resellers import list_pages, price_pages
from sitewright.web.console.resellers.amounts import amount_text
from sitewright.web.console.resellers.forms import (
    FIELDS,
    first_shown,
    present_values,
    read_changes,
    read_reseller,
    typed_values,
)
from sitewright.web.console.resellers.schemas import ResellerForm

NEW = f"{RESELLERS}/new"
RESELLER = f"{RESELLERS}/{{reseller_ref:int}}"
DONE = ("saved", "price_saved", "price_deleted")
MAX_PRICES = 500


async def show_reseller(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    details = await service.get_reseller(request.tx, reseller_ref or 0)
    found, _ = await prices.list_prices(request.tx, details.ref, Window(limit=MAX_PRICES + 1))
    messages, done = request.messages, parse_query(request.http_request.query).get("done")
    path = f"{RESELLERS}/{details.ref}"
    return render(
        request,
        "reseller.html",
        reseller=details,
        path=path,
        links=[(field, getattr(details, name)) for name, field in URLS.items()],
        currency=await _currency(request, details),
        language=await _language(request, details),
        customers=await listing.count_customers(request.tx, details.ref),
        customers_href=f"{CUSTOMERS}?reseller={details.ref}",
        audit_href=f"{AUDIT}?subject=reseller&ref={details.ref}",
        prices=[_price(request, path, each) for each in sorted(found[:MAX_PRICES], key=_order)],
        has_more_prices=len(found) > MAX_PRICES,
        may_change=request.may(Right.CHANGE),
        done=messages(f"reseller_done_{done}") if done in DONE else None,
    )


def _order(price: Price) -> tuple[str, int, str, int]:
    return price.package_name.lower(), price.package_ref, price.currency.alpha_code, price.billing_period_months


def _price(request: ConsoleRequest, path: str, price: Price) -> dict[str, Any]:
    messages = request.messages
    return {
        "package": price.package_name,
        "package_ref": price.package_ref,
        "months": price.billing_period_months,
        "price": amount_text(price.price, price, messages),
        "offer": None if price.offer_price is None else amount_text(price.offer_price, price, messages),
        "edit": f"{path}/prices/{price.ref}",
    }


async def _currency(request: ConsoleRequest, details: ResellerDetails) -> str | None:
    currencies = await packages.list_currencies(request.tx)
    return next((each.alpha_code for each in currencies if each.ref == details.default_currency_ref), None)


async def _language(request: ConsoleRequest, details: ResellerDetails) -> str | None:
    languages = await brands.list_languages(request.tx, details.brand_ref)
    return next((each.name for each in languages if each.ref == details.default_language_ref), None)


async def show_new(request: ConsoleRequest) -> Response:
    brand = await brands.settings_of_brand(request.tx)
    return await _form(request, None, {"defaultCurrencyRef": str(brand.default_currency_ref or ""), "enabled": "1"})


async def create(request: ConsoleRequest) -> Response:
    """The credentials are shown once, in the response."""
    new = await read_reseller(request)
    brand = await brands.settings_of_brand(request.tx)
    created = await service.create_reseller(request.tx, request.resources.sealer, request.caller, brand, new)
    strings = msgspec.to_builtins(created.credentials)
    return render(request, "reseller_created.html", reseller=created.reseller, strings=strings)


async def show_new_again(request: ConsoleRequest, problem: Problem) -> Response:
    return await _form(request, None, typed_values(form_of(request.http_request)), problem=problem)


async def show_edit(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    details = await service.get_reseller(request.tx, reseller_ref or 0)
    values = present_values(details)
    return await _form(request, details, values, values)


async def edit(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    await service.lock_reseller(request.tx, reseller_ref or 0)
    details = await service.get_reseller(request.tx, reseller_ref or 0)
    changes = await read_changes(request, details)
    if changes != ResellerChanges():
        await service.edit_reseller(request.tx, request.caller, details.ref, changes)
    return redirect(f"{RESELLERS}/{reseller_ref}?done=saved")


async def show_edit_again(request: ConsoleRequest, problem: Problem, reseller_ref: int | None) -> Response:
    details = await service.get_reseller(request.tx, reseller_ref or 0)
    form = form_of(request.http_request)
    return await _form(request, details, typed_values(form), first_shown(details, form), problem)


async def _form(
    request: ConsoleRequest,
    details: ResellerDetails | None,
    values: dict[str, str],
    shown: dict[str, str] | None = None,
    problem: Problem | None = None,
) -> Response:
    """`values` are those of the reseller, or what was typed; `shown` those when the form was opened."""
    errors = field_errors(request, problem)
    path = RESELLERS if details is None else f"{RESELLERS}/{details.ref}"
    return render(
        request,
        "reseller_form.html",
        200 if problem is None else problem.status,
        reseller=details,
        back=path,
        action=NEW if details is None else f"{path}/edit",
        typed={name: values.get(name, "") for name in FIELDS},
        is_enabled=values.get("enabled") == "1",
        shown=None if shown is None else write_shown(shown),
        urls=list(URLS.values()),
        currencies=[(str(each.ref), each.alpha_code) for each in await packages.list_currencies(request.tx)],
        languages=[
            (str(each.ref), each.name) for each in await brands.list_languages(request.tx, request.brand_ref or 0)
        ],
        errors=errors,
        alert=errors.get(""),
    )


async def confirm_deletion(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    """Ask once, and say what is lost."""
    details = await service.get_reseller(request.tx, reseller_ref or 0)
    messages, path = request.messages, f"{RESELLERS}/{details.ref}"
    return render(
        request,
        "confirm.html",
        question=messages("reseller_delete_question", name=details.reseller_name),
        consequence=messages("reseller_delete_lost"),
        button=messages("reseller_delete"),
        action=f"{path}/delete",
        back=path,
        back_label=details.reseller_name,
    )


async def delete(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    await service.lock_reseller(request.tx, reseller_ref or 0)
    await service.delete_reseller(request.tx, request.caller, reseller_ref or 0)
    return redirect(f"{RESELLERS}?done=deleted")


NO_RESELLER = {404: "A page: the brand has no such reseller."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
PAGES = [
    *list_pages.PAGES,
    *price_pages.PAGES,
    console_page(
        page_route(NEW, "showNewReseller", "The form that creates a reseller.", more=NOT_ALLOWED),
        show_new,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            NEW, "addReseller", "Create a reseller.", ResellerForm, {200: "A page: its credentials, shown once."}
        ),
        create,
        show_new_again,
    ),
    console_page(
        page_route(RESELLER, "showReseller", "One reseller with its prices.", DoneQuery, NO_RESELLER), show_reseller
    ),
    console_page(
        page_route(
            f"{RESELLER}/edit", "showResellerForm", "The form that changes a reseller.", more=NO_RESELLER | NOT_ALLOWED
        ),
        show_edit,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{RESELLER}/edit", "changeReseller", "Change a reseller.", ResellerForm, NO_RESELLER),
        edit,
        show_edit_again,
    ),
    console_page(
        page_route(
            f"{RESELLER}/delete",
            "confirmResellerDeletion",
            "Ask whether to delete a reseller.",
            more=NO_RESELLER | NOT_ALLOWED,
        ),
        confirm_deletion,
        right=Right.CHANGE,
    ),
    console_page(form_route(f"{RESELLER}/delete", "removeReseller", "Delete a reseller.", more=NO_RESELLER), delete),
]
