"""Reading the forms of resellers and prices as the API reads its bodies, so that the same rules apply."""

from typing import Any

from sitewright.accounts.resellers.prices import service as prices
from sitewright.accounts.resellers.prices.service import NewPrice
from sitewright.accounts.resellers.service import NewReseller, check_reseller_fields
from sitewright.kit.db import Transaction
from sitewright.kit.http.page import form_of
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import read_fields
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.resellers.schemas import PriceForm, ResellerForm

OF_FORM = ("token", "enabled")


async def read_reseller(request: ConsoleRequest) -> tuple[NewReseller, bool]:
    """The fields, and whether the reseller is enabled."""
    sent = form_of(request.http_request)
    values = {name: value.strip() for name, value in sent.items() if isinstance(value, str)}
    values["accountCreateLimit"] = values.get("accountCreateLimit") or "0"
    values["enabled"] = values.get("enabled") or "0"
    read, errors = read_fields(ResellerForm, values)
    brand = await brands.settings_of_brand(request.tx)
    errors |= await check_reseller_fields(request.tx, brand, read)
    if errors:
        raise Invalid.fields(errors)
    return NewReseller(**_without(read, *OF_FORM)), read["enabled"]


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
