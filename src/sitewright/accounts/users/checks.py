"""Checks of a user's fields that go beyond their types."""

from typing import Any

from sitewright.accounts.resellers import service as resellers
from sitewright.catalogue.packages import service as packages
from sitewright.kit.addresses import is_address
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.brands.service import match_language


async def check_user(tx: Transaction, caller: Caller, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """For create and edit; `read` contains the fields that could be parsed, by attribute.

    The language code in `read` is replaced by the brand's own spelling.
    """
    errors = await resellers.check_reseller(tx, caller, read.get("reseller_ref"))
    if "email" in read and not is_address(read["email"]):
        errors["email"] = {"invalidEmail": "must be an e-mail address, with at most 64 characters before the @"}
    if "language_code" in read:
        language = match_language(brand.language_codes, read["language_code"])
        if language is None:
            errors["languageCode"] = {"invalidLanguageCode": f"must be one of {', '.join(brand.language_codes)}"}
        else:
            read["language_code"] = language
    currency_ref = read.get("currency_ref")
    if currency_ref is not None and not await packages.currency_exists(tx, currency_ref):
        errors["currencyRef"] = {"invalidCurrencyRef": "is not a currency"}
    return errors
