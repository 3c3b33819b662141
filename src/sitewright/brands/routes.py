from sitewright.brands import service
from sitewright.brands.errors import BrandNotFound
from sitewright.brands.schemas import Languages
from sitewright.kit.http import BrandMismatch, Call, endpoint


@endpoint("GET", "/brands/{brand_ref:int}/languages", errors=(BrandMismatch, BrandNotFound))
async def list_languages(call: Call, brand_ref: int) -> Languages:
    """The languages of a brand."""
    return Languages(await service.list_languages(call.tx, brand_ref))


endpoints = [list_languages]
