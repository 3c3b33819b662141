"""Parts 2.9 and 2.11 of the specification: every field with its types; and how tests make resellers and prices."""

from typing import Any

import httpx

from sitewright.tenants.credentials.service import OAuthStrings
from tests.catalogue.packages.shapes import NONE
from tests.support.cast import OWN_BRAND
from tests.support.database import Rows, rows_of
from tests.support.packages import STARTER, USD
from tests.support.responses import items_in, object_in
from tests.support.users import OwnerConnection

URLS = (
    "loginURL", "externalAccountURL", "externalPaymentURL", "externalPaymentCancellationURL",
    "externalSubscriptionURL", "resellerHelpURL",
)  # fmt: skip
RESELLER: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("ref", "brandRef", "accountCreateLimit", "defaultCurrencyRef", "defaultLanguageRef"), (int,))
    | dict.fromkeys(("resellerName", "displayName", "resellerSupportEmail", *URLS), (str,))
    | {"parentResellerRef": (int, NONE), "enabled": (bool,), "created": (dict,), "updated": (dict, NONE)}
)
CREDENTIALS = dict.fromkeys(("consumerKey", "consumerSecret", "accessToken", "accessSecret"), (str,))
WRITTEN = ("resellers", "reseller_prices", "api_credentials", "audit_entries")


def new_reseller(**changes: Any) -> dict[str, Any]:
    """A body that creates a reseller."""
    body = {"name": "partner-42", "displayName": "Corner Web Studio", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
    return body | changes


def new_price(**changes: Any) -> dict[str, Any]:
    body = {"packageRef": STARTER, "billingPeriodMonths": 1, "currencyRef": USD, "price": 10, "offerPrice": 10}
    return body | changes


async def create(client: httpx.AsyncClient, brand_ref: int = OWN_BRAND, **changes: Any) -> dict[str, Any]:
    """The whole response: reseller and credentials."""
    response = await client.post(f"/brands/{brand_ref}/resellers", json=new_reseller(**changes))
    assert response.status_code == 201, response.text
    returned: dict[str, Any] = response.json()
    return returned


async def made(client: httpx.AsyncClient, **changes: Any) -> tuple[int, OAuthStrings]:
    returned = await create(client, **changes)
    return returned["reseller"]["ref"], strings_of(returned)


def strings_of(returned: dict[str, Any]) -> OAuthStrings:
    return OAuthStrings(*(returned["credentials"][name] for name in CREDENTIALS))


async def got(client: httpx.AsyncClient, ref: int) -> dict[str, Any]:
    return object_in(await client.get(f"/resellers/{ref}"), "reseller")


async def edit(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.put(f"/resellers/{ref}", json=changes), "reseller")


async def priced(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.post(f"/resellers/{ref}/prices", json=new_price(**changes)), "price", 201)


async def prices_of(client: httpx.AsyncClient, ref: int) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/resellers/{ref}/prices"), "prices")


async def all_rows(owner: OwnerConnection) -> Rows:
    """Everything that an endpoint about resellers may write."""
    return await rows_of(owner, WRITTEN)
