"""Branding and language of the log-in pages."""

from contextlib import suppress

import msgspec

from sitewright.kit.db import Lease
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import Messages
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login.destinations import own_host
from sitewright.web.login.messages import CATALOG


class Branding(msgspec.Struct, frozen=True):
    brand: BrandSettings | None
    messages: Messages


async def find_branding(resources: Resources, request: Request, brand_ref: int | None) -> Branding:
    """Find the branding of the requested brand, else of the brand of the request's host, else none."""
    async with resources.database.lease() as lease:
        brand = await _find_brand(lease, brand_ref)
        host = own_host(request.origin)
        if brand is None and host is not None:
            brand = await _find_brand(lease, await brands.find_brand_of_host(await lease.connection(), host))
    request.context.brand_ref, request.context.brand = brand.brand_ref if brand else None, brand
    return branding_for(request, brand)


def branding_for(request: Request, brand: BrandSettings | None, language: str | None = None) -> Branding:
    accepted = request.headers.get("accept-language", "")
    return Branding(brand, CATALOG.messages_for(language, brand.language_codes if brand else None, accepted))


async def _find_brand(lease: Lease, brand_ref: int | None) -> BrandSettings | None:
    if brand_ref is None:
        return None
    with suppress(BrandNotFound):
        async with lease.transaction(brand_ref) as tx:
            return await brands.settings_of_brand(tx)
    return None
