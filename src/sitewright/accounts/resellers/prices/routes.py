from functools import partial

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.resellers.errors import PriceExists, PriceNotFound, ResellerNotFound
from sitewright.accounts.resellers.prices import service
from sitewright.accounts.resellers.prices.schemas import NewPrice, PriceChanges, ResellerPrice, ResellerPrices
from sitewright.accounts.resellers.routes import RESELLER
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links

PRICES = RESELLER + "/prices"
PRICE = PRICES + "/{price_ref:int}"


@endpoint("GET", PRICES, roles=NOT_RESELLERS, query=ListQuery, list_field="prices", errors=(ResellerNotFound,))
async def list_reseller_prices(call: Call, reseller_ref: int) -> ResellerPrices:
    """The prices of a reseller, which replace the packages' own prices for its users."""
    await resellers.require_reseller(call.tx, reseller_ref)
    window = call.query(ListQuery).window
    prices, page = await service.list_prices(call.tx, reseller_ref, window)
    set_links(call, window, page)
    return with_vendor_names(ResellerPrices(prices), call.resources.settings)


@endpoint("GET", PRICE, roles=NOT_RESELLERS, errors=(ResellerNotFound, PriceNotFound))
async def get_reseller_price(call: Call, reseller_ref: int, price_ref: int) -> ResellerPrice:
    """One price of a reseller."""
    await resellers.require_reseller(call.tx, reseller_ref)
    price = await service.get_price(call.tx, reseller_ref, price_ref)
    return with_vendor_names(ResellerPrice(price), call.resources.settings)


@endpoint("POST", PRICES, roles=NOT_RESELLERS, status=201, body=NewPrice, errors=(ResellerNotFound, PriceExists))
async def create_reseller_price(call: Call, reseller_ref: int) -> ResellerPrice:
    """Create a price: one for each package, currency and billing period."""
    await resellers.lock_reseller(call.tx, reseller_ref)
    new = await call.checked_body(NewPrice, partial(service.check_price, call.tx))
    price = await service.create_price(call.tx, call.caller, reseller_ref, new)
    return with_vendor_names(ResellerPrice(price), call.resources.settings)


@endpoint("PUT", PRICE, roles=NOT_RESELLERS, body=PriceChanges, errors=(ResellerNotFound, PriceNotFound, PriceExists))
async def edit_reseller_price(call: Call, reseller_ref: int, price_ref: int) -> ResellerPrice:
    """Change a price; fields that are left out stay as they are. Users pay it from their next charge on."""
    await resellers.lock_reseller(call.tx, reseller_ref)
    await service.get_price(call.tx, reseller_ref, price_ref)
    changes = await call.checked_body(PriceChanges, partial(service.check_price, call.tx))
    price = await service.edit_price(call.tx, call.caller, reseller_ref, price_ref, changes)
    return with_vendor_names(ResellerPrice(price), call.resources.settings)


@endpoint("DELETE", PRICE, roles=NOT_RESELLERS, status=204, errors=(ResellerNotFound, PriceNotFound))
async def delete_reseller_price(call: Call, reseller_ref: int, price_ref: int) -> None:
    """Delete a price; the package's own price applies again."""
    await resellers.lock_reseller(call.tx, reseller_ref)
    price = await service.get_price(call.tx, reseller_ref, price_ref)
    await service.delete_price(call.tx, call.caller, reseller_ref, price)


endpoints = [
    list_reseller_prices,
    get_reseller_price,
    create_reseller_price,
    edit_reseller_price,
    delete_reseller_price,
]
