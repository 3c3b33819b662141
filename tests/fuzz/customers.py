"""Creates a customer with one object of every kind that a path can refer to."""

import secrets
from typing import Any

import httpx

from sitewright.accounts.users.tokens import RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.kit import tokens
from sitewright.kit.auth.caller import Role
from sitewright.kit.db import Database
from sitewright.sites.media.pictures.service import Format
from sitewright.tenants.credentials import service as credentials
from tests.support.cast import TESTER
from tests.support.certificates import certificate_for
from tests.support.customers import Customer, done, make_customer
from tests.support.pictures import picture

PASSWORD = "correct horse"
COOKIE = "sitewright"
SUBSCRIPTIONS = "/webhooks/subscription"
API_CREDENTIALS = "/api-credentials"
ACTIVE_EVERY = 10
"""One in this many customers has a subscription to events, whose receiver does not exist."""
Values = dict[str, Any]
"""The customer's values for paths, queries and bodies, by name."""


async def create_customer(client: httpx.AsyncClient, database: Database, brand: Values, number: int) -> Values:
    """`client` is an operator of `brand`, as in demo.json; `database` is the service's."""
    package_ref, domain = brand["packages"]["pro"], f"stock-{number}.example"
    customer = await make_customer(client, brand["brandRef"], domain, package_ref=package_ref, templateRef=1)
    return (
        _catalogue(brand, number)
        | await _content(client, customer)
        | await _belongings(client, customer, brand, number)
        | await _reseller(client, brand, number)
        | await _of_the_brand(client, is_active=number % ACTIVE_EVERY == 0)
        | await _mailed(database, customer, brand["brandRef"])
        | await _staff(client, database, brand["brandRef"], number)
        | await _api_credential(client, number)
        | await _session(client, customer, brand["brandRef"])
    )


def _catalogue(brand: Values, number: int) -> Values:
    """Refs of the demo's catalogue."""
    return {
        "brandRef": brand["brandRef"],
        "packageRef": brand["packages"]["domain" if number % 2 else "starter"],
        "templateRef": 2,
        "languageCode": brand["languages"][0],
        "tagRef": brand["templates"]["tagRef"],
        "templateGroupRef": brand["templates"]["templateGroupRef"],
        "directory": "coffee-house",
        "thumbnail": "coffee-house.svg",
        "picture": "logo-00000000000000000000000000000000",
        "file": "ui-000000000000.css",
        "topic": "signing",
        "feature": "users",
        "operation": "createUser",
    }


async def _content(client: httpx.AsyncClient, customer: Customer) -> Values:
    """Publish the site once, since only then may it be live."""
    page_ref = await customer.add_page("menu", "Menu")
    widget_ref = await customer.add_widget(page_ref, "heading", "heading1", text="Our coffee")
    await done(client.post(f"{customer.path}/global-values", json={"name": "colour", "value": "red"}))
    await done(client.put(f"{customer.path}/static-values/footer", json={"name": "visible", "value": "0"}))
    uploaded = await done(client.post(f"{customer.path}/media", files={"file": picture(Format.PNG, 2, 2)}))
    redirect = {"from": "former-menu", "pageRef": page_ref}
    redirect_ref = (await done(client.post(f"{customer.path}/redirects", json=redirect)))["redirect"]["ref"]
    await customer.publish()
    link = (await done(client.post(f"{customer.path}/preview-links", json={})))["previewLink"]
    versions = await done(client.get(f"{customer.path}/versions"))
    media_ref = uploaded["media"]["ref"]
    return {
        "pageRef": page_ref,
        "widgetRef": widget_ref,
        "mediaRef": media_ref,
        "redirectRef": redirect_ref,
        "previewLinkRef": link["ref"],
        "path": "menu",
        "versionRef": versions["versions"][0]["versionRef"],
        "name": "colour",
        "staticWidgetId": "footer",
    }


async def _belongings(client: httpx.AsyncClient, customer: Customer, brand: Values, number: int) -> Values:
    of_user, issued = f"/users/{customer.user_ref}", certificate_for(customer.host)
    packages = await done(client.get(f"{of_user}/account-packages"))
    order = {"domainName": f"stock-{number}.com", "packageRef": brand["packages"]["domain"]}
    bought = await done(client.post(f"{of_user}/account-domains", json=order))
    body = {"key": issued.key, "cert": issued.cert}
    await done(client.put(f"/ssl-certs/{customer.host}", json=body, headers={"X-Forwarded-Proto": "https"}))
    domain_ref = customer.site["domains"][0]["ref"]
    return {
        "userRef": customer.user_ref,
        "accountHolderRef": customer.user_ref,
        "siteRef": customer.site["ref"],
        "profileRef": customer.site["profileRef"],
        "domainRef": domain_ref,
        "primaryUrlRef": domain_ref,
        "accountPackageRef": packages["accountPackages"][-1]["ref"],
        "accountDomainRef": bought["accountDomain"]["ref"],
        "user": "info",
        "domain": customer.host,
        "key": issued.key,
        "cert": issued.cert,
        "domains": [customer.host],
    }


async def _reseller(client: httpx.AsyncClient, brand: Values, number: int) -> Values:
    names = {"name": f"partner-{number}", "displayName": f"Partner {number}"}
    path = f"/brands/{brand['brandRef']}/resellers"
    made = await done(client.post(path, json=names | {"defaultCurrencyRef": 1, "defaultLanguageRef": 1}))
    ref = made["reseller"]["ref"]
    price = {"packageRef": brand["packages"]["pro"], "billingPeriodMonths": 1, "currencyRef": 1}
    sold = await done(client.post(f"/resellers/{ref}/prices", json=price | {"price": 20, "offerPrice": 15}))
    return {"resellerRef": ref, "priceRef": sold["price"]["ref"], "currencyRef": 1, "reseller": made["credentials"]}


async def _of_the_brand(client: httpx.AsyncClient, *, is_active: bool) -> Values:
    """A webhook subscription, and a report, unless too many are pending."""
    asked = await client.post("/user-reports", json={})
    return {"subscriptionId": await _subscription(client, is_active=is_active)} | (
        asked.json() if asked.is_success else {}
    )


async def _subscription(client: httpx.AsyncClient, *, is_active: bool) -> Any:
    """The number per brand is limited; at the limit, older ones are deleted."""
    wanted = {"event": "site.publish", "url": "https://hooks.invalid/sitewright", "active": is_active}
    made = await client.post(SUBSCRIPTIONS, json=wanted)
    if made.status_code == 403:
        for each in (await done(client.get(SUBSCRIPTIONS)))["subscriptions"]:
            await client.delete(f"{SUBSCRIPTIONS}/{each['id']}")
        made = await client.post(SUBSCRIPTIONS, json=wanted)
    return made.json()["id"]


async def _staff(client: httpx.AsyncClient, database: Database, brand_ref: int, number: int) -> Values:
    """An operator who cannot log in, and an invitation, unless there are too many."""
    async with database.transaction(brand_ref) as tx:
        operator_ref = await credentials.create_operator(
            tx,
            TESTER,
            brand_ref=brand_ref,
            username=f"stock-{number}-{secrets.token_hex(4)}",
            password_hash="none",
            role=Role.VIEWER,
        )
    person = {"name": "Kim Example", "email": "kim@brand.example", "role": "viewer"}
    invited = await client.post("/operator-invitations", json=person)
    return {"operatorRef": operator_ref} | (
        {"invitationRef": invited.json()["invitation"]["ref"]} if invited.is_success else {}
    )


async def _api_credential(client: httpx.AsyncClient, number: int) -> Values:
    """A credential of the brand to sign with, until a request revokes it. At the limit, all others are revoked."""
    wanted = {"label": f"stock-{number}", "role": Role.BRAND_ADMIN}
    made = await client.post(API_CREDENTIALS, json=wanted)
    if made.status_code == 409:
        for each in (await done(client.get(API_CREDENTIALS)))["credentials"]:
            await client.delete(f"{API_CREDENTIALS}/{each['ref']}")
        made = await client.post(API_CREDENTIALS, json=wanted)
    credential = made.json()["credential"]
    return {"credentialRef": credential["ref"], "oauth": credential}


async def _mailed(database: Database, customer: Customer, brand_ref: int) -> Values:
    """A token that the service would have mailed to the customer: it is valid once."""
    async with database.transaction(brand_ref) as tx:
        return {
            "hash": await tokens.issue(tx, RESET_TOKEN, brand_ref, customer.user_ref),
            "token": await tokens.issue(tx, VERIFICATION_TOKEN, brand_ref, customer.user_ref),
        }


async def _session(client: httpx.AsyncClient, customer: Customer, brand_ref: int) -> Values:
    form = {"username": customer.host, "password": PASSWORD, "brandRef": str(brand_ref)}
    response = await client.post("/login", data=form)
    assert response.status_code == 303, response.text
    client.cookies.clear()
    known = {"username": customer.host, "email": f"owner@{customer.host}", "password": PASSWORD}
    return known | {"session": response.cookies[COOKIE]}
