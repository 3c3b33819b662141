"""What is wrong with the fields of a user beside their types."""

from typing import Any

from sitewright.brands.schemas import BrandSettings
from sitewright.kit.addresses import is_address
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.packages import service as packages
from sitewright.resellers import service as resellers


async def check_user(tx: Transaction, caller: Caller, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """For create and edit; `read` holds what was sent and could be read, by attribute."""
    errors = await resellers.check_reseller(tx, caller, read.get("reseller_ref"))
    if "email" in read and not is_address(read["email"]):
        errors["email"] = {"invalidEmail": "must be an e-mail address, with at most 64 characters before the @"}
    if "language_code" in read and read["language_code"] not in brand.language_codes:
        errors["languageCode"] = {"invalidLanguageCode": f"must be one of {', '.join(brand.language_codes)}"}
    currency_ref = read.get("currency_ref")
    if currency_ref is not None and not await packages.currency_exists(tx, currency_ref):
        errors["currencyRef"] = {"invalidCurrencyRef": "is not a currency"}
    return errors
