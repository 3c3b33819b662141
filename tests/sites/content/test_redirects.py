"""Redirects of a site: kept when the address of a page changes, and added by callers."""

from typing import Any

import httpx
import pytest

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Database
from sitewright.kit.paging import Window
from sitewright.kit.resources import Resources
from sitewright.sites.content.access import change_site
from sitewright.sites.content.redirects import service
from sitewright.sites.content.redirects.schemas import NewRedirect
from sitewright.sites.sites.errors import PackageLimitReached
from tests.sites.content.shapes import Site, last_audited
from tests.support.cast import OWN_BRAND
from tests.support.packages import FREE, PRO
from tests.support.paging import walk
from tests.support.responses import items_in, object_in, problem_in
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection, assign_package

ELSEWHERE = "https://shop.example.com/a?b=c"


async def redirects(client: httpx.AsyncClient, site: Site) -> dict[str, str | None]:
    """Where each former path leads."""
    listed = items_in(await client.get(f"{site.path}/redirects"), "redirects")
    return {each["from"]: each["to"] for each in listed}


async def add(client: httpx.AsyncClient, site: Site, path: str, **target: Any) -> httpx.Response:
    return await client.post(f"{site.path}/redirects", json={"from": path, **target})


@pytest.fixture
async def pro(owner_connection: OwnerConnection, site: Site) -> None:
    """The package of the site's user allows redirects to other websites."""
    await give(owner_connection, site, PRO)


async def give(owner: OwnerConnection, site: Site, package_ref: int) -> None:
    user_ref = await owner.fetchval("select user_ref from sites where ref = $1", site.ref)
    await assign_package(owner, OWN_BRAND, user_ref, package_ref)


# --- Addresses of pages that change ---------------------------------------------------------------------------------


async def test_a_former_address_leads_to_the_page(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner, "Menu")
    await site.edit_page(owner, page, pageUrl="food/Menu", title="What we serve")
    [kept] = items_in(await owner.get(f"{site.path}/redirects"), "redirects")
    assert kept.pop("created")["timezone"]
    assert kept == {
        "ref": kept["ref"], "from": "menu", "pageRef": page["ref"], "url": None, "to": "/food/Menu", "automatic": True,
    }  # fmt: skip


async def test_no_redirect_while_the_address_stays(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner, "menu")
    for changes in ({"title": "New"}, {"pageUrl": "MENU"}, {"request": "menu"}):
        await site.edit_page(owner, page, **changes)
    assert await redirects(owner, site) == {}


async def test_every_former_address_leads_to_the_current_one(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner, "one")
    for url in ("two", "three", "four"):
        await site.edit_page(owner, page, pageUrl=url)
    assert await redirects(owner, site) == {"one": "/four", "two": "/four", "three": "/four"}
    await site.edit_page(owner, page, pageUrl="two")
    assert await redirects(owner, site) == {"one": "/two", "three": "/two", "four": "/two"}


async def test_pages_that_swap_their_addresses(owner: httpx.AsyncClient, site: Site) -> None:
    first, second = await site.page(owner, "first"), await site.page(owner, "second")
    await site.edit_page(owner, first, pageUrl="aside")
    await site.edit_page(owner, second, pageUrl="first")
    await site.edit_page(owner, first, pageUrl="second")
    assert await redirects(owner, site) == {"aside": "/second"}


async def test_a_new_page_takes_its_path_back(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner, "menu")
    await site.edit_page(owner, page, pageUrl="food")
    await site.page(owner, "MENU")
    assert await redirects(owner, site) == {}


async def test_the_home_page(owner: httpx.AsyncClient, site: Site) -> None:
    """`/` and `/home` always show a home page, so that they never become redirects."""
    page = await site.page(owner, "home")
    await site.edit_page(owner, page, pageUrl="welcome")
    assert await redirects(owner, site) == {}
    await site.edit_page(owner, page, pageUrl="Home")
    assert await redirects(owner, site) == {"welcome": "/"}


async def test_a_deleted_page_leaves_a_redirect_that_leads_nowhere_and_can_be_replaced(
    owner: httpx.AsyncClient, site: Site
) -> None:
    page, other = await site.page(owner, "menu"), await site.page(owner, "other")
    await site.edit_page(owner, page, pageUrl="food")
    await owner.delete(f"{site.path}/pages/{page['ref']}")
    assert await redirects(owner, site) == {"menu": None}
    object_in(await add(owner, site, "menu", pageRef=other["ref"]), "redirect", 201)
    assert await redirects(owner, site) == {"menu": "/other"}


async def test_the_oldest_automatic_ones_are_evicted(
    owner: httpx.AsyncClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_REDIRECTS", 3)
    page = await site.page(owner, "p0")
    object_in(await add(owner, site, "added", pageRef=page["ref"]), "redirect", 201)
    for number in range(1, 5):
        await site.edit_page(owner, page, pageUrl=f"p{number}")
    assert await redirects(owner, site) == {"added": "/p4", "p2": "/p4", "p3": "/p4"}
    for path in ("more", "most"):
        object_in(await add(owner, site, path, pageRef=page["ref"]), "redirect", 201)
    assert problem_in(await add(owner, site, "too-many", pageRef=page["ref"])) == (409, "siteFull")
    await site.edit_page(owner, page, pageUrl="p5")
    assert set(await redirects(owner, site)) == {"added", "more", "most", "p4"}


# --- Added redirects ------------------------------------------------------------------------------------------------


async def test_to_a_page_and_to_another_website(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, pro: None
) -> None:
    page = await site.page(owner, "menu")
    added = object_in(await add(owner, site, "/Old/Menu.html", pageRef=page["ref"]), "redirect", 201)
    assert (added["from"], added["to"], added["automatic"]) == ("old/menu.html", "/menu", False)
    assert await last_audited(owner_connection) == ("create", "redirect", added["ref"], {"site": site.ref})
    there = object_in(await add(owner, site, "shop", url=ELSEWHERE), "redirect", 201)
    assert (there["url"], there["pageRef"], there["to"]) == (ELSEWHERE, None, ELSEWHERE)
    assert await walk(owner, f"{site.path}/redirects?limit=1") == [[added["ref"]], [there["ref"]]]
    path = f"{site.path}/redirects/{added['ref']}"
    assert (await owner.delete(path)).status_code == 204
    assert problem_in(await owner.delete(path)) == (404, "redirectNotFound")
    assert await redirects(owner, site) == {"shop": ELSEWHERE}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"from": "a"}, "invalidPageRef"),
        ({"from": "a", "pageRef": None, "url": None}, "invalidPageRef"),
        ({"pageRef": 0}, "invalidFrom"),
        ({"from": "a b", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "../x", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "/", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "Home", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "robots.txt", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "_site/style.css", "url": ELSEWHERE}, "invalidFrom"),
        ({"from": "a", "pageRef": 999_999}, "invalidPageRef"),
        ({"from": "a", "url": "/menu"}, "invalidUrl"),
        ({"from": "a", "url": "//evil.example"}, "invalidUrl"),
        ({"from": "a", "url": "javascript:alert(1)"}, "invalidUrl"),
        ({"from": "a", "url": "https://user:secret@evil.example/"}, "invalidUrl"),
        ({"from": "a", "url": "https://x.example/\r\nSet-Cookie: a=b"}, "invalidUrl"),
        ({"from": "a", "url": "https://own.example/menu"}, "invalidUrl"),
    ],
)
async def test_rejected(
    owner: httpx.AsyncClient,
    site: Site,
    owner_connection: OwnerConnection,
    pro: None,
    body: dict[str, Any],
    code: str,
) -> None:
    await make_domain(owner_connection, OWN_BRAND, site.ref, "own.example")
    response = await owner.post(f"{site.path}/redirects", json=body)
    assert (response.status_code, code in response.text) == (400, True), response.text
    assert await redirects(owner, site) == {}


async def test_a_page_or_a_redirect_has_the_path(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner, "menu")
    assert problem_in(await add(owner, site, "MENU", pageRef=page["ref"])) == (409, "pageUrlTaken")
    await add(owner, site, "old", pageRef=page["ref"])
    assert problem_in(await add(owner, site, "Old", pageRef=page["ref"])) == (409, "redirectExists")
    both = await add(owner, site, "new", pageRef=page["ref"], url=ELSEWHERE)
    assert both.json()["errors"] == {"pageRef": {"invalidPageRef": service.ONE_TARGET}}


async def test_pages_of_other_sites_are_no_targets(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    page = await other_site.page(owner, "menu")
    assert problem_in(await add(owner, site, "old", pageRef=page["ref"])) == (400, "invalidPageRef")


# --- Rules of the package -------------------------------------------------------------------------------------------


async def test_other_websites_only_where_the_package_allows_them(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    await give(owner_connection, site, FREE)
    response = await add(owner, site, "shop", url=ELSEWHERE)
    assert problem_in(response) == (403, "packageLimitReached")
    assert "allowExternalRedirects" in response.json()["errors"]


async def test_account_holders_need_the_capability_but_automatic_ones_are_kept(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await give(owner_connection, site, FREE)
    page = await site.page(owner, "menu")
    await site.edit_page(owner, page, pageUrl="food")
    holder = Caller(role=Role.BRAND_ADMIN, name="user:1", brand_ref=OWN_BRAND)
    database: Database = resources.database
    async with database.transaction(OWN_BRAND) as tx:
        await change_site(tx, holder, site.ref)
        [kept], _ = await service.list_redirects(tx, site.ref, Window(limit=10))
        for attempt in (
            service.delete_redirect(tx, holder, site.ref, kept.ref),
            service.add_redirect(tx, holder, site.ref, NewRedirect(from_path="old", page_ref=page["ref"])),
        ):
            with pytest.raises(PackageLimitReached, match="seoAndRedirects"):
                await attempt
    await owner_connection.execute("delete from account_packages")
    await give(owner_connection, site, PRO)
    async with database.transaction(OWN_BRAND) as tx:
        await service.delete_redirect(tx, holder, site.ref, kept.ref)
    assert await redirects(owner, site) == {}
