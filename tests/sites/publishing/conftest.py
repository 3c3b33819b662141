"""A site to publish, and helpers to inspect what was published."""

import gzip
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.packages import PRO
from tests.support.sequencing import sequence_events
from tests.support.sites import make_page, make_site, make_widget
from tests.support.users import OwnerConnection, make_user


class Stage(msgspec.Struct):
    """A site of an account holder on Pro (five live sites, any number of pages), seen by its brand."""

    client: httpx.AsyncClient
    rows: OwnerConnection
    resources: Resources
    ref: int
    user_ref: int

    @property
    def path(self) -> str:
        return f"/sites/{self.ref}"

    async def page(self, request: str = "home", title: str = "Home", **columns: Any) -> int:
        return await make_page(self.rows, OWN_BRAND, self.ref, request=request, title=title, **columns)

    async def widget(self, page_ref: int, kind: str, **values: str) -> None:
        widget_ref = await make_widget(self.rows, OWN_BRAND, self.ref, page_ref, type=kind, name=kind)
        for name, value in values.items():
            await self.rows.execute(
                "insert into widget_values (brand_ref, widget_ref, name, value) values ($1, $2, $3, $4)",
                OWN_BRAND,
                widget_ref,
                name,
                value,
            )

    async def another_site(self) -> int:
        return await make_site(self.rows, self.resources, user_ref=self.user_ref)

    async def publish(self) -> dict[str, Any]:
        response = await self.client.post(f"{self.path}/publish")
        assert response.status_code == 200, response.text
        received: dict[str, Any] = response.json()
        return received

    async def site(self) -> dict[str, Any]:
        received: dict[str, Any] = (await self.client.get(self.path)).json()["site"]
        return received

    async def versions(self) -> list[int]:
        rows = await self.rows.fetch("select version_ref from site_versions where site_ref = $1 order by 1", self.ref)
        return [row[0] for row in rows]

    async def shown(self, path: str = "") -> str:
        """A file of the version that visitors see."""
        body = await self.rows.fetchval(
            "select f.body from site_files f join sites s on s.ref = f.site_ref and s.version_ref = f.version_ref"
            " where f.site_ref = $1 and f.path = $2",
            self.ref,
            path,
        )
        return gzip.decompress(body).decode() if body is not None else ""

    async def events(self) -> list[dict[str, Any]]:
        await sequence_events(self.rows)
        rows = await self.rows.fetch("select body from events order by brand_ref, sequence")
        stored = [msgspec.json.decode(row[0]) for row in rows]
        return [event for event in stored if event["eventName"] == "site.publish"]


@pytest.fixture
async def stage(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> Stage:
    user_ref = await make_user(owner_connection, resources, package_ref=PRO)
    ref = await make_site(owner_connection, resources, user_ref=user_ref, template_ref=4)
    return Stage(owner, owner_connection, resources, ref, user_ref)
