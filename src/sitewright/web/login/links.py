"""Where links in mails that account holders ask for themselves lead: the brand's own page, else one of these pages."""

from sitewright.settings import Settings
from sitewright.tenants.brands.schemas import BrandSettings

FORGOTTEN_PASSWORD = "/forgotten-password"  # noqa: S105 - an address
RESET_PASSWORD = "/reset-password"  # noqa: S105 - an address
VERIFY_EMAIL = "/verify-email"


def reset_link(settings: Settings, brand: BrandSettings | None) -> str:
    """Never by the host of the request, which anybody can send: the link carries a secret."""
    return _own_page(brand) or settings.service_url + RESET_PASSWORD


def verification_link(settings: Settings, brand: BrandSettings | None) -> str:
    return _own_page(brand) or settings.service_url + VERIFY_EMAIL


def _own_page(brand: BrandSettings | None) -> str | None:
    return None if brand is None else brand.redirect_url
