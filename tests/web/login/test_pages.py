"""Rules for every log-in page: all languages, a strict content security policy, and never JSON."""

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.db import open_database
from sitewright.kit.http.api_app import ApiApp
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import Page
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.responses import Response
from sitewright.kit.http.routing import Router
from sitewright.kit.resources import Resources
from sitewright.web.login.messages import CATALOG
from sitewright.web.login.pages import PUBLIC
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, browser, log_in, page_text
from tests.support.database import with_database
from tests.support.users import OwnerConnection, make_user


async def every_page(client: httpx.AsyncClient, language: str) -> dict[str, httpx.Response]:
    wanted = {"Accept-Language": language}
    pages = {
        "log_in": await client.get("/login", headers=wanted),
        "wrong_credentials": await log_in(client, "ann", "wrong password", headers=wanted),
        "hash_not_usable": await client.get("/login?hash=x", headers=wanted),
        "target_not_allowed": await client.get("/login?r=/%5Cevil", headers=wanted),
        "came_from_elsewhere": await log_in(client, headers=wanted | {"Sec-Fetch-Site": "cross-site"}),
        "problem": await client.get("/login?r=%ff", headers=wanted),
        "suspended": await log_in(client, "bea"),
    }
    await log_in(client)
    pages["log_out_not_asked"] = await client.post("/logout", data={"token": "x"}, headers=wanted)
    return pages


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_page_is_translated_and_self_contained(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, language: str
) -> None:
    everyone = "insert into brand_languages select 1, ref from languages on conflict do nothing"
    await owner_connection.execute(everyone)
    await make_user(owner_connection, resources, language_code=language)
    await make_user(owner_connection, resources, username="bea", language_code=language, suspended_at=clock.now())
    for key, response in (await every_page(anonymous, language)).items():
        first_words = CATALOG.languages[language][key].partition("{")[0].strip()
        assert first_words in page_text(response), key
        assert f'<html lang="{language}">' in response.text
        assert_loads_nothing_else(response)


async def test_a_page_with_a_hash_in_its_url_sends_no_referrer(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get("/login?hash=1-x")).headers["referrer-policy"] == "no-referrer"
    assert (await anonymous.get("/login")).headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path", ["/login", "/login?hash=1-abc", "/account", "/account/sites/1", "/template-picker/?siteRef=1"]
)
async def test_without_database_there_is_an_error_page_with_retry_after(resources: Resources, path: str) -> None:
    away = open_database("postgresql://x@127.0.0.1:1/x", connections=2, wait_seconds=1, name="away")
    async with browser(with_database(resources, away)) as visitor:
        response = await visitor.get(path, headers={"Cookie": "sitewright=1-abc", "Accept-Language": "pt"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")
    assert "Voltamos já" in page_text(response)
    assert_loads_nothing_else(response)


async def test_an_internal_error_is_a_page_with_the_request_id_and_is_logged(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    async def stumble(_request: Request, _resources: Resources) -> Response:
        raise ZeroDivisionError("a secret that must not be shown")

    app = ApiApp(Router([Page(PUBLIC[0], stumble, problem_page)]), resources)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://account.test") as visitor:
        response = await visitor.get("/login", headers={"X-Request-Id": "bug-7"})
    assert response.status_code == 500
    assert "bug-7" in page_text(response)
    assert "secret" not in response.text
    assert [record.name for record in caplog.records if record.exc_info] == ["sitewright.problems"]


async def test_other_methods_are_not_allowed(anonymous: httpx.AsyncClient) -> None:
    responses = [await anonymous.request(method, "/login") for method in ("PUT", "DELETE")]
    responses.append(await anonymous.get("/logout"))
    assert [response.status_code for response in responses] == [405] * 3
    assert [response.headers["allow"] for response in responses] == ["GET, HEAD, POST"] * 2 + ["POST"]
