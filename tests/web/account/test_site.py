"""`/account/sites/:siteRef`: a site's page for its owner."""

import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.publishing import render_pool
from tests.support.browsing import forms, log_in, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site

PUBLISHED: dict[str, Any] = {
    "version_ref": 1,
    "last_version_ref": 1,
    "last_publish_at": datetime(2031, 1, 31, 23, 30, tzinfo=UTC),
}


async def test_the_account_lists_the_sites_with_their_state(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    online = await make_site(owner_connection, resources, user, "a.example.com", live=True, **PUBLISHED)
    for domain, columns in (("b.example.com", PUBLISHED), ("c.example.com", {})):
        await make_site(owner_connection, resources, user, domain, **columns)
    page = await visitor.get("/account")
    for words in ("a.example.com Online", "b.example.com Offline", "c.example.com Never published"):
        assert words in page_text(page)
    assert f'<a href="/account/sites/{online}">a.example.com</a>' in page.text
    assert "Deleted" not in page.text


async def test_a_deleted_site_is_listed_without_a_page(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    gone = await make_site(owner_connection, resources, user, None, deleted_at=datetime.now(UTC))
    page = await visitor.get("/account")
    assert f"Website {gone} Deleted" in page_text(page)
    assert "Your provider can bring them back. support@northwind.example" in page_text(page)
    assert f"/account/sites/{gone}" not in page.text


async def test_a_site_that_is_switched_off_is_not_online(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    site = await make_site(owner_connection, resources, user, live=True, enabled=False, **PUBLISHED)
    page = page_text(await visitor.get(f"/account/sites/{site}"))
    assert "www.example.com Switched off by your provider" in page


async def test_a_site_without_an_address_has_a_number(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    site = await make_site(owner_connection, resources, user, None)
    assert f"Website {site} Never published" in page_text(await visitor.get("/account"))
    page = page_text(await visitor.get(f"/account/sites/{site}"))
    assert f"Website {site}" in page
    assert "No address leads to this website yet." in page


async def test_all_addresses_are_links_the_main_one_first(
    visitor: httpx.AsyncClient, site: int, owner_connection: OwnerConnection
) -> None:
    main = await make_domain(owner_connection, OWN_BRAND, site, "xn--caf-dma.example.com")
    changes = "update sites set primary_domain_ref = $2, protocol = 'https' where ref = $1"
    await owner_connection.execute(changes, site, main)
    page = await visitor.get(f"/account/sites/{site}")
    assert (
        "Address café.example.com main address www.example.com State and DNS records Connect a domain Template"
        in page_text(page)
    )
    assert 'href="https://xn--caf-dma.example.com/"' in page.text
    assert 'href="https://www.example.com/"' in page.text


async def test_the_publish_time_is_in_utc_for_the_script_to_localize_without_seconds(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    site = await make_site(owner_connection, resources, user, **PUBLISHED)
    page = await visitor.get(f"/account/sites/{site}")
    assert "Last published on January 31, 2031, 11:30 PM UTC" in page_text(page).replace("\u202f", " ")
    assert '<time datetime="2031-01-31T23:30:00Z" data-local="minutes">' in page.text


async def test_the_template_and_the_link_to_the_picker(
    visitor: httpx.AsyncClient, site: int, owner_connection: OwnerConnection
) -> None:
    page = await visitor.get(f"/account/sites/{site}")
    assert "Template Coffee House Change the template" in page_text(page)
    assert f'href="/template-picker/?siteRef={site}"' in page.text
    await owner_connection.execute("update sites set template_ref = null")
    page = await visitor.get(f"/account/sites/{site}")
    assert "This website has no template yet. Choose a template" in page_text(page)


async def test_the_link_to_the_editor_or_the_brands_own(
    visitor: httpx.AsyncClient, site: int, owner_connection: OwnerConnection
) -> None:
    assert f'href="/account/sites/{site}/edit"' in (await visitor.get(f"/account/sites/{site}")).text
    await owner_connection.execute(
        "update brands set editor_url = 'https://edit.example/{siteRef}' where brand_ref = 1"
    )
    page = await visitor.get(f"/account/sites/{site}")
    assert f'href="https://edit.example/{site}"' in page.text


async def test_only_a_published_site_has_a_button_for_being_online(
    visitor: httpx.AsyncClient, site: int, owner_connection: OwnerConnection
) -> None:
    address = f"/account/sites/{site}"
    assert f"{address}/live" not in forms(await visitor.get(address))
    await owner_connection.execute("update sites set version_ref = 1, last_publish_at = now(), live = true")
    page = await visitor.get(address)
    assert "Take offline Publish again" in page_text(page)
    assert forms(page)[f"{address}/live"]["live"] == "0"
    await owner_connection.execute("update sites set live = false")
    page = await visitor.get(address)
    assert "Bring back online Publish again" in page_text(page)
    assert forms(page)[f"{address}/live"]["live"] == "1"


async def test_other_users_sites_are_not_found(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    neighbour = await make_user(owner_connection, resources, username="bea")
    other_brands_user = await make_user(owner_connection, resources, OTHER_BRAND, username="cid")
    refs = [
        await make_site(owner_connection, resources, neighbour, "a.example.com"),
        await make_site(owner_connection, resources, other_brands_user, "b.example.com", OTHER_BRAND),
        await make_site(owner_connection, resources, user, "c.example.com", deleted_at=datetime.now(UTC)),
        2**63 - 1,
        0,
        "abc",
        "%00",
        "1%2e0",
    ]
    pages = [await visitor.get(f"/account/sites/{ref}") for ref in refs]
    pages += [await visitor.get("/template-picker/", params={"siteRef": str(ref)}) for ref in refs]
    pages += [
        await visitor.get("/template-picker/preview", params={"siteRef": str(ref), "templateRef": 1}) for ref in refs
    ]
    assert {page.status_code for page in pages} == {404}
    assert len({page_text(page) for page in pages}) == 1
    assert "We did not find that" in page_text(pages[0])
    assert "Northwind Hosting" in page_text(pages[0])


async def test_head_responds_like_get_without_the_page(visitor: httpx.AsyncClient, site: int) -> None:
    for path in ("/account", f"/account/sites/{site}", f"/template-picker/?siteRef={site}"):
        response = await visitor.head(path)
        assert (response.status_code, response.content) == (200, b"")
    assert (await visitor.head("/account/sites/0")).status_code == 404


@pytest.mark.parametrize(
    "path", ["/account/sites/7", "/template-picker/?siteRef=7&selectedCategory=food-and-drink", "/account"]
)
async def test_the_log_in_redirects_back_to_the_page(anonymous: httpx.AsyncClient, user: int, path: str) -> None:
    asked = await anonymous.get(path)
    assert asked.status_code == 303
    assert asked.headers["location"].startswith("/login?r=/")
    page = await anonymous.get(asked.headers["location"])
    form = forms(page)["/login"]
    assert (await log_in(anonymous, r=form["r"])).headers["location"] == path


@pytest.mark.parametrize("query", ["?done=<b>", "?done=published&done=nothing", "?done=", "?x=1&y", "?" + "a=1&" * 900])
async def test_unknown_queries_are_ignored(visitor: httpx.AsyncClient, site: int, query: str) -> None:
    page = await visitor.get(f"/account/sites/{site}{query}")
    assert page.status_code == 200
    assert 'role="status"' not in page.text


async def test_a_malformed_query_is_a_page_with_400(visitor: httpx.AsyncClient, site: int) -> None:
    for path in (f"/account/sites/{site}?done=%ff", f"/template-picker/?siteRef={site}&x=%ff"):
        response = await visitor.get(path)
        assert response.status_code == 400
        assert "That did not work" in page_text(response)


async def test_the_page_does_not_wait_long_for_a_render_slot(visitor: httpx.AsyncClient, site: int) -> None:
    """While the brand's slots are in use, the page is shown without the results of rendering."""
    async with AsyncExitStack() as taken:
        for small in (True, False):
            await taken.enter_async_context(render_pool.slot(OWN_BRAND, small=small))
        began = time.monotonic()
        page = await visitor.get(f"/account/sites/{site}")
        waited = time.monotonic() - began
    assert (page.status_code, waited < render_pool.WAIT_SECONDS) == (200, True)
