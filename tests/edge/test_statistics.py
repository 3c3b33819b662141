"""Views of pages are counted by day, without anything about visitors, where the package has statistics."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.edge.app import SiteListener
from sitewright.edge.statistics import service as statistics
from sitewright.edge.statistics.service import Views
from sitewright.edge.visits import MAX_PENDING, VisitCounter
from sitewright.kit import clock
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from tests.edge.shops import HOST, Shop, Visitor
from tests.support.users import OwnerConnection

BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
NOBODY: dict[str, Any] = {"visits": 0, "views": 0, "pages": [], "referrers": []}


@pytest.fixture
async def shop(shop: Shop, owner_connection: OwnerConnection) -> Shop:
    """A shop whose owner's package has statistics."""
    await set_capability(owner_connection, shop, 1)
    return shop


async def set_capability(owner: OwnerConnection, shop: Shop, value: int) -> None:
    await owner.execute(
        "update packages set capabilities = capabilities || jsonb_build_object('siteAnalytics', $2::integer)"
        " where ref = ("
        " select package_ref from account_packages a join sites s on s.user_ref = a.user_ref"
        "  where s.ref = $1 and a.is_subscription and a.ended_at is null)",
        shop.ref,
        value,
    )


async def statistics_of(client: httpx.AsyncClient, shop: Shop, days: int = 30) -> dict[str, Any]:
    response = await client.get(f"/sites/{shop.ref}/statistics", params={"days": days})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["statistics"]
    return found


async def see(visitor: Visitor, path: str = "/", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await visitor.get(path, headers=BROWSER | named)


async def test_visits_pages_and_referrers_are_counted(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner: httpx.AsyncClient
) -> None:
    await see(visitor, Referer="https://search.example/?q=shop")
    await see(visitor, "/about", Referer=f"http://{HOST}/")
    await see(visitor, "/about", Referer=f"http://{HOST}/")  # from the cache of responses
    await see(visitor, "/about", Sec_Fetch_Site="same-origin")
    await see(visitor, "/about", Referer="https://search.example/other")
    await listener.visits.flush()
    found = await statistics_of(owner, shop)
    assert (found["visits"], found["views"]) == (2, 5)
    assert found["pages"] == [{"path": "about", "visits": 1, "views": 4}, {"path": "", "visits": 1, "views": 1}]
    assert found["referrers"] == [{"host": "search.example", "visits": 2}]
    assert len(found["days"]) == 30
    assert found["days"][-1] == {"date": clock.now().date().isoformat(), "visits": 2, "views": 5}


async def test_a_page_from_the_browsers_cache_is_counted(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner: httpx.AsyncClient
) -> None:
    etag = (await see(visitor)).headers["etag"]
    assert (await see(visitor, If_None_Match=etag)).status_code == 304
    await listener.visits.flush()
    assert (await statistics_of(owner, shop))["views"] == 2


async def test_what_is_no_view_of_a_page_is_not_counted(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner: httpx.AsyncClient
) -> None:
    await see(visitor, "/_site/style.css")
    etag = (await see(visitor, "/_site/style.css")).headers["etag"]
    await see(visitor, "/_site/style.css", If_None_Match=etag)
    await see(visitor, "/nothing-here")
    await see(visitor, "/robots.txt")
    await see(visitor, Sec_Purpose="prefetch")
    await visitor.get("/", method="HEAD", headers=BROWSER)
    await visitor.get("/", headers={"User-Agent": "Mozilla/5.0 (compatible; ExampleBot/2.1)"})
    await visitor.get("/", headers={"User-Agent": "curl/8.0"})
    await listener.visits.flush()
    found = await statistics_of(owner, shop)
    assert {name: found[name] for name in NOBODY} == NOBODY


async def test_several_edge_servers_add_up(
    resources: Resources, visitor: Visitor, listener: SiteListener, shop: Shop, owner: httpx.AsyncClient
) -> None:
    await see(visitor)
    await listener.visits.flush()
    await see(visitor)
    await listener.visits.flush()
    await statistics.add(resources.database, shop.brand_ref, {(shop.ref, "page", ""): Views(3, 1)})
    found = await statistics_of(owner, shop)
    assert (found["visits"], found["views"]) == (3, 5)


async def test_invented_referrers_are_counted_together(
    resources: Resources, shop: Shop, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    for batch in range(3):
        counts = {(shop.ref, "referrer", f"host{batch}-{number}.example"): Views(1, 1) for number in range(150)}
        await statistics.add(resources.database, shop.brand_ref, counts)
    stored = "select row(count(*), sum(visits)::integer) from site_visits where site_ref = $1"
    assert await owner_connection.fetchval(stored, shop.ref) == (201, 450)
    assert (await statistics_of(owner, shop))["referrers"][0] == {"host": "*", "visits": 250}


async def test_without_the_capability_nothing_is_counted_or_shown(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await set_capability(owner_connection, shop, 0)
    await see(visitor)
    await listener.visits.flush()
    response = await owner.get(f"/sites/{shop.ref}/statistics")
    assert (response.status_code, response.json()["code"]) == (403, "statisticsNotInPackage")
    assert not await owner_connection.fetchval("select exists (select from site_visits where site_ref = $1)", shop.ref)


async def test_views_are_kept_while_the_database_is_unavailable(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_arguments: object) -> None:
        await see(visitor)  # while the others are being written
        raise Unavailable

    await see(visitor)
    with monkeypatch.context() as broken:
        broken.setattr(statistics, "add", fail)
        await listener.visits.flush()
    await listener.visits.flush()
    assert (await statistics_of(owner, shop))["views"] == 2


async def test_memory_is_bounded(resources: Resources, shop: Shop, listener: SiteListener) -> None:
    site = await listener.sites.find(HOST)
    assert site is not None
    counter = VisitCounter(resources.database)
    for number in range(MAX_PENDING + 10):
        counter._count(site, ("referrer", str(number)), is_visit=True)
    assert sum(len(counts) for counts in counter._pending.values()) == MAX_PENDING


async def test_statistics_end_after_400_days(
    resources: Resources, shop: Shop, owner_connection: OwnerConnection, owner: httpx.AsyncClient
) -> None:
    today = clock.now().date()
    for age in (399, 401):
        await owner_connection.execute(
            "insert into site_visits values ($1, $2, $3, 'page', '', 1, 1)",
            shop.brand_ref,
            shop.ref,
            today - timedelta(days=age),
        )
    await statistics.prune(resources)
    days = await owner_connection.fetch("select day from site_visits where site_ref = $1", shop.ref)
    assert [row["day"] for row in days] == [today - timedelta(days=399)]
    assert (await statistics_of(owner, shop, days=400))["views"] == 1
