"""Pagination: pages and the `Link` header to the next and previous one."""

import httpx
import pytest

from sitewright.kit.paging import Window, cut
from tests.support.paging import links


async def test_following_next_shows_everything_once(owner: httpx.AsyncClient) -> None:
    url, seen = "/probe/numbers?limit=4&only=all", []
    while url:
        answer = await owner.get(url)
        seen += answer.json()["refs"]
        url = links(answer).get("next", "")
        assert "only=all" in url or not url
    assert seen == list(range(1, 12))


async def test_following_prev_leads_back(owner: httpx.AsyncClient) -> None:
    answer = await owner.get("/probe/numbers?limit=4")
    pages = [answer.json()["refs"]]
    assert "prev" not in links(answer)
    while "next" in links(answer):
        answer = await owner.get(links(answer)["next"])
        pages.append(answer.json()["refs"])
    back = [answer.json()["refs"]]
    while "prev" in links(answer):
        answer = await owner.get(links(answer)["prev"])
        back.append(answer.json()["refs"])
    assert back == pages[::-1]


async def test_an_offset_works_and_continues_by_cursor(owner: httpx.AsyncClient) -> None:
    answer = await owner.get("/probe/numbers?limit=3&offset=5")
    assert answer.json()["refs"] == [6, 7, 8]
    assert links(answer) == {
        "next": "/probe/numbers?limit=3&after=8",
        "prev": "/probe/numbers?limit=3&before=6",
    }


async def test_beyond_the_end_the_page_is_empty(owner: httpx.AsyncClient) -> None:
    answer = await owner.get("/probe/numbers?offset=100")
    assert (answer.json()["refs"], "link" in answer.headers) == ([], False)


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "limit=x", "after=0", "offset=1.0"])
async def test_a_window_outside_its_limits_is_400(owner: httpx.AsyncClient, query: str) -> None:
    assert (await owner.get(f"/probe/numbers?{query}")).status_code == 400


def test_a_full_last_page_has_no_next() -> None:
    page = cut(Window(limit=3), [1, 2, 3])
    assert (list(page.refs), page.more_before, page.more_after) == ([1, 2, 3], False, False)
