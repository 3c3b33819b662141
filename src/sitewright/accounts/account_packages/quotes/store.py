import msgspec

from sitewright.accounts.account_packages.pricing import ListedPrice
from sitewright.accounts.account_packages.store import PRICES, prices_of
from sitewright.kit.db import Transaction

MAX_OFFERS = 200
_OFFERS = f"""
select p.ref, p.name, p.product_type = 'subscription', p.trial_days, p.default_currency_ref, u.currency_ref,
       b.default_currency_ref, p.ref = b.default_package_ref,
       {PRICES.format(reseller_ref="u.reseller_ref", or_of_held="")}
  from account_holders u join brand_settings b on b.brand_ref = u.brand_ref cross join package_terms p
 where u.brand_ref = current_brand() and u.ref = $1 and p.active = 1 and p.content_type <> 'domain'
 order by p.product_type <> 'subscription', p.ref limit {MAX_OFFERS}
"""  # noqa: S608 - fixed parts


class OfferRow(msgspec.Struct, frozen=True):
    package_ref: int
    name: str
    is_subscription: bool
    trial_days: int
    package_currency_ref: int | None
    user_currency_ref: int | None
    brand_currency_ref: int | None
    is_default: bool
    prices: list[ListedPrice]


async def list_offers(tx: Transaction, user_ref: int) -> list[OfferRow]:
    """The active packages of the brand except domains, each with its prices and those of the user's reseller."""
    rows = await tx.fetch(_OFFERS, user_ref)
    return [OfferRow(*[*list(row)[:-1], prices_of(row["prices"])]) for row in rows]
