"""Clients send `pageRef: 0` and `libraryItemRef: 0` with every change of a widget: nothing moves to another page."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.compatibility.conftest import Send
from tests.sites.content.shapes import MAIN, Site, all_rows
from tests.support.responses import object_in, problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Site:
    return Site(await make_site(owner_connection, resources))


async def test_a_widget_with_zero_refs_stays_on_its_page_at_the_sent_position(
    send: Send, owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    await site.page(owner)
    page = await site.page(owner, "second")
    first, second = [await site.widget(owner, page, name, position=place) for place, name in enumerate(("a", "b"))]
    changed = await send("PUT", f"{site.path}/widgets/{first['ref']}", pageRef=0, libraryItemRef=0, position=1)
    assert object_in(changed, "widget") == first | {"position": 1}
    assert await site.order(owner) == [("b", 0), ("a", 1)]
    on_pages = await owner_connection.fetch("select distinct page_ref from widgets where site_ref = $1", site.ref)
    assert [row["page_ref"] for row in on_pages] == [page["ref"]]
    changed = await send("PUT", f"{site.path}/widgets/{second['ref']}", pageRef=0, libraryItemRef=0, position=0)
    assert object_in(changed, "widget")["position"] == 0


async def test_a_widget_moves_inside_its_page(send: Send, owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    await site.widget(owner, page, "team", type="widget.columns")
    widget = await site.widget(owner, page, "a", position=1)
    fields = {"pageRef": 0, "libraryItemRef": 0, "parentId": f"{MAIN}__team__0", "position": 0}
    changed = await send("PUT", f"{site.path}/widgets/{widget['ref']}", **fields)
    assert object_in(changed, "widget")["id"] == f"{MAIN}__team__0"


@pytest.mark.parametrize("page_ref", [-1, "-1", "-0", "", 999_999, "00x", 2**63, 0.0, False, None])
async def test_other_refs_are_rejected(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, page_ref: Any
) -> None:
    widget = await site.widget(owner, await site.page(owner))
    before = await all_rows(owner_connection)
    response = await owner.put(f"{site.path}/widgets/{widget['ref']}", json={"pageRef": page_ref, "position": 0})
    assert problem_in(response) == (400, "invalidPageRef")
    assert await all_rows(owner_connection) == before


async def test_a_new_widget_requires_a_page_ref(owner: httpx.AsyncClient, site: Site) -> None:
    await site.page(owner)
    response = await owner.post(f"{site.path}/widgets", json={"pageRef": 0, "name": "a", "type": "widget.content"})
    assert problem_in(response) == (400, "invalidPageRef")
    assert problem_in(await owner.get(f"{site.path}/widgets?pageRef=0")) == (400, "invalidPageRef")
