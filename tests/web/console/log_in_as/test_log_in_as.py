"""Operators log in as an account holder: the banner, what ends it, what it may not do, and the audit."""

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import assert_loads_nothing_else, forms, page_text
from tests.support.browsing import log_in as log_in_holder
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.operators import log_in_operator, send
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site
from tests.web.console.conftest import LogIn
from tests.web.console.log_in_as.acting import (
    BANNER,
    COOKIE,
    HOUR,
    assert_began,
    banner_in,
    end,
    entries,
    has_access,
    log_in_as,
    operator_ref,
    reasons,
    run_housekeeping,
)


@pytest.mark.parametrize("username", ["support", "brand-admin"])
async def test_an_operator_works_as_an_account_holder_until_the_end_is_clicked(
    log_in: LogIn, owner_connection: OwnerConnection, user: int, username: str
) -> None:
    client = await log_in(username)
    assert_began(await log_in_as(client, user))
    page = await client.get("/account")
    assert_loads_nothing_else(page)
    assert f"{BANNER} You work for Northwind Hosting as {username}. Ends at " in page_text(page)
    assert (await client.get("/console/me")).status_code == 200
    response = await end(client)
    assert (response.status_code, response.headers["location"]) == (303, f"/console/customers/{user}")
    assert (await client.get("/account")).headers["location"] == "/login?r=/account"
    assert (await client.get("/console/me")).status_code == 200
    actor = f"operator:{await operator_ref(owner_connection, username)}"
    (began_by, began, start), (ended_by, ended, finish) = await entries(owner_connection)
    assert (began_by, began, ended_by, ended) == (actor, "log-in-as", actor, "end-log-in-as")
    assert (start["until"], finish["reason"]) == (finish["until"], "ended")


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "pt"])
async def test_every_page_has_the_banner(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int, language: str
) -> None:
    await owner_connection.execute(
        "update brands set self_service_deletion = 'request' where brand_ref = $1", OWN_BRAND
    )
    await owner_connection.execute("update users set language_code = $2 where ref = $1", user, language)
    site = await make_site(owner_connection, resources, user)
    token = forms(await support.get("/account"))["/logout"]["token"]
    call = await support.post(
        f"/account/sites/{site}/edit/preview-links", json={"days": 1}, headers={"X-Form-Token": token}
    )
    preview = httpx.URL(call.json()["link"]["url"]).path
    addresses = [
        "/account", "/account/package", "/account/domains", "/account/profile", "/account/messages",
        "/account/sites/new", f"/account/sites/{site}", f"/account/sites/{site}/edit",
        f"/account/sites/{site}/first-page", f"/account/sites/{site}/visits", f"/template-picker/?siteRef={site}",
        f"/help/editor?language={language}", "/account/sites/999999", "/account/profile/deletion",
        "/preview/1-unknown", preview,
    ]  # fmt: skip
    for address in addresses:
        page = await support.get(address, headers={"Accept-Language": language})
        assert page.status_code in (200, 403, 404, 409), address
        is_for_everybody = address.startswith(("/help", "/preview/1-unknown"))  # in languages of guide and brand
        shown = page.text.partition('<html lang="')[2][:2] if is_for_everybody else language
        assert banner_in(shown) in page_text(page), address
        is_site = address == preview
        assert (token in page.text) is not is_site, address
        assert ('action="/logout"' in page.text) is not is_site, address
        assert is_site or "form-action 'none'" not in page.headers["content-security-policy"], address


async def test_account_holders_have_no_banner(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    await log_in_holder(anonymous)
    for address in ("/account", "/help/editor", "/account/sites/999999"):
        assert "You are logged in as" not in page_text(await anonymous.get(address))
    assert await owner_connection.fetchval("select operator_ref from sessions") is None


async def test_it_ends_after_an_hour_of_use_and_its_end_is_audited_once(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    for minutes in (20, 40, 59):
        clock.shift(minutes * 60)
        assert await has_access(support)
    clock.shift(HOUR)
    assert not await has_access(support)
    assert (await support.get("/console/me")).status_code == 200
    await run_housekeeping(resources)
    assert await reasons(owner_connection) == ["expired"]


async def test_the_worker_audits_the_end_if_nobody_comes_back(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    clock.shift(HOUR - 1)
    await run_housekeeping(resources)
    assert await reasons(owner_connection) == []
    clock.shift(3 * 86400)
    await run_housekeeping(resources)
    await run_housekeeping(resources)
    assert await reasons(owner_connection) == ["expired"]
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_it_ends_with_the_session_of_the_console(
    support: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    session = support.cookies[COOKIE]
    assert (await send(support, "/console/log-out")).status_code == 303
    assert await reasons(owner_connection) == ["console session ended"], "at once"
    assert not await has_access(support)
    assert await reasons(owner_connection) == ["console session ended"]
    await log_in_operator(support, "support")
    support.cookies.set(COOKIE, session)
    assert not await has_access(support)


async def test_another_session_of_the_same_operator_does_not_count(support: httpx.AsyncClient, log_in: LogIn) -> None:
    other = await log_in("support")
    other.cookies.set(COOKIE, support.cookies[COOKIE])
    assert not await has_access(other)
    assert not await has_access(support), "the attempt has ended it"


async def test_the_session_alone_is_not_enough(
    support: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    anonymous.cookies.set(COOKIE, support.cookies[COOKIE])
    assert not await has_access(anonymous)
    assert await reasons(owner_connection) == ["console session ended"]


@pytest.mark.parametrize("change", ["role", "remove"])
async def test_it_ends_when_the_operator_loses_the_role(
    support: httpx.AsyncClient, admin: httpx.AsyncClient, owner_connection: OwnerConnection, change: str
) -> None:
    ref = await operator_ref(owner_connection)
    assert await has_access(support)
    assert (await send(admin, f"/console/staff/{ref}/{change}", role="viewer")).status_code == 303
    assert not await has_access(support)
    assert await reasons(owner_connection) == ["console session ended"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("update operators set role = 'viewer' where username = 'support'", "role lost"),
        ("update users set suspended_at = now() where username = 'ann'", "account suspended or deleted"),
    ],
)
async def test_the_reason_is_audited_also_where_no_session_was_ended(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, statement: str, reason: str
) -> None:
    await owner_connection.execute(statement)
    assert not await has_access(support)
    assert await reasons(owner_connection) == [reason]


async def test_use_keeps_the_session_of_the_console_alive(support: httpx.AsyncClient) -> None:
    clock.shift(40 * 60)
    assert await has_access(support)
    clock.shift(80 * 60)
    assert (await support.get("/console/me")).status_code == 200


@pytest.mark.parametrize("change", ["suspend", "delete", "anonymise", "password"])
async def test_it_ends_with_the_account(
    support: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, change: str
) -> None:
    if change == "delete":
        response = await owner.delete(f"/users/{user}")
    elif change == "password":
        response = await owner.put(f"/users/{user}", json={"password": "another long password"})
    else:
        response = await owner.post(f"/users/{user}/{change}", json={})
    assert response.status_code in (200, 204), response.text
    assert not await has_access(support)
    assert await reasons(owner_connection) == ["all sessions ended"]


@pytest.mark.parametrize(
    ("column", "status", "text"),
    [("suspended_at", 403, "suspended"), ("deleted_at", 409, "deleted"), ("anonymised_at", 409, "anonymized")],
)
async def test_nobody_logs_in_as_an_account_that_cannot_log_in(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, column: str, status: int, text: str
) -> None:
    await owner_connection.execute(f"update users set {column} = now() where ref = $1", user)
    response = await log_in_as(admin, user)
    assert response.status_code == status
    assert "You cannot log in as this customer" in page_text(response)
    assert f"The account is {text}." in page_text(response)
    assert f'href="/console/customers/{user}"' in response.text
    assert "set-cookie" not in response.headers
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_a_viewer_may_not(log_in: LogIn, owner_connection: OwnerConnection, user: int) -> None:
    assert (await log_in_as(await log_in("viewer"), user)).status_code == 403
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_the_form_needs_its_token_and_a_log_in(
    admin: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    path = f"/console/customers/{user}/log-in-as"
    assert (await admin.post(path, data={"token": ""})).status_code == 403
    assert (await admin.post(path, data={"token": "0" * 64})).status_code == 403
    assert (await admin.get(path)).status_code == 405
    assert (await anonymous.post(path, data={"token": ""})).headers["location"] == "/console/log-in"
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_never_across_brands(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    foreign = await make_user(owner_connection, resources, OTHER_BRAND)
    unknown, other = await log_in_as(admin, 999999), await log_in_as(admin, foreign)
    assert (unknown.status_code, other.status_code) == (404, 404)
    assert page_text(unknown).partition("Number")[0] == page_text(other).partition("Number")[0]
    system_owner = await log_in("system-owner")
    assert (await log_in_as(system_owner, foreign)).headers["location"] == "/console", "no brand is chosen"
    assert (await send(system_owner, "/console/brand", brandRef=str(OWN_BRAND))).status_code == 303
    assert (await log_in_as(system_owner, foreign)).status_code == 404
    assert (await send(system_owner, "/console/brand", brandRef=str(OTHER_BRAND))).status_code == 303
    assert (await log_in_as(system_owner, foreign)).headers["location"] == "/account"
    assert BANNER in page_text(await system_owner.get("/account"))
    assert (await end(system_owner)).headers["location"] == f"/console/customers/{foreign}"
    rows = await owner_connection.fetch("select brand_ref from audit_entries where action like '%log-in-as'")
    assert [row["brand_ref"] for row in rows] == [OTHER_BRAND, OTHER_BRAND]


async def test_it_replaces_the_session_of_the_same_browser(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    second = await make_user(owner_connection, resources, username="bo", email="bo@mail.example", first_name="Bo")
    first_session = support.cookies[COOKIE]
    assert_began(await log_in_as(support, second))
    assert "You are logged in as Bo Example." in page_text(await support.get("/account"))
    assert await reasons(owner_connection) == ["replaced"]
    support.cookies.delete(COOKIE)
    support.cookies.set(COOKIE, first_session)
    assert not await has_access(support)
