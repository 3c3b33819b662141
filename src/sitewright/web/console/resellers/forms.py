"""Reading the forms of resellers and prices as the API reads its bodies, so that the same rules apply. The form of an
existing reseller changes what differs from what it showed: others may have changed the rest since."""

from collections.abc import Mapping
from typing import Any

import msgspec

from sitewright.accounts.resellers.prices import service as prices
from sitewright.accounts.resellers.prices.service import NewPrice
from sitewright.accounts.resellers.schemas import ResellerDetails
from sitewright.accounts.resellers.service import URLS, NewReseller, ResellerChanges, check_reseller_fields
from sitewright.kit.db import Transaction
from sitewright.kit.http.page import form_of
from sitewright.kit.http.shown_values import shown_values
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import read_fields
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.resellers.schemas import PriceForm, ResellerForm

TEXTS = ("name", "displayName", "accountCreateLimit", "resellerSupportEmail", *URLS.values())
FIELDS = (*TEXTS, "defaultCurrencyRef", "defaultLanguageRef")
OF_FORM = ("token", "enabled", "shown")


def present_values(details: ResellerDetails) -> dict[str, str]:
    """As the form shows them."""
    stored = msgspec.to_builtins(details)
    stored |= {"name": details.reseller_name, "accountCreateLimit": details.account_create_limit or ""}
    return {name: str(stored[name]) for name in FIELDS} | {"enabled": "1" if details.enabled else "0"}


def first_shown(details: ResellerDetails, form: Mapping[str, Any]) -> dict[str, str]:
    """What the form showed when it was opened."""
    return shown_values(present_values(details), str(form.get("shown", "")))


def typed_values(form: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(form.get(name) or "").strip() for name in (*FIELDS, "enabled")}


async def read_reseller(request: ConsoleRequest) -> NewReseller:
    read = await _read(request, ResellerForm, typed_values(form_of(request.http_request)))
    return NewReseller(**_without(read, *OF_FORM))


async def read_changes(request: ConsoleRequest, details: ResellerDetails) -> ResellerChanges:
    form = form_of(request.http_request)
    shown = first_shown(details, form)
    changed = {name: value for name, value in typed_values(form).items() if value != shown[name]}
    return ResellerChanges(**await _read(request, ResellerChanges, changed))


async def _read(request: ConsoleRequest, into: type[msgspec.Struct], typed: Mapping[str, str]) -> dict[str, Any]:
    """The values by attribute. No limit and no choice of `enabled` are 0."""
    values = {
        name: value or ("0" if name in ("accountCreateLimit", "enabled") else "") for name, value in typed.items()
    }
    read, errors = read_fields(into, values)
    errors |= await check_reseller_fields(request.tx, await brands.settings_of_brand(request.tx), read)
    if errors:
        raise Invalid.fields(errors)
    return read


async def read_price(tx: Transaction, request: ConsoleRequest) -> NewPrice:
    """A decimal comma is understood, too."""
    sent = form_of(request.http_request)
    values: dict[str, Any] = {name: value.strip() for name, value in sent.items() if isinstance(value, str)}
    values["price"] = values.get("price", "").replace(",", ".")
    values["offerPrice"] = values.get("offerPrice", "").replace(",", ".") or None
    read, errors = read_fields(PriceForm, values)
    errors |= await prices.check_price(tx, read)
    if errors:
        raise Invalid.fields(errors)
    return NewPrice(**_without(read, "token"))


def _without(read: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in read.items() if name not in names}
