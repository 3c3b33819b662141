"""Log-in of operators with user name and password, and the session that it begins."""

import httpx
import msgspec
import pytest

from sitewright.kit import clock, tokens
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.support.browsing import PROXY, assert_loads_nothing_else, browser, page_text
from tests.support.cast import OWN_BRAND
from tests.support.limits import limited
from tests.support.operators import CONSOLE_COOKIE, log_in_operator, send, token_of
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

HTTPS = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "account.test", "X-Forwarded-For": "198.51.100.7"}


async def test_the_log_in_leads_to_the_start_page(anonymous: httpx.AsyncClient, cast: object) -> None:
    page = await anonymous.get("/console/log-in")
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    response = await log_in_operator(anonymous, "brand-admin")
    assert (response.status_code, response.headers["location"]) == (303, "/console")
    assert (await anonymous.get("/console")).headers["location"] == "/console/overview"
    start = await anonymous.get("/console/overview")
    assert start.status_code == 200
    assert_loads_nothing_else(start)
    assert "brand-admin" in page_text(start)


async def test_the_log_in_is_audited_under_the_operator(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, cast: object
) -> None:
    await log_in_operator(anonymous, "brand-admin")
    ref = await owner_connection.fetchval("select ref from operators where username = 'brand-admin'")
    row = await owner_connection.fetchrow(
        "select * from audit_entries where action = 'log-in' order by ref desc limit 1"
    )
    assert row is not None
    assert (row["actor"], row["subject"], row["brand_ref"]) == (f"operator:{ref}", "operator", OWN_BRAND)


@pytest.mark.parametrize(("name", "password"), [("brand-admin", "wrong"), ("nobody", "wrong"), ("", ""), ("a:b", "x")])
async def test_wrong_names_and_passwords_look_the_same(anonymous: httpx.AsyncClient, name: str, password: str) -> None:
    response = await log_in_operator(anonymous, name, password)
    assert response.status_code == 401
    assert "User name or password is not right." in page_text(response)
    assert "set-cookie" not in response.headers


async def test_account_holders_cannot_log_in_to_the_console(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources)
    assert (await log_in_operator(anonymous, "ann")).status_code == 401


async def test_wrong_attempts_are_limited(resources: Resources, cast: object, clean: None) -> None:
    async with browser(limited(resources, login_failures_per_address=3)) as client:
        found = [(await log_in_operator(client, "brand-admin", "wrong")).status_code for _ in range(4)]
        assert found == [401, 401, 401, 429]
        limited_response = await log_in_operator(client, "brand-admin")
        assert limited_response.status_code == 429
        assert int(limited_response.headers["retry-after"]) > 0


async def test_a_form_of_another_site_is_refused(anonymous: httpx.AsyncClient, cast: object) -> None:
    form = {"username": "brand-admin", "password": "a long enough password"}
    response = await anonymous.post("/console/log-in", data=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    ("r", "location"),
    [
        ("/console/staff?done=role", "/console/staff?done=role"),
        ("/console/me", "/console/me"),
        ("https://elsewhere.example/", "/console"),
        ("//elsewhere.example", "/console"),
        ("/console/../login", "/console"),
        ("/account", "/console"),
    ],
)
async def test_the_log_in_leads_back_within_the_console(anonymous: httpx.AsyncClient, r: str, location: str) -> None:
    assert (await log_in_operator(anonymous, "viewer", r=r)).headers["location"] == location


async def test_without_a_session_every_page_leads_to_the_log_in(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/console/staff?done=role")
    assert (response.status_code, response.headers["location"]) == (
        303,
        "/console/log-in?r=/console/staff%3Fdone%3Drole",
    )
    assert (await anonymous.post("/console/me/language", data={"language": "de"})).status_code == 303


@pytest.mark.parametrize("cookie", ["x", "1-x", "0-x", "999999-x", "1-" + "a" * 200, '"', "\u00e9"])
async def test_an_invalid_session_leads_to_the_log_in(anonymous: httpx.AsyncClient, cookie: str) -> None:
    response = await anonymous.get("/console", headers={b"Cookie": f"{CONSOLE_COOKIE}={cookie}".encode("latin-1")})
    assert (response.status_code, response.headers["location"]) == (303, "/console/log-in")


async def test_over_http_the_cookie_is_as_safe_as_http_allows(anonymous: httpx.AsyncClient, cast: object) -> None:
    name, *flags = (await log_in_operator(anonymous, "brand-admin")).headers["set-cookie"].split("; ")
    assert name.startswith(f"{CONSOLE_COOKIE}={OWN_BRAND}-")
    assert flags == ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Lax"]


async def test_over_https_the_cookie_is_of_this_host_alone(resources: Resources, cast: object, clean: None) -> None:
    behind = msgspec.structs.replace(resources, proxies=Proxies([PROXY]))
    async with browser(behind, address=PROXY) as client:
        form = {"username": "brand-admin", "password": "a long enough password"}
        name, *flags = (
            (await client.post("/console/log-in", data=form, headers=HTTPS)).headers["set-cookie"].split("; ")
        )
    assert name.startswith(f"__Host-{CONSOLE_COOKIE}={OWN_BRAND}-")
    assert flags == ["Secure", "Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Lax"]


async def test_the_session_is_stored_as_its_digest(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    session = admin.cookies[CONSOLE_COOKIE]
    [row] = await owner_connection.fetch("select * from console_sessions")
    assert row["digest"] == tokens.digest_of(session)
    assert session not in str(row)


async def test_a_session_ends_after_an_idle_hour(admin: httpx.AsyncClient) -> None:
    for minutes in (50, 100, 150):
        clock.shift(minutes * 60)
        assert (await admin.get("/console/me")).status_code == 200
    clock.shift(211 * 60)
    ended = await admin.get("/console")
    assert (ended.status_code, ended.headers["location"]) == (303, "/console/log-in")
    assert "Max-Age=0" in ended.headers["set-cookie"]


async def test_a_session_ends_after_12_hours_however_busy_it_is(admin: httpx.AsyncClient) -> None:
    for hours in range(24):
        clock.shift(hours * 1800)
        assert (await admin.get("/console/me")).status_code == 200
    clock.shift(12 * 3600 + 1)
    assert (await admin.get("/console/me")).status_code == 303


async def test_ended_sessions_are_deleted_at_the_next_log_in(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    await log_in("viewer")
    clock.shift(13 * 3600)
    await log_in("viewer")
    assert await owner_connection.fetchval("select count(*) from console_sessions") == 1


async def test_logging_out_ends_the_session(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    session = admin.cookies[CONSOLE_COOKIE]
    response = await send(admin, "/console/log-out")
    assert (response.status_code, response.headers["location"]) == (303, "/console/log-in")
    assert response.headers["set-cookie"].startswith(f"{CONSOLE_COOKIE}=; Path=/; Max-Age=0")
    again = await admin.get("/console", headers={"Cookie": f"{CONSOLE_COOKIE}={session}"})
    assert again.status_code == 303
    assert await owner_connection.fetchval("select count(*) from audit_entries where action = 'log-out'") == 1


@pytest.mark.parametrize("token", ["", "0f3a", "\u00e9"])
async def test_forms_without_the_token_change_nothing(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, token: str
) -> None:
    for path in ("/console/log-out", "/console/me/language", "/console/staff/invitations"):
        form = {"token": token, "language": "de", "name": "Kim", "email": "kim@brand.example", "role": "viewer"}
        response = await admin.post(path, data=form)
        assert response.status_code == 403
        assert "Nothing was changed" in page_text(response)
    assert (await admin.get("/console/me")).status_code == 200
    assert await owner_connection.fetchval("select count(*) from operator_invitations") == 0


async def test_the_token_of_another_session_is_not_accepted(admin: httpx.AsyncClient, log_in: LogIn) -> None:
    other = await log_in("brand-admin")
    response = await admin.post("/console/me/language", data={"token": await token_of(other), "language": "de"})
    assert response.status_code == 403


async def test_a_system_owner_chooses_a_brand(log_in: LogIn) -> None:
    owner = await log_in("system-owner")
    start = page_text(await owner.get("/console"))
    assert "Which brand do you want to work in?" in start
    assert "None chosen yet" in start
    assert (await owner.get("/console/staff")).headers["location"] == "/console"
    assert (await send(owner, "/console/brand", brandRef="2")).status_code == 303
    assert (await owner.get("/console/staff")).status_code == 200
    assert (await send(owner, "/console/brand", brandRef="999")).status_code == 404
    old_token = await token_of(owner)
    assert (await send(owner, "/console/brand", brandRef="1")).status_code == 303
    form = {"token": old_token, "name": "Kim", "email": "kim@brand.example", "role": "viewer"}
    other_window = await owner.post("/console/staff/invitations", data=form)
    assert other_window.status_code == 403, "the page was about the other brand"


async def test_only_system_owners_choose_a_brand(admin: httpx.AsyncClient) -> None:
    assert (await send(admin, "/console/brand", brandRef="2")).status_code == 403
    assert "Which brand" not in page_text(await admin.get("/console"))
