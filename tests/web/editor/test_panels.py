"""The calls of the editor's panels: history, preview links, redirects."""

import httpx
import pytest

from tests.support.cast import OWN_BRAND
from tests.support.sites import make_page, make_widget
from tests.support.users import OwnerConnection
from tests.web.editor.conftest import EditorClient
from tests.web.editor.test_frame import directives


async def allow(connection: OwnerConnection, **capabilities: int) -> None:
    """Set capabilities of every package."""
    for name, value in capabilities.items():
        await connection.execute(
            "update packages set capabilities = capabilities || jsonb_build_object($1::text, $2::int)", name, value
        )


@pytest.fixture
async def page(owner_connection: OwnerConnection, site: int) -> int:
    page_ref = await make_page(owner_connection, OWN_BRAND, site, request="home", title="Home")
    await make_widget(owner_connection, OWN_BRAND, site, page_ref, type="widget.heading", name="a")
    return page_ref


async def publish(editor: EditorClient) -> int:
    assert (await editor.post("/publish")).status_code == 200
    ref: int = (await editor.get("/versions")).json()["versions"][0]["ref"]
    return ref


async def test_the_history_names_author_and_time(editor: EditorClient, page: int) -> None:
    first = await publish(editor)
    second = await publish(editor)
    versions = (await editor.get("/versions")).json()["versions"]
    assert [(each["ref"], each["current"], each["editable"]) for each in versions] == [
        (second, True, True),
        (first, False, True),
    ]
    assert versions[0]["author"]["kind"] == "accountHolder"
    assert versions[0]["published"].endswith("+00:00")


async def test_restoring_and_editing_name_the_author_in_the_audit_log(
    editor: EditorClient, page: int, owner_connection: OwnerConnection
) -> None:
    first = await publish(editor)
    await publish(editor)
    assert (await editor.post(f"/versions/{first}/restore")).status_code == 204
    assert [each["current"] for each in (await editor.get("/versions")).json()["versions"]] == [False, True]
    assert (await editor.post(f"/versions/{first}/edit")).is_success
    asked = "select action from audit_entries where actor like 'user:%' order by ref desc limit 2"
    assert [row["action"] for row in await owner_connection.fetch(asked)] == ["edit from version", "roll back"]


async def test_a_version_that_does_not_exist(editor: EditorClient, page: int) -> None:
    for action in ("restore", "edit"):
        response = await editor.post(f"/versions/99999/{action}")
        assert (response.status_code, response.json()["code"]) == (404, "versionNotFound")
    for kind in ("frame", "thumbnail"):
        assert (await editor.get(f"/versions/99999/{kind}")).status_code == 404


async def test_nothing_of_the_site_runs_in_a_version(editor: EditorClient, page: int) -> None:
    version = await publish(editor)
    frame = await editor.get(f"/versions/{version}/frame")
    assert directives(frame)["sandbox"] == "allow-scripts"
    assert directives(frame)["script-src"].startswith("'nonce-")
    thumbnail = await editor.get(f"/versions/{version}/thumbnail")
    assert directives(thumbnail)["sandbox"] == ""
    assert "<script" not in thumbnail.text.lower()
    assert (await editor.get(f"/versions/{version}/frame?path=nowhere")).status_code == 404


async def test_a_preview_link_shows_the_draft_until_it_is_revoked(
    editor: EditorClient, page: int, anonymous: httpx.AsyncClient
) -> None:
    link = (await editor.post("/preview-links", {"days": 1})).json()["link"]
    listed = (await editor.get("/preview-links")).json()["links"]
    assert [(each["ref"], each["url"]) for each in listed] == [(link["ref"], None)]
    path = httpx.URL(link["url"]).path
    assert (await anonymous.get(path)).status_code == 200
    assert (await editor.post(f"/preview-links/{link['ref']}/delete")).status_code == 204
    assert (await anonymous.get(path)).status_code == 404
    assert (await editor.post(f"/preview-links/{link['ref']}/delete")).json()["code"] == "previewLinkNotFound"


async def test_redirects_follow_the_package(editor: EditorClient, page: int, owner_connection: OwnerConnection) -> None:
    await allow(owner_connection, seoAndRedirects=0, allowExternalRedirects=0)
    inside, outside = {"from": "old", "pageRef": page}, {"from": "shop", "url": "https://shop.example.com/"}
    refused = await editor.post("/redirects", inside)
    assert (refused.status_code, refused.json()["code"]) == (403, "packageLimitReached")
    await allow(owner_connection, seoAndRedirects=1)
    added = (await editor.post("/redirects", inside)).json()["redirect"]
    assert (added["to"], added["automatic"]) == ("/", False)
    refused = await editor.post("/redirects", outside)
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "Redirects to other websites are not in your package.",
    )
    await allow(owner_connection, allowExternalRedirects=1)
    assert (await editor.post("/redirects", outside)).status_code == 200
    assert [each["from"] for each in (await editor.get("/redirects")).json()["redirects"]] == ["shop", "old"]
    assert (await editor.post(f"/redirects/{added['ref']}/delete")).status_code == 204


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"from": "home"}, "This address cannot be used."),
        ({"from": "old", "url": "no address"}, "Write the complete address"),
    ],
)
async def test_an_invalid_redirect_is_explained(
    editor: EditorClient, page: int, body: dict[str, object], words: str
) -> None:
    response = await editor.post("/redirects", body)
    assert response.status_code == 400
    assert response.json()["detail"].startswith(words)


async def test_the_icon_of_the_site_is_part_of_the_design(
    editor: EditorClient, page: int, owner_connection: OwnerConnection
) -> None:
    await allow(owner_connection, designTab=0)
    chosen = {"kind": "setGlobalValue", "name": "favicon", "value": "https://a.example/icon.png"}
    assert (await editor.change("one", **chosen)).status_code == 403
    await allow(owner_connection, designTab=1)
    assert (await editor.change("two", **chosen)).status_code == 200
