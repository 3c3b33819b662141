"""The site page's buttons: publish, take offline, bring back."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import forms, page_text
from tests.support.sites import make_page
from tests.support.users import OwnerConnection
from tests.web.account.factories import make_site


async def press(visitor: httpx.AsyncClient, site: int, button: str, **more: str) -> httpx.Response:
    address = f"/account/sites/{site}"
    page = forms(await visitor.get(address))
    form = page.get(f"{address}/{button}") or {"token": page["/logout"]["token"]}
    return await visitor.post(f"{address}/{button}", data=form | more)


async def shown(owner: httpx.AsyncClient, site: int) -> dict[str, object]:
    site_object: dict[str, object] = (await owner.get(f"/sites/{site}")).json()["site"]
    return site_object


async def test_publishing_puts_the_site_online(visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int) -> None:
    response = await press(visitor, site, "publish")
    assert (response.status_code, response.headers["location"]) == (303, f"/account/sites/{site}?done=published")
    page = page_text(await visitor.get(response.headers["location"]))
    assert "Your website is published." in page
    assert "www.example.com Online Last published on" in page
    assert (await shown(owner, site))["live"] is True


async def test_the_audit_names_the_user(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    for button in ("publish", "live", "live"):
        await press(visitor, site, button)
    entries = await owner_connection.fetch(
        "select actor, subject_ref, brand_ref from audit_entries where subject = 'site'"
    )
    assert [tuple(entry) for entry in entries] == [(f"user:{user}", site, 1)] * 3


async def test_offline_and_back(visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int) -> None:
    await press(visitor, site, "publish")
    for live, words in ((False, "Your website is offline now."), (True, "Your website is online again.")):
        response = await press(visitor, site, "live")
        assert response.status_code == 303
        assert words in page_text(await visitor.get(response.headers["location"]))
        assert (await shown(owner, site))["live"] is live


async def test_an_inactive_site_is_activated_first(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute("update sites set activation_status = 'inactive'")
    for address in ("/account", f"/account/sites/{site}"):
        page = await visitor.get(address)
        assert f"/account/sites/{site}/publish" in forms(page)
        assert "form-action 'self' http: https:" in page.headers["content-security-policy"]
    response = await press(visitor, site, "publish")
    assert (response.status_code, response.headers["location"]) == (303, "https://northwind.example/activate")
    assert (await shown(owner, site))["lastPublish"] is None
    await owner_connection.execute("update brands set activation_url = 'https://a.example/?site={siteRef}'")
    assert (await press(visitor, site, "publish")).headers["location"] == f"https://a.example/?site={site}"


async def test_an_inactive_site_of_a_brand_without_activation_is_published(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute("update sites set activation_status = 'inactive'")
    await owner_connection.execute("update brands set activation_url = null")
    assert (await press(visitor, site, "publish")).headers["location"].endswith("?done=published")
    assert (await shown(owner, site))["live"] is True


async def test_reasons_are_shown_before_and_after_publishing(
    visitor: httpx.AsyncClient,
    resources: Resources,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user: int,
    site: int,
) -> None:
    await make_site(owner_connection, resources, user, "other.example.com", live=True, version_ref=1)
    words = "Websites online: your package allows 1, and you have 1."
    page = page_text(await visitor.get(f"/account/sites/{site}"))
    assert "What stands in the way of publishing:" in page
    assert words in page
    response = await press(visitor, site, "publish")
    assert response.status_code == 403
    assert page_text(response).count(words) == 1
    assert 'role="alert"' in response.text
    assert (await shown(owner, site))["lastPublish"] is None


async def test_too_many_pages(visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int) -> None:
    for number in range(3):
        await make_page(owner_connection, 1, site, request=f"page-{number}")
    page = await press(visitor, site, "publish")
    assert "Pages of this website: your package allows 2, and there are 3." in page_text(page)
    assert 'href="/account/package"' in page.text


async def test_a_disabled_site(visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int) -> None:
    await owner_connection.execute("update sites set enabled = false")
    response = await press(visitor, site, "publish")
    assert response.status_code == 409
    assert "Your provider has switched this website off." in page_text(response)


async def test_a_site_that_was_never_published_cannot_be_brought_back(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int
) -> None:
    response = await press(visitor, site, "live", live="1")
    assert response.status_code == 409
    assert "The website was never published." in page_text(response)
    assert (await shown(owner, site))["live"] is False


async def test_a_package_without_live_sites_keeps_it_offline(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    site: int,
    user: int,
) -> None:
    await press(visitor, site, "publish")
    await press(visitor, site, "live")
    await owner_connection.execute("update packages set capabilities = capabilities || '{\"liveSites\": 0}'")
    response = await press(visitor, site, "live")
    assert response.status_code == 403
    assert (await shown(owner, site))["live"] is False


@pytest.mark.parametrize("live", ["", "2", "yes"])
async def test_an_invalid_flag(visitor: httpx.AsyncClient, site: int, live: str) -> None:
    assert (await press(visitor, site, "live", live=live)).status_code == 400


async def test_unknown_widgets_are_a_warning(visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int) -> None:
    page = {"pageUrl": "home", "type": "page", "title": "Home", "status": "active"}
    ref = (await owner.post(f"/sites/{site}/pages", json=page)).json()["page"]["ref"]
    widget = {
        "collection": "widgets",
        "name": "w",
        "parentId": "page-zones__main",
        "type": "their.slider",
        "pageRef": ref,
    }
    await owner.post(f"/sites/{site}/widgets", json=widget)
    text = page_text(await visitor.get(f"/account/sites/{site}"))
    assert "Worth knowing:" in text
    assert text.count("Parts of the website are of a kind that is not known here.") == 1
    assert (await press(visitor, site, "publish")).status_code == 303
