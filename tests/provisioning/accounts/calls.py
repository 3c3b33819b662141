"""Descriptions of accounts, calls that send them, and what must not grow when nothing changes."""

from typing import Any

import httpx

from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection

ACCOUNTS = f"/brands/{OWN_BRAND}/accounts"
EXTERNAL_ID = "service-4711"
PASSWORD = "fresh bread daily"
EFFECTS = ("audit_entries", "events", "mails", "charges", "lifecycle_events", "users", "sites", "site_domains",
           "account_packages", "site_versions", "provisioned_accounts")  # fmt: skip


def holder(**fields: Any) -> dict[str, Any]:
    return {
        "firstName": "Joe",
        "lastName": "Baker",
        "username": "joe",
        "email": "joe@mail.example",
        "password": PASSWORD,
        "languageCode": "en",
    } | fields


def account(**parts: Any) -> dict[str, Any]:
    """A complete description."""
    return {
        "accountHolder": holder(),
        "package": {"packageRef": 3, "billingFrequency": 12},
        "suspended": False,
        "sites": [
            {
                "domain": "www.joes-bakery.example",
                "businessName": "Joe's Bakery",
                "templateRef": 1,
                "domains": ["joes-bakery.example"],
                "published": True,
            }
        ],
        "metadata": {"customer": "C-1001"},
    } | parts


async def put(
    client: httpx.AsyncClient,
    description: Any,
    external_id: str = EXTERNAL_ID,
    *,
    dry_run: bool = False,
    if_match: str | None = None,
) -> httpx.Response:
    headers = {} if if_match is None else {"If-Match": if_match}
    params = {"dryRun": "1"} if dry_run else {}
    return await client.put(f"{ACCOUNTS}/{external_id}", json=description, params=params, headers=headers)


async def converged(client: httpx.AsyncClient, description: Any, external_id: str = EXTERNAL_ID) -> dict[str, Any]:
    response = await put(client, description, external_id)
    assert response.status_code in (200, 201), response.text
    result: dict[str, Any] = response.json()
    return result


async def effects(owner: OwnerConnection) -> dict[str, int]:
    """How many rows everything that a call could write, send or charge has."""
    return {name: await owner.fetchval(f"select count(*) from {name}") for name in EFFECTS}


def paths(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(change["path"], change["action"]) for change in result["changes"]]
