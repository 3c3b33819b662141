import re

import httpx
import pytest

from tests.web.account.conftest import site, user, visitor

__all__ = ["editor", "site", "user", "visitor"]


class EditorClient:
    """Calls as the editor's script makes them."""

    def __init__(self, client: httpx.AsyncClient, site_ref: int, token: str) -> None:
        self.client, self.base, self.token = client, f"/account/sites/{site_ref}/edit", token

    async def get(self, path: str) -> httpx.Response:
        return await self.client.get(self.base + path)

    async def post(self, path: str, body: object = None) -> httpx.Response:
        headers = {"X-Form-Token": self.token}
        return await self.client.post(self.base + path, json=body or {}, headers=headers)

    async def upload(self, name: str, content: bytes) -> httpx.Response:
        headers = {"X-Form-Token": self.token}
        return await self.client.post(f"{self.base}/media", files={"file": (name, content)}, headers=headers)

    async def change(self, change_id: str, **change: object) -> httpx.Response:
        return await self.post("/changes", {"id": change_id, "session": "tab", "change": change})


@pytest.fixture
async def editor(visitor: httpx.AsyncClient, site: int) -> EditorClient:
    response = await visitor.get(f"/account/sites/{site}/edit/token")
    assert re.fullmatch("[0-9a-f]{64}", response.json()["token"])
    return EditorClient(visitor, site, response.json()["token"])
