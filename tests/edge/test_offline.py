"""Sites that are offline, for any reason, respond with 503 and Retry-After."""

from typing import Any

import pytest

from sitewright.kit import clock
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of

TITLES = {
    "unpublished": "This website is not ready yet",
    "offline": "This website is offline",
    "disabled": "This website is switched off",
    "suspended": "This website is not available",
}


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ({"live": False}, "offline"),
        ({"enabled": False}, "disabled"),
        ({"live": False, "version_ref": None}, "unpublished"),
    ],
)
async def test_not_live_disabled_or_never_published(
    visitor: Visitor, shop: Shop, columns: dict[str, Any], state: str
) -> None:
    await shop.set(**columns)
    response = await visitor.get("/about")
    assert kind_of(response) == (503, "offline")
    assert response.headers["retry-after"] == "300"
    assert (response.headers["cache-control"], f"<h1>{TITLES[state]}</h1>" in response.text) == ("no-store", True)
    assert FILES["about"] not in response.text


@pytest.mark.parametrize(("column", "state"), [("suspended_at", "suspended"), ("deleted_at", "offline")])
async def test_the_owner_is_suspended_or_deleted(visitor: Visitor, shop: Shop, column: str, state: str) -> None:
    """That an account was deleted is not said: the page is that of any offline site."""
    await shop.owner.execute(
        f"update users set {column} = $2 where ref = (select user_ref from sites where ref = $1)", shop.ref, clock.now()
    )
    response = await visitor.get("/")
    assert kind_of(response) == (503, "offline")
    assert f"<h1>{TITLES[state]}</h1>" in response.text


async def test_a_deleted_site_gets_the_holding_page(visitor: Visitor, shop: Shop) -> None:
    await shop.set(deleted_at=clock.now())
    assert kind_of(await visitor.get("/")) == (404, "holding")


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemap.xml", "/_site/style.css", "/nothing", "/home", "/about/"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
async def test_every_path_and_method_is_offline(visitor: Visitor, shop: Shop, path: str, method: str) -> None:
    await shop.set(live=False)
    assert kind_of(await visitor.get(path, method=method)) == (503, "offline")


async def test_the_page_is_in_the_owners_language(visitor: Visitor, shop: Shop) -> None:
    await shop.owner.execute(
        "update users set language_code = 'de' where ref = (select user_ref from sites where ref = $1)", shop.ref
    )
    await shop.set(live=False)
    response = await visitor.get("/", headers={"Accept-Language": "fr"})
    assert "<h1>Diese Website ist offline</h1>" in response.text
    assert '<html lang="de">' in response.text


async def test_a_missing_snapshot_is_offline_and_not_an_error(visitor: Visitor, shop: Shop) -> None:
    await shop.owner.execute("delete from site_versions where site_ref = $1", shop.ref)
    for path in ("/", "/about", "/nothing", "/sitemap.xml"):
        assert kind_of(await visitor.get(path)) == (503, "offline")


async def test_a_reset_without_notification_is_visible_at_once(visitor: Visitor, shop: Shop) -> None:
    """The cached version no longer exists, which triggers another look-up."""
    assert (await visitor.get("/about")).status_code == 200
    await shop.publish({"": "<h1>Anew</h1>", ":not-found": "gone"}, 2)
    await shop.owner.execute("delete from site_versions where site_ref = $1 and version_ref = 1", shop.ref)
    assert (await visitor.get("/food/menu")).status_code == 404
    assert (await visitor.get("/", host=HOST)).text == "<h1>Anew</h1>"
