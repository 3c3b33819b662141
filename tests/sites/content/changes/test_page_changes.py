"""POST /sites/:siteRef/changes: the kinds that change pages and the template."""

from typing import Any

import httpx
import pytest

from sitewright.sites.content.pages.urls import free_path
from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.shapes import MAIN, Site
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


async def page(editing: Editing, url: str, **fields: Any) -> dict[str, Any]:
    [item] = (await editing.make("addPage", pageUrl=url, title=url.capitalize(), **fields))["items"]
    added: dict[str, Any] = item
    return added


async def urls(editing: Editing) -> list[str]:
    return [each["page"]["request"] for each in (await editing.content())["pages"]]


async def test_pages_are_added_edited_and_deleted(editing: Editing, owner_connection: OwnerConnection) -> None:
    states = [await content_rows(owner_connection)]
    home = await page(editing, "home")
    states.append(await content_rows(owner_connection))
    fields = {"title": "Start", "pageUrl": "start", "description": "What we do"}
    [edited] = (await editing.make("editPage", pageRef=home["ref"], etag=home["etag"], fields=fields))["items"]
    assert (edited["page"]["title"], edited["page"]["request"]) == ("Start", "start")
    states.append(await content_rows(owner_connection))
    response = await editing.send("deletePage", pageRef=home["ref"], etag=home["etag"])
    assert (problem_in(response), response.json()["current"]) == ((409, "contentChanged"), edited)
    await editing.add(edited)
    states.append(await content_rows(owner_connection))
    made = await editing.make("deletePage", pageRef=home["ref"], etag=edited["etag"])
    assert made["deleted"] == [{"kind": "page", "ref": home["ref"], "id": None, "name": None}]
    for state in reversed(states):
        await editing.undo()
        assert await content_rows(owner_connection) == state


async def test_a_copy_has_the_widgets(editing: Editing, owner_connection: OwnerConnection) -> None:
    home = await page(editing, "home", bodyscript="<!-- end -->")
    await editing.add(home, type="widget.columns", name="team")
    await editing.add(home, parentId=f"{MAIN}__team__0", values={"text": "inside"})
    rows = await content_rows(owner_connection)
    made = await editing.make("addPage", pageUrl="copy", title="Copy", copyOf=home["ref"])
    copy = next(each for each in made["items"] if each["kind"] == "page")
    assert copy["page"]["bodyscript"] == "<!-- end -->"
    widgets = [each for each in made["items"] if each["kind"] == "widget"]
    assert {(each["pageRef"], each["parentId"]) for each in widgets} == {
        (copy["ref"], MAIN), (copy["ref"], f"{MAIN}__team__0"),
    }  # fmt: skip
    await editing.undo()
    assert await content_rows(owner_connection) == rows
    response = await editing.send("addPage", pageUrl="other", title="Other", copyOf=999_999)
    assert problem_in(response) == (400, "invalidCopyOf")


async def test_pages_are_moved(editing: Editing, owner_connection: OwnerConnection) -> None:
    pages = {url: (await page(editing, url))["ref"] for url in ("a", "b", "c", "d")}
    rows = await content_rows(owner_connection)
    await editing.make("movePage", pageRef=pages["d"], position=0)
    assert await urls(editing) == ["d", "a", "b", "c"]
    await editing.make("movePage", pageRef=pages["a"], position=2)
    assert await urls(editing) == ["d", "b", "a", "c"]
    made = await editing.make("movePage", pageRef=pages["b"], parentId=pages["c"])
    places = {each["ref"]: each["parentId"] for each in made["pages"]}
    assert places == {pages["a"]: 0, pages["b"]: pages["c"], pages["c"]: 0, pages["d"]: 0}
    response = await editing.send("movePage", pageRef=pages["c"], parentId=pages["b"])
    assert problem_in(response) == (400, "invalidParentId")
    for _ in range(3):
        await editing.undo()
    assert await content_rows(owner_connection) == rows


async def test_pages_below_a_deleted_one_come_back_to_it(editing: Editing, owner_connection: OwnerConnection) -> None:
    parent = await page(editing, "parent")
    child = await page(editing, "child", parentId=parent["ref"])
    rows = await content_rows(owner_connection)
    made = await editing.make("deletePage", pageRef=parent["ref"], etag=parent["etag"])
    assert [(each["ref"], each["parentId"]) for each in made["pages"]] == [(child["ref"], 0)]
    await editing.undo()
    assert await content_rows(owner_connection) == rows


async def test_undo_and_redo_never_make_a_circle_of_pages(editing: Editing, owner_connection: OwnerConnection) -> None:
    above = await page(editing, "above")
    below = await page(editing, "below", parentId=above["ref"])
    to_the_top = await editing.make("movePage", pageRef=below["ref"])
    exchanged = await editing.make("movePage", pageRef=above["ref"], parentId=below["ref"])
    rows = await content_rows(owner_connection)
    response = await editing.step("undo", number=to_the_top["change"]["number"])
    assert (problem_in(response), "its parent is below it now" in response.text) == ((409, "contentChanged"), True)
    assert await content_rows(owner_connection) == rows
    await page(editing, "more", parentId=below["ref"])
    for made in (exchanged, to_the_top):
        await editing.undo(number=made["change"]["number"])
    response = await editing.step("redo", number=exchanged["change"]["number"])
    assert problem_in(response) == (409, "contentChanged")
    for made in (to_the_top, exchanged):
        await editing.redo(number=made["change"]["number"])


async def test_a_page_does_not_come_back_below_a_deleted_one(
    editing: Editing, owner_connection: OwnerConnection
) -> None:
    above = await page(editing, "above")
    below = await page(editing, "below", parentId=above["ref"])
    moved = await editing.make("movePage", pageRef=below["ref"])
    await editing.make("deletePage", pageRef=above["ref"], etag=above["etag"])
    rows = await content_rows(owner_connection)
    response = await editing.step("undo", number=moved["change"]["number"])
    assert problem_in(response) == (409, "contentChanged")
    assert await content_rows(owner_connection) == rows
    for _ in range(2):
        await editing.undo()


async def test_an_address_that_was_taken_meanwhile(editing: Editing, owner: httpx.AsyncClient) -> None:
    home = await page(editing, "home")
    await editing.make("deletePage", pageRef=home["ref"], etag=home["etag"])
    await editing.site.page(owner, "home")
    assert problem_in(await editing.step("undo")) == (409, "contentChanged")
    assert problem_in(await editing.send("addPage", pageUrl="HOME", title="x")) == (409, "pageUrlTaken")
    response = await editing.send("addPage", pageUrl="a b", title="x")
    assert list(response.json()["errors"]) == ["change.pageUrl"]


async def test_undoing_a_new_address_keeps_redirects_right(editing: Editing, owner: httpx.AsyncClient) -> None:
    menu = await page(editing, "menu")
    await editing.make("editPage", pageRef=menu["ref"], etag=menu["etag"], fields={"pageUrl": "food"})
    await editing.undo()
    listed = (await owner.get(f"{editing.site.path}/redirects")).json()["redirects"]
    assert [(each["from"], each["to"]) for each in listed] == [("food", "/menu")]
    assert await urls(editing) == ["menu"]


async def test_the_template(editing: Editing, owner: httpx.AsyncClient) -> None:
    async def chosen() -> Any:
        return (await editing.content())["templateRef"]

    first = await chosen()
    made = await editing.make("chooseTemplate", templateRef=2)
    assert (made["items"], await chosen()) == ([{"kind": "template", "ref": 2}], 2)
    undone = await editing.undo()
    assert (undone["items"], await chosen()) == ([{"kind": "template", "ref": first}], first)
    await editing.redo()
    assert await chosen() == 2
    await owner.put(editing.site.path, json={"templateRef": 1})
    response = await editing.step("undo")
    assert (problem_in(response), response.json()["current"]) == (
        (409, "contentChanged"),
        {"kind": "template", "ref": 1},
    )
    assert problem_in(await editing.send("chooseTemplate", templateRef=999_999)) == (400, "invalidTemplateRef")


async def test_addresses_keep_redirects_as_by_put(editing: Editing, owner: httpx.AsyncClient) -> None:
    """A chain leads to the current address, and an address that a page takes is no redirect any more."""
    by_change, by_put = await page(editing, "one"), await editing.site.page(owner, "a")
    for url in ("two", "three"):
        current = next(each for each in (await editing.content())["pages"] if each["ref"] == by_change["ref"])
        await editing.make("editPage", pageRef=current["ref"], etag=current["etag"], fields={"pageUrl": url})
    for url in ("b", "c"):
        await editing.site.edit_page(owner, by_put, pageUrl=url)
    listed = (await owner.get(f"{editing.site.path}/redirects")).json()["redirects"]
    expected = {"one": "/three", "two": "/three", "a": "/c", "b": "/c"}
    assert {each["from"]: each["to"] for each in listed} == expected
    await page(editing, "two")
    await page(editing, "b")
    listed = (await owner.get(f"{editing.site.path}/redirects")).json()["redirects"]
    assert {each["from"]: each["to"] for each in listed} == {"one": "/three", "a": "/c"}


async def test_the_home_page_is_one_step(
    editing: Editing, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    """Both pages exchange addresses in one step, and again by undo and redo."""
    home, menu = await page(editing, "home"), await page(editing, "menu")
    before = await content_rows(owner_connection)
    made = await editing.make("makeHome", pageRef=menu["ref"])
    assert {each["ref"]: each["page"]["request"] for each in made["items"]} == {
        menu["ref"]: "home", home["ref"]: "home-2",
    }  # fmt: skip
    after = await content_rows(owner_connection)
    listed = (await owner.get(f"{editing.site.path}/redirects")).json()["redirects"]
    assert [(each["from"], each["to"]) for each in listed] == [("menu", "/")]
    await editing.undo()
    assert await content_rows(owner_connection) == before
    await editing.redo()
    assert await content_rows(owner_connection) == after
    again = await editing.make("makeHome", pageRef=menu["ref"])
    assert again["items"] == [], "it is the home page already"
    await editing.undo()
    assert await content_rows(owner_connection) == before


async def test_a_site_without_a_home_page_gets_one(editing: Editing) -> None:
    first = await page(editing, "about")
    await editing.make("makeHome", pageRef=first["ref"])
    assert await urls(editing) == ["home"]
    assert problem_in(await editing.send("makeHome", pageRef=first["ref"] + 1000)) == (404, "pageNotFound")


@pytest.mark.parametrize(
    ("title", "taken", "path"),
    [
        ("Über uns", set(), "uber-uns"),
        ("Menu", {"menu", "menu-2"}, "menu-3"),
        ("Home", set(), "home-2"),
        ("日本語", {"page"}, "page-2"),
        ("_site", set(), "site"),
        ("a" * 300, set(), "a" * 60),
    ],
)
def test_a_path_is_made_of_the_title(title: str, taken: set[str], path: str) -> None:
    assert free_path(title, taken) == path


async def test_the_widgets_of_a_deleted_page_come_back_with_it(editing: Editing) -> None:
    """Also for an editor that was loaded while the page was deleted."""
    home = await page(editing, "home")
    widget = await editing.add(home)
    await editing.make("deletePage", pageRef=home["ref"], etag=home["etag"])
    undone = await editing.undo()
    assert [(each["kind"], each["ref"]) for each in undone["items"]] == [
        ("page", home["ref"]), ("widget", widget["ref"]),
    ]  # fmt: skip
