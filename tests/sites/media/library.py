"""The media library of one site, as tests use it over HTTP."""

from typing import Any

import httpx
import msgspec

from sitewright.sites.media.pictures.service import Format
from tests.support.pictures import picture


class Library(msgspec.Struct, frozen=True):
    client: httpx.AsyncClient
    site_ref: int

    @property
    def path(self) -> str:
        return f"/sites/{self.site_ref}/media"

    async def send(self, content: bytes, **form: str) -> httpx.Response:
        """As a form, like browsers do."""
        return await self.client.post(self.path, files={"file": ("bar.jpg", content)}, data=form)

    async def upload(self, content: bytes | None = None, **form: str) -> Any:
        response = await self.send(picture(Format.JPEG) if content is None else content, **form)
        assert response.status_code == 201, response.text
        return response.json()["media"]
