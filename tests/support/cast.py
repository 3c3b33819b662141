"""The callers that every test can use, and how they authenticate."""

from collections.abc import Generator
from typing import Any

import httpx
import msgspec
from oauthlib.oauth1 import Client

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.service import OAuthCredentials

OWN_BRAND, OTHER_BRAND = 1, 2
RESELLER_REF = 7
PASSWORD = "a long enough password"
TESTER = Caller(role=Role.SYSTEM_OWNER, name="test")


class Cast(msgspec.Struct):
    """The credentials of each caller."""

    owner: OAuthCredentials
    other_brand: OAuthCredentials
    reseller: OAuthCredentials
    owner_operator: tuple[str, str]
    system_owner: tuple[str, str]
    support: tuple[str, str]
    viewer: tuple[str, str]


class SignedBy(httpx.Auth):
    """Sign every request with OAuth 1.0a, using oauthlib. `client_options` are passed to oauthlib's client."""

    requires_request_body = True

    def __init__(self, credentials: OAuthCredentials, **client_options: Any) -> None:
        self.credentials = credentials
        self.client_options = {"signature_method": "HMAC-SHA256"} | client_options

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        oauth = self.credentials
        client = Client(
            oauth.consumer_key, oauth.consumer_secret, oauth.access_token, oauth.access_secret, **self.client_options
        )
        is_form = request.headers.get("content-type") == "application/x-www-form-urlencoded"
        url, headers, body = client.sign(
            str(request.url),
            request.method,
            body=request.content.decode() if is_form else None,
            headers={"Content-Type": request.headers["content-type"]} if is_form else {},
        )
        request.url = httpx.URL(url)
        request.headers.update(headers)
        if is_form and body is not None:
            request.headers["content-length"] = str(len(body))
            request = httpx.Request(request.method, request.url, headers=request.headers, content=body)
        yield request


async def create_cast(resources: Resources) -> Cast:
    password_hash = await resources.passwords.hash(PASSWORD, None)

    async def credential(brand_ref: int, **options: Any) -> OAuthCredentials:
        async with resources.database.transaction(brand_ref) as tx:
            return await credentials.create_api_credential(
                tx, resources.sealer, TESTER, brand_ref=brand_ref, label="test", **options
            )

    async def operator(brand_ref: int | None, username: str, role: Role = Role.BRAND_ADMIN) -> tuple[str, str]:
        async with resources.database.transaction(brand_ref) as tx:
            await credentials.create_operator(
                tx, TESTER, brand_ref=brand_ref, username=username, password_hash=password_hash, role=role
            )
        return username, PASSWORD

    return Cast(
        owner=await credential(OWN_BRAND),
        other_brand=await credential(OTHER_BRAND),
        reseller=await credential(OWN_BRAND, role=Role.RESELLER, reseller_ref=RESELLER_REF),
        owner_operator=await operator(OWN_BRAND, "brand-admin"),
        system_owner=await operator(None, "system-owner"),
        support=await operator(OWN_BRAND, "support", Role.SUPPORT),
        viewer=await operator(OWN_BRAND, "viewer", Role.VIEWER),
    )
