"""One-time codes and recovery codes."""

import httpx
import msgspec
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import browser, hidden, page_text
from tests.support.cast import PASSWORD
from tests.support.operators import code_of, log_in_operator, set_up_second_factor, token_of
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/me/second-factor"


@pytest.fixture
async def protected(admin: httpx.AsyncClient) -> tuple[bytes, list[str]]:
    """The brand-admin has a second factor: its secret and recovery codes."""
    return await set_up_second_factor(admin)


async def enter(client: httpx.AsyncClient, code: str, **more: str) -> httpx.Response:
    return await client.post(
        "/console/code", data={"token": await token_of(client, "/console/code"), "code": code} | more
    )


async def test_setting_it_up_shows_a_qr_code_and_ten_recovery_codes(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, protected: tuple[bytes, list[str]]
) -> None:
    _secret, codes = protected
    assert len(set(codes)) == 10
    page = page_text(await admin.get("/console/me"))
    assert "Unused recovery codes: 10" in page
    stored = await owner_connection.fetchrow(
        "select second_factor, recovery_codes from operators where username = 'brand-admin'"
    )
    assert stored is not None
    assert not [code for code in codes if code in str(stored) or code.replace("-", "") in str(stored)]


async def test_the_page_of_the_set_up_shows_the_qr_code(admin: httpx.AsyncClient) -> None:
    assert "<svg" not in (await admin.get(PATH)).text.partition('id="set-up"')[2].replace("<svg class", "")
    await admin.post(f"{PATH}/begin", data={"token": await token_of(admin, PATH)})
    page = await admin.get(PATH)
    assert 'role="img" aria-label="QR code for your authenticator app"><svg' in page.text
    assert "style=" not in page.text
    assert page.headers["cache-control"] == "no-store"


async def test_a_wrong_code_does_not_enable_it(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await admin.post(f"{PATH}/begin", data={"token": await token_of(admin, PATH)})
    response = await admin.post(PATH, data={"token": await token_of(admin, PATH), "code": "000000"})
    assert response.status_code == 400
    assert "This code is not right" in page_text(response)
    assert await owner_connection.fetchval("select count(*) from operators where second_factor_at is not null") == 0


async def test_the_password_alone_does_not_log_in(
    anonymous: httpx.AsyncClient, protected: tuple[bytes, list[str]]
) -> None:
    response = await log_in_operator(anonymous, "brand-admin", r="/console/me")
    assert (response.status_code, response.headers["location"]) == (303, "/console/code?r=/console/me")
    for path in ("/console", "/console/me", "/console/staff", PATH):
        assert (await anonymous.get(path)).headers["location"] == "/console/code"
    wrong = await enter(anonymous, "000000")
    assert wrong.status_code == 401
    right = await enter(anonymous, code_of(protected[0]), r="/console/me")
    assert (right.status_code, right.headers["location"]) == (303, "/console/me")
    assert (await anonymous.get("/console/me")).status_code == 200


@pytest.mark.parametrize(
    "address", ["/console/sites?state=offline&user=41", "/console/customers?search=ann%2Bshop&sort=-created"]
)
async def test_the_code_leads_on_to_the_page_with_its_filters(
    anonymous: httpx.AsyncClient, protected: tuple[bytes, list[str]], address: str
) -> None:
    asked = await anonymous.get(address)
    shown = await anonymous.get(asked.headers["location"])
    password = await log_in_operator(anonymous, "brand-admin", r=hidden(shown, "r"))
    code_page = await anonymous.get(password.headers["location"])
    right = await enter(anonymous, code_of(protected[0]), r=hidden(code_page, "r"))
    assert (right.status_code, right.headers["location"]) == (303, address)


async def test_a_code_works_once(base_url: str, log_in: LogIn, protected: tuple[bytes, list[str]]) -> None:
    first, second = await log_in("brand-admin"), await log_in("brand-admin")
    code = code_of(protected[0])
    assert (await enter(first, code)).status_code == 303
    assert (await enter(second, code)).status_code == 401
    assert (await enter(second, code_of(protected[0], 1))).status_code == 303, "the next one"


async def test_a_recovery_code_works_once(log_in: LogIn, protected: tuple[bytes, list[str]]) -> None:
    first, second = await log_in("brand-admin"), await log_in("brand-admin")
    code = protected[1][3]
    assert (await enter(first, code.upper().replace("-", " "))).status_code == 303
    assert (await enter(second, code)).status_code == 401
    assert (await enter(second, protected[1][4])).status_code == 303
    assert "Unused recovery codes: 8" in page_text(await second.get("/console/me"))


async def test_wrong_codes_are_limited_over_all_sessions(log_in: LogIn, protected: tuple[bytes, list[str]]) -> None:
    first, second = await log_in("brand-admin"), await log_in("brand-admin")
    assert [(await enter(first, "000000")).status_code for _ in range(3)] == [401] * 3
    assert [(await enter(second, "000000")).status_code for _ in range(2)] == [401] * 2
    assert (await enter(first, code_of(protected[0]))).status_code == 429
    assert (await enter(second, protected[1][0])).status_code == 429
    clock.shift(301)
    assert (await enter(first, code_of(protected[0]))).status_code == 303


async def test_the_code_must_be_entered_within_ten_minutes(log_in: LogIn, protected: tuple[bytes, list[str]]) -> None:
    client = await log_in("brand-admin")
    token = await token_of(client, "/console/code")
    clock.shift(601)
    late = await client.post("/console/code", data={"token": token, "code": code_of(protected[0])})
    assert (late.status_code, late.headers["location"]) == (303, "/console/log-in")


async def test_the_form_of_the_code_needs_its_token(log_in: LogIn, protected: tuple[bytes, list[str]]) -> None:
    client = await log_in("brand-admin")
    response = await client.post("/console/code", data={"token": "0f3a", "code": code_of(protected[0])})
    assert response.status_code == 403
    assert (await client.get("/console/me")).headers["location"] == "/console/code"


async def test_http_basic_is_refused_because_it_has_no_code(
    owner_operator: httpx.AsyncClient, protected: tuple[bytes, list[str]]
) -> None:
    assert problem_in(await owner_operator.get("/users")) == (403, "secondFactorRequired")


async def test_new_recovery_codes_replace_the_former_ones(
    admin: httpx.AsyncClient, log_in: LogIn, protected: tuple[bytes, list[str]]
) -> None:
    path = f"{PATH}/recovery-codes"
    wrong = await admin.post(path, data={"token": await token_of(admin), "code": "1"})
    assert wrong.status_code == 400
    shown = await admin.post(path, data={"token": await token_of(admin), "code": protected[1][0]})
    assert shown.status_code == 200
    other = await log_in("brand-admin")
    assert (await enter(other, protected[1][1])).status_code == 401


async def test_it_is_removed_with_a_code(
    admin: httpx.AsyncClient, log_in: LogIn, owner_operator: httpx.AsyncClient, protected: tuple[bytes, list[str]]
) -> None:
    wrong = await admin.post(f"{PATH}/remove", data={"token": await token_of(admin), "code": "000000"})
    assert wrong.status_code == 400
    done = await admin.post(f"{PATH}/remove", data={"token": await token_of(admin), "code": code_of(protected[0])})
    assert done.headers["location"] == "/console/me?done=factor_removed"
    assert (await (await log_in("brand-admin")).get("/console/me")).status_code == 200
    assert (await owner_operator.get("/users")).status_code == 200


async def test_where_it_is_required_operators_set_it_up_first(resources: Resources, cast: object, clean: None) -> None:
    settings = msgspec.structs.replace(resources.settings, console_second_factor="required")
    async with browser(msgspec.structs.replace(resources, settings=settings)) as client:
        assert (await log_in_operator(client, "viewer", PASSWORD)).headers["location"] == "/console"
        for path in ("/console", "/console/me", "/console/staff"):
            assert (await client.get(path)).headers["location"] == PATH
        page = await client.get(PATH)
        assert "One-time codes are required here." in page_text(page)
        blocked = await client.post("/console/me/language", data={"token": hidden(page, "token"), "language": "de"})
        assert blocked.headers["location"] == PATH
        await set_up_second_factor(client)
        assert (await client.get("/console/me")).status_code == 200


async def test_each_use_is_audited(
    log_in: LogIn, owner_connection: OwnerConnection, protected: tuple[bytes, list[str]]
) -> None:
    client = await log_in("brand-admin")
    await enter(client, "000000")
    await enter(client, protected[1][0])
    rows = await owner_connection.fetch("select action from audit_entries where subject = 'operator' order by ref")
    expected = ["begin-second-factor", "enable-second-factor", "wrong-code", "use-recovery-code", "log-in"]
    assert [row["action"] for row in rows][-5:] == expected
