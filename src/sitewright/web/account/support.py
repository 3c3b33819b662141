"""Whom account holders contact: the brand's support page or mail address, or the reseller's."""

import msgspec

from sitewright.kit.links import check_link
from sitewright.tenants.brands.schemas import BrandSettings


class Contact(msgspec.Struct, frozen=True):
    """`label` is the mail address, or None for a page."""

    href: str
    label: str | None


def contact_of(brand: BrandSettings) -> Contact | None:
    """None where the brand has set neither."""
    if brand.support_email:
        return Contact(f"mailto:{brand.support_email}", brand.support_email)
    url = brand.support_url or brand.help_url
    return Contact(check_link(url), None) if url else None
