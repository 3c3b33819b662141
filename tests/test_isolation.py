"""Brands never meet: every route, with another brand's refs, answers as it would for refs that do not exist.

The routes are walked by themselves: one without its case here fails.
"""

import re
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit import clock
from sitewright.kit.http import Endpoint
from sitewright.kit.resources import Resources
from tests.support.account_domains import make_account_domain
from tests.support.cast import OTHER_BRAND
from tests.support.sites import make_domain, make_page, make_site, make_widget
from tests.support.users import OwnerConnection, give_package, insert, make_reseller, make_user

MADE_UP = 999_999
NAME = "headscript"
OTHER_BRANDS_PACKAGE = 6
OTHER_BRANDS_USER = 4_000_000
OTHER_BRANDS_ACCOUNT_PACKAGE = 5_000_000
OTHER_BRANDS_SITE = 6_000_000
OTHER_BRANDS_PAGE = 7_000_000
OTHER_BRANDS_WIDGET = 8_000_000
OTHER_BRANDS_DOMAIN = 9_000_000
OTHER_BRANDS_PROFILE = 10_000_000
OTHER_BRANDS_SUBSCRIPTION = 14_000_000
OTHER_BRANDS_ACCOUNT_DOMAIN = 13_000_000
OTHER_BRANDS_RESELLER = 11_000_000
OTHER_BRANDS_PRICE = 12_000_000
USER = {"user_ref": OTHER_BRANDS_USER}
DOMAIN = {"account_domain_ref": OTHER_BRANDS_ACCOUNT_DOMAIN}
USERS_DOMAIN = USER | DOMAIN
SITE = {"site_ref": OTHER_BRANDS_SITE}
SUBSCRIPTION = {"subscription_id": OTHER_BRANDS_SUBSCRIPTION}
WEBHOOK = {"event": "site.publish", "url": "https://hooks.example/"}
PAGE = SITE | {"page_ref": OTHER_BRANDS_PAGE}
RESELLER = {"reseller_ref": OTHER_BRANDS_RESELLER}
RESELLER_PRICE = RESELLER | {"price_ref": OTHER_BRANDS_PRICE}
NEW_RESELLER = {"name": "r", "displayName": "R", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
NEW_PRICE = {"packageRef": 6, "billingPeriodMonths": 1, "currencyRef": 1, "price": 1, "offerPrice": 1}
WIDGET = SITE | {"widget_ref": OTHER_BRANDS_WIDGET}


class Case(msgspec.Struct, frozen=True):
    """How a route is called with refs that are not the caller's."""

    foreign_refs: dict[str, int]
    """Those in the path, or `X-Brand-Ref` where the path has none."""
    body: dict[str, Any] | None = None


CASES: dict[str, Case] = {
    "GET /brands/{brand_ref:int}/languages": Case({"brand_ref": OTHER_BRAND}),
    "GET /brands/{brand_ref:int}/packages": Case({"brand_ref": OTHER_BRAND}),
    "GET /packages/{package_ref:int}": Case({"package_ref": OTHER_BRANDS_PACKAGE}),
    "GET /brands/{brand_ref:int}/resellers": Case({"brand_ref": OTHER_BRAND}),
    "POST /brands/{brand_ref:int}/resellers": Case({"brand_ref": OTHER_BRAND}, NEW_RESELLER),
    "GET /resellers/{reseller_ref:int}": Case(RESELLER),
    "PUT /resellers/{reseller_ref:int}": Case(RESELLER, {"displayName": "Taken over"}),
    "DELETE /resellers/{reseller_ref:int}": Case(RESELLER),
    "GET /resellers/{reseller_ref:int}/prices": Case(RESELLER),
    "POST /resellers/{reseller_ref:int}/prices": Case(RESELLER, NEW_PRICE),
    "GET /resellers/{reseller_ref:int}/prices/{price_ref:int}": Case(RESELLER_PRICE),
    "PUT /resellers/{reseller_ref:int}/prices/{price_ref:int}": Case(RESELLER_PRICE, {"price": 1}),
    "DELETE /resellers/{reseller_ref:int}/prices/{price_ref:int}": Case(RESELLER_PRICE),
    "GET /v2/templates": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /v2/templates/categories": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /users": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /users": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /users/{user_ref:int}": Case({"user_ref": OTHER_BRANDS_USER}),
    "PUT /users/{user_ref:int}": Case({"user_ref": OTHER_BRANDS_USER}, {"deleted": 0}),
    "DELETE /users/{user_ref:int}": Case({"user_ref": OTHER_BRANDS_USER}),
    "POST /users/{user_ref:int}/anonymise": Case({"user_ref": OTHER_BRANDS_USER}),
    "POST /users/{user_ref:int}/suspend": Case({"user_ref": OTHER_BRANDS_USER}),
    "POST /users/{user_ref:int}/unsuspend": Case({"user_ref": OTHER_BRANDS_USER}),
    "GET /users/{user_ref:int}/account-packages": Case({"user_ref": OTHER_BRANDS_USER}),
    "POST /users/{user_ref:int}/account-packages": Case({"user_ref": OTHER_BRANDS_USER}, {"packageRef": 6}),
    "PUT /users/{user_ref:int}/account-packages/{account_package_ref:int}": Case(
        {"user_ref": OTHER_BRANDS_USER, "account_package_ref": OTHER_BRANDS_ACCOUNT_PACKAGE}, {"deleteOnExpiry": 1}
    ),
    "POST /users/forgotten-password": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /users/reset-password": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /users/{user_ref:int}/auto-login": Case({"user_ref": OTHER_BRANDS_USER}),
    "POST /users/{user_ref:int}/send-verification-email": Case(
        {"user_ref": OTHER_BRANDS_USER}, {"verificationUrl": "https://shop.example/verify"}
    ),
    "POST /users/{user_ref:int}/validate-email-verification-token": Case(
        {"user_ref": OTHER_BRANDS_USER}, {"token": "2-token"}
    ),
    "GET /users/{user_ref:int}/profiles/{profile_ref:int}": Case(USER | {"profile_ref": OTHER_BRANDS_PROFILE}),
    "PUT /users/{user_ref:int}/profiles/{profile_ref:int}": Case(
        USER | {"profile_ref": OTHER_BRANDS_PROFILE}, {"fields": {"business": "taken over"}}
    ),
    "GET /account-domains/{account_domain_ref:int}": Case(DOMAIN),
    "PUT /account-domains/{account_domain_ref:int}": Case(DOMAIN, {"autoRenew": 0}),
    "DELETE /account-domains/{account_domain_ref:int}": Case(DOMAIN),
    "GET /users/{user_ref:int}/account-domains": Case(USER),
    "POST /users/{user_ref:int}/account-domains": Case(USER, {"domainName": "mine.com", "packageRef": 4}),
    "GET /users/{user_ref:int}/domains/mailboxes": Case(USER),
    "GET /users/{user_ref:int}/domains/{account_domain_ref:int}/mailboxes": Case(USERS_DOMAIN),
    "PUT /users/{user_ref:int}/domains/{account_domain_ref:int}/mailboxes/{user:str}": Case(
        USERS_DOMAIN, {"password": "taken over"}
    ),
    "DELETE /users/{user_ref:int}/domains/{account_domain_ref:int}/mailboxes/{user:str}": Case(USERS_DOMAIN),
    "POST /users/{user_ref:int}/domains/{account_domain_ref:int}/mailboxes/{user:str}/login-tokens": Case(USERS_DOMAIN),
    "GET /users/{user_ref:int}/sites": Case(USER),
    "GET /sites": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /sites": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /sites/{site_ref:int}": Case(SITE),
    "PUT /sites/{site_ref:int}": Case(SITE, {"live": 1, "primaryUrlRef": OTHER_BRANDS_DOMAIN}),
    "DELETE /sites/{site_ref:int}": Case(SITE),
    "POST /sites/{site_ref:int}/restore": Case(SITE),
    "POST /sites/{site_ref:int}/hard-delete": Case(SITE),
    "POST /sites/{site_ref:int}/publish": Case(SITE),
    "GET /sites/{site_ref:int}/publishable": Case(SITE),
    "POST /sites/{site_ref:int}/reset": Case(SITE),
    "GET /sites/{site_ref:int}/domains": Case(SITE),
    "POST /sites/{site_ref:int}/domains": Case(SITE, {"domain": "mine.example"}),
    "DELETE /sites/{site_ref:int}/domains/{domain_ref:int}": Case(SITE | {"domain_ref": OTHER_BRANDS_DOMAIN}),
    "GET /sites/{site_ref:int}/pages": Case(SITE),
    "POST /sites/{site_ref:int}/pages": Case(SITE, {"pageUrl": "about", "title": "About"}),
    "GET /sites/{site_ref:int}/pages/{page_ref:int}": Case(PAGE),
    "PUT /sites/{site_ref:int}/pages/{page_ref:int}": Case(PAGE, {"title": "Taken over"}),
    "DELETE /sites/{site_ref:int}/pages/{page_ref:int}": Case(PAGE),
    "GET /sites/{site_ref:int}/widgets": Case(SITE),
    "POST /sites/{site_ref:int}/widgets": Case(SITE, {"name": "x", "type": "content", "pageRef": OTHER_BRANDS_PAGE}),
    "GET /sites/{site_ref:int}/widgets/{widget_ref:int}": Case(WIDGET),
    "PUT /sites/{site_ref:int}/widgets/{widget_ref:int}": Case(WIDGET, {"values": {"content": "Taken over"}}),
    "DELETE /sites/{site_ref:int}/widgets/{widget_ref:int}": Case(WIDGET),
    "GET /sites/{site_ref:int}/global-values": Case(SITE),
    "POST /sites/{site_ref:int}/global-values": Case(SITE, {"name": "bodyscript", "value": "taken over"}),
    "PUT /sites/{site_ref:int}/global-values/{name:str}": Case(SITE, {"value": "taken over"}),
    "DELETE /sites/{site_ref:int}/global-values/{name:str}": Case(SITE),
    "GET /sites/{site_ref:int}/static-values": Case(SITE),
    "GET /sites/{site_ref:int}/static-values/{static_widget_id:str}": Case(SITE),
    "PUT /sites/{site_ref:int}/static-values/{static_widget_id:str}": Case(SITE, {"name": "visible", "value": "0"}),
    "PUT /ssl-certs/{domain:str}": Case({"X-Brand-Ref": OTHER_BRAND}),
    "DELETE /ssl-certs/{domain:str}": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /ssl-certs/{domain:str}/domain-validation": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /v2/widget-types": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /webhooks/subscription": Case({"X-Brand-Ref": OTHER_BRAND}),
    "POST /webhooks/subscription": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /webhooks/subscription/{subscription_id:int}": Case(SUBSCRIPTION),
    "PUT /webhooks/subscription/{subscription_id:int}": Case(SUBSCRIPTION, WEBHOOK | {"active": 0}),
    "DELETE /webhooks/subscription/{subscription_id:int}": Case(SUBSCRIPTION),
    "GET /webhooks/subscription/{subscription_id:int}/attempts": Case(SUBSCRIPTION),
    "POST /webhooks/subscription/{subscription_id:int}/attempts/{attempt_id:int}/replay": Case(
        SUBSCRIPTION | {"attempt_id": OTHER_BRANDS_SUBSCRIPTION}
    ),
    "POST /user-reports": Case({"X-Brand-Ref": OTHER_BRAND}),
    "GET /user-reports/{job:str}": Case({"X-Brand-Ref": OTHER_BRAND}),
}


@pytest.fixture(autouse=True)
async def other_brands_user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> None:
    user_ref = await make_user(owner_connection, resources, OTHER_BRAND, ref=OTHER_BRANDS_USER)
    await give_package(owner_connection, OTHER_BRAND, user_ref, 8, ref=OTHER_BRANDS_ACCOUNT_PACKAGE)


@pytest.fixture(autouse=True)
async def other_brands_site(
    owner_connection: OwnerConnection, resources: Resources, other_brands_user: None, clean: None
) -> None:
    columns = {"user_ref": OTHER_BRANDS_USER, "ref": OTHER_BRANDS_SITE}
    await make_site(owner_connection, resources, OTHER_BRAND, **columns)
    page_ref = await make_page(owner_connection, OTHER_BRAND, OTHER_BRANDS_SITE, ref=OTHER_BRANDS_PAGE)
    await make_widget(owner_connection, OTHER_BRAND, OTHER_BRANDS_SITE, page_ref, ref=OTHER_BRANDS_WIDGET)
    value = {"brand_ref": OTHER_BRAND, "site_ref": OTHER_BRANDS_SITE, "name": NAME, "value": "theirs"}
    await insert(owner_connection, "global_values", value)
    await make_domain(owner_connection, OTHER_BRAND, OTHER_BRANDS_SITE, "theirs.example", ref=OTHER_BRANDS_DOMAIN)
    profile = {"brand_ref": OTHER_BRAND, "user_ref": OTHER_BRANDS_USER, "ref": OTHER_BRANDS_PROFILE}
    await insert(owner_connection, "profiles", profile | {"updated_at": clock.now()})


@pytest.fixture(autouse=True)
async def other_brands_reseller(owner_connection: OwnerConnection, clean: None) -> None:
    await make_reseller(owner_connection, OTHER_BRAND, OTHER_BRANDS_RESELLER)
    of_reseller = {"brand_ref": OTHER_BRAND, "reseller_ref": OTHER_BRANDS_RESELLER, "ref": OTHER_BRANDS_PRICE}
    what = {"package_ref": OTHER_BRANDS_PACKAGE, "currency_ref": 1, "billing_period_months": 1, "price": 1}
    await insert(owner_connection, "reseller_prices", of_reseller | what)


@pytest.fixture(autouse=True)
async def other_brands_mailbox(owner_connection: OwnerConnection, other_brands_user: None, clean: None) -> None:
    columns: dict[str, Any] = {"ref": OTHER_BRANDS_ACCOUNT_DOMAIN}
    domain_ref = await make_account_domain(
        owner_connection, OTHER_BRAND, OTHER_BRANDS_USER, "theirs.example", **columns
    )
    mailbox = {"brand_ref": OTHER_BRAND, "account_domain_ref": domain_ref, "name": NAME, "password_hash": "none"}
    now = clock.now()
    await insert(owner_connection, "mailboxes", mailbox | {"status": "active", "created_at": now, "updated_at": now})


@pytest.fixture(autouse=True)
async def other_brands_subscription(owner_connection: OwnerConnection, clean: None) -> None:
    now = clock.now()
    row = {"brand_ref": OTHER_BRAND, "ref": OTHER_BRANDS_SUBSCRIPTION, "active": True, "destination": "hooks.example"}
    await insert(owner_connection, "webhook_subscriptions", row | WEBHOOK | {"created_at": now, "updated_at": now})


def path_with(endpoint: Endpoint, refs: dict[str, int]) -> str:
    path = re.sub(r"\{\w+:str\}", NAME, endpoint.path)
    for name, ref in refs.items():
        path = path.replace(f"{{{name}:int}}", str(ref))
    assert "{" not in path, f"{endpoint.name} has a ref that its case does not name"
    return path


def test_every_route_has_its_case() -> None:
    assert {endpoint.name for endpoint in ENDPOINTS} == set(CASES)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
@pytest.mark.parametrize("deleted", [False, True], ids=["there", "deleted"])
async def test_another_brands_ref_answers_like_a_made_up_one(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    owner_operator: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    endpoint: Endpoint,
    deleted: bool,
) -> None:
    case = CASES[endpoint.name]
    if deleted:
        await owner_connection.execute("update users set deleted_at = now()")
        await owner_connection.execute("update sites set deleted_at = now()")

    async def answer(client: httpx.AsyncClient, refs: dict[str, int]) -> tuple[int, dict[str, Any]]:
        path = path_with(endpoint, refs)
        headers = {"X-Request-Id": "same"} | {name: str(ref) for name, ref in refs.items() if name.startswith("X-")}
        got = await client.request(endpoint.method, path, json=case.body, headers=headers)
        return got.status_code, got.json()

    for client in (owner, reseller, owner_operator):
        foreign = await answer(client, case.foreign_refs)
        made_up = await answer(client, dict.fromkeys(case.foreign_refs, MADE_UP))
        assert foreign == made_up
        assert foreign[0] in (403, 404)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
async def test_nobody_gets_in_without_credentials(anonymous: httpx.AsyncClient, endpoint: Endpoint) -> None:
    path = path_with(endpoint, CASES[endpoint.name].foreign_refs)
    answer = await anonymous.request(endpoint.method, path)
    assert answer.status_code == 401
