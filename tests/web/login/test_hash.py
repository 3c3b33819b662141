"""`GET /login?hash=`: works once, for an hour, for users who may log in."""

import asyncio

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import page_text
from tests.support.cast import OTHER_BRAND
from tests.support.users import OwnerConnection, make_user
from tests.web.login.conftest import NewHash

SPENT = "This log-in link no longer works"


async def test_a_hash_logs_in_and_redirects_to_the_account(anonymous: httpx.AsyncClient, new_hash: NewHash) -> None:
    response = await anonymous.get(f"/login?hash={await new_hash()}")
    assert (response.status_code, response.headers["location"], response.content) == (303, "/account", b"")
    account = await anonymous.get("/account")
    assert account.status_code == 200
    assert "Hello, Ann Example" in page_text(account)


async def test_second_use_of_a_login_hash_is_refused(anonymous: httpx.AsyncClient, new_hash: NewHash) -> None:
    login = await new_hash()
    first, second = [await anonymous.get(f"/login?hash={login}") for _ in range(2)]
    assert (first.status_code, second.status_code) == (303, 400)
    assert "set-cookie" not in second.headers
    assert SPENT in page_text(second)
    assert "Northwind Hosting" in page_text(second)
    assert 'href="/login?brandRef=1"' in second.text


async def test_of_fifty_simultaneous_uses_one_succeeds(
    anonymous: httpx.AsyncClient, new_hash: NewHash, owner_connection: OwnerConnection
) -> None:
    login = await new_hash()
    responses = await asyncio.gather(*(anonymous.get(f"/login?hash={login}") for _ in range(50)))
    assert sorted(response.status_code for response in responses) == [303] + [400] * 49
    assert await owner_connection.fetchval("select count(*) from sessions") == 1


async def test_head_redirects_without_using_the_hash(
    anonymous: httpx.AsyncClient, new_hash: NewHash, owner_connection: OwnerConnection
) -> None:
    login = await new_hash()
    for _ in range(3):
        response = await anonymous.head(f"/login?hash={login}")
        assert (response.status_code, response.headers["location"]) == (303, "/account")
        assert "set-cookie" not in response.headers
    assert await owner_connection.fetchval("select count(*) from sessions") == 0
    assert (await anonymous.get(f"/login?hash={login}")).status_code == 303
    assert (await anonymous.head(f"/login?hash={login}")).status_code == 400


@pytest.mark.parametrize(("seconds", "status"), [(3590, 303), (3610, 400)])
async def test_a_hash_works_for_an_hour(
    anonymous: httpx.AsyncClient, new_hash: NewHash, seconds: int, status: int
) -> None:
    login = await new_hash()
    clock.shift(seconds)
    assert (await anonymous.get(f"/login?hash={login}")).status_code == status


@pytest.mark.parametrize(
    "wrong", ["", "x", "1", "1-", "-abc", "1-abc", "999999-abc", "0-abc", "1-%00", "1-%F0%9F%98%80", "1-" + "a" * 5000]
)
async def test_an_invalid_hash_is_an_error_page(anonymous: httpx.AsyncClient, wrong: str) -> None:
    response = await anonymous.get(f"/login?hash={wrong}")
    assert response.status_code == 400
    assert response.headers["content-type"] == "text/html; charset=utf-8"


async def test_a_hash_of_another_kind_does_not_log_in(
    anonymous: httpx.AsyncClient, new_hash: NewHash, owner_connection: OwnerConnection
) -> None:
    login = await new_hash()
    await owner_connection.execute("update one_time_tokens set kind = 'reset'")
    assert (await anonymous.get(f"/login?hash={login}")).status_code == 400


async def test_a_hash_with_its_brand_changed_does_not_log_in(anonymous: httpx.AsyncClient, new_hash: NewHash) -> None:
    login = await new_hash()
    assert (await anonymous.get(f"/login?hash={OTHER_BRAND}{login[1:]}")).status_code == 400
    assert (await anonymous.get(f"/login?hash={login}")).status_code == 303


@pytest.mark.parametrize(
    ("column", "status", "words"),
    [
        ("suspended_at", 403, "Please ask Northwind Hosting for help."),
        ("deleted_at", 400, SPENT),
        ("anonymised_at", 400, SPENT),
    ],
)
async def test_suspended_and_deleted_users_get_an_error_page(
    anonymous: httpx.AsyncClient,
    new_hash: NewHash,
    owner_connection: OwnerConnection,
    column: str,
    status: int,
    words: str,
) -> None:
    login = await new_hash()
    await owner_connection.execute(f"update users set {column} = now()")
    response = await anonymous.get(f"/login?hash={login}")
    assert response.status_code == status
    assert words in page_text(response)
    assert "set-cookie" not in response.headers


async def test_a_log_in_is_dated_and_audited(
    anonymous: httpx.AsyncClient, new_hash: NewHash, user: int, owner_connection: OwnerConnection
) -> None:
    clock.shift(86400)
    await anonymous.get(f"/login?hash={await new_hash()}", headers={"X-Request-Id": "by-hash"})
    at = await owner_connection.fetchval("select last_login_at from users where ref = $1", user)
    assert abs((clock.now() - at).total_seconds()) < 60
    row = await owner_connection.fetchrow("select * from audit_entries where request_id = 'by-hash'")
    assert row is not None
    assert (row["actor"], row["action"], row["subject_ref"]) == (f"user:{user}", "log-in", user)


async def test_the_error_page_of_a_used_hash_is_in_the_users_language(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user = await make_user(owner_connection, resources, language_code="de")
    login = (await owner.post(f"/users/{user}/auto-login")).json()["hash"]
    await anonymous.get(f"/login?hash={login}")
    response = await anonymous.get(f"/login?hash={login}", headers={"Accept-Language": "es"})
    assert "Dieser Anmeldelink gilt nicht mehr" in page_text(response)


@pytest.mark.parametrize(
    ("brand_ref", "accepted", "words"),
    [
        (1, "", "This log-in link no longer works"),
        (1, "de-AT,de;q=0.9,en;q=0.5", "Dieser Anmeldelink gilt nicht mehr"),
        (1, "fr, es;q=0.7", "Este enlace de inicio de sesión ya no funciona"),
        (1, "fr", "This log-in link no longer works"),
        (2, "en;q=0, pt-BR", "Este link de acesso não funciona mais"),
        (2, "*;q=x,,;", "This log-in link no longer works"),
    ],
)
async def test_the_error_page_of_an_unknown_hash_is_in_a_language_of_the_brand(
    anonymous: httpx.AsyncClient, brand_ref: int, accepted: str, words: str
) -> None:
    response = await anonymous.get(f"/login?hash={brand_ref}-unknown", headers={"Accept-Language": accepted})
    assert words in page_text(response)


async def test_the_hash_is_not_logged(
    anonymous: httpx.AsyncClient, new_hash: NewHash, capfd: pytest.CaptureFixture[str]
) -> None:
    login = await new_hash()
    await anonymous.get(f"/login?hash={login}", headers={"X-Request-Id": "quiet"})
    lines = capfd.readouterr().err
    assert '"request":"quiet"' in lines
    assert login not in lines
