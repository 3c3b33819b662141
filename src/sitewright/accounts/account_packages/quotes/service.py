"""Quotes: the same decision as `assign_package`, without writing it."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.accounts.account_packages import store as account_packages
from sitewright.accounts.account_packages.effects import mail_of
from sitewright.accounts.account_packages.lifecycle import Held, Kind
from sitewright.accounts.account_packages.pricing import PriceList
from sitewright.accounts.account_packages.quotes import store
from sitewright.accounts.account_packages.quotes.store import OfferRow
from sitewright.accounts.account_packages.schemas import PackageRequest
from sitewright.accounts.account_packages.service import decide
from sitewright.catalogue.packages.service import currency_codes, currency_order
from sitewright.kit.db import Transaction


class OfferedPrice(msgspec.Struct, frozen=True):
    months: int
    amount: Decimal
    currency_code: str | None
    """None: it is free."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """An active package that the account holder can get; `is_default`: the one that follows a cancellation."""

    package_ref: int
    name: str
    is_subscription: bool
    trial_days: int
    is_default: bool
    prices: Sequence[OfferedPrice]


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """What happens when a package is assigned now. `until`: the end of its first period or trial."""

    kind: Kind
    package_ref: int
    name: str
    is_subscription: bool
    months: int
    replaced: Held | None
    amount: Decimal | None
    """Charged at once; None: nothing is charged."""
    currency_code: str | None
    until: datetime | None
    renews: bool
    live_sites: int
    limits_live_sites: bool
    """Whether sites beyond `live_sites` go offline."""
    is_mailed: bool
    """Whether the account holder gets a mail about it."""


async def list_offers(tx: Transaction, user_ref: int) -> list[Offer]:
    """Subscriptions first. Domains are left out: they are ordered with their name."""
    codes = await currency_codes(tx)
    return [
        Offer(
            package_ref=row.package_ref,
            name=row.name,
            is_subscription=row.is_subscription,
            trial_days=row.trial_days,
            is_default=row.is_default,
            prices=_prices(row, codes),
        )
        for row in await store.list_offers(tx, user_ref)
    ]


def _prices(row: OfferRow, codes: dict[int, str]) -> list[OfferedPrice]:
    currencies = currency_order(row.user_currency_ref, row.brand_currency_ref, row.package_currency_ref)
    prices = PriceList([] if row.is_default or row.trial_days else row.prices, currencies)
    found = [price for months in prices.periods() or [1] if (price := prices.price_for(months)) is not None]
    return [
        OfferedPrice(each.months, each.amount, None if each.currency_ref is None else codes[each.currency_ref])
        for each in found
    ]


async def quote_package(tx: Transaction, user_ref: int, request: PackageRequest) -> Quote:
    """Raises what `assign_package` would raise."""
    context = await account_packages.read_context(tx, user_ref, request.package_ref)
    change, terms = decide(context, user_ref, request)
    started, charge, limit = change.started, change.charge, change.live_site_limit
    return Quote(
        kind=change.kind,
        package_ref=terms.package_ref,
        name=terms.name,
        is_subscription=terms.is_subscription,
        months=terms.price.months,
        replaced=change.ended,
        amount=None if charge is None else charge.amount,
        currency_code=None if charge is None else context.currency_codes[charge.currency_ref],
        until=None if started is None else started.due_at,
        renews=started is not None and started.due_at is not None and not started.delete_on_expiry,
        live_sites=0 if limit is None else limit.live_sites,
        limits_live_sites=limit is not None,
        is_mailed=mail_of(change, context.currency_codes) is not None,
    )
