"""The packages and currencies of the demo's brands, by their refs; and how to assign one to a user."""

from typing import Any

import httpx

FREE, STARTER, PRO, DOMAIN, LEGACY = 1, 2, 3, 4, 5
SUSPENDED, TRIAL, EURO_STARTER, EURO_PRO = 6, 7, 8, 9
USD, EUR = 1, 2


async def assign(client: httpx.AsyncClient, user_ref: int, package_ref: Any, **more: Any) -> httpx.Response:
    return await client.post(f"/users/{user_ref}/account-packages", json={"packageRef": package_ref, **more})
