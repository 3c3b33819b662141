"""A client that edits a site by changes, as the editor does."""

import itertools
from typing import Any

import httpx
import msgspec

from tests.sites.content.shapes import MAIN, Site
from tests.support.database import Rows, rows_of
from tests.support.users import OwnerConnection

CONTENT = ("pages", "widgets", "widget_values", "global_values", "static_values")
_ids = itertools.count(1)


class Editing(msgspec.Struct, frozen=True):
    """One window that edits one site."""

    client: httpx.AsyncClient
    site: Site
    session: str = "tab"

    @property
    def path(self) -> str:
        return f"{self.site.path}/changes"

    async def send(self, kind: str, *, change_id: str | None = None, merge: int = 0, **fields: Any) -> httpx.Response:
        body = {
            "id": change_id or f"change-{next(_ids)}",
            "session": self.session,
            "merge": merge,
            "change": {"kind": kind, **fields},
        }
        return await self.client.post(self.path, json=body)

    async def make(self, kind: str, **fields: Any) -> dict[str, Any]:
        response = await self.send(kind, **fields)
        assert response.status_code == 200, response.text
        made: dict[str, Any] = response.json()
        return made

    async def step(self, name: str, **fields: Any) -> httpx.Response:
        body = {"id": f"step-{next(_ids)}", "session": self.session, **fields}
        return await self.client.post(f"{self.path}/{name}", json=body)

    async def undo(self, **fields: Any) -> dict[str, Any]:
        response = await self.step("undo", **fields)
        assert response.status_code == 200, response.text
        made: dict[str, Any] = response.json()
        return made

    async def redo(self, **fields: Any) -> dict[str, Any]:
        response = await self.step("redo", **fields)
        assert response.status_code == 200, response.text
        made: dict[str, Any] = response.json()
        return made

    async def content(self, **query: Any) -> dict[str, Any]:
        response = await self.client.get(f"{self.site.path}/content", params=query)
        assert response.status_code == 200, response.text
        content: dict[str, Any] = response.json()["content"]
        return content

    async def widget(self, ref: int) -> dict[str, Any]:
        return next(each for each in (await self.content())["widgets"] if each["ref"] == ref)

    async def add(self, page: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """Add a widget and return it."""
        wanted = {"type": "widget.heading", "parentId": MAIN, "values": {"text": "Hello"}} | fields
        [item] = (await self.make("addWidget", pageRef=page["ref"], **wanted))["items"]
        widget: dict[str, Any] = item
        return widget

    async def order(self, parent_id: str = MAIN) -> list[int]:
        return [each["ref"] for each in (await self.content())["widgets"] if each["parentId"] == parent_id]


async def content_rows(owner: OwnerConnection) -> Rows:
    """Every row of content, to compare; of static values without the time of the last write."""
    rows = await rows_of(owner, CONTENT)
    return rows | {"static_values": [row[:-1] for row in rows["static_values"]]}
