"""Lists are bounded in bytes as well as in rows, and the Link header leads on."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from sitewright.kit.paging import MAX_LIST_BYTES
from tests.sites.content.shapes import Site
from tests.support.cast import OWN_BRAND
from tests.support.paging import links
from tests.support.sites import make_page, make_widget
from tests.support.users import OwnerConnection, insert

LARGE = "x" * 1024 * 1024
NUMBER = 10
Fill = Callable[[OwnerConnection, int], Awaitable[None]]


async def fill_pages(owner: OwnerConnection, site_ref: int) -> None:
    for number in range(NUMBER):
        await make_page(owner, OWN_BRAND, site_ref, request=f"p{number}", request_key=f"p{number}", headscript=LARGE)


async def fill_widgets(owner: OwnerConnection, site_ref: int) -> None:
    page_ref = await make_page(owner, OWN_BRAND, site_ref)
    for number in range(NUMBER):
        widget_ref = await make_widget(owner, OWN_BRAND, site_ref, page_ref, name=f"w{number}")
        for name in ("one", "two"):
            row = {"brand_ref": OWN_BRAND, "widget_ref": widget_ref, "name": name, "value": LARGE[: len(LARGE) // 2]}
            await insert(owner, "widget_values", row)


async def fill_global_values(owner: OwnerConnection, site_ref: int) -> None:
    for number in range(NUMBER):
        row = {"brand_ref": OWN_BRAND, "site_ref": site_ref, "name": f"v{number}", "value": LARGE}
        await insert(owner, "global_values", row)


async def fill_static_values(owner: OwnerConnection, site_ref: int) -> None:
    await owner.execute(
        "insert into static_values (brand_ref, site_ref, static_widget_id, name, value, created_at, updated_at)"
        " select $1, $2, 'hours', 'v' || number, $3, now(), now() from generate_series(1, $4::integer) number",
        OWN_BRAND, site_ref, LARGE, NUMBER,
    )  # fmt: skip


LISTS = [
    ("pages", "ref", fill_pages),
    ("widgets", "ref", fill_widgets),
    ("global-values", "id", fill_global_values),
    ("static-values", "ref", fill_static_values),
    ("static-values/hours", "ref", fill_static_values),
]


@pytest.mark.parametrize(("path", "key", "fill"), LISTS, ids=[path for path, _, _ in LISTS])
async def test_large_entries_make_pages_shorter(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: Site, path: str, key: str, fill: Fill
) -> None:
    await fill(owner_connection, site.ref)
    following, pages = f"/sites/{site.ref}/{path}", []
    while following:
        response = await owner.get(following)
        assert len(response.content) <= MAX_LIST_BYTES + len(LARGE) + 10_000
        [listed] = [value for value in response.json().values() if isinstance(value, list)]
        pages.append([int(each[key]) for each in listed])
        following = links(response).get("next", "")
    seen = [ref for page in pages for ref in page]
    assert [len(page) for page in pages] == [8, 2]
    assert seen == sorted(set(seen))
    back = await owner.get(f"/sites/{site.ref}/{path}?before={seen[-1]}")
    [listed] = [value for value in back.json().values() if isinstance(value, list)]
    assert [int(each[key]) for each in listed] == seen[1:-1]
    assert f"before={seen[1]}" in links(back)["prev"]


async def test_pagination_of_values(owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: Site) -> None:
    for number in range(5):
        row = {"brand_ref": OWN_BRAND, "site_ref": site.ref, "name": f"v{number}", "value": "x"}
        await insert(owner_connection, "global_values", row)
    first = await owner.get(f"/sites/{site.ref}/global-values?limit=2")
    second = await owner.get(links(first)["next"])
    names = [[each["name"] for each in response.json()["globalValues"]] for response in (first, second)]
    assert names == [["v0", "v1"], ["v2", "v3"]]
    assert "Link" not in (await owner.get(f"/sites/{site.ref}/global-values")).headers
