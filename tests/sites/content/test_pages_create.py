"""POST /sites/:siteRef/pages."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.catalogue.packages.shapes import assert_shape
from tests.sites.content.shapes import BODY_LIMIT, PAGE, Site, all_rows, last_audited
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

FIRST = {
    "type": "page", "status": "active", "request": "Food/Menu", "title": "Menu", "keywords": None, "description": None,
    "canPublish": 1, "parentId": 0, "seoTitle": None, "themeRef": None, "colorSwatchRef": None, "fontSwatchRef": None,
    "headscript": None, "bodyscript": None, "displayOrder": 0, "templateType": "default", "hiddenFromNavigation": 0,
    "immutable": 0,
}  # fmt: skip


async def test_a_page_as_the_specification_creates_it(owner: httpx.AsyncClient, site: Site) -> None:
    body = {"pageUrl": "Food/Menu", "type": "page", "title": "Menu", "status": "active"}
    response = await owner.post(f"{site.path}/pages", json=body)
    assert response.status_code == 200
    page = response.json()["page"]
    assert_shape(page, PAGE)
    assert {name: value for name, value in page.items() if name != "ref"} == FIRST


async def test_all_optional_fields(owner: httpx.AsyncClient, site: Site) -> None:
    parent = await site.page(owner)
    sent = {
        "status": "draft", "keywords": "a, b", "description": "Words", "seoTitle": "Title", "headscript": "<script>",
        "bodyscript": "</script>", "displayOrder": 7, "parentId": parent["ref"], "templateType": "wide",
    }  # fmt: skip
    page = await site.page(owner, "about", **sent, hiddenFromNavigation=True)
    assert {name: page[name] for name in sent} == sent
    assert page["hiddenFromNavigation"] == 1


async def test_as_a_form(owner: httpx.AsyncClient, site: Site) -> None:
    response = await owner.post(f"{site.path}/pages", data={"pageUrl": "about", "title": "About", "status": "inactive"})
    assert response.json()["page"]["status"] == "inactive"


async def test_new_pages_come_after_the_last(owner: httpx.AsyncClient, site: Site) -> None:
    orders = [(await site.page(owner, f"p{number}"))["displayOrder"] for number in range(3)]
    await site.page(owner, "far", displayOrder=40)
    orders.append((await site.page(owner, "last"))["displayOrder"])
    assert orders == [0, 1, 2, 41]


async def test_after_the_largest_number_there_is_none_larger(owner: httpx.AsyncClient, site: Site) -> None:
    await site.page(owner, "far", displayOrder=2**31 - 1)
    assert (await site.page(owner, "last"))["displayOrder"] == 2**31 - 1


GOOD = ["a", "home", "About-Us", "a_b.c~d", "a/b/c", ".a", "a..b", "...", "robots.txt2", "x/robots.txt", "x/_site",
        "sitemap", "_sites", "well-known", "x" * 255, "0", "/" + "x" * 255]  # fmt: skip


@pytest.mark.parametrize("page_url", GOOD)
async def test_page_urls_just_inside_the_limits(owner: httpx.AsyncClient, site: Site, page_url: str) -> None:
    page = await site.page(owner, page_url)
    assert page["request"] == page_url.removeprefix("/")


BAD = ["", "/", "//a", "a/", "a//b", ".", "..", "a/../b", "a/.", "../a", "%2e%2e/a", "a b", "a?b", "a#b", "a\\b", "a:b",
       "a%20b", "über", "a\nb", "a\n", "a\0b", "\ud800", "x" * 256, "/" + "x" * 256, "robots.txt", "Robots.TXT",
       "sitemap.xml", "/sitemap.xml", ".well-known", ".well-known/x", ".Well-Known/x", "_site", "_SITE/style.css",
       "<script>", 7, None, ["a"], {}, True, "https://a.example/b", "a@b", "a+b", "a;b", "a'b", '"']  # fmt: skip


@pytest.mark.parametrize("page_url", BAD)
async def test_page_urls_just_outside(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, page_url: Any
) -> None:
    before = await all_rows(owner_connection)
    body = json.dumps({"pageUrl": page_url, "title": "Title"})
    response = await owner.post(f"{site.path}/pages", content=body, headers={"Content-Type": "application/json"})
    assert problem_in(response) == (400, "invalidPageUrl")
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [("title", "x"), ("title", "x" * 255), ("seoTitle", ""), ("seoTitle", "x" * 255), ("seoTitle", None),
     ("keywords", ""), ("keywords", "x" * 5000), ("description", "\N{SNOWMAN}"), ("headscript", None),
     ("bodyscript", ""), ("displayOrder", 0), ("displayOrder", 2**31 - 1), ("templateType", "x" * 255),
     ("status", "inactive"), ("parentId", 0)],
)  # fmt: skip
async def test_other_fields_just_inside(owner: httpx.AsyncClient, site: Site, field: str, value: Any) -> None:
    page = await site.page(owner, **{field: value})
    assert page[field] == value


@pytest.mark.parametrize(
    ("field", "value"),
    [("title", ""), ("title", "x" * 256), ("title", None), ("title", 7), ("title", "a\0"), ("seoTitle", "x" * 256),
     ("type", "post"), ("type", None), ("status", "live"), ("status", "Active"), ("status", 1), ("keywords", 7),
     ("description", []), ("headscript", "\0"), ("bodyscript", {}), ("displayOrder", -1), ("displayOrder", 2**31),
     ("displayOrder", 1.0), ("displayOrder", True), ("hiddenFromNavigation", 2), ("hiddenFromNavigation", None),
     ("parentId", -1), ("parentId", 999_999), ("parentId", "x"), ("parentId", 2**63), ("templateType", ""),
     ("templateType", "x" * 256), ("templateType", None)],
)  # fmt: skip
async def test_other_fields_just_outside(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    before = await all_rows(owner_connection)
    response = await owner.post(f"{site.path}/pages", json={"pageUrl": "a", "title": "Title", field: value})
    assert problem_in(response) == (400, f"invalid{field[0].upper()}{field[1:]}")
    assert await all_rows(owner_connection) == before


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient, site: Site) -> None:
    wrong = {"pageUrl": "..", "title": "", "status": "live", "parentId": 999_999}
    response = await owner.post(f"{site.path}/pages", json=wrong)
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == set(wrong)


async def test_no_body_at_all(owner: httpx.AsyncClient, site: Site) -> None:
    response = await owner.post(f"{site.path}/pages")
    assert set(response.json()["errors"]) == {"pageUrl", "title"}


async def test_a_page_url_is_unique_in_its_site_whatever_the_case(
    owner: httpx.AsyncClient, site: Site, other_site: Site
) -> None:
    await site.page(owner, "Food/Menu")
    for page_url in ("food/menu", "FOOD/MENU", "/Food/Menu"):
        response = await owner.post(f"{site.path}/pages", json={"pageUrl": page_url, "title": "Again"})
        assert problem_in(response) == (409, "pageUrlTaken")
    assert (await other_site.page(owner, "food/menu"))["request"] == "food/menu"


async def test_of_concurrent_pages_with_one_url_one_is_created(owner: httpx.AsyncClient, site: Site) -> None:
    urls = ["about", "About", "/about", "ABOUT"] * 4
    responses = await asyncio.gather(
        *(owner.post(f"{site.path}/pages", json={"pageUrl": url, "title": "About"}) for url in urls)
    )
    assert sorted(response.status_code for response in responses) == [200] + [409] * 15


async def test_concurrent_pages_get_unique_positions(owner: httpx.AsyncClient, site: Site) -> None:
    pages = await asyncio.gather(*(site.page(owner, f"p{number}") for number in range(12)))
    assert sorted(page["displayOrder"] for page in pages) == list(range(12))


async def test_a_page_of_another_site_is_no_parent(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    theirs = await other_site.page(owner)
    body = {"pageUrl": "a", "title": "A", "parentId": theirs["ref"]}
    assert problem_in(await owner.post(f"{site.path}/pages", json=body)) == (400, "invalidParentId")


async def test_a_body_of_the_maximum_size(owner: httpx.AsyncClient, site: Site) -> None:
    body = {"pageUrl": "a", "title": "A", "headscript": ""}
    room = BODY_LIMIT - len(json.dumps(body))
    for extra, status in ((0, 200), (1, 413)):
        content = json.dumps(body | {"headscript": "x" * (room + extra)})
        headers = {"Content-Type": "application/json"}
        response = await owner.post(f"{site.path}/pages", content=content, headers=headers)
        assert response.status_code == status
    assert len(response.request.content) == BODY_LIMIT + 1


async def test_unknown_and_deleted_sites(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    for path in ("/sites/999999/pages", "/sites/0/pages", "/sites/abc/pages"):
        assert problem_in(await owner.post(path, json={"pageUrl": ".."})) == (404, "siteNotFound")
    await owner_connection.execute("update sites set deleted_at = now()")
    assert problem_in(await owner.post(f"{site.path}/pages", json={})) == (404, "siteNotFound")


async def test_a_reseller_fills_its_own_users_sites(reseller: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    assert (await other_site.page(reseller))["request"] == "home"
    response = await reseller.post(f"{site.path}/pages", json={"pageUrl": "a", "title": "A"})
    assert problem_in(response) == (404, "siteNotFound")


async def test_an_audit_entry_is_written(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page = await site.page(owner)
    assert await last_audited(owner_connection) == ("create", "page", page["ref"], {"site": site.ref})


async def test_a_repeated_request_creates_one_page(owner: httpx.AsyncClient, site: Site) -> None:
    body, key = {"pageUrl": "a", "title": "A"}, {"Idempotency-Key": "once"}
    first, second = [await owner.post(f"{site.path}/pages", json=body, headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
