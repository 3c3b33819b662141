"""Preview links: their API, and the pages that they show."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from sitewright.sites.publishing.previews import service
from sitewright.web.preview.links import with_preview_links
from tests.sites.publishing.conftest import Stage
from tests.support.responses import items_in, object_in, problem_in

PRIVATE = {"x-robots-tag": "noindex, nofollow", "referrer-policy": "no-referrer", "cache-control": "no-store"}
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)><form action="/login"><input name=a></form>'


async def create(stage: Stage, **fields: Any) -> dict[str, Any]:
    return object_in(await stage.client.post(f"{stage.path}/preview-links", json=fields), "previewLink", 201)


async def links(stage: Stage) -> list[dict[str, Any]]:
    return items_in(await stage.client.get(f"{stage.path}/preview-links"), "previewLinks")


def path_of(link: dict[str, Any]) -> str:
    return str(urlsplit(link["url"]).path)


async def test_a_link_is_shown_once_and_stored_as_a_digest(stage: Stage) -> None:
    link = await create(stage)
    secret = path_of(link).removeprefix("/preview/")
    assert re.fullmatch(r"1-[\w-]{43}", secret)
    assert link["author"] == {"kind": "api", "name": None}
    shown = {name: value for name, value in link.items() if name != "url"}
    assert await links(stage) == [shown]
    row = await stage.rows.fetchrow("select * from preview_links")
    assert row is not None
    assert secret not in str(dict(row))
    assert row["expires_at"] - row["created_at"] == timedelta(days=7)


@pytest.mark.parametrize(("days", "status"), [(1, 201), (90, 201), (0, 400), (91, 400), (None, 400), ("x", 400)])
async def test_how_long_it_works(stage: Stage, days: Any, status: int) -> None:
    response = await stage.client.post(f"{stage.path}/preview-links", json={"days": days})
    assert response.status_code == status, response.text


async def test_pages_with_their_changes(stage: Stage, anonymous: httpx.AsyncClient) -> None:
    home = await stage.page("home", "Welcome")
    menu = await stage.page("Food/Menu", "Menu", display_order=1)
    await stage.widget(home, "content", content='<p><a href="/food/menu?a=b#soup">Soup</a> <a href="menu">x</a></p>')
    link = await create(stage)
    first = await anonymous.get(path_of(link))
    assert first.status_code == 200
    assert PRIVATE.items() <= first.headers.items()
    policy = first.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; script-src 'none'")
    assert "allow-" not in policy
    below = f"{path_of(link)}/food%2Fmenu"
    assert f'href="{below}?a=b#soup"' in first.text
    assert f'href="{below}"' in first.text  # of the navigation
    assert f'href="{path_of(link)}/menu"' in first.text
    second = await anonymous.get(below)
    assert (second.status_code, "<title>Menu" in second.text) == (200, True)
    assert f'href="{path_of(link)}"' in second.text
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"title": "Changed"})
    assert "Changed" in (await anonymous.get(f"{path_of(link)}/FOOD%2FMENU")).text
    assert "Welcome" in (await anonymous.get(f"{path_of(link)}/home")).text


async def test_scripts_and_forms_of_the_site_are_left_out(stage: Stage, anonymous: httpx.AsyncClient) -> None:
    page = await stage.page("home", "Home", headscript="<script>mark()</script>")
    await stage.widget(page, "content", content=HOSTILE)
    text = (await anonymous.get(path_of(await create(stage)))).text
    assert ("<script" in text, "onerror" in text, "<form" in text) == (False, False, False)


async def test_unknown_and_expired_links_look_the_same(stage: Stage, anonymous: httpx.AsyncClient) -> None:
    await stage.page()
    expired, deleted = await create(stage, days=1), await create(stage, days=30)
    assert (await stage.client.delete(f"{stage.path}/preview-links/{deleted['ref']}")).status_code == 204
    again = await stage.client.delete(f"{stage.path}/preview-links/{deleted['ref']}")
    assert problem_in(again) == (404, "previewLinkNotFound")
    await stage.rows.execute("update preview_links set expires_at = now() - interval '1 second'")
    assert await links(stage) == []
    pages = set()
    for path in (path_of(expired), path_of(deleted), "/preview/1-nothing", f"{path_of(expired)}/home"):
        response = await anonymous.get(path, headers={"accept": "text/html"})
        assert response.status_code == 404
        assert PRIVATE.items() <= response.headers.items()
        pages.add(response.text)
    assert len(pages) == 1
    assert "This preview is not available" in pages.pop()
    assert (await anonymous.get("/preview/nonsense")).status_code == 404
    await create(stage)
    assert await stage.rows.fetchval("select count(*) from preview_links") == 1


@pytest.mark.parametrize(
    "statement",
    [
        "update users set suspended_at = now()",
        "update users set deleted_at = now()",
        "update sites set deleted_at = now()",
    ],
)
async def test_not_of_sites_that_are_gone(stage: Stage, anonymous: httpx.AsyncClient, statement: str) -> None:
    await stage.page()
    link = await create(stage)
    assert (await anonymous.get(path_of(link))).status_code == 200
    await stage.rows.execute(statement)
    assert (await anonymous.get(path_of(link))).status_code == 404


async def test_unknown_pages(stage: Stage, anonymous: httpx.AsyncClient) -> None:
    await stage.page("home")
    await stage.page("draft", "Draft", status="draft", display_order=1)
    link = await create(stage)
    for path in ("nothing", "draft", ":not-found", "%2e%2e"):
        response = await anonymous.get(f"{path_of(link)}/{path}")
        assert (response.status_code, f'href="{path_of(link)}"' in response.text) == (404, True)


async def test_their_number_is_limited(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_LINKS", 2)
    await create(stage)
    await create(stage)
    assert problem_in(await stage.client.post(f"{stage.path}/preview-links", json={})) == (409, "tooManyPreviewLinks")


async def test_requests_with_unknown_links_are_rate_limited(stage: Stage, anonymous: httpx.AsyncClient) -> None:
    await stage.page()
    link = await create(stage)
    most = stage.resources.settings.login_failures_per_address
    responses = [await anonymous.get(f"/preview/1-guess{number}") for number in range(most + 1)]
    assert {response.status_code for response in responses[:-1]} == {404}
    limited = await anonymous.get("/preview/1-another")
    assert limited.status_code == 429
    assert int(limited.headers["retry-after"]) > 0
    assert (await anonymous.get(path_of(link))).status_code == 200  # links that work are not affected


async def test_anonymizing_and_erasing_delete_them(stage: Stage) -> None:
    await create(stage)
    assert (await stage.client.post(f"/users/{stage.user_ref}/anonymise")).status_code == 204
    assert await stage.rows.fetchval("select count(*) from preview_links") == 0


async def test_a_hard_delete_deletes_them(stage: Stage) -> None:
    await create(stage)
    assert (await stage.client.post(f"{stage.path}/hard-delete")).status_code == 204
    assert await stage.rows.fetchval("select count(*) from preview_links") == 0


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="/">', '<a href="/p">'),
        ("<A class='x' HREF='/menu'>", "<A class='x' HREF='/p/menu'>"),
        ('<a href="/a/b%20c/?q#f">', '<a href="/p/a%2Fb%20c?q#f">'),
        ('<a href="//evil.example/x">', '<a href="//evil.example/x">'),
        ('<a href="/\\evil.example">', '<a href="/\\evil.example">'),
        ('<a href="https://x.example/y">', '<a href="https://x.example/y">'),
        ('<a href="/account/media/1-2-x.webp">', '<a href="/account/media/1-2-x.webp">'),
        ('<base target="_blank"><a target=_blank rel="x" href="/y">', '<base><a rel="x" href="/p/y">'),
        ('<img src="/x"> href="/y"', '<img src="/x"> href="/y"'),
    ],
)
def test_links_between_pages(html: str, expected: str) -> None:
    assert with_preview_links(html.encode(), "/p").decode() == expected
