"""The field types of pages, widgets and values (parts 2.4 to 2.6 of the specification), and requests for them."""

import json
from typing import Any

import httpx
import msgspec

from tests.catalogue.packages.shapes import NONE, TEXT_OR_NULL
from tests.support.database import Rows, rows_of
from tests.support.responses import object_in
from tests.support.users import OwnerConnection

PAGE: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("ref", "canPublish", "parentId", "displayOrder", "hiddenFromNavigation", "immutable"), (int,))
    | dict.fromkeys(("type", "status", "request", "title", "templateType"), (str,))
    | dict.fromkeys(("keywords", "description", "seoTitle", "headscript", "bodyscript"), TEXT_OR_NULL)
    | dict.fromkeys(("themeRef", "colorSwatchRef", "fontSwatchRef"), (int, NONE))
)
WIDGET: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("ref", "position"), (int,)),
    **dict.fromkeys(("id", "name", "type"), (str,)),
    "values": (list,),
}
WIDGET_VALUE: dict[str, tuple[type, ...]] = {"ref": (int,), "name": (str,), "value": (str,)}
GLOBAL_VALUE: dict[str, tuple[type, ...]] = {"id": (int,), "name": (str,), "value": (str,)}
STATIC_VALUE = dict.fromkeys(("ref", "id", "name", "value", "created", "updated"), (str,))
WRITTEN = ("pages", "widgets", "widget_values", "global_values", "static_values", "audit_entries")
MAIN = "page-zones__main"
BODY_LIMIT = 1024 * 1024


class Site(msgspec.Struct, frozen=True):
    """A site, and requests that create and edit its pages and widgets."""

    ref: int

    @property
    def path(self) -> str:
        return f"/sites/{self.ref}"

    async def page(self, client: httpx.AsyncClient, page_url: str = "home", **fields: Any) -> dict[str, Any]:
        response = await client.post(f"{self.path}/pages", json={"pageUrl": page_url, "title": "Title", **fields})
        return object_in(response, "page")

    async def widget(
        self, client: httpx.AsyncClient, page: dict[str, Any], name: str = "one", **fields: Any
    ) -> dict[str, Any]:
        body = {"pageRef": page["ref"], "name": name, "type": "widget.content", **fields}
        return object_in(await client.post(f"{self.path}/widgets", json=body), "widget")

    async def edit_page(self, client: httpx.AsyncClient, page: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return object_in(await client.put(f"{self.path}/pages/{page['ref']}", json=fields), "page")

    async def edit_widget(self, client: httpx.AsyncClient, widget: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return object_in(await client.put(f"{self.path}/widgets/{widget['ref']}", json=fields), "widget")

    async def order(self, client: httpx.AsyncClient, parent_id: str = MAIN) -> list[tuple[str, int]]:
        """The names and positions of the widgets of one parent on all pages, by position."""
        widgets = (await client.get(f"{self.path}/widgets")).json()["widgets"]
        inside = [(each["name"], each["position"]) for each in widgets if each["id"] == parent_id]
        return sorted(inside, key=lambda each: each[1])


def values_of(widget: dict[str, Any]) -> dict[str, str]:
    """The values of a widget, without the class that the service generates."""
    return {each["name"]: each["value"] for each in widget["values"] if each["name"] != "localClass"}


async def all_rows(owner: OwnerConnection) -> Rows:
    """Every row of the tables that endpoints of content may write, to compare before and after."""
    return await rows_of(owner, WRITTEN)


async def last_audited(owner: OwnerConnection) -> tuple[str, str, int, Any]:
    row = await owner.fetchrow(
        "select action, subject, subject_ref, details from audit_entries order by ref desc limit 1"
    )
    assert row is not None
    return row[0], row[1], row[2], json.loads(row[3])
