"""Routes of resellers. Resellers themselves cannot call them."""

from functools import partial

from sitewright.accounts.resellers import service
from sitewright.accounts.resellers.checks import check_reseller_fields
from sitewright.accounts.resellers.errors import ResellerNotFound
from sitewright.accounts.resellers.requests import NewReseller, ResellerChanges
from sitewright.accounts.resellers.schemas import CreatedReseller, Reseller, Resellers
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound

OF_BRAND = "/brands/{brand_ref:int}/resellers"
RESELLER = "/resellers/{reseller_ref:int}"


@endpoint(
    "GET", OF_BRAND, roles=NOT_RESELLERS, query=ListQuery, list_field="resellers", errors=(BrandMismatch, BrandNotFound)
)
async def list_resellers(call: Call, brand_ref: int) -> Resellers:  # noqa: ARG001 - the transaction is for this brand
    """The resellers of a brand."""
    await brands.require_brand(call.tx)
    window = call.query(ListQuery).window
    resellers, page = await service.list_resellers(call.tx, window)
    set_links(call, window, page)
    return Resellers(resellers)


@endpoint("POST", OF_BRAND, roles=NOT_RESELLERS, status=201, body=NewReseller, errors=(BrandMismatch, BrandNotFound))
async def create_reseller(call: Call, brand_ref: int) -> CreatedReseller:  # noqa: ARG001 - as above
    """Create a reseller. Its credentials work at once, and are returned only here."""
    brand = await brands.settings_of_brand(call.tx)
    new = await call.checked_body(NewReseller, partial(check_reseller_fields, call.tx, brand))
    return await service.create_reseller(call.tx, call.resources.sealer, call.caller, brand, new)


@endpoint("GET", RESELLER, roles=NOT_RESELLERS, errors=(ResellerNotFound,))
async def get_reseller(call: Call, reseller_ref: int) -> Reseller:
    """One reseller of the brand."""
    return Reseller(await service.get_reseller(call.tx, reseller_ref))


@endpoint("PUT", RESELLER, roles=NOT_RESELLERS, body=ResellerChanges, errors=(ResellerNotFound,))
async def edit_reseller(call: Call, reseller_ref: int) -> Reseller:
    """Change a reseller; fields that are left out stay as they are.

    `enabled: 0` rejects its credentials at once, until it is 1 again; its users are not affected.
    """
    await service.lock_reseller(call.tx, reseller_ref)
    brand = await brands.settings_of_brand(call.tx)
    changes = await call.checked_body(ResellerChanges, partial(check_reseller_fields, call.tx, brand))
    return Reseller(await service.edit_reseller(call.tx, call.caller, reseller_ref, changes))


@endpoint("DELETE", RESELLER, roles=NOT_RESELLERS, status=204, errors=(ResellerNotFound,))
async def delete_reseller(call: Call, reseller_ref: int) -> None:
    """Delete a reseller: its credentials and prices are deleted at once. Its users stay with the brand."""
    await service.lock_reseller(call.tx, reseller_ref)
    await service.delete_reseller(call.tx, call.caller, reseller_ref)


endpoints = [list_resellers, create_reseller, get_reseller, edit_reseller, delete_reseller]
