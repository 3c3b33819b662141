"""Reading a site's complete content in few statements of any size, and deleting it."""

import asyncio
from typing import Any, cast

import httpx
import pytest

from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.sites.content import service
from sitewright.sites.content.schemas import SiteContent
from tests.sites.content.shapes import MAIN, Site, all_rows
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.eventually import eventually
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

MANY = """
with p as (
  insert into pages (brand_ref, site_ref, type, status, request, request_key, title, display_order, template_type)
  select 1, $1, 'page', 'active', 'p' || n, 'p' || n, 'Page', n, 'default' from generate_series(1, 200) n
  returning ref),
w as (
  insert into widgets (brand_ref, site_ref, page_ref, parent_id, collection, name, type, position)
  select 1, $1, p.ref, 'page-zones__main', 'widgets', 'w' || n, 'widget.content', n from p, generate_series(0, 24) n
  returning ref)
insert into widget_values (brand_ref, widget_ref, name, value)
select 1, w.ref, 'v' || n, repeat('text ', 50) from w, generate_series(1, 4) n
"""


class Counted:
    """A transaction that counts its statements."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.statements = 0

    async def fetch(self, *arguments: Any) -> Any:
        self.statements += 1
        return await self.tx.fetch(*arguments)


async def read(resources: Resources, site: Site, brand_ref: int = OWN_BRAND) -> SiteContent:
    async with resources.database.transaction(brand_ref) as tx:
        return (await service.read_stored(tx, site.ref)).decoded()


async def fill(owner: httpx.AsyncClient, site: Site) -> None:
    late = await site.page(owner, "late", displayOrder=5)
    home = await site.page(owner, "home", displayOrder=1, status="draft")
    await site.widget(owner, home, "second", position=1, type="partner.own")
    await site.widget(owner, home, "first", values={"content": "Hello"})
    await site.widget(owner, late, "team", type="columns")
    await site.widget(owner, late, "left", parentId=f"{MAIN}__team__0")
    await site.widget(owner, late, "right", parentId=f"{MAIN}__team__1")
    await owner.post(f"{site.path}/global-values", json={"name": "headscript", "value": "x"})
    await owner.put(f"{site.path}/static-values/footer", json={"values": {"visible": "0", "text": ""}})


async def test_the_complete_content_of_a_site(
    owner: httpx.AsyncClient, resources: Resources, site: Site, other_site: Site
) -> None:
    await fill(owner, other_site)
    await fill(owner, site)
    content = await read(resources, site)
    assert [each.page.request for each in content.pages] == ["home", "late"]
    home, late = content.pages
    assert [(each.name, each.type) for each in home.inside()] == [
        ("first", "widget.content"),
        ("second", "partner.own"),
    ]
    assert home.inside()[0].values["content"] == "Hello"
    [team] = late.inside()
    assert [[each.name for each in column] for column in late.columns_of(team, 3)] == [["left"], ["right"], []]
    assert len(late.widgets) == 3
    assert content.global_values == {"headscript": "x"}
    assert content.static_values == {"footer": {"visible": "0", "text": ""}}


async def test_an_empty_site_and_one_of_another_brand(
    owner: httpx.AsyncClient, resources: Resources, site: Site
) -> None:
    empty = SiteContent([], {}, {})
    assert await read(resources, site) == empty
    await fill(owner, site)
    assert await read(resources, site, OTHER_BRAND) == empty


async def test_a_large_site_takes_as_many_statements_as_a_small_one(
    resources: Resources, site: Site, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(MANY, site.ref)
    async with resources.database.transaction(OWN_BRAND) as tx:
        counted = Counted(tx)
        content = (await service.read_stored(cast("Transaction", counted), site.ref)).decoded()
    assert counted.statements == 1
    assert [len(page.inside()) for page in content.pages] == [25] * 200
    assert content.pages[199].inside()[24].values == {f"v{number}": "text " * 50 for number in range(1, 5)}


async def test_clear_deletes_the_content_of_one_site_only(
    owner: httpx.AsyncClient, resources: Resources, site: Site, other_site: Site, owner_connection: OwnerConnection
) -> None:
    await fill(owner, other_site)
    before = await all_rows(owner_connection)
    await fill(owner, site)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await service.clear(tx, site.ref)
    after = await all_rows(owner_connection)
    assert {table: rows for table, rows in after.items() if table != "audit_entries"} == {
        table: rows for table, rows in before.items() if table != "audit_entries"
    }
    assert await read(resources, site) == SiteContent([], {}, {})


async def test_changes_of_content_do_not_affect_the_published_version(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update sites set live = true, version_ref = 1, last_version_ref = 1")
    await owner_connection.execute("insert into site_versions select brand_ref, ref, 1, now() from sites")
    before = [await owner_connection.fetch(f"select * from {table}") for table in ("sites", "site_versions")]
    await fill(owner, site)
    assert [await owner_connection.fetch(f"select * from {table}") for table in ("sites", "site_versions")] == before


async def test_content_can_be_changed_while_its_site_is_published(
    owner: httpx.AsyncClient, resources: Resources, site: Site
) -> None:
    """Publishing locks the site's row, but not its content."""
    async with resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("select from sites where ref = $1 for no key update", site.ref)
        await fill(owner, site)
    assert len((await read(resources, site)).pages) == 2


@pytest.mark.parametrize("path", ["pages", "widgets", "global-values", "static-values/footer"])
async def test_a_site_erased_meanwhile_is_not_found(
    owner: httpx.AsyncClient, resources: Resources, site: Site, owner_connection: OwnerConnection, path: str
) -> None:
    page = await site.page(owner)
    body = {"pageUrl": "a", "title": "A", "pageRef": page["ref"], "name": "x", "type": "content", "value": "y"}
    method = "PUT" if path.startswith("static") else "POST"
    async with owner_connection.transaction():
        await owner_connection.execute("delete from sites where ref = $1", site.ref)
        waiting = asyncio.create_task(owner.request(method, f"{site.path}/{path}", json=body))
        await eventually(lambda: is_waiting(resources))
    response = await waiting
    assert problem_in(response) == (404, "siteNotFound")


async def is_waiting(resources: Resources) -> bool:
    """Whether a transaction waits for another."""
    async with resources.database.connection() as connection:
        return await connection.fetchval("select exists (select from pg_locks where not granted)") is True
