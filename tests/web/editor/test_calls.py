"""The editor's calls: only for the session's own sites, and only with the session's token."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.media.pictures.service import Format
from sitewright.web.editor.calls import CALLS
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, log_in
from tests.support.pictures import SVG, animation, picture
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site
from tests.web.editor.conftest import EditorClient
from tests.web.editor.test_panels import allow

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


async def test_a_part_of_a_picture_becomes_a_new_one(editor: EditorClient, owner_connection: OwnerConnection) -> None:
    await allow(owner_connection, imageEditing=1)
    media = (await editor.upload("bar.jpg", picture(Format.JPEG, 400, 200))).json()["media"]
    await editor.post(f"/media/{media['ref']}", {"alt": "The bar"})
    cropped = await editor.post(f"/media/{media['ref']}/crop", {"x": 0.5, "y": 0, "width": 0.25, "height": 0.5})
    assert cropped.status_code == 200, cropped.text
    new = cropped.json()["media"]
    assert (new["name"], new["alt"], new["width"], new["height"]) == ("bar.jpg", "The bar", 100, 100)
    assert [each["ref"] for each in (await editor.get("/media")).json()["media"]] == [new["ref"], media["ref"]]
    assert (await editor.client.get(new["url"])).headers["content-type"] == "image/webp"


@pytest.mark.parametrize("content", [SVG, animation(Format.GIF)], ids=["drawing", "animation"])
async def test_what_cannot_be_cropped_is_refused(
    editor: EditorClient, owner_connection: OwnerConnection, content: bytes
) -> None:
    await allow(owner_connection, imageEditing=1)
    media = (await editor.upload("a", content)).json()["media"]
    refused = await editor.post(f"/media/{media['ref']}/crop", {"x": 0, "y": 0, "width": 0.5, "height": 0.5})
    assert (refused.status_code, refused.json()["code"]) == (400, "mediaNotCroppable")
    assert refused.json()["detail"] == "Drawings (SVG) and animations cannot be cropped."


async def test_cropping_follows_the_package(editor: EditorClient, owner_connection: OwnerConnection) -> None:
    media = (await editor.upload("a.png", picture(Format.PNG))).json()["media"]
    part, path = {"x": 0, "y": 0, "width": 0.5, "height": 0.5}, f"/media/{media['ref']}/crop"
    await allow(owner_connection, imageEditing=0)
    refused = await editor.post(path, part)
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "Your package does not include editing of pictures.",
    )
    await allow(owner_connection, imageEditing=1, storageLimit=media["bytes"])
    refused = await editor.post(path, part)
    assert (refused.status_code, refused.json()["code"]) == (403, "packageLimitReached")
    await allow(owner_connection, storageLimit=10 * media["bytes"])
    assert (await editor.post(path, part)).status_code == 200
    assert (await editor.post("/media/99999/crop", part)).json()["code"] == "mediaNotFound"
    assert (await editor.post(path, part | {"width": 2})).status_code == 400


async def test_own_css_is_for_packages_with_css_editing(
    editor: EditorClient, owner_connection: OwnerConnection
) -> None:
    page = (await editor.change("c1", kind="addPage", title="Home", pageUrl="home")).json()["items"][0]["ref"]
    css = {"kind": "setGlobalValue", "name": "customCss", "value": ".button { border-radius: 0 }"}
    await allow(owner_connection, cssEditing=0)
    refused = await editor.change("c2", **css)
    assert (refused.status_code, refused.json()["detail"]) == (403, "Your package does not include CSS of your own.")
    await allow(owner_connection, cssEditing=1)
    assert (await editor.change("c3", **css)).status_code == 200
    assert ".button { border-radius: 0 }" in (await editor.get(f"/render?page={page}")).json()["html"]


async def test_samples_of_fonts_can_be_shown(editor: EditorClient) -> None:
    design = (await editor.get("/start")).json()["design"]
    assert not any("font(" in value for each in design["fonts"] for value in each["values"].values())
    for face in design["faces"]:  # none where the browser files were not built
        assert any(f'"{face["family"]}"' in value for each in design["fonts"] for value in each["values"].values())
        assert (await editor.client.get(face["url"])).headers["content-type"] == "font/woff2"
