from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.catalogue.packages.schemas import Price
from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref

MAX_MONTHS = 1200

PackageRef = Annotated[Ref, about("The package it is for: one that the brand lists.", 3)]
CurrencyRef = Annotated[Ref, about("The currency of the amounts.", 1)]
Months = Annotated[int, about("The period it is for, in months.", 12, ge=0, le=MAX_MONTHS)]
PriceAmount = Annotated[Decimal, about("The amount, in whole units or with up to two decimals.", 99)]
OfferAmount = Annotated[Decimal, about("What is charged instead; null for no offer.", 79)]


class NewPrice(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A reseller's price to create."""

    package_ref: PackageRef
    billing_period_months: Months
    currency_ref: CurrencyRef
    price: PriceAmount
    offer_price: OfferAmount | None


class PriceChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What to change; fields that are left out stay as they are."""

    package_ref: PackageRef | UnsetType = UNSET
    billing_period_months: Months | UnsetType = UNSET
    currency_ref: CurrencyRef | UnsetType = UNSET
    price: PriceAmount | UnsetType = UNSET
    offer_price: OfferAmount | UnsetType | None = UNSET


class ResellerPrices(msgspec.Struct, frozen=True):
    """The prices of a reseller."""

    prices: Annotated[list[Price], about("First created first; empty until there are any.", [])]


class ResellerPrice(msgspec.Struct, frozen=True):
    """One price of a reseller."""

    price: Annotated[Price, about("The price.", {"ref": 1, "type": "reseller"})]
