"""`/docs/search` finds guides, operations and problem codes, without JavaScript."""

import re

import httpx
import pytest

from sitewright.web.reference.search import Entry, SearchIndex

ENTRIES = [
    Entry(kind="Guide", title="Paging", summary="Lists.", href="/paging", text="the users of a brand"),
    Entry(kind="Operation", title="GET /users", summary="List users.", href="/users", text="accountPackage"),
    Entry(kind="Operation", title="POST /users", summary="Create a user.", href="/create", text="firstName"),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("users", ["/users", "/create", "/paging"]),
        ("user", ["/users", "/create", "/paging"]),
        ("POST users", ["/create"]),
        ("accountpack", ["/users"]),
        ("package", ["/users"]),
        ("first name", ["/create"]),
        ("  /// ", []),
        ("", []),
        ("nothing", []),
        ("x" * 10_000, []),
    ],
)
def test_all_words_must_match_and_the_best_are_first(query: str, found: list[str]) -> None:
    assert [each.href for each in SearchIndex(ENTRIES).find(query)] == found


@pytest.mark.parametrize(
    ("query", "href"),
    [
        ("publish a site", "/docs/api/publishing/publishSite"),
        ("createUser", "/docs/api/users/createUser"),
        ("signature", "/docs/signing"),
        ("usernameTaken", "/problems/usernameTaken"),
        ("retry-after", "/docs/errors"),
        ("webhook", "/docs/webhooks"),
    ],
)
async def test_the_page_shows_what_was_found(anonymous: httpx.AsyncClient, query: str, href: str) -> None:
    page = await anonymous.get("/docs/search", params={"q": query})
    assert page.headers["cache-control"] == "no-store"
    assert href in re.findall(r'<a class="operation-link" href="([^"]+)"', page.text)[:6]


async def test_what_was_typed_is_text(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.get("/docs/search", params={"q": '"><script>alert(1)</script>'})
    assert "<script>alert" not in page.text
    assert "Nothing found for" in page.text


@pytest.mark.parametrize("query", ["", "?q=", "?q[]=a", "?q=a&q=b", "?other=1"])
async def test_a_search_for_nothing_explains_itself(anonymous: httpx.AsyncClient, query: str) -> None:
    page = await anonymous.get(f"/docs/search{query}")
    assert page.status_code in (200, 400)
