"""`/console/resellers/:resellerRef/prices`: creating, changing and deleting a reseller's price."""

from typing import Any

import msgspec

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.resellers.prices import service
from sitewright.accounts.resellers.prices.service import PriceChanges
from sitewright.catalogue.packages import service as packages
from sitewright.catalogue.packages.schemas import PackageFilter, Price
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import RESELLERS
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.resellers.amounts import amount_text
from sitewright.web.console.resellers.forms import read_price
from sitewright.web.console.resellers.schemas import PriceForm

PRICES = f"{RESELLERS}/{{reseller_ref:int}}/prices"
PRICE = f"{PRICES}/{{price_ref:int}}"
FIELDS = ("packageRef", "billingPeriodMonths", "currencyRef", "price", "offerPrice")


async def show_new(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    details = await resellers.get_reseller(request.tx, reseller_ref or 0)
    values = {"billingPeriodMonths": 12, "currencyRef": details.default_currency_ref}
    return await _form(request, reseller_ref, None, values)


async def create(request: ConsoleRequest, reseller_ref: int | None) -> Response:
    await resellers.lock_reseller(request.tx, reseller_ref or 0)
    new = await read_price(request.tx, request)
    await service.create_price(request.tx, request.caller, reseller_ref or 0, new)
    return _done(reseller_ref, "price_saved")


async def show_new_again(request: ConsoleRequest, problem: Problem, reseller_ref: int | None) -> Response:
    return await _form(request, reseller_ref, None, form_of(request.http_request), problem)


async def show_edit(request: ConsoleRequest, reseller_ref: int | None, price_ref: int | None) -> Response:
    price = await _find(request, reseller_ref, price_ref)
    values = msgspec.to_builtins(price) | {"currencyRef": price.currency.ref}
    return await _form(request, reseller_ref, price, values)


async def edit(request: ConsoleRequest, reseller_ref: int | None, price_ref: int | None) -> Response:
    await resellers.lock_reseller(request.tx, reseller_ref or 0)
    price = await service.get_price(request.tx, reseller_ref or 0, price_ref or 0)
    changes = PriceChanges(**msgspec.structs.asdict(await read_price(request.tx, request)))
    await service.edit_price(request.tx, request.caller, reseller_ref or 0, price.ref, changes)
    return _done(reseller_ref, "price_saved")


async def show_edit_again(
    request: ConsoleRequest, problem: Problem, reseller_ref: int | None, price_ref: int | None
) -> Response:
    price = await _find(request, reseller_ref, price_ref)
    return await _form(request, reseller_ref, price, form_of(request.http_request), problem)


async def confirm_deletion(request: ConsoleRequest, reseller_ref: int | None, price_ref: int | None) -> Response:
    price = await _find(request, reseller_ref, price_ref)
    messages, path = request.messages, f"{RESELLERS}/{reseller_ref}"
    return render(
        request,
        "confirm.html",
        question=messages(
            "reseller_price_delete_question",
            package=price.package_name,
            price=amount_text(price.price, price, messages),
        ),
        consequence=messages("reseller_price_delete_lost"),
        button=messages("reseller_delete"),
        action=f"{path}/prices/{price.ref}/delete",
        back=path,
        back_label=messages("reseller_prices"),
    )


async def delete(request: ConsoleRequest, reseller_ref: int | None, price_ref: int | None) -> Response:
    await resellers.lock_reseller(request.tx, reseller_ref or 0)
    price = await service.get_price(request.tx, reseller_ref or 0, price_ref or 0)
    await service.delete_price(request.tx, request.caller, reseller_ref or 0, price)
    return _done(reseller_ref, "price_deleted")


async def _find(request: ConsoleRequest, reseller_ref: int | None, price_ref: int | None) -> Price:
    await resellers.require_reseller(request.tx, reseller_ref or 0)
    return await service.get_price(request.tx, reseller_ref or 0, price_ref or 0)


def _done(reseller_ref: int | None, what: str) -> Response:
    return redirect(f"{RESELLERS}/{reseller_ref}?done={what}")


async def _form(
    request: ConsoleRequest,
    reseller_ref: int | None,
    price: Price | None,
    values: dict[str, Any],
    problem: Problem | None = None,
) -> Response:
    """`values` are those of the price, or what was typed."""
    details = await resellers.get_reseller(request.tx, reseller_ref or 0)
    errors, path = field_errors(request, problem), f"{RESELLERS}/{details.ref}"
    offered, _ = await packages.list_packages(request.tx, PackageFilter(), None)
    return render(
        request,
        "reseller_price.html",
        200 if problem is None else problem.status,
        reseller=details,
        price=price,
        path=path,
        action=f"{path}/prices/{price.ref}" if price is not None else f"{path}/prices/new",
        typed={name: _text(values.get(name)) for name in FIELDS},
        packages=[(str(each.ref), each.name) for each in offered],
        currencies=[(str(each.ref), each.alpha_code) for each in await packages.list_currencies(request.tx)],
        errors=errors,
        alert=errors.get(""),
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value)


NO_RESELLER = {404: "A page: the brand has no such reseller."}
NO_PRICE = {404: "A page: the brand has no such reseller, or the reseller no such price."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
EXISTS = {409: "The page again: there is such a price."}
PAGES = [
    console_page(
        page_route(
            f"{PRICES}/new",
            "showNewResellerPrice",
            "The form that creates a price of a reseller.",
            more=NO_RESELLER | NOT_ALLOWED,
        ),
        show_new,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            f"{PRICES}/new", "addResellerPrice", "Create a price of a reseller.", PriceForm, NO_RESELLER | EXISTS
        ),
        create,
        show_new_again,
    ),
    console_page(
        page_route(
            PRICE, "showResellerPrice", "The form that changes a price of a reseller.", more=NO_PRICE | NOT_ALLOWED
        ),
        show_edit,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(PRICE, "changeResellerPrice", "Change a price of a reseller.", PriceForm, NO_PRICE | EXISTS),
        edit,
        show_edit_again,
    ),
    console_page(
        page_route(
            f"{PRICE}/delete",
            "confirmResellerPriceDeletion",
            "Ask whether to delete a price of a reseller.",
            more=NO_PRICE | NOT_ALLOWED,
        ),
        confirm_deletion,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{PRICE}/delete", "removeResellerPrice", "Delete a price of a reseller.", more=NO_PRICE), delete
    ),
]
