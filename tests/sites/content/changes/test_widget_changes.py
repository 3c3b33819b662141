"""POST /sites/:siteRef/changes: the kinds that change widgets."""

from typing import Any

import httpx
import pytest

from tests.sites.content.changes.editing import CONTENT, Editing, content_rows
from tests.sites.content.shapes import MAIN, Site
from tests.support.database import rows_of
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


@pytest.fixture
async def page(owner: httpx.AsyncClient, site: Site) -> dict[str, Any]:
    return await site.page(owner)


async def columns(editing: Editing, page: dict[str, Any]) -> dict[str, Any]:
    """A columns widget with a widget in its second column, and columns with a widget in its first."""
    team = await editing.add(page, type="widget.columns", name="team")
    await editing.add(page, parentId=f"{MAIN}__team__1", values={"text": "right"})
    await editing.add(page, parentId=f"{MAIN}__team__0", type="widget.columns", name="inner")
    await editing.add(page, parentId=f"{MAIN}__team__0__inner__2", values={"text": "deep"})
    return team


async def test_set_values(editing: Editing, page: dict[str, Any]) -> None:
    widget = await editing.add(page, values={"text": "Hello", "level": "3"})
    made = await editing.make(
        "setValues", widgetRef=widget["ref"], etag=widget["etag"], values={"text": "Bye", "level": None}
    )
    assert (made["change"]["number"], made["change"]["kind"], made["change"]["undone"]) == (2, "setValues", 0)
    [item] = made["items"]
    kept = {"localClass": widget["values"]["localClass"]}
    assert item == widget | {"etag": item["etag"], "values": {"text": "Bye"} | kept}
    assert item["etag"] != widget["etag"]
    assert (made["deleted"], made["zones"], made["canUndo"], made["canRedo"]) == ([], [], 1, 0)
    assert await editing.widget(widget["ref"]) == item


async def test_a_repeated_id_changes_nothing(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    fields = {"pageRef": page["ref"], "parentId": MAIN, "type": "widget.heading"}
    first = await editing.make("addWidget", change_id="same", **fields)
    before = await rows_of(owner_connection, (*CONTENT, "audit_entries", "content_changes"))
    assert await editing.make("addWidget", change_id="same", **fields) == first | {"repeated": 1}
    assert await rows_of(owner_connection, (*CONTENT, "audit_entries", "content_changes")) == before
    await editing.undo(id="undo")
    again = await editing.step("undo", id="undo")
    assert (again.json()["change"]["kind"], again.json()["canRedo"]) == ("undo", 1)
    assert (await editing.make("addWidget", change_id="same", **fields))["change"]["undone"] == 1
    assert (await editing.content())["widgets"] == []


async def test_a_stale_etag_changes_nothing_and_returns_the_current_item(
    editing: Editing, page: dict[str, Any], owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    widget = await editing.add(page)
    await editing.site.edit_widget(owner, widget, values={"text": "by a plain call"})
    before = await rows_of(owner_connection, (*CONTENT, "audit_entries", "content_changes"))
    kinds: dict[str, Any] = {"setValues": {"values": {"text": "mine"}}, "deleteWidget": {}}
    for kind, fields in kinds.items():
        response = await editing.send(kind, widgetRef=widget["ref"], etag=widget["etag"], **fields)
        assert problem_in(response) == (409, "contentChanged")
        assert response.json()["current"] == await editing.widget(widget["ref"])
        assert response.json()["current"]["values"]["text"] == "by a plain call"
    assert await rows_of(owner_connection, (*CONTENT, "audit_entries", "content_changes")) == before


async def test_widgets_are_added_at_their_place(editing: Editing, page: dict[str, Any]) -> None:
    first = await editing.add(page)
    last = await editing.add(page)
    middle = await editing.add(page, position=1)
    top = await editing.add(page, position=0)
    assert await editing.order() == [each["ref"] for each in (top, first, middle, last)]
    made = await editing.make("addWidget", pageRef=page["ref"], parentId=MAIN, type="heading", position=99)
    [zone] = made["zones"]
    assert zone["widgets"][-1] == made["items"][0]["ref"]
    assert len({each["name"] for each in (await editing.content())["widgets"]}) == 5


@pytest.mark.parametrize("position", [0, 1, 2, 3, None])
async def test_a_move_among_siblings(editing: Editing, page: dict[str, Any], position: int | None) -> None:
    refs = [(await editing.add(page))["ref"] for _ in range(4)]
    made = await editing.make("moveWidget", widgetRef=refs[1], parentId=MAIN, position=position)
    rest = [refs[0], *refs[2:]]
    rest.insert(len(rest) if position is None else position, refs[1])
    assert await editing.order() == rest
    assert position == 1 or made["zones"] == [{"pageRef": page["ref"], "parentId": MAIN, "widgets": rest}]


async def test_gaps_and_equal_positions_do_not_disturb(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    refs = [(await editing.add(page))["ref"] for _ in range(4)]
    for places in ((0, 5, 9, 40), (0, 3, 3, 3), (2, 2, 2, 2)):
        for ref, place in zip(refs, places, strict=True):
            await owner_connection.execute("update widgets set position = $2 where ref = $1", ref, place)
        rows = await content_rows(owner_connection)
        await editing.make("moveWidget", widgetRef=refs[3], parentId=MAIN, position=1)
        assert await editing.order() == [refs[0], refs[3], refs[1], refs[2]]
        await editing.undo()
        assert await content_rows(owner_connection) == rows
        added = await editing.add(page, position=2)
        assert await editing.order() == [refs[0], refs[1], added["ref"], refs[2], refs[3]]
        await editing.undo()
        assert await content_rows(owner_connection) == rows


async def test_a_move_into_columns_and_to_another_page(
    editing: Editing, page: dict[str, Any], owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    team = await columns(editing, page)
    other = await editing.site.page(owner, "other")
    taken = await editing.add(other, name="team")
    rows = await content_rows(owner_connection)
    made = await editing.make("moveWidget", widgetRef=team["ref"], pageRef=other["ref"], parentId=MAIN, position=0)
    assert {each["pageRef"] for each in made["items"]} == {other["ref"]}
    assert len(made["items"]) == 4
    moved = next(each for each in made["items"] if each["ref"] == team["ref"])
    assert moved["name"] != "team"
    assert moved["etag"] == team["etag"]
    inside = {each["parentId"] for each in made["items"]}
    assert inside == {MAIN} | {f"{MAIN}__{moved['name']}__{end}" for end in ("0", "1", "0__inner__2")}
    response = await editing.send("moveWidget", widgetRef=team["ref"], parentId=f"{MAIN}__{moved['name']}__0")
    assert problem_in(response) == (400, "invalidParentId")
    await editing.make("moveWidget", widgetRef=taken["ref"], parentId=f"{MAIN}__{moved['name']}__1")
    await editing.undo()
    await editing.undo()
    assert await content_rows(owner_connection) == rows


async def test_a_duplicate_has_everything_inside(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    team, last = await columns(editing, page), await editing.add(page)
    rows = await content_rows(owner_connection)
    made = await editing.make("duplicateWidget", widgetRef=team["ref"])
    [copy] = [each for each in made["items"] if each["parentId"] == MAIN]
    assert await editing.order() == [team["ref"], copy["ref"], last["ref"]]
    own_id = f"{MAIN}__{copy['name']}"
    assert {each["parentId"] for each in made["items"]} == {
        MAIN,
        f"{own_id}__0",
        f"{own_id}__1",
        f"{own_id}__0__inner__2",
    }
    assert {each["values"].get("text") for each in made["items"]} == {"Hello", "right", "deep"}
    assert copy["values"]["localClass"] != team["values"]["localClass"]
    final = await content_rows(owner_connection)
    await editing.undo()
    assert await content_rows(owner_connection) == rows
    await editing.redo()
    assert await content_rows(owner_connection) == final


async def test_a_deleted_columns_widget_comes_back_with_everything_and_the_same_refs(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    await editing.add(page)
    team = await columns(editing, page)
    await editing.add(page)
    rows = await content_rows(owner_connection)
    before = await editing.content()
    made = await editing.make("deleteWidget", widgetRef=team["ref"], etag=team["etag"])
    assert len(made["deleted"]) == 4
    assert made["items"] == []
    assert len((await editing.content())["widgets"]) == 2
    undone = await editing.undo()
    assert {each["ref"] for each in undone["items"]} == {each["ref"] for each in made["deleted"]}
    assert await content_rows(owner_connection) == rows
    assert (await editing.content())["widgets"] == before["widgets"]
    redone = await editing.redo()
    assert redone["deleted"] == made["deleted"]


async def test_a_deletion_can_name_what_is_inside(editing: Editing, page: dict[str, Any]) -> None:
    team = await columns(editing, page)
    inside = {
        str(each["ref"]): each["etag"] for each in (await editing.content())["widgets"] if each["parentId"] != MAIN
    }
    edited = next(each for each in (await editing.content())["widgets"] if each["values"].get("text") == "deep")
    await editing.make("setValues", widgetRef=edited["ref"], etag=edited["etag"], values={"text": "by another"})
    response = await editing.send("deleteWidget", widgetRef=team["ref"], etag=team["etag"], inside=inside)
    assert problem_in(response) == (409, "contentChanged")
    assert response.json()["current"]["values"]["text"] == "by another"
    inside[str(edited["ref"])] = response.json()["current"]["etag"]
    await editing.make("deleteWidget", widgetRef=team["ref"], etag=team["etag"], inside=inside)


async def test_what_does_not_exist(editing: Editing, page: dict[str, Any], other_site: Site) -> None:
    theirs = await other_site.widget(editing.client, await other_site.page(editing.client))
    for ref in (theirs["ref"], 999_999):
        for kind, fields in (
            ("setValues", {"etag": "x", "values": {}}),
            ("moveWidget", {"parentId": MAIN}),
            ("duplicateWidget", {}),
            ("deleteWidget", {"etag": "x"}),
        ):
            assert problem_in(await editing.send(kind, widgetRef=ref, **fields)) == (404, "widgetNotFound")
    response = await editing.send("addWidget", pageRef=999_999, parentId=MAIN, type="heading")
    assert problem_in(response) == (400, "invalidPageRef")
    assert problem_in(await editing.send("burn")) == (400, "invalidKind")
    assert list((await editing.send("setValues", widgetRef=1)).json()["errors"]) == ["change.etag", "change.values"]
