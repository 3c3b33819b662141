"""Browsers get error pages, programs get problem documents; the status is the same."""

import httpx
import pytest

from sitewright.kit.http.api_app import ApiApp
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import Page
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import PROBLEM_TYPE, Response
from sitewright.kit.http.routing import Router
from sitewright.kit.problems import Forbidden, NotFound, Problem, TooLarge, TooManyRequests, Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.ui.brand import BrandLook
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, page_text
from tests.support.users import OwnerConnection
from tests.support.wire import exchange, status_of

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ROUTE = PublicRoute(path="/it", operation_id="it", summary="It.", description="It.", responses={200: "It."})


def client_for(resources: Resources, raised: Exception) -> httpx.AsyncClient:
    async def fail(_resources: Resources) -> Response:
        raise raised

    app = ApiApp(Router([PublicPage(ROUTE, fail)]), resources)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://account.test")


@pytest.mark.parametrize(
    "raised",
    [NotFound(), Forbidden(), TooLarge(), TooManyRequests(), Unavailable(), Problem(), ZeroDivisionError("secret")],
    ids=lambda each: type(each).__name__,
)
async def test_the_same_status_as_a_page_and_as_a_document(resources: Resources, raised: Exception) -> None:
    async with client_for(resources, raised) as client:
        page, document = await client.get("/it", headers=BROWSER), await client.get("/it")
    assert page.status_code == document.status_code
    assert document.headers["content-type"] == PROBLEM_TYPE
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["x-request-id"] in page_text(page)
    assert "secret" not in page.text
    assert_loads_nothing_else(page)


async def test_a_page_that_is_unavailable_for_a_moment_can_be_tried_again(resources: Resources) -> None:
    async with client_for(resources, Unavailable()) as client:
        page = await client.get("/it?page=2", headers=BROWSER)
    assert '<a class="button primary" href="">Try again</a>' in page.text, "an empty address is that of the page itself"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_error_pages_are_translated(anonymous: httpx.AsyncClient, language: str) -> None:
    page = await anonymous.get("/no/such/page", headers=BROWSER | {"accept-language": language})
    assert page.status_code == 404
    assert f'<html lang="{language}">' in page.text


async def test_a_method_that_is_not_allowed_is_named(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.request("DELETE", "/login", headers=BROWSER)
    assert (page.status_code, page.headers["allow"]) == (405, "GET, HEAD, POST")
    assert_loads_nothing_else(page)


async def test_a_browser_is_not_asked_for_a_password(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.get("/users/1", headers=BROWSER)
    assert page.status_code == 401
    assert "basic" not in page.headers["www-authenticate"].lower()
    assert 'href="/login"' in page.text


@pytest.mark.parametrize("headers", [{"authorization": "Basic eDp5"}, {"authorization": 'OAuth oauth_token="x"'}])
async def test_calls_with_credentials_get_documents(anonymous: httpx.AsyncClient, headers: dict[str, str]) -> None:
    response = await anonymous.get("/users/1", headers=BROWSER | headers)
    assert (response.status_code, response.headers["content-type"]) == (401, PROBLEM_TYPE)
    assert "Basic" in response.headers["www-authenticate"]


async def test_calls_signed_in_the_query_get_documents(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/users/1?oauth_token=x&oauth_signature=y", headers=BROWSER)
    assert response.headers["content-type"] == PROBLEM_TYPE


async def test_an_error_page_on_a_brands_host_is_in_its_name(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set accent_colour = '#ffcc00' where brand_ref = 1")
    page = await anonymous.get("/no/such/page", headers=BROWSER | {"host": "www.northwind.example"})
    assert (page.status_code, "Northwind Hosting" in page_text(page)) == (404, True)
    assert "<style>:root{--accent:#" in page.text
    assert_loads_nothing_else(page)


async def test_a_page_that_fails_shows_the_brand_it_is_known_to_be_for(resources: Resources) -> None:

    async def fail(request: Request, _resources: Resources) -> Response:
        request.context.brand = BrandLook(name="Northwind Hosting")
        raise ZeroDivisionError

    app = ApiApp(Router([Page(ROUTE, fail, problem_page)]), resources)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://account.test") as client:
        page = await client.get("/it")
    assert (page.status_code, "Northwind Hosting" in page_text(page)) == (500, True)


MALFORMED = {
    "several hosts": (400, b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n", b"\r\n"),
    "no host": (400, b"GET / HTTP/1.1\r\n", b"\r\n"),
    "an invalid header": (400, b"GET / HTTP/1.1\r\nHost: x\r\n", b"in valid\x00: yes\r\n\r\n"),
    "large headers": (431, b"GET / HTTP/1.1\r\nHost: x\r\n", b"X-Filler: " + b"x" * 100_000),
}
ACCEPTING = b"Accept: text/html\r\nAccept-Language: de\r\nDNT: 1\r\n"


@pytest.mark.parametrize(("status", "begin", "rest"), MALFORMED.values(), ids=MALFORMED)
async def test_a_malformed_request_of_a_browser_gets_a_page(
    base_url: str, clean: None, status: int, begin: bytes, rest: bytes
) -> None:
    page = await exchange(base_url, begin + ACCEPTING + rest)
    assert status_of(page) == status
    assert b"content-type: text/html; charset=utf-8\r\n" in page
    assert b'<html lang="de">' in page
    assert b"stylesheet" not in page, "on customers' hosts there is nothing else of ours"
    for unlike_browsers in (b"", b"Authorization: Basic YTpi\r\n" + ACCEPTING):
        assert b"content-type: application/problem+json" in await exchange(base_url, begin + unlike_browsers + rest)
