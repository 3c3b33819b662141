"""The business details in the editor: the fields of the site's page, saved one by one."""

import httpx

from tests.web.editor.conftest import EditorClient


async def fields(editor: EditorClient) -> dict[str, str]:
    groups = (await editor.get("/details")).json()["groups"]
    assert [group["title"] for group in groups] == ["Your business", "Contact", "Elsewhere on the internet"]
    return {field["name"]: field["value"] for group in groups for field in group["fields"]}


async def test_a_detail_is_saved_and_others_stay(editor: EditorClient) -> None:
    assert (await editor.post("/details", {"business": "Dr. Dent", "phone": "+44 20 7946 0000"})).status_code == 204
    assert (await editor.post("/details", {"headline": "A smile for life"})).status_code == 204
    saved = await fields(editor)
    assert (saved["business"], saved["headline"], saved["phone"]) == (
        "Dr. Dent",
        "A smile for life",
        "+44 20 7946 0000",
    )
    start = (await editor.get("/start")).json()
    assert start["profile"]["business"] == "Dr. Dent"


async def test_what_is_wrong_is_said_in_words(editor: EditorClient) -> None:
    response = await editor.post("/details", {"email": "dora@den"})
    assert response.status_code == 400
    assert response.json()["detail"] == "Please enter an e-mail address, like ann@example.com."
    assert list(response.json()["errors"]) == ["email"]
    assert (await fields(editor))["email"] != "dora@den"


async def test_other_pages_of_the_business_are_added_and_changed(editor: EditorClient) -> None:
    added = {"newName": "Videos", "newLink": "https://videos.example/dent"}
    assert (await editor.post("/details", added)).status_code == 204
    assert (await fields(editor))["link-Videos"] == "https://videos.example/dent"
    assert (await editor.post("/details", {"link-Videos": "https://videos.example/new"})).status_code == 204
    assert (await editor.post("/details", {"link-Videos": 5})).status_code == 204, "it is no text, and changes nothing"
    assert (await fields(editor))["link-Videos"] == "https://videos.example/new"


async def test_the_rendered_page_marks_what_shows_details(editor: EditorClient, visitor: httpx.AsyncClient) -> None:
    await editor.post("/details", {"business": "Dr. Dent", "headline": "A smile for life"})
    page = (await editor.change("c1", kind="addPage", title="Home", pageUrl="home")).json()["items"][0]["ref"]
    other = (await editor.change("c2", kind="addPage", title="Prices", pageUrl="prices")).json()["items"]
    html = (await editor.get(f"/render?page={page}")).json()["html"]
    assert 'data-static="hero"' in html
    assert 'data-static="name">Dr. Dent<' in html
    [prices] = [item["ref"] for item in other if item["kind"] == "page" and item["page"]["title"] == "Prices"]
    assert '<h1 data-static="title">Prices</h1>' in (await editor.get(f"/render?page={prices}")).json()["html"]
