"""`/account`: cards with thumbnails and next steps, and the first-run checklist."""

import re
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.web.account.overview_pages import PAGE_SIZE
from tests.support.browsing import forms, page_text
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_page
from tests.support.users import OwnerConnection
from tests.web.account.factories import make_site

PUBLISHED: dict[str, Any] = {
    "version_ref": 1,
    "last_version_ref": 1,
    "last_publish_at": datetime(2031, 1, 31, tzinfo=UTC),
}
ITEMS = ["Choose a template", "Add your name", "Write the first page", "Connect a domain", "Publish"]


async def name_business(owner: OwnerConnection, name: str) -> None:
    await owner.execute("update profiles set fields = jsonb_build_object('business', $1::text)", name)


async def test_every_item_of_the_checklist_disappears_when_it_is_done(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    site = await make_site(owner_connection, resources, user, "ann.northwind.example", template_ref=None)

    async def open_items() -> list[str]:
        text = page_text(await visitor.get("/account"))
        _, _, rest = text.partition("What is left to do for")
        return [item for item in ITEMS if f"{item} " in rest.partition("Your websites")[0]]

    assert await open_items() == ITEMS
    await owner_connection.execute("update sites set template_ref = 1 where ref = $1", site)
    assert await open_items() == ITEMS[1:]
    await name_business(owner_connection, "Ann's Coffee")
    assert await open_items() == ITEMS[2:]
    await make_page(owner_connection, OWN_BRAND, site)
    assert await open_items() == ITEMS[3:]
    await owner_connection.execute("update site_domains set domain = 'ann.example' where site_ref = $1", site)
    assert await open_items() == ITEMS[4:]
    await owner_connection.execute("update sites set last_publish_at = now() where ref = $1", site)
    assert "First steps" not in page_text(await visitor.get("/account"))


@pytest.mark.parametrize(
    ("domain", "columns", "state", "step"),
    [
        ("ann.example", {"template_ref": None}, "Never published", "Choose a template"),
        ("ann.example", {}, "Never published", "Publish"),
        ("ann.example", PUBLISHED, "Offline", "Bring back online"),
        ("ann.northwind.example", PUBLISHED | {"live": True}, "Online", "Connect a domain"),
        ("ann.example", PUBLISHED | {"live": True}, "Online", "Visit the website"),
        ("ann.example", PUBLISHED | {"enabled": False}, "Switched off by your provider", "Ask for help"),
    ],
)
async def test_a_card_has_the_state_and_the_next_step(
    visitor: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    user: int,
    domain: str,
    columns: dict[str, Any],
    state: str,
    step: str,
) -> None:
    await make_site(owner_connection, resources, user, domain, **{"live": False} | columns)
    await name_business(owner_connection, "Ann's Coffee")
    assert f"Ann's Coffee {domain} {state} {step}" in page_text(await visitor.get("/account"))


async def test_the_thumbnail_is_the_real_home_page_and_inert(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get("/account")
    assert f'<div class="thumbnail" inert><iframe src="/account/sites/{site}/home"' in page.text
    assert page.headers["content-security-policy"].endswith("; frame-src 'self'")
    home = await visitor.get(f"/account/sites/{site}/home")
    assert home.headers["content-security-policy"].startswith("sandbox; default-src 'none'; ")
    assert home.headers["x-frame-options"] == "SAMEORIGIN"
    assert "Welcome" in page_text(home)


async def test_an_unchanged_home_page_is_not_rendered_again(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    address = f"/account/sites/{site}/home"
    first = await visitor.get(address)
    known = {"if-none-match": first.headers["etag"]}
    again = await visitor.get(address, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    for header in ("content-security-policy", "x-frame-options", "etag", "cache-control"):
        assert again.headers[header] == first.headers[header]  # browsers replace the stored headers by these
    await make_page(owner_connection, OWN_BRAND, site, title="New")
    changed = await visitor.get(address, headers=known)
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


async def test_the_home_page_of_another_session_is_not_shown(anonymous: httpx.AsyncClient, site: int) -> None:
    response = await anonymous.get(f"/account/sites/{site}/home")
    assert response.status_code == 303
    assert response.headers["location"] == f"/login?r=/account/sites/{site}/home"


async def test_the_forms_of_the_overview_work(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    page = await visitor.get("/account")
    publish = forms(page)[f"/account/sites/{site}/publish"]
    response = await visitor.post(f"/account/sites/{site}/publish", data=publish)
    assert response.headers["location"] == f"/account/sites/{site}?done=published"


async def test_many_sites_are_shown_in_pages(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    names = [f"site-{number:02}.example" for number in range(PAGE_SIZE + 2)]
    for name in names:
        await make_site(owner_connection, resources, user, name)
    gone = await make_site(owner_connection, resources, user, "gone.example")
    await owner_connection.execute("update sites set deleted_at = now() where ref = $1", gone)

    async def shown(address: str) -> tuple[list[str], dict[str, str]]:
        page = await visitor.get(address)
        links = re.findall(r'href="(/account\?[^"]+)" rel="(\w+)"', page.text)
        return re.findall(r"<h3><a [^>]+>([^<]+)</a>", page.text), {rel: href for href, rel in links}

    first, links = await shown("/account")
    assert (first, set(links)) == (names[:PAGE_SIZE], {"next"})
    assert "gone.example" not in page_text(await visitor.get("/account"))
    rest, links = await shown(links["next"])
    assert (rest, set(links)) == (names[PAGE_SIZE:], {"prev"})
    assert (await shown(links["prev"]))[0] == first
    last = page_text(await visitor.get(f"/account?after={gone - 2}"))
    assert ("gone.example" in last, "First steps" in last) == (True, False)
    assert "No further websites" in page_text(await visitor.get(f"/account?after={gone}"))
    assert (await shown("/account?after=x"))[0] == first


async def test_few_sites_need_no_pager(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    await make_site(owner_connection, resources, user, "one.example")
    assert 'class="pager"' not in (await visitor.get("/account")).text


async def test_every_site_leads_to_its_editor(visitor: httpx.AsyncClient, site: int) -> None:
    for address in ("/account", f"/account/sites/{site}?done=created"):
        assert f'href="/account/sites/{site}/edit"' in (await visitor.get(address)).text
