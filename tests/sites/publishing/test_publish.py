"""POST /sites/:siteRef/publish."""

import asyncio
import gzip
import re

import httpx
import msgspec
import pytest

from sitewright.kit import clock
from sitewright.sites.publishing import service
from sitewright.sites.sites.service import find_site
from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.packages import FREE
from tests.support.responses import problem_in
from tests.support.sites import make_page, make_site
from tests.support.users import assign_package, make_user


async def test_a_publish_makes_a_snapshot_and_sets_the_site_live(stage: Stage) -> None:
    await stage.page("home", "Hello")
    received = await stage.publish()
    assert (received["versionRef"], set(received)) == (1, {"versionRef", "lastPublish"})
    assert "<title>Hello</title>" in await stage.shown()
    site = await stage.site()
    assert (site["live"], site["previouslyPublished"], site["lastPublish"]) == (True, 1, received["lastPublish"])


async def test_the_snapshot_has_active_pages_and_assets(stage: Stage) -> None:
    await stage.page()
    await stage.page("Food/Menu", "Menu", display_order=1, request_key="food/menu")
    for status in ("draft", "inactive"):
        await stage.page(status, status, status=status)
    await stage.page("unready", "Not yet", can_publish=0)
    await stage.publish()
    rows = await stage.rows.fetch("select path, content_type, etag, body from site_files order by path")
    assert [(row["path"], row["content_type"]) for row in rows] == [
        ("", "text/html; charset=utf-8"),
        (":not-found", "text/html; charset=utf-8"),
        (":pages", "application/json"),
        (":sitemap", "application/xml; charset=utf-8"),
        ("_site/icon.svg", "image/svg+xml"),
        ("_site/style.css", "text/css; charset=utf-8"),
        ("food/menu", "text/html; charset=utf-8"),
    ]
    assert all(row["etag"].startswith('"') and len(row["etag"]) == 34 for row in rows)
    assert all(gzip.decompress(row["body"]) for row in rows)


async def test_pages_show_the_profile_the_language_and_the_domain(stage: Stage) -> None:
    await stage.rows.execute('update profiles set fields = \'{"business": "The Kettle"}\'')
    await stage.rows.execute("update users set language_code = 'de'")
    await stage.client.post(f"{stage.path}/domains", json={"domain": "kettle.example"})
    await stage.client.put(stage.path, json={"protocol": "https"})
    await stage.publish()
    html = await stage.shown()
    for words in ('lang="de"', "The Kettle", 'href="https://kettle.example/"', "Zum Inhalt springen"):
        assert words in html


async def test_edits_show_with_the_next_publish_and_not_before(stage: Stage) -> None:
    page_ref = await stage.page("home", "Before")
    await stage.publish()
    await stage.client.put(f"{stage.path}/pages/{page_ref}", json={"title": "After"})
    await stage.client.put(stage.path, json={"templateRef": 2})
    assert "Before" in await stage.shown()
    assert (await stage.publish())["versionRef"] == 2
    assert "After" in await stage.shown()
    assert await stage.versions() == [1, 2]


async def test_a_publish_emits_an_event(stage: Stage) -> None:
    await stage.client.post(f"{stage.path}/domains", json={"domain": "kettle.example"})
    received = await stage.publish()
    await stage.client.put(stage.path, json={"live": 0})
    [event] = await stage.events()
    assert (event["sequence"], event["versionRef"]) == (2, received["versionRef"]), "after domain.mapped"
    assert event["created"].endswith("Z")
    assert len(event["id"]) == 36
    assert event["brand"] == {"ref": OWN_BRAND, "name": "Northwind Hosting"}
    assert event["accountHolder"] == {"ref": stage.user_ref, "languageCode": "en", "subscriptionPackageRef": 3}
    site = await stage.site()
    expected = {name: value for name, value in site.items() if not name.startswith("database")} | {"live": True}
    assert event["site"] == expected


async def test_a_publish_is_audited(stage: Stage) -> None:
    await stage.publish()
    row = await stage.rows.fetchrow("select action, subject, subject_ref, details from audit_entries order by ref desc")
    assert row is not None
    assert tuple(row) == ("publish", "site", stage.ref, '{"versionRef": 1}')


async def test_publishing_requires_api_release_7_42(stage: Stage) -> None:
    response = await stage.client.post(f"{stage.path}/publish", headers={"X-Api-Version": "7.41"})
    assert problem_in(response) == (404, "notInThisVersion")
    assert (await stage.client.post(f"{stage.path}/publish", headers={"X-Api-Version": "7.42"})).status_code == 200


async def test_an_inactive_site_can_be_published_and_a_disabled_one_cannot(stage: Stage) -> None:
    await stage.client.put(stage.path, json={"activationStatus": "inactive"})
    await stage.publish()
    await stage.client.put(stage.path, json={"enabled": 0})
    assert problem_in(await stage.client.post(f"{stage.path}/publish")) == (409, "siteDisabled")
    assert await stage.versions() == [1]


async def test_a_deleted_site_is_not_found(stage: Stage) -> None:
    await stage.client.delete(stage.path)
    assert problem_in(await stage.client.post(f"{stage.path}/publish")) == (404, "siteNotFound")


async def test_sites_of_a_deleted_account_holder_are_not_published(stage: Stage) -> None:
    await stage.client.delete(f"/users/{stage.user_ref}")
    assert problem_in(await stage.client.post(f"{stage.path}/publish")) == (409, "accountHolderDeleted")


async def test_resellers_publish_sites_of_their_own_users(stage: Stage, reseller: httpx.AsyncClient) -> None:
    assert problem_in(await reseller.post(f"{stage.path}/publish")) == (404, "siteNotFound")
    user_ref = await make_user(stage.rows, stage.resources, username="bea", reseller_ref=7)
    own = await make_site(stage.rows, stage.resources, user_ref=user_ref)
    assert (await reseller.post(f"/sites/{own}/publish")).status_code == 200


async def test_the_package_limits_live_sites_and_their_pages(stage: Stage) -> None:
    await assign_package(stage.rows, OWN_BRAND, stage.user_ref, FREE)
    for number in range(3):
        await stage.page(f"p{number}", "Page", display_order=number)
    response = await stage.client.post(f"{stage.path}/publish")
    assert problem_in(response) == (403, "packageLimitReached")
    assert response.json()["errors"] == {
        "pagesLimited": {"packageLimitReached": "the package allows 2, and 3 are in use"}
    }
    await stage.rows.execute("update pages set status = 'draft' where request = 'p2'")
    await stage.publish()
    await stage.publish()
    other = await stage.another_site()
    response = await stage.client.post(f"/sites/{other}/publish")
    assert response.json()["errors"] == {"liveSites": {"packageLimitReached": "the package allows 1, and 1 are in use"}}
    assert (await stage.versions(), len(await stage.events())) == ([1, 2], 2)


async def test_concurrent_publishes_of_one_site_get_different_versions(stage: Stage) -> None:
    await stage.page()
    received = await asyncio.gather(*(stage.publish() for _ in range(8)))
    assert sorted(each["versionRef"] for each in received) == list(range(1, 9))
    assert [event["sequence"] for event in await stage.events()] == list(range(1, 9))
    assert sorted(event["versionRef"] for event in await stage.events()) == list(range(1, 9))


async def test_the_limit_of_live_sites_holds_for_concurrent_publishes(stage: Stage) -> None:
    refs = [stage.ref, *[await stage.another_site() for _ in range(7)]]
    responses = await asyncio.gather(*(stage.client.post(f"/sites/{ref}/publish") for ref in refs))
    assert sorted(response.status_code for response in responses) == [200] * 5 + [403] * 3
    assert await stage.rows.fetchval("select count(*) from sites where live") == 5


async def prepared_site(stage: Stage) -> service.Prepared:
    return await service.prepare(stage.resources, OWN_BRAND, TESTER, stage.ref)


async def publish_prepared(stage: Stage, prepared: service.Prepared) -> None:
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        site = await find_site(tx, TESTER, stage.ref)
        await service.publish(tx, TESTER, site, prepared)


async def test_the_prepared_snapshot_is_used_when_nothing_changed(stage: Stage) -> None:
    await stage.page()
    prepared = await prepared_site(stage)
    await publish_prepared(stage, msgspec.structs.replace(prepared, files=prepared.files[:3]))
    assert await stage.rows.fetchval("select count(*) from site_files") == 5


async def test_a_failed_publish_is_rolled_back(stage: Stage) -> None:
    await stage.page("home", "Before")
    await stage.publish()
    prepared = await prepared_site(stage)
    with pytest.raises(RuntimeError):
        async with stage.resources.database.transaction(OWN_BRAND) as tx:
            site = await find_site(tx, TESTER, stage.ref)
            await service.publish(tx, TESTER, site, prepared)
            raise RuntimeError
    assert (await stage.versions(), len(await stage.events())) == ([1], 1)
    assert (await stage.publish())["versionRef"] == 2


async def test_publishing_is_idempotent_by_key(stage: Stage) -> None:
    first, second = [
        await stage.client.post(f"{stage.path}/publish", headers={"Idempotency-Key": "once"}) for _ in range(2)
    ]
    assert (first.json(), second.headers["idempotency-replayed"]) == (second.json(), "true")
    assert await stage.versions() == [1]


async def test_nodes_are_notified(stage: Stage) -> None:
    heard: list[object] = []

    def hear(*notice: object) -> None:
        heard.append(notice[-1])

    await stage.rows.add_listener("sitewright_sites", hear)
    await stage.publish()
    await stage.rows.execute("select 1")
    await stage.rows.remove_listener("sitewright_sites", hear)
    assert str(stage.ref) in heard


async def test_a_site_without_a_template_is_published_in_the_neutral_one(stage: Stage) -> None:
    await stage.rows.execute("update sites set template_ref = null")
    await stage.publish()
    assert await stage.rows.fetchval("select template from site_versions") is None
    assert "<h1>Welcome</h1>" in await stage.shown()


async def test_an_unchanged_page_keeps_its_date_in_the_page_index(stage: Stage) -> None:
    await stage.page()
    about = await stage.page("about", "About", hidden_from_navigation=1)
    await stage.publish()
    first = msgspec.json.decode(await stage.shown(":pages"))
    assert [page["path"] for page in first] == ["", "about"]
    clock.shift(3600)
    await stage.client.put(f"{stage.path}/pages/{about}", json={"description": "New"})
    await stage.publish()
    second = msgspec.json.decode(await stage.shown(":pages"))
    assert second[0]["lastmod"] == first[0]["lastmod"] < second[1]["lastmod"]


async def test_a_home_page_of_another_name_is_found_there_and_listed_once(stage: Stage) -> None:
    await stage.page("start", "Start")
    await stage.publish()
    assert await stage.shown("start") == await stage.shown() != ""
    assert [page["path"] for page in msgspec.json.decode(await stage.shown(":pages"))] == [""]
    assert re.findall("<loc>(.*?)</loc>", await stage.shown(":sitemap")) == ["{home}/"]


async def test_equal_sites_have_equal_fingerprints(stage: Stage) -> None:
    await make_page(stage.rows, OWN_BRAND, stage.ref)
    one, other = [await prepared_site(stage) for _ in range(2)]
    assert one == other
