"""A service with a DNS provider, an account holder with a registered domain, and brand staff, all in browsers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, TypeAlias

import httpx
import msgspec
import pytest

from sitewright.domains.health.findings import Finding
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import domain, managing, managing_url, name_servers
from tests.support import contract
from tests.support.browsing import browser, log_in
from tests.support.cast import OWN_BRAND
from tests.support.http_clients import http_client
from tests.support.operators import log_in_operator
from tests.support.users import OwnerConnection, insert

__all__ = ["domain", "managing", "managing_url", "name_servers"]
LogInStaff: TypeAlias = Callable[[str], Awaitable[httpx.AsyncClient]]


def leads_elsewhere(host: str) -> Finding:
    return msgspec.convert(
        {
            "code": "leadsHereIpv4",
            "status": "failing",
            "reason": "leadsElsewhere",
            "expected": "192.0.2.80",
            "found": "203.0.113.9",
            "facts": {"family": "IPv4"},
            "records": [f"{host}. 3600 IN A 192.0.2.80"],
        },
        Finding,
    )


def exists(host: str) -> Finding:
    return msgspec.convert({"code": "nameExists", "status": "ok", "reason": "exists", "found": host}, Finding)


async def add_check(owner: OwnerConnection, status: str, *findings: Finding, **key: Any) -> None:
    """The last result of a mapped host (`domain_ref`) or of a registered domain (`account_domain_ref`)."""
    now = clock.now()
    row = {"brand_ref": OWN_BRAND, "since": now, "status": status, "checked_at": now, "started_at": now}
    await insert(owner, "domain_checks", row | {"findings": msgspec.json.encode(findings).decode()} | key)


@pytest.fixture
async def holder(managing: Resources, domain: object) -> AsyncIterator[httpx.AsyncClient]:
    """The account holder of the registered domain, logged in."""
    async with browser(managing) as client:
        assert (await log_in(client)).status_code == 303
        yield client


@pytest.fixture
async def log_in_staff(managing_url: str, cast: object, clean: None) -> AsyncIterator[LogInStaff]:
    async with AsyncExitStack() as stack:

        async def start(username: str) -> httpx.AsyncClient:
            client = await stack.enter_async_context(http_client(managing_url, event_hooks=contract.HOOKS))
            assert (await log_in_operator(client, username)).status_code == 303
            return client

        yield start
