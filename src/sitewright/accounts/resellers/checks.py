"""Checks of a reseller's fields that go beyond their types."""

from typing import Any

from sitewright.catalogue.packages import service as packages
from sitewright.kit.addresses import is_address
from sitewright.kit.db import Transaction
from sitewright.kit.links import check_link
from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import field_code
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.schemas import BrandSettings

URLS = {
    "login_url": "loginURL",
    "external_account_url": "externalAccountURL",
    "external_payment_url": "externalPaymentURL",
    "external_payment_cancellation_url": "externalPaymentCancellationURL",
    "external_subscription_url": "externalSubscriptionURL",
    "reseller_help_url": "resellerHelpURL",
}


async def check_reseller_fields(tx: Transaction, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """For create and update; `read` contains the fields that could be parsed, by attribute."""
    errors: FieldErrors = {}
    currency_ref, language_ref = read.get("default_currency_ref"), read.get("default_language_ref")
    if currency_ref is not None and not await packages.currency_exists(tx, currency_ref):
        errors["defaultCurrencyRef"] = {"invalidDefaultCurrencyRef": "is not a currency"}
    if language_ref is not None:
        languages = await brands.list_languages(tx, brand.brand_ref)
        if language_ref not in {language.ref for language in languages}:
            choices = ", ".join(f"{language.ref} ({language.code})" for language in languages)
            errors["defaultLanguageRef"] = {"invalidDefaultLanguageRef": f"must be one of {choices}"}
    email = read.get("reseller_support_email")
    if email and not is_address(email):
        message = "must be an e-mail address, with at most 64 characters before the @"
        errors["resellerSupportEmail"] = {"invalidResellerSupportEmail": message}
    for attribute, field in URLS.items():
        try:
            _ = read.get(attribute) and check_link(read[attribute], brand.allowed_link_hosts)
        except ValueError as error:
            errors[field] = {field_code(field): str(error)}
    return errors
