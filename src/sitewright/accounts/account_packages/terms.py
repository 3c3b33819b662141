"""On which terms an account holder would get a package: for how many months, at which price."""

from decimal import Decimal

import asyncpg

from sitewright.accounts.account_packages.lifecycle import Held, Terms
from sitewright.accounts.account_packages.pricing import Price, PriceList
from sitewright.accounts.account_packages.schemas import PackageRequest
from sitewright.accounts.account_packages.store import Situation
from sitewright.catalogue.packages.service import currency_order
from sitewright.kit.problems import Invalid


def terms_of(situation: Situation, package: asyncpg.Record, request: PackageRequest) -> Terms:
    package_ref = package["package_ref"]
    is_default = package_ref == situation.default_package_ref
    prices = price_list(situation, package_ref, package["package_currency_ref"])
    periods = prices.periods()
    months = request.billing_frequency or (periods[0] if periods else 1)
    price = Price(Decimal(0), None, months) if is_default else prices.price_for(months)
    if price is None:
        there_are = ", ".join(str(period) for period in periods)
        raise Invalid.fields(
            {"billingFrequency": {"invalidBillingFrequency": f"this package has prices for these months: {there_are}"}}
        )
    return Terms(
        package_ref=package_ref,
        name=package["name"],
        is_subscription=package["is_subscription"],
        trial_days=package["trial_days"],
        live_sites=package["live_sites"] or 0,
        price=price,
        is_default=is_default,
        delete_on_expiry=request.delete_on_expiry,
    )


def price_today(situation: Situation, held: Held) -> Price:
    """By today's prices, like what it is compared with; where there is none any more, what is paid for it."""
    return price_list(situation, held.package_ref, held.price.currency_ref).price_for(held.price.months) or held.price


def price_list(situation: Situation, package_ref: int, package_currency_ref: int | None) -> PriceList:
    currencies = currency_order(situation.user_currency_ref, situation.brand_currency_ref, package_currency_ref)
    return PriceList([price for price in situation.prices if price.package_ref == package_ref], currencies)
