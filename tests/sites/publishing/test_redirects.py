"""Redirects are a file of the snapshot."""

import json

from tests.sites.publishing.conftest import Stage

ELSEWHERE = "https://shop.example.com/"


async def published(stage: Stage) -> dict[str, str]:
    await stage.publish()
    text = await stage.shown(":redirects")
    found: dict[str, str] = json.loads(text) if text else {}
    return found


async def add(stage: Stage, path: str, **target: object) -> None:
    response = await stage.client.post(f"{stage.path}/redirects", json={"from": path, **target})
    assert response.status_code == 201, response.text


async def test_former_addresses_are_published(stage: Stage) -> None:
    home, menu = await stage.page("home"), await stage.page("menu", "Menu", display_order=1)
    assert await published(stage) == {}
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"pageUrl": "Food/Menu"})
    await add(stage, "start.html", pageRef=home)
    await add(stage, "shop", url=ELSEWHERE)
    assert await published(stage) == {"menu": "/food/menu", "start.html": "/", "shop": ELSEWHERE}


async def test_only_to_pages_that_are_published(stage: Stage) -> None:
    await stage.page("home")
    draft = await stage.page("draft", "Draft", status="draft", display_order=1)
    gone = await stage.page("gone", "Gone", display_order=2)
    await add(stage, "to-draft", pageRef=draft)
    await add(stage, "to-gone", pageRef=gone)
    await stage.client.delete(f"{stage.path}/pages/{gone}")
    assert await published(stage) == {}
    await stage.client.put(f"{stage.path}/pages/{draft}", json={"status": "active"})
    assert await published(stage) == {"to-draft": "/draft"}


async def test_to_other_websites_only_while_the_package_allows_it(stage: Stage) -> None:
    home = await stage.page("home")
    await add(stage, "shop", url=ELSEWHERE)
    await add(stage, "old", pageRef=home)
    await stage.rows.execute("update packages set capabilities = capabilities - 'allowExternalRedirects'")
    assert await published(stage) == {"old": "/"}


async def test_a_reset_removes_them(stage: Stage) -> None:
    await add(stage, "old", pageRef=await stage.page("home"))
    assert await published(stage) == {"old": "/"}
    assert (await stage.client.post(f"{stage.path}/reset")).status_code == 204
    assert await stage.rows.fetchval("select count(*) from site_redirects") == 0
    assert await stage.shown(":redirects") == ""
