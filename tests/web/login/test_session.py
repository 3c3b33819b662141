"""The session: its cookie, lifetime, revocation and log-out."""

from collections.abc import AsyncIterator

import httpx
import msgspec
import pytest

from sitewright.kit import clock, tokens
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.support.browsing import PROXY, browser, hidden, log_in, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.users import OwnerConnection, make_user
from tests.web.login.conftest import NewHash

HTTPS = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "account.test", "X-Forwarded-For": "198.51.100.7"}


@pytest.fixture
async def visitor(anonymous: httpx.AsyncClient, user: int) -> httpx.AsyncClient:
    """A client that is logged in."""
    await log_in(anonymous)
    assert (await anonymous.get("/account")).status_code == 200
    return anonymous


@pytest.fixture
async def behind_proxy(resources: Resources, user: int) -> AsyncIterator[httpx.AsyncClient]:
    """A client behind a trusted proxy."""
    async with browser(msgspec.structs.replace(resources, proxies=Proxies([PROXY])), address=PROXY) as client:
        yield client


async def test_over_http_the_cookie_is_as_safe_as_http_allows(anonymous: httpx.AsyncClient, user: int) -> None:
    cookie = (await log_in(anonymous)).headers["set-cookie"]
    name, *flags = cookie.split("; ")
    assert name.startswith(f"sitewright={OWN_BRAND}-")
    assert flags == ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Lax"]


async def test_over_https_the_cookie_is_of_this_host_alone(behind_proxy: httpx.AsyncClient) -> None:
    cookie = (await log_in(behind_proxy, headers=HTTPS)).headers["set-cookie"]
    name, *flags = cookie.split("; ")
    assert name.startswith(f"__Host-sitewright={OWN_BRAND}-")
    assert flags == ["Secure", "Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Lax"]


async def test_over_https_the_plain_cookie_is_ignored(behind_proxy: httpx.AsyncClient) -> None:
    session = (await log_in(behind_proxy, headers=HTTPS)).headers["set-cookie"].partition(";")[0].partition("=")[2]
    for name, status in (("__Host-sitewright", 200), ("sitewright", 303)):
        response = await behind_proxy.get("/account", headers=HTTPS | {"Cookie": f"other=[1]; {name}={session}"})
        assert response.status_code == status


async def test_forwarded_headers_without_a_proxy_are_ignored(resources: Resources, user: int) -> None:
    async with browser(resources, address="192.0.2.9") as client:
        assert (await log_in(client, headers=HTTPS)).headers["set-cookie"].startswith("sitewright=")


async def test_the_session_is_stored_as_its_digest(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    session = visitor.cookies["sitewright"]
    [row] = await owner_connection.fetch("select * from sessions")
    assert row["digest"] == tokens.digest_of(session)
    assert session not in str(row)


async def test_a_session_lasts_as_long_as_the_setting_says(visitor: httpx.AsyncClient) -> None:
    clock.shift(12 * 3600 - 30)
    assert (await visitor.get("/account")).status_code == 200
    clock.shift(12 * 3600 + 30)
    ended = await visitor.get("/account")
    assert (ended.status_code, ended.headers["location"]) == (303, f"/login?r=/account&brandRef={OWN_BRAND}")
    assert "Max-Age=0" in ended.headers["set-cookie"]


@pytest.mark.parametrize("column", ["suspended_at", "deleted_at", "anonymised_at"])
async def test_sessions_of_suspended_and_deleted_users_are_invalid(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, column: str
) -> None:
    await owner_connection.execute(f"update users set {column} = now()")
    assert (await visitor.get("/account")).status_code == 303


async def test_all_sessions_of_a_user_are_revoked(visitor: httpx.AsyncClient, user: int, resources: Resources) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await tokens.end_sessions(tx, user)
    assert (await visitor.get("/account")).status_code == 303


@pytest.mark.parametrize("cookie", ["", "x", "1-x", "2-x", "999999-x", "1-" + "a" * 200, '"', "\u00e9", "1-\u00e9"])
async def test_an_invalid_session_redirects_to_the_log_in(anonymous: httpx.AsyncClient, cookie: str) -> None:
    response = await anonymous.get("/account", headers={b"Cookie": f"sitewright={cookie}".encode("latin-1")})
    assert response.status_code == 303
    assert response.headers["location"].partition("&brandRef=")[0] == "/login?r=/account"
    assert (await anonymous.get(response.headers["location"])).status_code == 200


async def test_another_brands_session_is_invalid(visitor: httpx.AsyncClient) -> None:
    session = visitor.cookies["sitewright"]
    response = await visitor.get("/account", headers={"Cookie": f"sitewright=2{session[1:]}"})
    assert response.status_code == 303


async def test_logging_out_ends_the_session(visitor: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    session = visitor.cookies["sitewright"]
    token = hidden(await visitor.get("/account"), "token")
    response = await visitor.post("/logout", data={"token": token}, headers={"X-Request-Id": "bye"})
    assert (response.status_code, response.headers["location"]) == (303, f"/login?brandRef={OWN_BRAND}")
    assert response.headers["set-cookie"].startswith("sitewright=; Path=/; Max-Age=0")
    assert (await visitor.get("/account", headers={"Cookie": f"sitewright={session}"})).status_code == 303
    assert await owner_connection.fetchval("select action from audit_entries where request_id = 'bye'") == "log-out"


@pytest.mark.parametrize("ends", ["logs out", "expires"])
async def test_after_a_session_the_log_in_is_that_of_its_brand(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, ends: str
) -> None:
    """Also where several brands share the host."""
    await owner_connection.execute("update brands set domain = null")
    await make_user(owner_connection, resources, OTHER_BRAND)
    await log_in(anonymous, brandRef=str(OTHER_BRAND))
    page = await anonymous.get("/account")
    if ends == "expires":
        clock.shift(12 * 3600 + 30)
        ended = await anonymous.get("/account")
    else:
        ended = await anonymous.post("/logout", data={"token": hidden(page, "token")})
    assert hidden(await anonymous.get(ended.headers["location"]), "brandRef") == str(OTHER_BRAND)


@pytest.mark.parametrize("form", [{}, {"token": ""}, {"token": "0f3a"}, {"token": "\u00e9"}])
async def test_cross_site_log_out_is_rejected(visitor: httpx.AsyncClient, form: dict[str, str]) -> None:
    response = await visitor.post("/logout", data=form or {"other": "1"})
    assert response.status_code == 403
    assert "You are still logged in" in page_text(response)
    assert (await visitor.get("/account")).status_code == 200


async def test_another_sessions_token_does_not_log_out(
    visitor: httpx.AsyncClient, resources: Resources, new_hash: NewHash
) -> None:
    async with browser(resources) as other:
        await other.get(f"/login?hash={await new_hash()}")
        token = hidden(await other.get("/account"), "token")
    assert (await visitor.post("/logout", data={"token": token})).status_code == 403


async def test_logging_out_is_idempotent(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.post("/logout", data={"token": "x"})
    assert (response.status_code, response.headers["location"]) == (303, "/login")
