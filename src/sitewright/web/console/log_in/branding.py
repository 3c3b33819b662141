"""The appearance of pages before the log-in: that of a known brand, else of the brand of the request's host."""

from sitewright.kit.http.call import Request
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login.service import find_branding


async def find_brand(resources: Resources, request: Request, brand_ref: int | None = None) -> BrandSettings | None:
    return (await find_branding(resources, request, brand_ref)).brand
