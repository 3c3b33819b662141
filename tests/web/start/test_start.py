"""The start page, redirects of trailing slashes, and the icon."""

import httpx
import pytest

from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, page_text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_links_to_log_in_reference_and_health(anonymous: httpx.AsyncClient, language: str) -> None:
    page = await anonymous.get("/", headers={"accept-language": language})
    assert page.status_code == 200
    assert f'<html lang="{language}">' in page.text
    assert all(f'href="{address}"' in page.text for address in ("/login", "/docs", "/health/ready"))
    assert_loads_nothing_else(page)


async def test_is_in_the_name_of_the_hosts_brand(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.get("/", headers={"host": "northwind.example"})
    assert "Northwind Hosting" in page_text(page)
    assert 'href="https://northwind.example/privacy"' in page.text
    assert_loads_nothing_else(page)


@pytest.mark.parametrize(
    ("address", "location"),
    [("/login/", "/login"), ("/login/?r=/account&x=%22", "/login?r=%2Faccount&x=%22"), ("/docs/", "/docs")],
)
async def test_a_trailing_slash_redirects(anonymous: httpx.AsyncClient, address: str, location: str) -> None:
    response = await anonymous.get(address)
    assert (response.status_code, response.headers["location"].lower()) == (303, location.lower())


@pytest.mark.parametrize("path", ["/favicon.ico", "/favicon.svg"])
async def test_there_is_an_icon(anonymous: httpx.AsyncClient, path: str) -> None:
    response = await anonymous.get(path)
    assert (response.status_code, response.headers["content-type"]) == (200, "image/svg+xml")
    assert response.headers["cache-control"] == "public, max-age=86400"
