"""Pagination: pages and the `Link` header to the next and previous one."""

import httpx
import pytest

from sitewright.kit.paging import Window, cut
from tests.support.paging import links


async def test_following_next_shows_everything_once(owner: httpx.AsyncClient) -> None:
    url, seen = "/probe/numbers?limit=4&only=all", []
    while url:
        response = await owner.get(url)
        seen += response.json()["refs"]
        url = links(response).get("next", "")
        assert "only=all" in url or not url
    assert seen == list(range(1, 12))


async def test_following_prev_leads_back(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/probe/numbers?limit=4")
    pages = [response.json()["refs"]]
    assert "prev" not in links(response)
    while "next" in links(response):
        response = await owner.get(links(response)["next"])
        pages.append(response.json()["refs"])
    back = [response.json()["refs"]]
    while "prev" in links(response):
        response = await owner.get(links(response)["prev"])
        back.append(response.json()["refs"])
    assert back == pages[::-1]


async def test_an_offset_works_and_continues_by_cursor(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/probe/numbers?limit=3&offset=5")
    assert response.json()["refs"] == [6, 7, 8]
    assert links(response) == {
        "next": "/probe/numbers?limit=3&after=8",
        "prev": "/probe/numbers?limit=3&before=6",
    }


async def test_beyond_the_end_the_page_is_empty(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/probe/numbers?offset=100")
    assert (response.json()["refs"], "link" in response.headers) == ([], False)


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "limit=x", "after=0", "offset=1.0"])
async def test_a_window_outside_its_limits_is_400(owner: httpx.AsyncClient, query: str) -> None:
    assert (await owner.get(f"/probe/numbers?{query}")).status_code == 400


def test_a_full_last_page_has_no_next() -> None:
    page = cut(Window(limit=3), [1, 2, 3])
    assert (list(page.refs), page.more_before, page.more_after) == ([1, 2, 3], False, False)
