"""`/console/customers/{user_ref}/edit`: change a customer's details."""

from typing import Any

from msgspec import UNSET

from sitewright.accounts.users import service as users
from sitewright.accounts.users.customers import service as customers
from sitewright.accounts.users.service import UserChanges
from sitewright.catalogue.packages import service as packages
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.public import MAX_FORM
from sitewright.kit.http.responses import Response
from sitewright.kit.http.shown_values import write_shown
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import read_fields
from sitewright.tenants.brands import service as brands
from sitewright.web.console.customers.addresses import CONFLICT, CUSTOMER, NOT_ALLOWED, NOT_FOUND, address_of, done
from sitewright.web.console.customers.edit_form import at_fields, changes_of, first_shown, present_values, typed_values
from sitewright.web.console.customers.schemas import EditForm
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render

MAX_EDIT_FORM = 4 * MAX_FORM
"""It holds all metadata twice: as typed and as shown."""


async def show_form(request: ConsoleRequest, user_ref: int | None, problem: Problem | None = None) -> Response:
    """Empty where nobody can be edited: deleted and anonymized customers are shown instead."""
    customer = await customers.find_customer(request.tx, user_ref or 0)
    if customer.deleted_at is not None or customer.anonymised_at is not None:
        return redirect(address_of(customer.ref))
    brand = await brands.settings_of_brand(request.tx)
    codes = dict.fromkeys([*brand.language_codes, customer.language_code])
    errors = field_errors(request, problem and at_fields(problem))
    form = {} if problem is None else form_of(request.http_request)
    values = present_values(customer) if problem is None else typed_values(form)
    return render(
        request,
        "customer_edit.html",
        200 if problem is None else problem.status,
        page=address_of(customer.ref),
        customer=customer,
        values=values | {"password": ""},
        shown=write_shown(first_shown(customer, form)),
        errors=errors,
        alert=errors.get("") or (request.messages("customer_check_fields") if errors else None),
        languages=[(code, request.messages.language_name(code)) for code in codes],
        currencies=await packages.list_currency_codes(request.tx),
    )


async def show_again(request: ConsoleRequest, user_ref: int | None, problem: Problem) -> Response:
    if problem.status == 404:
        raise problem
    async with request.resources.database.transaction(request.brand_ref) as tx:
        return await show_form(request.within(tx), user_ref, problem)


async def save(request: ConsoleRequest, user_ref: int | None) -> Response:
    """A password is hashed between two transactions, since that takes long."""
    database, form = request.resources.database, form_of(request.http_request)
    async with database.transaction(request.brand_ref) as tx:
        password = (await _changes(request.within(tx), user_ref or 0, form)).password
    hashed = None if password is UNSET else await request.resources.passwords.hash(password, request.brand_ref)
    async with database.transaction(request.brand_ref) as tx:
        user = await users.find_user(tx, request.caller, user_ref or 0, lock=True)
        changes = await _changes(request.within(tx), user.ref, form)
        if changes != UserChanges():
            await users.edit_user(tx, request.resources.sealer, request.caller, user, changes, hashed)
    return done(user.ref, "saved")


async def _changes(request: ConsoleRequest, user_ref: int, form: dict[str, Any]) -> UserChanges:
    """Valid ones, as the API checks them."""
    await users.find_user(request.tx, request.caller, user_ref)
    customer = await customers.find_customer(request.tx, user_ref)
    read, errors = read_fields(UserChanges, changes_of(customer, form))
    errors |= await users.check_user(request.tx, request.caller, await brands.settings_of_brand(request.tx), read)
    if errors:
        raise Invalid.fields(errors)
    return UserChanges(**read)


async def show(request: ConsoleRequest, user_ref: int | None, **_others: Any) -> Response:
    return await show_form(request, user_ref)


PAGES = [
    console_page(
        page_route(f"{CUSTOMER}/edit", "showCustomerForm", "A customer's details.", more=NOT_FOUND | NOT_ALLOWED),
        show,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            f"{CUSTOMER}/edit",
            "editCustomer",
            "Change a customer's details.",
            EditForm,
            more=NOT_FOUND | CONFLICT,
            max_form=MAX_EDIT_FORM,
        ),
        save,
        show_again,
        scope=Scope.NONE,
    ),
]
