"""Amounts of prices, in the operator's language."""

from decimal import Decimal

from sitewright.catalogue.packages.schemas import Price
from sitewright.kit.http.messages import Messages


def amount_text(amount: str, price: Price, messages: Messages) -> str:
    return messages.money(Decimal(amount), price.currency.alpha_code)
