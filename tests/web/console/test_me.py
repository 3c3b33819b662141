"""An operator's own page: language, password and sessions."""

import httpx
import pytest

from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import PASSWORD
from tests.support.operators import CONSOLE_COOKIE, log_in_operator, send
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

NEW = "another good password"


@pytest.mark.parametrize("username", ["system-owner", "brand-admin", "support", "viewer"])
async def test_every_role_has_its_own_page(log_in: LogIn, username: str) -> None:
    client = await log_in(username)
    page = await client.get("/console/me")
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    assert username in page_text(page)


async def test_the_language_is_that_of_the_operator(log_in: LogIn) -> None:
    client = await log_in("viewer")
    assert (await send(client, "/console/me/language", language="de")).status_code == 303
    page = await client.get("/console/me?done=language")
    assert 'lang="de"' in page.text
    assert "Die Konsole spricht jetzt Ihre Sprache." in page_text(page)
    assert "Mein Zugang" in page_text(await (await log_in("viewer")).get("/console/me"))
    assert (await send(client, "/console/me/language", language="xx")).status_code == 400


async def test_a_new_password_ends_all_other_sessions(log_in: LogIn, anonymous: httpx.AsyncClient) -> None:
    client, other = await log_in("support"), await log_in("support")
    response = await send(client, "/console/me/password", currentPassword=PASSWORD, password=NEW)
    assert (response.status_code, response.headers["location"]) == (303, "/console/me?done=password")
    assert (await client.get("/console/me")).status_code == 200
    assert (await other.get("/console/me")).status_code == 303
    assert (await log_in_operator(anonymous, "support")).status_code == 401
    assert (await log_in_operator(anonymous, "support", NEW)).status_code == 303


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"currentPassword": "wrong", "password": NEW}, "This is not your present password."),
        ({"currentPassword": PASSWORD, "password": "short"}, "The password must have 7 to 100 characters."),
        ({"currentPassword": PASSWORD}, "The password must have 7 to 100 characters."),
    ],
)
async def test_a_wrong_password_is_explained_at_its_field(
    admin: httpx.AsyncClient, form: dict[str, str], text: str
) -> None:
    response = await send(admin, "/console/me/password", **form)
    assert response.status_code == 400
    assert text in page_text(response)
    assert (await admin.get("/console/me")).status_code == 200


async def test_sessions_are_listed_and_ended_one_by_one(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection
) -> None:
    other, third = await log_in("brand-admin"), await log_in("brand-admin")
    page = await admin.get("/console/me")
    assert page.text.count("/end") - page.text.count("/end-others") == 2
    refs = await owner_connection.fetch("select ref from console_sessions order by ref")
    assert (await send(admin, f"/console/me/sessions/{refs[1]['ref']}/end")).status_code == 303
    assert [(await each.get("/console/me")).status_code for each in (admin, other, third)] == [200, 303, 200]
    assert (await send(admin, f"/console/me/sessions/{refs[1]['ref']}/end")).status_code == 404
    assert (await send(admin, "/console/me/sessions/end-others")).status_code == 303
    assert [(await each.get("/console/me")).status_code for each in (admin, third)] == [200, 303]


async def test_sessions_of_other_operators_cannot_be_ended(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection
) -> None:
    colleague, owner = await log_in("viewer"), await log_in("system-owner")
    for row in await owner_connection.fetch("select ref from console_sessions order by ref offset 1"):
        assert (await send(admin, f"/console/me/sessions/{row['ref']}/end")).status_code == 404
    await send(admin, "/console/me/sessions/end-others")
    assert [(await each.get("/console/me")).status_code for each in (colleague, owner)] == [200, 200]


@pytest.mark.parametrize("ref", ["abc", "0", "9" * 20])
async def test_a_malformed_session_is_not_found(admin: httpx.AsyncClient, ref: str) -> None:
    assert (await send(admin, f"/console/me/sessions/{ref}/end")).status_code == 404


async def test_another_brands_session_is_invalid(admin: httpx.AsyncClient) -> None:
    session = admin.cookies[CONSOLE_COOKIE]
    response = await admin.get("/console", headers={"Cookie": f"{CONSOLE_COOKIE}=2{session[1:]}"})
    assert response.status_code == 303
