"""Limits of a site's content: pages, widgets, bytes, with lowered settings."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.sites.content.limited import limited_service
from tests.sites.content.shapes import Site
from tests.support.cast import Cast
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

MIB = 1024 * 1024
HALF = "x" * (MIB // 2 - 20_000)


@pytest.fixture
async def limited(resources: Resources, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """The owner of a service whose limits are three pages, four widgets and a MiB."""
    limits = {"site_pages_limit": 3, "site_widgets_limit": 4, "site_content_mib": 1}
    async with limited_service(resources, cast, **limits) as client:
        yield client


async def new_page(client: httpx.AsyncClient, site: Site, number: int, **fields: str) -> httpx.Response:
    body = {"pageUrl": f"p{number}", "title": "Title", **fields}
    return await client.post(f"{site.path}/pages", json=body)


async def test_the_page_limit_holds_for_concurrent_requests(limited: httpx.AsyncClient, site: Site) -> None:
    responses = await asyncio.gather(*(new_page(limited, site, number) for number in range(8)))
    assert sorted(response.status_code for response in responses) == [200] * 3 + [409] * 5
    full = next(response for response in responses if response.status_code == 409)
    assert problem_in(full) == (409, "siteFull")
    assert full.json()["detail"] == "The site has 3 pages, and may not have more. Delete pages first."


async def test_a_deleted_page_frees_its_share_of_the_limit(limited: httpx.AsyncClient, site: Site) -> None:
    refs = [(await new_page(limited, site, number)).json()["page"]["ref"] for number in range(3)]
    assert problem_in(await new_page(limited, site, 3)) == (409, "siteFull")
    await limited.delete(f"{site.path}/pages/{refs[0]}")
    assert (await new_page(limited, site, 3)).status_code == 200


async def test_widgets_up_to_the_limit_on_all_pages_together(limited: httpx.AsyncClient, site: Site) -> None:
    pages = [await site.page(limited, name) for name in ("a", "b")]
    for number in range(4):
        await site.widget(limited, pages[number % 2], f"w{number}")
    body = {"pageRef": pages[0]["ref"], "name": "w5", "type": "widget.content"}
    response = await limited.post(f"{site.path}/widgets", json=body)
    assert problem_in(response) == (409, "siteFull")
    assert "4 widgets" in response.json()["detail"]


async def test_bytes_of_all_kinds_count_together(
    limited: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page = await site.page(limited, headscript=HALF)
    widget = await site.widget(limited, page, values={"content": HALF[:300_000]})
    tries = {
        "pages": new_page(limited, site, 1, bodyscript=HALF),
        f"pages/{page['ref']}": limited.put(f"{site.path}/pages/{page['ref']}", json={"keywords": HALF}),
        "widgets": limited.put(f"{site.path}/widgets/{widget['ref']}", json={"values": {"more": HALF}}),
        "global": limited.post(f"{site.path}/global-values", json={"name": "headscript", "value": HALF}),
        "static": limited.put(f"{site.path}/static-values/hero", json={"name": "text", "value": HALF}),
    }
    for name, call in tries.items():
        assert (name, *problem_in(await call)) == (name, 409, "siteFull")
    counted = [await owner_connection.fetchval(f"select count(*) from {table}") for table in ("pages", "global_values")]
    assert counted == [1, 0]
    assert (await limited.post(f"{site.path}/global-values", json={"name": "a", "value": "b"})).status_code == 201


async def test_replaced_and_deleted_content_frees_bytes(limited: httpx.AsyncClient, site: Site) -> None:
    """The counter only grows; beyond the limit, the exact size is measured."""
    page = await site.page(limited)
    for number in range(6):
        await site.edit_page(limited, page, headscript=HALF, title=f"Title {number}")
    await site.edit_page(limited, page, headscript="")
    widget = await site.widget(limited, page, values={"content": HALF + HALF})
    await limited.delete(f"{site.path}/widgets/{widget['ref']}")
    await site.edit_page(limited, page, headscript=HALF + HALF)
    assert (await limited.post(f"{site.path}/reset")).status_code == 204
    await site.page(limited, "new", headscript=HALF + HALF)


async def test_every_site_has_its_own_limits(limited: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    for each in (site, other_site):
        for number in range(3):
            assert (await new_page(limited, each, number)).status_code == 200


async def test_content_from_before_is_measured_at_the_first_change(
    limited: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "insert into global_values (brand_ref, site_ref, name, value)"
        " select brand_ref, ref, 'old', repeat('x', 1048000) from sites"
    )
    assert problem_in(await new_page(limited, site, 1, headscript="x" * 2000)) == (409, "siteFull")
    assert (await limited.delete(f"{site.path}/global-values/old")).status_code == 204
    assert (await new_page(limited, site, 1, headscript="x" * 2000)).status_code == 200
