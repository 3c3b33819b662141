"""The editor's calls: only for the session's own sites, and only with the session's token."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.media.pictures.service import Format
from sitewright.web.editor.calls import CALLS
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, log_in
from tests.support.pictures import picture
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site
from tests.web.editor.conftest import EditorClient

OTHER_REF = re.compile(r"\{(?!site_ref)\w+:int\}")
PATHS = [(call.method, OTHER_REF.sub("1", call.path)) for call in CALLS]
EVERY_CALL = pytest.mark.parametrize(("method", "path"), PATHS, ids=[f"{method} {path}" for method, path in PATHS])


@EVERY_CALL
async def test_nobody_is_asked_to_log_in(anonymous: httpx.AsyncClient, site: int, method: str, path: str) -> None:
    response = await anonymous.request(method, path.replace("{site_ref:int}", str(site)))
    assert (response.status_code, response.json()["code"]) == (401, "notLoggedIn")
    assert response.headers["www-authenticate"].startswith("Form"), "a browser would ask for a password"


@EVERY_CALL
async def test_another_users_site_does_not_exist(
    editor: EditorClient, resources: Resources, owner_connection: OwnerConnection, method: str, path: str
) -> None:
    other = await make_user(owner_connection, resources, username="bea", email="bea@mail.example")
    site = await make_site(owner_connection, resources, other, domain=None)
    headers = {"X-Form-Token": editor.token}
    response = await editor.client.request(method, path.replace("{site_ref:int}", str(site)), headers=headers)
    assert (response.status_code, response.json()["code"]) == (404, "siteNotFound")


@pytest.mark.parametrize("path", [path for method, path in PATHS if method == "POST"])
async def test_a_call_without_the_sessions_token_changes_nothing(
    visitor: httpx.AsyncClient, site: int, path: str, owner_connection: OwnerConnection
) -> None:
    counted = "select count(*) from audit_entries"
    before = await owner_connection.fetchval(counted)
    for headers in ({}, {"X-Form-Token": "0" * 64}, {"Sec-Fetch-Site": "cross-site"}):
        response = await visitor.post(path.replace("{site_ref:int}", str(site)), headers=headers, json={})
        assert (response.status_code, response.json()["code"]) == (403, "formTokenRejected")
    assert await owner_connection.fetchval(counted) == before


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_page_and_its_start_are_in_the_users_language(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, language: str
) -> None:
    user = await make_user(owner_connection, resources, language_code=language)
    site = await make_site(owner_connection, resources, user)
    await log_in(anonymous)
    page = await anonymous.get(f"/account/sites/{site}/edit")
    assert f'<html lang="{language}">' in page.text
    assert_loads_nothing_else(page)
    assert "connect-src 'self'; frame-src 'self'" in page.headers["content-security-policy"]
    start = (await anonymous.get(f"/account/sites/{site}/edit/start")).json()
    assert start["texts"]["publish"] in page.text
    titles = {each["type"]: each["title"] for each in start["types"]}
    assert titles["widget.heading"] == {"en": "Heading", "de": "Überschrift"}.get(language, titles["widget.heading"])
    assert {each["name"] for each in start["design"]["colors"]} >= {"Roast"}
    assert start["templates"]
    assert start["rules"]["storageLimit"] >= 0


async def test_the_page_redirects_to_the_log_in_and_back(anonymous: httpx.AsyncClient, site: int) -> None:
    response = await anonymous.get(f"/account/sites/{site}/edit?page=3")
    assert response.headers["location"] == f"/login?r=/account/sites/{site}/edit%3Fpage%3D3"


async def test_the_focal_point_is_for_packages_with_image_editing(
    editor: EditorClient, owner_connection: OwnerConnection, site: int
) -> None:
    media = (await editor.upload("a.png", picture(Format.PNG))).json()["media"]
    allow = "update packages set capabilities = capabilities || '{\"imageEditing\": %d}'"
    await owner_connection.execute(allow % 0)
    path = f"/media/{media['ref']}"
    refused = await editor.post(path, {"focalX": 0.1})
    assert (refused.status_code, refused.json()["code"]) == (403, "packageLimitReached")
    assert (await editor.post(path, {"alt": "A dot"})).status_code == 200
    await owner_connection.execute(allow % 1)
    assert (await editor.post(path, {"focalX": 0.1})).json()["media"]["focalX"] == 0.1
