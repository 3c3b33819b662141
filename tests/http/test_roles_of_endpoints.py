"""Every operation of the API with every role: who is refused, and that the document says so."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.auth.caller import Role
from sitewright.kit.http import Endpoint
from tests.isolation.requests import default_variant, request_for
from tests.isolation.slots import BRAND_HEADER
from tests.isolation.world import World
from tests.support import contract
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.http_clients import http_client

OF_SUPPORT = {
    "POST /users/{user_ref:int}/suspend",
    "POST /users/{user_ref:int}/unsuspend",
    "POST /users/forgotten-password",
    "POST /users/{user_ref:int}/send-verification-email",
    "POST /users/{user_ref:int}/auto-login",
    "POST /sites/{site_ref:int}/versions/{version_ref:int}/restore",
    "POST /webhooks/subscription/{subscription_id:int}/attempts/{attempt_id:int}/replay",
}
"""Suspend, unsuspend, resend, log in as, roll back and retry: all that `support` may change."""
NOT_OF_RESELLERS = re.compile(
    r"\S+ (/operator|/api-credentials|/brands/\S+/(settings|test-clock|drift)|/statistics|/user-reports|/webhooks/"
    r"|/events|/resellers|/brands/\S+/resellers|/ssl-certs/)"
    r"|(PUT|DELETE|POST) /users/\S+/mailboxes/"
)
Clients = dict[Role, httpx.AsyncClient]


def may_call(role: Role, name: str) -> bool:
    if role is Role.RESELLER:
        return NOT_OF_RESELLERS.match(name) is None
    is_read = name.startswith("GET ")
    return role in (Role.SYSTEM_OWNER, Role.BRAND_ADMIN) or is_read or (role is Role.SUPPORT and name in OF_SUPPORT)


@pytest.fixture
async def clients(base_url: str, cast: Cast, clean: None) -> AsyncIterator[Clients]:
    """A client of each role."""
    auths: dict[Role, httpx.Auth | tuple[str, str]] = {
        Role.SYSTEM_OWNER: cast.system_owner,
        Role.BRAND_ADMIN: cast.owner_operator,
        Role.RESELLER: SignedBy(cast.reseller),
        Role.SUPPORT: cast.support,
        Role.VIEWER: cast.viewer,
    }
    assert set(auths) == set(Role)
    async with AsyncExitStack() as stack:
        yield {
            role: await stack.enter_async_context(http_client(base_url, auth=auth, event_hooks=contract.HOOKS))
            for role, auth in auths.items()
        }


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
async def test_each_role_may_call_what_it_has_the_right_to(clients: Clients, endpoint: Endpoint) -> None:
    """With refs that do not exist: a caller with the right is not refused for the role, whatever else is wrong."""
    variant = default_variant(endpoint)
    refs = World({}).nonexistent | {"brand": OWN_BRAND}
    request = request_for(variant, {slot: refs[slot.kind] for slot in variant.always})
    for role, client in clients.items():
        headers = {BRAND_HEADER: str(OWN_BRAND)} if role is Role.SYSTEM_OWNER else {}
        response = await client.request(
            request.method, request.path, params=request.query, json=request.body, headers=headers
        )
        is_refused = (response.status_code, response.json().get("code") if response.content else "") == (
            403,
            "forbidden",
        )
        assert is_refused is not may_call(role, endpoint.name), (role, response.text)
        assert (role in endpoint.roles) is may_call(role, endpoint.name)


async def test_the_document_names_the_roles_of_each_operation(anonymous: httpx.AsyncClient) -> None:
    document = (await anonymous.get("/openapi.json")).json()
    for endpoint in ENDPOINTS:
        path = re.sub(r"\{(\w+):\w+\}", lambda found: "{" + _camel(found[1]) + "}", endpoint.path)
        operation = document["paths"][path][endpoint.method.lower()]
        named = operation["description"].rpartition("May be called by ")[2].partition(".")[0]
        found = {role for role in Role if re.search(rf"\b{role}\b", named)}
        assert found == {role for role in Role if may_call(role, endpoint.name)}, endpoint.name
        assert "403" in operation["responses"], endpoint.name


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
