from collections.abc import Sequence

from sitewright.kit.db import Transaction
from sitewright.kit.mail_features import MailBrand
from sitewright.kit.problems import Invalid
from sitewright.kit.ui.brand import BrandLook
from sitewright.kit.ui.pictures import Picture, parse_data_url
from sitewright.tenants.brands import store
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings, Language, ListedBrand
from sitewright.tenants.brands.store import PictureName


async def list_languages(tx: Transaction, brand_ref: int) -> list[Language]:
    """List the languages that account holders of a brand can have, in the brand's display order."""
    languages = await store.list_languages(tx, brand_ref)
    if not languages:
        await require_brand(tx)
    return languages


async def require_brand(tx: Transaction) -> None:
    """Raise `BrandNotFound` unless the brand exists: a system-owner can name any, and its lists would be empty."""
    if not await store.brand_exists(tx):
        raise BrandNotFound


async def list_brands(connection: Transaction) -> list[ListedBrand]:
    """Every brand of the environment, by name: for system-owners only."""
    return await store.list_brands(connection)


async def settings_of_brand(tx: Transaction) -> BrandSettings:
    """Return the settings of the transaction's brand."""
    settings = await store.find_settings(tx)
    if settings is None:
        raise BrandNotFound
    return settings


async def settings_of_brand_in_body(tx: Transaction) -> BrandSettings:
    """Return the same where the request body names the brand: an unknown brand is then an invalid field."""
    try:
        return await settings_of_brand(tx)
    except BrandNotFound:
        raise Invalid.fields({"brandRef": {"invalidBrandRef": "is not a brand"}}) from None


def match_language(language_codes: Sequence[str], sent: str) -> str | None:
    """Return the brand's spelling of a language code, ignoring case; None when the brand does not have it."""
    if sent in language_codes:
        return sent
    return next((code for code in language_codes if code.lower() == sent.lower()), None)


async def find_look(tx: Transaction) -> BrandLook:
    """What pages on customers' hosts show of the transaction's brand."""
    settings = await settings_of_brand(tx)
    pictures: dict[PictureName, str | None] = {"logo": settings.logo_hash, "favicon": settings.favicon_hash}
    urls = {name: digest and await store.find_picture(tx, name, digest) for name, digest in pictures.items()}
    return BrandLook(
        name=settings.name,
        accent_colour=settings.accent_colour,
        logo_url=urls["logo"],
        favicon_url=urls["favicon"],
        help_url=settings.help_url,
        support_email=settings.support_email,
        support_url=settings.support_url,
        privacy_url=settings.privacy_url,
        terms_url=settings.terms_url,
    )


async def find_picture(tx: Transaction, name: PictureName, digest: str) -> Picture | None:
    """The logo or favicon of the transaction's brand, if it still is the one with this digest."""
    stored = await store.find_picture(tx, name, digest)
    return None if stored is None else parse_data_url(stored)


async def find_brand_of_host(connection: Transaction, host: str) -> int | None:
    """The ref of the brand whose domain a host is, or is below."""
    return await store.find_brand_of_host(connection, host)


async def find_mail_brand(tx: Transaction) -> MailBrand:
    """What mails of the transaction's brand need of it."""
    settings = await settings_of_brand(tx)
    return MailBrand(**{name: getattr(settings, name) for name in MailBrand.__struct_fields__})
