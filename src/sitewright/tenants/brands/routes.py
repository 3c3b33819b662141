from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.tenants.brands import service
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import Languages


@endpoint("GET", "/brands/{brand_ref:int}/languages", errors=(BrandMismatch, BrandNotFound))
async def list_languages(call: Call, brand_ref: int) -> Languages:
    """The languages of a brand."""
    return Languages(await service.list_languages(call.tx, brand_ref))


endpoints = [list_languages]
