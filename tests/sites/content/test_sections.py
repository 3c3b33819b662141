"""GET /sections, and the change `addSection`."""

from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from sitewright.sites.content.sections.schemas import Section
from sitewright.sites.content.sections.service import SECTIONS, picture_of, read_sections, sections_in
from sitewright.sites.content.widget_types.service import LANGUAGES
from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.shapes import MAIN, Site
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

NAMES = ["hero", "features", "gallery", "prices", "questions", "contact", "openingHours", "team", "footer"]


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


@pytest.fixture
async def page(owner: httpx.AsyncClient, site: Site) -> dict[str, Any]:
    return await site.page(owner)


def texts_of(section: Section) -> list[str]:
    blocks = [block for widget in section.widgets for block in (widget, *(b for each in widget.columns for b in each))]
    return [section.title, section.description, *(value for block in blocks for value in block.values.values())]


async def test_the_sections_are_listed(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    for client in (owner, reseller):
        response = await client.get("/sections")
        assert response.status_code == 200
        assert [each["name"] for each in response.json()["sections"]] == NAMES
    german = (await owner.get("/sections", headers={"Accept-Language": "de"})).json()["sections"]
    assert german[6]["title"] == "Öffnungszeiten"
    assert [each["type"] for each in german[5]["widgets"][1]["columns"][0]] == ["widget.content", "widget.map"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    sections = sections_in(language)
    for section, english in zip(sections, SECTIONS, strict=True):
        own = texts_of(section)
        assert all(own), section.name
        same = [text for text, other in zip(own, texts_of(english), strict=True) if text == other and " " in text]
        assert language == "en" or not same


@pytest.mark.parametrize("name", NAMES)
def test_every_section_has_a_drawing(name: str) -> None:
    root = ElementTree.fromstring(picture_of(name))  # noqa: S314 - our own
    assert (root.get("viewBox"), root.get("stroke")) == ("0 0 96 64", "currentColor")
    assert len(picture_of(name)) < 1000


def test_invalid_definitions_are_refused() -> None:
    for widget, message in [
        ("{type: heading, values: {words: Hi}}", "has no value words"),
        ("{type: banner}", "banner is not a known type"),
        ("{type: heading, values: {level: high}}", "an integer"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_sections(f"[{{name: a, title: A, description: A, widgets: [{widget}]}}]")


@pytest.mark.parametrize("name", NAMES)
async def test_a_section_is_one_step(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection, name: str
) -> None:
    before = await content_rows(owner_connection)
    made = await editing.make("addSection", pageRef=page["ref"], section=name)
    section = next(each for each in SECTIONS if each.name == name)
    main = [each["type"] for each in made["items"] if each["parentId"] == MAIN]
    assert main == [each.type for each in section.widgets]
    inside = [each for each in made["items"] if each["parentId"] != MAIN]
    assert len(inside) == sum(len(column) for each in section.widgets for column in each.columns)
    assert len({each["name"] for each in made["items"]}) == len(made["items"])
    assert (await editing.undo())["canUndo"] == 0
    assert await content_rows(owner_connection) == before
    await editing.redo()
    assert sorted(await editing.order()) == sorted(each["ref"] for each in made["items"] if each["parentId"] == MAIN)


async def test_others_move_behind_it(editing: Editing, page: dict[str, Any], owner: httpx.AsyncClient) -> None:
    first, last = await editing.add(page), await editing.add(page)
    made = await editing.make("addSection", pageRef=page["ref"], section="hero", position=1)
    refs = [each["ref"] for each in made["items"]]
    assert await editing.order() == [first["ref"], *refs, last["ref"]]
    assert made["zones"] == [{"pageRef": page["ref"], "parentId": MAIN, "widgets": await editing.order()}]
    positions = [position for _name, position in await editing.site.order(owner)]
    assert positions == sorted(set(positions))
    await editing.undo()
    assert await editing.order() == [first["ref"], last["ref"]]


async def test_a_gap_is_filled_without_overlap(
    editing: Editing, owner: httpx.AsyncClient, page: dict[str, Any]
) -> None:
    first = await editing.site.widget(owner, page, "first", position=0, parentId=MAIN, collection="widgets")
    second = await editing.site.widget(owner, page, "second", position=2, parentId=MAIN, collection="widgets")
    await editing.make("addSection", pageRef=page["ref"], section="hero", position=0)
    assert (await editing.order())[-2:] == [first["ref"], second["ref"]]
    positions = [position for _name, position in await editing.site.order(owner)]
    assert len(set(positions)) == len(positions)


async def test_texts_are_in_the_callers_language(owner: httpx.AsyncClient, site: Site, page: dict[str, Any]) -> None:
    body = {"id": "one", "change": {"kind": "addSection", "pageRef": page["ref"], "section": "team"}}
    response = await owner.post(f"{site.path}/changes", json=body, headers={"Accept-Language": "fr"})
    assert response.json()["items"][0]["values"]["text"] == "Qui s’occupe de vous"


async def test_opening_hours_are_those_that_the_site_shows_already(editing: Editing, page: dict[str, Any]) -> None:
    hours = '[{"days": "mo-sa", "times": "06:00-13:00"}]'
    await editing.add(page, type="widget.openingHours", values={"hours": hours})
    for section in ("openingHours", "footer"):
        made = await editing.make("addSection", pageRef=page["ref"], section=section)
        added = [each["values"] for each in made["items"] if each["type"] == "widget.openingHours"]
        assert [each["hours"] for each in added] == [hours]


async def test_unknown_sections_and_pages(editing: Editing, page: dict[str, Any]) -> None:
    response = await editing.send("addSection", pageRef=page["ref"], section="nothing")
    assert problem_in(response) == (400, "invalidSection")
    assert list(response.json()["errors"]) == ["change.section"]
    response = await editing.send("addSection", pageRef=page["ref"] + 1000, section="hero")
    assert list(response.json()["errors"]) == ["change.pageRef"]
    assert (await editing.content())["widgets"] == []
