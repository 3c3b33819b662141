"""What an operator who is logged in as an account holder may not do, and what others see of it."""

import json

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import generate_all
from tests.sites.content.changes.test_package_rules import allow
from tests.support.browsing import browser, forms, page_text
from tests.support.browsing import log_in as log_in_holder
from tests.support.cast import OWN_BRAND, PASSWORD
from tests.support.users import OwnerConnection
from tests.web.account.factories import make_site
from tests.web.console.log_in_as.acting import (
    HOUR,
    has_access,
    operator_ref,
    reasons,
)

REFUSED = "Only the account holder can do this"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("email", {"email": "other@mail.example"}),
        ("password", {"currentPassword": PASSWORD, "password": "another long password"}),
        ("log-out", {}),
        ("data", {}),
        ("deletion", {}),
    ],
)
async def test_what_concerns_only_the_person_is_refused(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, path: str, form: dict[str, str]
) -> None:
    await owner_connection.execute(
        "update brands set self_service_deletion = 'request' where brand_ref = $1", OWN_BRAND
    )
    state = "select to_jsonb(u)::text from users u where ref = $1"
    before = await owner_connection.fetchval(state, user)
    token = forms(await support.get("/account"))["/logout"]["token"]
    response = await support.post(f"/account/profile/{path}", data=form | {"token": token})
    assert response.status_code == 403
    assert REFUSED in page_text(response)
    assert await owner_connection.fetchval(state, user) == before
    assert await owner_connection.fetchval("select count(*) from mails") == 0
    assert await owner_connection.fetchval("select count(*) from one_time_tokens") == 0
    assert await has_access(support)


async def test_the_profile_shows_neither_sessions_nor_forms_that_are_refused(support: httpx.AsyncClient) -> None:
    page = await support.get("/account/profile")
    assert set(forms(page)) & {f"/account/profile/{each}" for each in ("email", "password", "log-out", "data")} == set()
    assert "Logged-in devices" not in page_text(page)
    assert "Only the account holder can change the password" in page_text(page)
    assert REFUSED in page_text(await support.get("/account/profile/deletion"))


async def test_an_operator_does_not_get_the_copy_of_all_data(
    support: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    async with browser(resources) as holder:
        await log_in_holder(holder)
        page = await holder.get("/account/profile")
        await holder.post("/account/profile/data", data=forms(page)["/account/profile/data"])
        await generate_all(resources)
        assert (await holder.get("/account/profile/data")).headers["content-type"] == "application/zip"
        assert (await support.get("/account/profile/data")).headers["location"] == "/account/profile#data"


async def test_the_account_holder_sees_it_and_can_end_it(
    support: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    async with browser(resources) as holder:
        await log_in_holder(holder)
        page = await holder.get("/account/profile")
        assert "Support of Northwind Hosting since" in page_text(page)
        await holder.post("/account/profile/log-out", data=forms(page)["/account/profile/log-out"])
    assert not await has_access(support)
    assert await reasons(owner_connection) == ["all sessions ended"]


async def test_it_does_not_count_as_a_log_in_of_the_account_holder(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    assert await has_access(support)
    assert await owner_connection.fetchval("select last_login_at from users where ref = $1", user) is None


async def test_actions_are_audited_under_the_operators_name(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    form = forms(await support.get("/account/profile"))["/account/profile/details"]
    response = await support.post("/account/profile/details", data=form | {"languageCode": "en", "city": "Springfield"})
    assert response.headers["location"] == "/account/profile?done=details"
    [entry] = await owner_connection.fetch("select actor, details from audit_entries where action = 'edit'")
    assert entry["actor"] == f"operator:{await operator_ref(owner_connection)}"
    assert json.loads(entry["details"])["asUserRef"] == user


async def test_rules_of_the_package_apply_as_to_the_account_holder(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    site = await make_site(owner_connection, resources, user)
    await allow(owner_connection, cssEditing=0)
    token = (await support.get(f"/account/sites/{site}/edit/token")).json()["token"]
    change = {"kind": "setGlobalValue", "name": "customCss", "value": "p{}"}
    response = await support.post(
        f"/account/sites/{site}/edit/changes",
        json={"id": "a" * 20, "session": "tab", "change": change},
        headers={"X-Form-Token": token},
    )
    assert response.status_code == 403, response.text


async def test_calls_of_the_editor_end_with_the_session(
    support: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    site = await make_site(owner_connection, resources, user)
    assert (await support.get(f"/account/sites/{site}/edit/token")).status_code == 200
    clock.shift(HOUR)
    assert (await support.get(f"/account/sites/{site}/edit/token")).status_code == 401


async def test_the_end_needs_its_token(support: httpx.AsyncClient) -> None:
    assert (await support.post("/logout", data={"token": "0" * 64})).status_code == 403
    assert await has_access(support)
