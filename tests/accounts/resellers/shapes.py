"""The types of every field of resellers (parts 2.9 and 2.11 of the specification), and requests about them."""

from typing import Any

import httpx

from sitewright.tenants.credentials.service import OAuthCredentials
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


async def create_reseller(client: httpx.AsyncClient, brand_ref: int = OWN_BRAND, **changes: Any) -> dict[str, Any]:
    """Create a reseller; returns the whole response, which has the reseller and its credentials."""
    response = await client.post(f"/brands/{brand_ref}/resellers", json=new_reseller(**changes))
    assert response.status_code == 201, response.text
    returned: dict[str, Any] = response.json()
    return returned


async def create_reseller_with_credentials(client: httpx.AsyncClient, **changes: Any) -> tuple[int, OAuthCredentials]:
    """Create a reseller; returns its ref and the credentials it signs with."""
    returned = await create_reseller(client, **changes)
    return returned["reseller"]["ref"], credentials_of(returned)


def credentials_of(returned: dict[str, Any]) -> OAuthCredentials:
    return OAuthCredentials(*(returned["credentials"][name] for name in CREDENTIALS))


async def get_reseller(client: httpx.AsyncClient, ref: int) -> dict[str, Any]:
    return object_in(await client.get(f"/resellers/{ref}"), "reseller")


async def edit_reseller(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.put(f"/resellers/{ref}", json=changes), "reseller")


async def create_price(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.post(f"/resellers/{ref}/prices", json=new_price(**changes)), "price", 201)


async def prices_of(client: httpx.AsyncClient, ref: int) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/resellers/{ref}/prices"), "prices")


async def all_rows(owner: OwnerConnection) -> Rows:
    """Every row of the tables that endpoints of resellers may write, to compare before and after."""
    return await rows_of(owner, WRITTEN)
