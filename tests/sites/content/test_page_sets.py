"""GET /page-sets, and the change `addPageSet`."""

from typing import Any

import httpx
import pytest

from sitewright.sites.content.page_sets.service import page_sets_in, read_page_sets
from sitewright.sites.content.sections.service import find_section
from sitewright.sites.content.widget_types.service import LANGUAGES
from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.shapes import MAIN, Site
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

NAMES = ["business", "company", "onePage", "empty"]


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


async def paths(editing: Editing) -> list[str]:
    return [each["page"]["request"] for each in (await editing.content())["pages"]]


async def test_the_sets_are_listed(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    for client in (owner, reseller):
        response = await client.get("/page-sets")
        assert [each["name"] for each in response.json()["pageSets"]] == NAMES
    german = (await owner.get("/page-sets", headers={"Accept-Language": "de"})).json()["pageSets"]
    assert [(each["title"], each["pageUrl"]) for each in german[0]["pages"]] == [
        ("Start", "home"),
        ("Leistungen", "leistungen"),
        ("Kontakt", "kontakt"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    for one, english in zip(page_sets_in(language), page_sets_in("en"), strict=True):
        assert language == "en" or one.title != english.title
        assert language == "en" or one.description != english.description
        assert [page.sections for page in one.pages] == [page.sections for page in english.pages]
        assert all(page.title for page in one.pages)


def test_invalid_definitions_are_refused() -> None:
    for page, message in [
        ("{title: A, pageUrl: home, sections: [nothing]}", "nothing is not a known section"),
        ("{title: A, pageUrl: start, sections: []}", "the first page has the address home"),
        ("{title: A, pageUrl: a b, sections: []}", "segments of letters"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_page_sets(f"[{{name: a, title: A, description: A, pages: [{page}]}}]")


@pytest.mark.parametrize("name", NAMES)
async def test_a_set_is_one_step(editing: Editing, owner_connection: OwnerConnection, name: str) -> None:
    before = await content_rows(owner_connection)
    made = await editing.make("addPageSet", pageSet=name)
    wanted = next(each for each in page_sets_in("en") if each.name == name)
    added = [each["page"] for each in made["items"] if each["kind"] == "page"]
    assert [(each["title"], each["request"]) for each in added] == [
        (each.title, each.page_url) for each in wanted.pages
    ]
    for page, shown in zip(wanted.pages, added, strict=True):
        sections = [section for each in page.sections if (section := find_section(each, "en")) is not None]
        widgets = [
            each
            for each in (await editing.content())["widgets"]
            if each["pageRef"] == shown["ref"] and each["parentId"] == MAIN
        ]
        assert [each["type"] for each in widgets] == [widget.type for each in sections for widget in each.widgets]
        assert [each["position"] for each in widgets] == list(range(len(widgets)))
    after = await content_rows(owner_connection)
    assert (await editing.undo())["canUndo"] == 0
    assert await content_rows(owner_connection) == before
    redone = await editing.redo()
    assert await content_rows(owner_connection) == after
    assert len(redone["items"]) == len(made["items"])


async def test_pages_are_in_the_language_of_the_site(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, editing: Editing
) -> None:
    await owner_connection.execute("update users set language_code = 'de-AT'")
    body = {"id": "one", "change": {"kind": "addPageSet", "pageSet": "business"}}
    made = (await owner.post(f"{site.path}/changes", json=body, headers={"Accept-Language": "fr"})).json()
    assert await paths(editing) == ["home", "leistungen", "kontakt"]
    texts = [each["values"].get("text") for each in made["items"] if each["kind"] == "widget"]
    assert "Unsere Preise" in texts


async def test_buttons_lead_to_the_contact_form(editing: Editing) -> None:
    def links(made: dict[str, Any]) -> set[str]:
        return {each["values"]["url"] for each in made["items"] if each.get("type") == "widget.button"}

    assert links(await editing.make("addPageSet", pageSet="business")) == {"/contact"}
    await editing.undo()
    assert links(await editing.make("addPageSet", pageSet="onePage")) == {"#contact"}


async def test_unknown_sets_and_taken_addresses(editing: Editing, owner: httpx.AsyncClient) -> None:
    response = await editing.send("addPageSet", pageSet="nothing")
    assert problem_in(response) == (400, "invalidPageSet")
    assert list(response.json()["errors"]) == ["change.pageSet"]
    await editing.site.page(owner, "contact")
    assert problem_in(await editing.send("addPageSet", pageSet="business")) == (409, "pageUrlTaken")
    assert await paths(editing) == ["contact"]
    await editing.make("addPageSet", pageSet="empty")
    assert sorted(await paths(editing)) == ["contact", "home"]
