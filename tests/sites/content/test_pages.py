"""GET, PUT and DELETE of a site's pages."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.catalogue.packages.shapes import assert_shape
from tests.sites.content.shapes import PAGE, Site, all_rows, last_audited
from tests.support.paging import refs_in, walk
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_one_page(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    response = await owner.get(f"{site.path}/pages/{page['ref']}")
    assert response.json() == {"page": page}
    assert_shape(page, PAGE)


async def test_all_pages_oldest_first(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    await other_site.page(owner)
    pages = [await site.page(owner, url, displayOrder=order) for url, order in (("a", 5), ("b", 1))]
    assert (await owner.get(f"{site.path}/pages")).json() == {"pages": pages}


async def test_no_pages(owner: httpx.AsyncClient, site: Site) -> None:
    assert (await owner.get(f"{site.path}/pages")).json() == {"pages": []}


async def test_pagination(owner: httpx.AsyncClient, site: Site) -> None:
    refs = [(await site.page(owner, f"p{number}"))["ref"] for number in range(5)]
    assert await walk(owner, f"{site.path}/pages?limit=2") == [refs[:2], refs[2:4], refs[4:]]
    for query, expected in (({"offset": 3}, refs[3:]), ({"before": refs[2], "limit": 1}, [refs[1]])):
        response = await owner.get(f"{site.path}/pages", params=query)
        assert refs_in(response) == expected


@pytest.mark.parametrize("things", ["pages", "widgets"])
async def test_every_ref_is_a_cursor(owner: httpx.AsyncClient, site: Site, things: str) -> None:
    largest = 2**63 - 1
    for query in (f"after={2**31}", f"after={largest}", f"before={largest}"):
        assert (await owner.get(f"{site.path}/{things}?{query}")).json() == {things: []}


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "after=x"])
async def test_pagination_outside_the_limits(owner: httpx.AsyncClient, site: Site, query: str) -> None:
    assert (await owner.get(f"{site.path}/pages?{query}")).status_code == 400


CHANGES: list[dict[str, Any]] = [
    {"title": "New"}, {"status": "draft"}, {"status": "inactive"}, {"keywords": "k"}, {"keywords": None},
    {"description": "d"}, {"description": None}, {"seoTitle": "s"}, {"seoTitle": None}, {"displayOrder": 9},
    {"headscript": "<script>"}, {"headscript": None}, {"bodyscript": "b"}, {"bodyscript": None},
    {"templateType": "wide"}, {"request": "new"},
]  # fmt: skip


@pytest.mark.parametrize("changes", CHANGES, ids=str)
async def test_an_edit_changes_what_is_sent_and_nothing_else(
    owner: httpx.AsyncClient, site: Site, changes: dict[str, Any]
) -> None:
    page = await site.page(owner, keywords="old", description="old", seoTitle="old", headscript="x", bodyscript="y")
    assert await site.edit_page(owner, page, **changes) == page | changes
    assert (await owner.get(f"{site.path}/pages/{page['ref']}")).json()["page"] == page | changes


@pytest.mark.parametrize(
    ("sent", "field", "shown"),
    [
        ({"pageUrl": "/New/Place"}, "request", "New/Place"),
        ({"request": "/new"}, "request", "new"),
        ({"pageUrl": "first", "request": "second"}, "request", "first"),
        ({"seo_title": "s"}, "seoTitle", "s"),
        ({"seo_title": None}, "seoTitle", None),
        ({"seoTitle": "first", "seo_title": "second"}, "seoTitle", "first"),
        ({"hiddenFromNavigation": True}, "hiddenFromNavigation", 1),
        ({"hiddenFromNavigation": "1"}, "hiddenFromNavigation", 1),
        ({"displayOrder": "3"}, "displayOrder", 3),
    ],
)
async def test_aliases_of_fields(
    owner: httpx.AsyncClient, site: Site, sent: dict[str, Any], field: str, shown: Any
) -> None:
    page = await site.page(owner, seoTitle="old")
    assert await site.edit_page(owner, page, **sent) == page | {field: shown}


@pytest.mark.parametrize("sent", [{}, {"ref": 7, "type": "x", "canPublish": 0, "immutable": 1, "themeRef": 7}])
async def test_read_only_fields_are_ignored(owner: httpx.AsyncClient, site: Site, sent: dict[str, Any]) -> None:
    page = await site.page(owner)
    assert await site.edit_page(owner, page, **sent) == page


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"pageUrl": ".."}, "invalidPageUrl"),
        ({"pageUrl": None}, "invalidPageUrl"),
        ({"request": "robots.txt"}, "invalidPageUrl"),
        ({"request": ""}, "invalidPageUrl"),
        ({"pageUrl": "fine", "request": "a b"}, "invalidPageUrl"),
        ({"title": ""}, "invalidTitle"),
        ({"title": None}, "invalidTitle"),
        ({"status": None}, "invalidStatus"),
        ({"seo_title": "x" * 256}, "invalidSeoTitle"),
        ({"displayOrder": None}, "invalidDisplayOrder"),
        ({"parentId": 999_999}, "invalidParentId"),
        ({"headscript": "\0"}, "invalidHeadscript"),
    ],
)
async def test_rejected_edits_change_nothing(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, sent: dict[str, Any], code: str
) -> None:
    page = await site.page(owner)
    before = await all_rows(owner_connection)
    assert problem_in(await owner.put(f"{site.path}/pages/{page['ref']}", json=sent)) == (400, code)
    assert await all_rows(owner_connection) == before


async def test_another_pages_url_is_taken_and_its_own_is_not(owner: httpx.AsyncClient, site: Site) -> None:
    await site.page(owner, "about")
    page = await site.page(owner, "menu")
    response = await owner.put(f"{site.path}/pages/{page['ref']}", json={"pageUrl": "About"})
    assert problem_in(response) == (409, "pageUrlTaken")
    assert (await site.edit_page(owner, page, pageUrl="MENU"))["request"] == "MENU"


async def test_concurrent_edits_to_one_url(owner: httpx.AsyncClient, site: Site) -> None:
    pages = [await site.page(owner, f"p{number}") for number in range(6)]
    responses = await asyncio.gather(
        *(owner.put(f"{site.path}/pages/{page['ref']}", json={"pageUrl": "About"}) for page in pages)
    )
    assert sorted(response.status_code for response in responses) == [200] + [409] * 5


async def test_concurrent_edits_do_not_overwrite_each_other(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    names = ("title", "keywords", "description", "seoTitle", "headscript", "bodyscript", "templateType")
    await asyncio.gather(*(site.edit_page(owner, page, **{name: f"new {name}"}) for name in names))
    now = (await owner.get(f"{site.path}/pages/{page['ref']}")).json()["page"]
    assert now == page | {name: f"new {name}" for name in names}


async def test_no_page_is_its_own_ancestor(owner: httpx.AsyncClient, site: Site) -> None:
    top = await site.page(owner, "a")
    middle = await site.page(owner, "b", parentId=top["ref"])
    bottom = await site.page(owner, "c", parentId=middle["ref"])
    for parent in (top, middle, bottom):
        response = await owner.put(f"{site.path}/pages/{top['ref']}", json={"parentId": parent["ref"]})
        assert problem_in(response) == (400, "invalidParentId")
    assert (await site.edit_page(owner, bottom, parentId=top["ref"]))["parentId"] == top["ref"]


async def test_pages_below_each_other_are_refused_as_parents_and_can_be_moved_to_the_top(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    one, other = await site.page(owner, "a"), await site.page(owner, "b")
    lower = await site.page(owner, "c", parentId=other["ref"])
    for page, parent in ((one, other), (other, one)):
        await owner_connection.execute("update pages set parent_id = $2 where ref = $1", page["ref"], parent["ref"])
    for parent in (one, other, lower):
        response = await owner.post(
            f"{site.path}/pages", json={"pageUrl": "d", "title": "New", "parentId": parent["ref"]}
        )
        assert problem_in(response) == (400, "invalidParentId")
        assert "circle of pages" in response.text
    await site.edit_page(owner, one, parentId=0)
    await site.page(owner, "d", parentId=lower["ref"])


async def test_no_cycle_by_concurrent_moves(owner: httpx.AsyncClient, site: Site) -> None:
    one, other = await site.page(owner, "a"), await site.page(owner, "b")
    responses = await asyncio.gather(
        owner.put(f"{site.path}/pages/{one['ref']}", json={"parentId": other["ref"]}),
        owner.put(f"{site.path}/pages/{other['ref']}", json={"parentId": one["ref"]}),
    )
    assert sorted(response.status_code for response in responses) == [200, 400]


async def test_a_deleted_page_is_gone_with_its_widgets(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page, kept = await site.page(owner), await site.page(owner, "kept")
    await site.widget(owner, page, values={"content": "gone"})
    widget = await site.widget(owner, kept)
    assert (await owner.delete(f"{site.path}/pages/{page['ref']}")).status_code == 204
    assert problem_in(await owner.get(f"{site.path}/pages/{page['ref']}")) == (404, "pageNotFound")
    assert (await owner.get(f"{site.path}/pages")).json() == {"pages": [kept]}
    assert (await owner.get(f"{site.path}/widgets")).json() == {"widgets": [widget]}
    assert await owner_connection.fetchval("select count(*) from widget_values where value = 'gone'") == 0
    assert (await site.page(owner))["request"] == "home"


async def test_children_of_a_deleted_page_move_to_its_parent(owner: httpx.AsyncClient, site: Site) -> None:
    top = await site.page(owner, "a")
    middle = await site.page(owner, "b", parentId=top["ref"])
    bottom = await site.page(owner, "c", parentId=middle["ref"])
    await owner.delete(f"{site.path}/pages/{middle['ref']}")
    assert (await owner.get(f"{site.path}/pages/{bottom['ref']}")).json()["page"]["parentId"] == top["ref"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_page_of_another_site_is_not_found(
    owner: httpx.AsyncClient, site: Site, other_site: Site, owner_connection: OwnerConnection, method: str
) -> None:
    theirs = await other_site.page(owner)
    before = await all_rows(owner_connection)
    for ref in (theirs["ref"], 999_999, 0, "abc", "1.0"):
        response = await owner.request(method, f"{site.path}/pages/{ref}", json={"title": ""})
        assert problem_in(response) == (404, "pageNotFound")
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_page_of_a_deleted_site_is_not_found(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, method: str
) -> None:
    page = await site.page(owner)
    await owner_connection.execute("update sites set deleted_at = now()")
    response = await owner.request(method, f"{site.path}/pages/{page['ref']}", json={"title": "New"})
    assert problem_in(response) == (404, "siteNotFound")


async def test_the_audit_has_field_names_and_no_values(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page = await site.page(owner)
    await site.edit_page(owner, page, title="New", seo_title="s", pageUrl="new")
    fields = ["pageUrl", "seo_title", "title"]
    assert await last_audited(owner_connection) == ("edit", "page", page["ref"], {"site": site.ref, "fields": fields})
    await owner.delete(f"{site.path}/pages/{page['ref']}")
    assert await last_audited(owner_connection) == ("delete", "page", page["ref"], {"site": site.ref})
