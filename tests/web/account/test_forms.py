"""CSRF protection: forms are accepted from the session's own pages only."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import forms, hidden, log_in, page_text
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import ATELIER, make_site

FORMS = ["publish", "live", "details", "picker"]
ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
]


def path(form: str, site: int) -> str:
    return "/template-picker/" if form == "picker" else f"/account/sites/{site}/{form}"


def fields(site: int) -> dict[str, str]:
    """Fields for all forms of the pages in one body."""
    return {"live": "0", "business": "Taken over", "siteRef": str(site), "templateRef": str(ATELIER)}


async def state(owner_connection: OwnerConnection) -> list[object]:
    rows = await owner_connection.fetch(
        "select s.live, s.version_ref, s.template_ref, p.fields from sites s join profiles p on p.ref = s.profile_ref"
    )
    entries = await owner_connection.fetchval("select count(*) from audit_entries where subject <> 'user'")
    return [*map(tuple, rows), entries]


@pytest.fixture
async def online(owner_connection: OwnerConnection, site: int) -> int:
    await owner_connection.execute("update sites set live = true, version_ref = 1, last_publish_at = now()")
    return site


@pytest.mark.parametrize("form", FORMS)
async def test_a_form_without_the_sessions_token_changes_nothing(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, online: int, form: str
) -> None:
    before = await state(owner_connection)
    for token in ({}, {"token": ""}, {"token": "0" * 64}, {"token": "é"}):
        response = await visitor.post(path(form, online), data=fields(online) | token)
        assert response.status_code == 403
        assert "Nothing was changed." in page_text(response)
    assert await state(owner_connection) == before


@pytest.mark.parametrize("form", FORMS)
async def test_a_form_of_another_site_changes_nothing(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, online: int, form: str
) -> None:
    before = await state(owner_connection)
    token = {"token": hidden(await visitor.get("/account"), "token")}
    for headers in ELSEWHERE:
        response = await visitor.post(path(form, online), data=fields(online) | token, headers=headers)
        assert response.status_code == 403, headers
    assert await state(owner_connection) == before


@pytest.mark.parametrize("form", FORMS)
async def test_another_sessions_token_is_rejected(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, online: int, form: str
) -> None:
    token = {"token": hidden(await visitor.get("/account"), "token")}
    visitor.cookies.clear()
    await log_in(visitor)
    assert hidden(await visitor.get("/account"), "token") != token["token"]
    assert (await visitor.post(path(form, online), data=fields(online) | token)).status_code == 403


@pytest.mark.parametrize("form", FORMS)
async def test_another_users_site_is_not_reached_by_forms(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, form: str
) -> None:
    neighbour = await make_user(owner_connection, resources, username="bea")
    site = await make_site(owner_connection, resources, neighbour, live=True, version_ref=1)
    before = await state(owner_connection)
    token = {"token": hidden(await visitor.get("/account"), "token")}
    for ref in (site, 99999, 0):
        response = await visitor.post(path(form, ref), data=fields(ref) | token)
        assert response.status_code in (400, 404)
        assert "We did not find that" in page_text(response)
    assert await state(owner_connection) == before


@pytest.mark.parametrize("form", FORMS)
async def test_anonymous_forms_change_nothing(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, online: int, form: str
) -> None:
    before = await state(owner_connection)
    response = await anonymous.post(path(form, online), data=fields(online))
    assert (response.status_code, response.headers["location"]) == (303, "/login?r=/account")
    assert await state(owner_connection) == before


@pytest.mark.parametrize("form", FORMS)
async def test_a_body_that_is_not_a_form_is_rejected(visitor: httpx.AsyncClient, online: int, form: str) -> None:
    responses = [
        await visitor.post(path(form, online), json=fields(online)),
        await visitor.post(path(form, online)),
        await visitor.post(path(form, online), files={"token": b"x"}),
    ]
    assert [response.status_code for response in responses] == [415] * 3
    broken = {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await visitor.post(path(form, online), content=b"token=%ff", headers=broken)).status_code == 400
    large = await visitor.post(path(form, online), content=b"a" * (1024 * 1024 + 1), headers=broken)
    assert large.status_code == 413


async def test_a_page_has_one_token_in_all_of_its_forms(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/account/sites/{site}")
    assert len({form["token"] for form in forms(page).values()}) == 1
    assert len(forms(page)) == 4
