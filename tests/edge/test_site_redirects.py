"""Redirects from former addresses, which are a file of the snapshot."""

import json

import pytest

from sitewright.edge.app import SiteListener
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of
from tests.support.wire import status_of

TARGETS = {
    "menu": "/food/menu",
    "old": "/food",
    "up": "/up/there",
    "start.html": "/",
    "deep/er": "/about",
    "shop": "https://Shop.example.com/base/",
    "search": "https://find.example/?q=1#top",
}
PAGES = FILES | {"food": "<h1>Food</h1>", "up/there": "<h1>There</h1>", "_site/x": "x"}


@pytest.fixture
async def moved(shop: Shop) -> Shop:
    await shop.publish(PAGES | {":redirects": json.dumps(TARGETS)}, 2)
    return shop


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/menu", "/food/menu"),
        ("/Menu/", "/food/menu"),
        ("/menu?a=1&b=%20", "/food/menu?a=1&b=%20"),
        ("/%6denu", "/food/menu"),
        ("/start.html", "/"),
        ("/start.html?x=y", "/?x=y"),
        ("/deep/er", "/about"),
        ("/old/menu", "/food/menu"),
        ("/old/Menu?a=1", "/food/Menu?a=1"),
        ("/old/menu/", "/food/menu"),
        ("/old/nothing", "/food"),
        ("/old/a/b/c", "/food"),
        ("/old//menu", "/food"),
        ("/old/%2e%2e/menu", "/food"),
        ("/up", "/up/there"),
        ("/up/nothing", "/up/there"),
        ("/start.html/x", "/"),
        ("/start.html//evil.example", "/"),
        ("/shop", "https://Shop.example.com/base/"),
        ("/shop/Hats/Red%20One?size=L", "https://Shop.example.com/base/Hats/Red%20One?size=L"),
        ("/shop//evil.example", "https://Shop.example.com/base/"),
        ("/shop/../x", "https://Shop.example.com/base/"),
        ("/search", "https://find.example/?q=1#top"),
        ("/search/x?p=2", "https://find.example/?q=1&p=2#top"),
    ],
)
async def test_former_addresses(visitor: Visitor, moved: Shop, path: str, location: str) -> None:
    head = (await visitor.send(path)).partition(b"\r\n\r\n")[0].decode().lower()
    assert (head.split()[1], f"\r\nlocation: {location}\r\n".lower() in head + "\r\n") == ("301", True), head
    assert "cache-control: no-cache" in head


async def test_the_query_and_upper_case_are_kept(visitor: Visitor, moved: Shop) -> None:
    response = await visitor.get("/shop/Hats?Size=L", method="HEAD")
    assert response.headers["location"] == "https://Shop.example.com/base/Hats?Size=L"


@pytest.mark.parametrize(
    "path", ["/menus", "/deep", "/deep/erx", "/:redirects", "/x/menu", "/old%2fmenu", "/" + "m/" * 3000]
)
async def test_other_paths_are_not_redirected(visitor: Visitor, moved: Shop, path: str) -> None:
    assert status_of(await visitor.send(path)) == 404


OWN = "www.example.com"
OWN_TARGETS = {
    "shop": f"https://{OWN}/shop",
    "one": f"https://{OWN}/two",
    "two": f"http://{OWN.upper()}./one?a=b",
    "lunch": f"https://{OWN}/Food/Menu?day=1",
    "start": f"https://{OWN}",
    "elsewhere": "https://other.example.com/elsewhere",
}


@pytest.mark.parametrize("host", [HOST, OWN])
@pytest.mark.parametrize("to_primary", [True, False])
async def test_a_website_whose_domain_is_mapped_to_the_site_later(
    visitor: Visitor, shop: Shop, listener: SiteListener, host: str, to_primary: bool
) -> None:
    """Its pages are still redirected to; what has no page there would lead back in circles."""
    await shop.publish(FILES | {":redirects": json.dumps(OWN_TARGETS)}, 2)
    for path, target in OWN_TARGETS.items():
        assert (await visitor.get(f"/{path}")).headers["location"] == target
    await shop.map(OWN, primary=host == OWN)
    await shop.set(redirect_to_primary=to_primary)
    listener.sites.expire_all()
    for path in ("shop", "shop/hats", "one", "two", "start/today"):
        assert kind_of(await visitor.get(f"/{path}", host)) == (404, "not-found")
    for path in ("lunch", "start", "elsewhere"):
        response = await visitor.get(f"/{path}", host)
        assert (response.status_code, response.headers["location"]) == (301, OWN_TARGETS[path])


async def test_headers_cannot_be_injected(visitor: Visitor, moved: Shop) -> None:
    for path in ("/shop/a%0d%0aSet-Cookie:x", "/old/%0d%0ax?%0d%0ay", "/menu?%0d%0aSet-Cookie:x=y"):
        response = await visitor.send(path)
        assert (status_of(response), b"\nset-cookie" in response.lower()) == (301, False)


async def test_pages_come_first_and_posts_are_not_redirected(visitor: Visitor, moved: Shop) -> None:
    assert kind_of(await visitor.get("/food/menu")) == (200, "page")
    assert (await visitor.post("/menu")).status_code == 405


async def test_a_snapshot_without_redirects(visitor: Visitor, shop: Shop) -> None:
    assert kind_of(await visitor.get("/menu")) == (404, "not-found")


async def test_known_redirects_need_no_database(visitor: Visitor, moved: Shop, listener: SiteListener) -> None:
    await visitor.get("/menu")
    await moved.owner.execute("delete from site_files where path = ':redirects'")
    assert (await visitor.get("/old")).status_code == 301
    await moved.publish(PAGES, 3)
    listener.sites.expire_all()
    assert (await visitor.get("/old")).status_code == 404
