"""`/login` with user name and password."""

import html
import re
from typing import Any

import httpx
import msgspec
import pytest
from argon2 import PasswordHasher

from sitewright.kit import clock
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.fair_queue import Tenant
from sitewright.kit.resources import Resources
from tests.support.browsing import HOST, browser, hidden, log_in, page_text
from tests.support.cast import OTHER_BRAND, PASSWORD
from tests.support.users import OwnerConnection, make_user

WRONG = "User name or password is not right. Check both and try again."


async def test_the_page_asks_for_user_name_and_password(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/login")
    assert response.status_code == 200
    assert re.findall(r'<input[^>]* name="(\w+)"', response.text) == ["username", "password"]
    assert 'type="password"' in response.text


@pytest.mark.parametrize("username", ["ann", "ANN", "Ann"])
async def test_the_right_password_logs_in(anonymous: httpx.AsyncClient, user: int, username: str) -> None:
    response = await log_in(anonymous, username)
    assert (response.status_code, response.headers["location"]) == (303, "/account")
    assert (await anonymous.get("/account")).status_code == 200


async def test_user_names_are_normalized(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, username="Zo\u00eb Stra\u00dfe")
    assert (await log_in(anonymous, "zoe\u0308 STRASSE")).status_code == 303


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("ann", "wrong password"),
        ("nobody", PASSWORD),
        ("ann", PASSWORD.upper()),
        ("ann", ""),
        ("", PASSWORD),
        ("ann ", PASSWORD),
        ("ann\0", PASSWORD),
        ("ann", PASSWORD + "\0"),
        ("a" * 256, PASSWORD),
        ("ann", "a" * 101),
    ],
)
async def test_all_wrong_credentials_get_the_same_response(
    anonymous: httpx.AsyncClient, user: int, username: str, password: str
) -> None:
    response = await log_in(anonymous, username, password)
    assert response.status_code == 401
    assert WRONG in page_text(response)
    assert "set-cookie" not in response.headers
    assert password not in response.text or not password


@pytest.mark.parametrize("state", ["deleted_at", "anonymised_at"])
async def test_deleted_users_look_like_unknown_ones(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, state: str
) -> None:
    gone: dict[str, Any] = {state: clock.now()}
    await make_user(owner_connection, resources, **gone)
    response = await log_in(anonymous)
    assert (response.status_code, WRONG in page_text(response)) == (401, True)


async def test_a_user_without_a_password_cannot_log_in(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, password=None)
    assert (await log_in(anonymous, "ann", "any password")).status_code == 401


async def test_a_suspension_is_shown_only_after_the_right_password(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, suspended_at=clock.now(), language_code="es")
    wrong, right = await log_in(anonymous, "ann", "wrong password"), await log_in(anonymous)
    assert (wrong.status_code, right.status_code) == (401, 403)
    assert "Pida ayuda a Northwind Hosting." in page_text(right)
    assert "set-cookie" not in right.headers


class WatchedPasswords(Passwords):
    """Verifies for real, and records the number of calls and of connections in use."""

    def __init__(self, resources: Resources) -> None:
        super().__init__(at_once=2)
        self.verified: list[bool] = []
        self.busy: list[int] = []
        self._resources = resources

    async def hash(self, password: str, tenant: Tenant) -> str:
        self.busy.append(self._resources.database.pool.busy)
        return await super().hash(password, tenant)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        self.busy.append(self._resources.database.pool.busy)
        self.verified.append(await super().verify(password, password_hash))
        return self.verified[-1]


async def test_unknown_names_take_as_many_verifications_as_known_ones(resources: Resources, user: int) -> None:
    watched = WatchedPasswords(resources)
    async with browser(msgspec.structs.replace(resources, passwords=watched)) as visitor:
        await log_in(visitor, "nobody")
        await log_in(visitor, "ann", "wrong password")
        assert watched.verified == [False] * 4, "two each, as if two brands knew the name"
        await log_in(visitor)
    assert watched.verified == [False] * 4 + [True]
    await watched.close()


async def test_no_connection_is_held_while_passwords_are_hashed(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    old = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1).hash(PASSWORD)
    await make_user(owner_connection, resources, password=None, password_hash=old)
    watched = WatchedPasswords(resources)
    async with browser(msgspec.structs.replace(resources, passwords=watched)) as visitor:
        assert (await log_in(visitor)).status_code == 303
    assert watched.busy == [0, 0]
    await watched.close()


async def test_a_password_is_rehashed_when_the_parameters_changed(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, production_hashing: None
) -> None:
    old = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1).hash(PASSWORD)
    await make_user(owner_connection, resources, password=None, password_hash=old)
    assert (await log_in(anonymous)).status_code == 303
    new = await owner_connection.fetchval("select password_hash from users")
    assert "m=19456,t=2,p=1" in new
    assert (await log_in(anonymous)).status_code == 303
    assert await owner_connection.fetchval("select password_hash from users") == new


async def test_the_form_keeps_target_and_brand(anonymous: httpx.AsyncClient, user: int) -> None:
    r = '/account?a=1&b="2"'
    page = await anonymous.get("/login", params={"r": r, "brandRef": "1"})
    assert (hidden(page, "r"), hidden(page, "brandRef")) == (r, "1")
    again = await log_in(anonymous, "ann", "wrong password", r=r, brandRef="1")
    assert (hidden(again, "r"), hidden(again, "brandRef")) == (r, "1")
    assert (await log_in(anonymous, r=r)).headers["location"] == "/account?a=1&b=%222%22"


async def test_the_form_keeps_the_user_name(anonymous: httpx.AsyncClient) -> None:
    response = await log_in(anonymous, '"><script>alert(1)</script>', "wrong password")
    assert "<script>" not in response.text
    assert html.escape('"><script>', quote=True).replace("&quot;", "&#34;") in response.text


async def twins(owner_connection: OwnerConnection, resources: Resources, *passwords: str) -> None:
    for brand_ref, password in enumerate(passwords, start=1):
        await make_user(owner_connection, resources, brand_ref, password=password)


async def test_without_a_brand_the_password_decides_the_account(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await twins(owner_connection, resources, "the first password", "the second password")
    assert (await log_in(anonymous, "ann", "the second password")).status_code == 303
    assert await owner_connection.fetchval("select brand_ref from sessions") == OTHER_BRAND


async def test_an_account_with_several_providers_needs_the_providers_address(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await twins(owner_connection, resources, PASSWORD, PASSWORD)
    response = await log_in(anonymous)
    assert response.status_code == 409
    assert "Please use the log-in address that your own provider gave you." in page_text(response)
    assert (await log_in(anonymous, brandRef=str(OTHER_BRAND))).status_code == 303


@pytest.mark.parametrize("host", ["northwind.example", "login.northwind.example", "Northwind.Example:8080"])
async def test_the_host_decides_the_brand(
    resources: Resources, owner_connection: OwnerConnection, clean: None, host: str
) -> None:
    await twins(owner_connection, resources, PASSWORD, PASSWORD)
    async with browser(resources, host=host) as visitor:
        assert "Northwind Hosting" in page_text(await visitor.get("/login"))
        assert (await log_in(visitor)).status_code == 303
    assert await owner_connection.fetchval("select brand_ref from sessions") == 1


async def test_an_unknown_brand_is_ignored(anonymous: httpx.AsyncClient, user: int) -> None:
    for brand_ref in ("999999", "x", "-1", ""):
        assert (await anonymous.get("/login", params={"brandRef": brand_ref})).status_code == 200
        assert (await log_in(anonymous, brandRef=brand_ref)).status_code == 303


async def test_another_brands_account_holder_cannot_log_in(anonymous: httpx.AsyncClient, user: int) -> None:
    assert (await log_in(anonymous, brandRef=str(OTHER_BRAND))).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"Sec-Fetch-Site": "same-origin", "Origin": f"http://{HOST}"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Origin": f"http://{HOST}"}, 303),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": f"https://{HOST}"}, 403),
        ({"Origin": f"http://{HOST}:81"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_cross_site_forms_are_rejected(
    resources: Resources, user: int, headers: dict[str, str], status: int
) -> None:
    async with browser(resources) as visitor:
        response = await log_in(visitor, headers=headers)
    assert response.status_code == status
    assert ("set-cookie" in response.headers) == (status == 303)


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b'{"username": "ann"}', 415),
        ("text/plain", b"username=ann", 415),
        ("application/x-www-form-urlencoded", b"username=%ff", 400),
        ("application/x-www-form-urlencoded", b"", 401),
    ],
)
async def test_a_body_that_is_not_a_form_is_rejected_with_a_page(
    anonymous: httpx.AsyncClient, content_type: str, body: bytes, status: int
) -> None:
    response = await anonymous.post("/login", content=body, headers={"Content-Type": content_type})
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"


async def test_a_password_changed_meanwhile_does_not_log_in(
    resources: Resources, user: int, owner_connection: OwnerConnection
) -> None:
    class Overtaken(WatchedPasswords):
        async def verify(self, password: str, password_hash: str | None) -> bool:
            right = await super().verify(password, password_hash)
            await owner_connection.execute("update users set password_hash = 'another'")
            return right

    overtaken = Overtaken(resources)
    async with browser(msgspec.structs.replace(resources, passwords=overtaken)) as visitor:
        assert (await log_in(visitor)).status_code == 401
    await overtaken.close()
