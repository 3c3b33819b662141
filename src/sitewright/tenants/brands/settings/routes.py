from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.settings import service
from sitewright.tenants.brands.settings.schemas import BrandSettingsChanges, BrandSettingsResponse

SETTINGS = "/brands/{brand_ref:int}/settings"


@endpoint("GET", SETTINGS, roles=NOT_RESELLERS, errors=(BrandMismatch, BrandNotFound))
async def get_brand_settings(call: Call, brand_ref: int) -> BrandSettingsResponse:  # noqa: ARG001 - the transaction is for this brand
    """The settings of the brand: its name, appearance, addresses, languages and rules."""
    return BrandSettingsResponse(service.describe(await brands.settings_of_brand(call.tx)))


@endpoint("PUT", SETTINGS, roles=NOT_RESELLERS, body=BrandSettingsChanges, errors=(BrandMismatch, BrandNotFound))
async def edit_brand_settings(call: Call, brand_ref: int) -> BrandSettingsResponse:  # noqa: ARG001 - the transaction is for this brand
    """Change settings of the brand. The catalogue file has the same settings: what is applied last is in force."""
    await brands.require_brand(call.tx)
    changes = call.body(BrandSettingsChanges)
    service.check_dns_provider(call.resources.settings, changes)
    await service.change(call.tx, call.caller, changes)
    return BrandSettingsResponse(service.describe(await brands.settings_of_brand(call.tx)))


endpoints = [get_brand_settings, edit_brand_settings]
