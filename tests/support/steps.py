"""One account holder's provisioning lifecycle, step by step through the API."""

from typing import Any

import httpx
import msgspec

from tests.support.customers import new_user
from tests.support.ledger import Ledger


class Steps(msgspec.Struct):
    """Each step states exactly which rows it must have written."""

    client: httpx.AsyncClient
    ledger: Ledger
    user_ref: int = 0
    seen: tuple[int, int, int] = (0, 0, 0)

    async def create(self, brand_ref: int) -> None:
        response = await self.client.post("/users", json=new_user(brandRef=brand_ref))
        assert response.status_code == 201, response.text
        self.user_ref = response.json()["accountHolder"]["ref"]

    async def assign(self, package_ref: int, months: int | None = None) -> dict[str, str]:
        body = {"packageRef": package_ref} | ({} if months is None else {"billingFrequency": months})
        response = await self.client.post(f"/users/{self.user_ref}/account-packages", json=body)
        assert response.status_code == 200, response.text
        capabilities: dict[str, str] = response.json()["capabilities"]
        return capabilities

    async def shown(self) -> dict[str, Any]:
        user: dict[str, Any] = (await self.client.get(f"/users/{self.user_ref}")).json()["accountHolder"]
        return user

    async def wrote(self, event: str | None = None, charge: str | None = None, mail: str | None = None) -> None:
        """The rows written since the last check."""
        written = [await read(self.user_ref) for read in (self.ledger.events, self.ledger.charges, self.ledger.mails)]
        new = [lines[before:] for lines, before in zip(written, self.seen, strict=True)]
        assert new == [[line] if line else [] for line in (event, charge, mail)]
        self.seen = (len(written[0]), len(written[1]), len(written[2]))
