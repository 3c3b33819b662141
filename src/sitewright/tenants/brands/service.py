from collections.abc import Sequence

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.tenants.brands import store
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings, Language


async def list_languages(tx: Transaction, brand_ref: int) -> list[Language]:
    """The languages account holders of a brand may be given, in the brand's own order."""
    languages = await store.list_languages(tx, brand_ref)
    if not languages:
        await require_brand(tx)
    return languages


async def require_brand(tx: Transaction) -> None:
    """Tells an empty list from a brand that does not exist; a system-owner may name any."""
    if not await store.brand_exists(tx):
        raise BrandNotFound


async def settings_of_brand(tx: Transaction) -> BrandSettings:
    """The settings of the transaction's brand."""
    settings = await store.find_settings(tx)
    if settings is None:
        raise BrandNotFound
    return settings


async def settings_of_brand_in_body(tx: Transaction) -> BrandSettings:
    """The same where the body names the brand: one that does not exist is a field that is wrong."""
    try:
        return await settings_of_brand(tx)
    except BrandNotFound:
        raise Invalid.fields({"brandRef": {"invalidBrandRef": "is not a brand"}}) from None


def match_language(language_codes: Sequence[str], sent: str) -> str | None:
    """The brand's own spelling of a language code, whatever its letter case; None for another language."""
    if sent in language_codes:
        return sent
    return next((code for code in language_codes if code.lower() == sent.lower()), None)
