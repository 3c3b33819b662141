"""Schemas of the forms of resellers: those of the API, as a form sends them."""

from typing import Annotated

from sitewright.accounts.resellers.prices.service import NewPrice
from sitewright.accounts.resellers.service import NewReseller
from sitewright.kit.http.about import about

Token = Annotated[str, about("The token of session and brand, against cross-site requests.", "0f3a")]


class ResellerForm(NewReseller, frozen=True, rename="camel", kw_only=True):
    """All fields of a reseller; those that are left empty have no value."""

    enabled: Annotated[bool, about("Whether its credentials are accepted; of an existing one.", True)] = False
    shown: Annotated[str, about("The values that the form showed, as a JSON object.", '{"name": "partner-42"}')] = ""
    token: Token = ""


class PriceForm(NewPrice, frozen=True, rename="camel", kw_only=True):
    """All fields of a reseller's price."""

    token: Token = ""
