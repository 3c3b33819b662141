"""POST /sites/:siteRef/changes/undo and /redo, and the list of changes."""

import asyncio
import secrets
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.content.changes import recording
from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.limited import limited_service
from tests.sites.content.shapes import MAIN, Site
from tests.support.cast import Cast
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


@pytest.fixture
def somebody_else(owner_operator: httpx.AsyncClient, site: Site) -> Editing:
    """Another author of the same brand."""
    return Editing(owner_operator, site, "their tab")


@pytest.fixture
async def page(owner: httpx.AsyncClient, site: Site) -> dict[str, Any]:
    return await site.page(owner)


async def set_text(editing: Editing, ref: int, text: str, **fields: Any) -> dict[str, Any]:
    etag = (await editing.widget(ref))["etag"]
    return await editing.make("setValues", widgetRef=ref, etag=etag, values={"text": text}, **fields)


async def text_of(editing: Editing, ref: int) -> str:
    text: str = (await editing.widget(ref))["values"]["text"]
    return text


async def test_undo_after_undo_after_a_reload(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    ref = (await editing.add(page))["ref"]
    states = [await content_rows(owner_connection)]
    for text in ("one", "two", "three"):
        await set_text(editing, ref, text)
        states.append(await content_rows(owner_connection))
    await editing.undo()
    reloaded = msgspec.structs.replace(editing, session="after the reload")
    content = await reloaded.content()
    assert (content["canUndo"], content["canRedo"], content["number"]) == (1, 1, 5)
    await reloaded.undo()
    assert await content_rows(owner_connection) == states[1]
    for state in states[2:]:
        await reloaded.redo()
        assert await content_rows(owner_connection) == state
    assert problem_in(await reloaded.step("redo")) == (409, "nothingToRedo")
    for state in reversed(states[:-1]):
        await reloaded.undo()
        assert await content_rows(owner_connection) == state
    await reloaded.undo()
    assert problem_in(await reloaded.step("undo")) == (409, "nothingToUndo")
    assert (await reloaded.content())["widgets"] == []


async def test_a_change_after_an_undo_ends_what_can_be_redone(editing: Editing, page: dict[str, Any]) -> None:
    ref = (await editing.add(page))["ref"]
    for text in ("one", "two"):
        await set_text(editing, ref, text)
    await editing.undo()
    await set_text(editing, ref, "three")
    assert problem_in(await editing.step("redo")) == (409, "nothingToRedo")
    await editing.undo()
    assert await text_of(editing, ref) == "one"
    await editing.redo()
    assert await text_of(editing, ref) == "three"


async def test_undo_refuses_where_somebody_else_changed_the_item(
    editing: Editing, somebody_else: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    ref, other = (await editing.add(page))["ref"], (await editing.add(page))["ref"]
    await set_text(editing, other, "mine")
    mine = await set_text(editing, ref, "mine")
    await set_text(somebody_else, ref, "theirs")
    rows = await content_rows(owner_connection)
    response = await editing.step("undo")
    assert problem_in(response) == (409, "contentChanged")
    assert response.json()["current"]["values"]["text"] == "theirs"
    assert await content_rows(owner_connection) == rows
    assert mine["change"]["number"] == 4
    await editing.undo(number=3)
    assert await text_of(editing, other) == "Hello"
    await somebody_else.undo()
    await editing.undo()
    assert await text_of(editing, ref) == "Hello"


async def test_other_values_and_places_are_no_conflict(
    editing: Editing, somebody_else: Editing, page: dict[str, Any]
) -> None:
    first, second = (await editing.add(page))["ref"], (await editing.add(page))["ref"]
    await set_text(editing, first, "mine")
    widget = await editing.widget(first)
    await somebody_else.make("setValues", widgetRef=first, etag=widget["etag"], values={"align": "end"})
    await somebody_else.make("moveWidget", widgetRef=first, parentId=MAIN, position=1)
    await somebody_else.add(page, position=0)
    await editing.undo()
    assert (await editing.widget(first))["values"] | {"localClass": ""} == {
        "text": "Hello", "align": "end", "localClass": "",
    }  # fmt: skip
    await editing.undo()
    assert second not in await editing.order()


async def test_undo_never_takes_away_what_others_put_inside(
    editing: Editing, somebody_else: Editing, page: dict[str, Any]
) -> None:
    team = await editing.add(page, type="columns", name="team")
    theirs = await somebody_else.add(page, parentId=f"{MAIN}__team__0")
    response = await editing.step("undo")
    assert problem_in(response) == (409, "contentChanged")
    assert response.json()["current"]["ref"] == theirs["ref"]
    inner = await editing.add(page, parentId=f"{MAIN}__team__1")
    await editing.make("deleteWidget", widgetRef=inner["ref"], etag=inner["etag"])
    await somebody_else.make("deleteWidget", widgetRef=team["ref"], etag=team["etag"])
    response = await editing.step("undo")
    assert (problem_in(response), "current" in response.json()) == ((409, "contentChanged"), False)


async def test_undo_never_moves_columns_away_from_what_others_put_inside(
    editing: Editing, somebody_else: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    await editing.add(page, type="columns", name="outer")
    team = await editing.add(page, type="columns", name="team")
    await editing.add(page, parentId=f"{MAIN}__team__0")
    rows = await content_rows(owner_connection)
    await editing.make("moveWidget", widgetRef=team["ref"], parentId=f"{MAIN}__outer__1", position=0)
    theirs = await somebody_else.add(page, parentId=f"{MAIN}__outer__1__team__0")
    moved = await content_rows(owner_connection)
    response = await editing.step("undo")
    assert problem_in(response) == (409, "contentChanged")
    assert response.json()["current"]["ref"] == theirs["ref"]
    assert await content_rows(owner_connection) == moved
    await somebody_else.make("deleteWidget", widgetRef=theirs["ref"], etag=theirs["etag"])
    await editing.undo()
    assert await content_rows(owner_connection) == rows
    await somebody_else.add(page, parentId=f"{MAIN}__team__1")
    assert problem_in(await editing.step("redo")) == (409, "contentChanged")


async def test_typing_is_one_step(editing: Editing, page: dict[str, Any]) -> None:
    ref = (await editing.add(page))["ref"]
    for text in ("H", "Ho", "How"):
        await set_text(editing, ref, text, merge=1, change_id=text)
    assert (await editing.make("setValues", change_id="H", widgetRef=ref, etag="", values={}))["change"]["number"] == 2
    await editing.undo()
    assert await text_of(editing, ref) == "Hello"
    await editing.redo()
    assert await text_of(editing, ref) == "How"
    await set_text(msgspec.structs.replace(editing, session="other"), ref, "other window", merge=1)
    clock.shift(31)
    await set_text(msgspec.structs.replace(editing, session="other"), ref, "later", merge=1)
    texts = []
    for _ in range(3):
        await editing.undo()
        texts.append(await text_of(editing, ref))
    assert texts == ["other window", "How", "Hello"]


@pytest.mark.parametrize(
    ("kind", "item", "other"),
    [
        ("setGlobalValue", {"name": "customCss"}, {"name": "own css"}),
        ("setStaticValue", {"id": "announcement", "name": "text"}, {"id": "announcement", "name": "url"}),
    ],
)
async def test_typing_a_value_of_the_site_is_one_step(
    editing: Editing, kind: str, item: dict[str, str], other: dict[str, str]
) -> None:
    await editing.make(kind, **other, value="before")
    etag = None
    for text in ("a", "ab", "abc"):
        made = await editing.make(kind, **item, value=text, merge=1, etag=etag)
        etag = made["items"][0]["etag"]
    undone = await editing.undo()
    assert [each["name"] for each in undone["deleted"]] == [item["name"]]
    assert [each["value"] for each in (await editing.redo())["items"]] == ["abc"]
    await editing.undo()
    assert [each["name"] for each in (await editing.undo())["deleted"]] == [other["name"]]


async def test_what_changes_nothing_is_no_step(editing: Editing, page: dict[str, Any]) -> None:
    ref = (await editing.add(page))["ref"]
    await set_text(editing, ref, "Hello")
    await editing.undo()
    assert (await editing.content())["widgets"] == []


async def test_twenty_editors_of_one_site_lose_nothing(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    windows = [msgspec.structs.replace(editing, session=f"tab {number}") for number in range(20)]

    async def edit(window: Editing) -> None:
        widget = await window.add(page, position=0, values={"text": window.session})
        for word in ("one", "two"):
            item = (await window.make(
                "setValues", widgetRef=widget["ref"], etag=widget["etag"], values={"text": f"{window.session} {word}"},
            ))["items"][0]  # fmt: skip
            widget = item

    await asyncio.gather(*(edit(window) for window in windows))
    widgets = (await editing.content())["widgets"]
    assert {each["values"]["text"] for each in widgets} == {f"{window.session} two" for window in windows}
    assert sorted(each["position"] for each in widgets) == list(range(20))
    numbers = await owner_connection.fetch("select number from content_changes order by number")
    assert [row["number"] for row in numbers] == list(range(1, 61))


async def test_two_writers_of_one_widget_never_overwrite_each_other(editing: Editing, page: dict[str, Any]) -> None:
    widget = await editing.add(page)
    fields = {"widgetRef": widget["ref"], "etag": widget["etag"]}
    responses = await asyncio.gather(
        *(editing.send("setValues", values={"text": f"{number}"}, **fields) for number in range(10))
    )
    assert sorted(response.status_code for response in responses) == [200] + [409] * 9
    winner = next(response for response in responses if response.status_code == 200)
    assert winner.json()["items"] == [await editing.widget(widget["ref"])]


async def test_the_list_is_bounded_by_number(
    editing: Editing, page: dict[str, Any], resources: Resources, cast: Cast, owner_connection: OwnerConnection
) -> None:
    ref = (await editing.add(page))["ref"]
    async with limited_service(resources, cast, content_changes_limit=5) as client:
        limited = msgspec.structs.replace(editing, client=client)
        for number in range(8):
            await set_text(limited, ref, str(number))
        assert await owner_connection.fetchval("select count(*) from content_changes where before is not null") == 5
        for _ in range(5):
            await limited.undo()
        assert problem_in(await limited.step("undo")) == (409, "nothingToUndo")
    assert await text_of(editing, ref) == "2"


async def test_the_list_is_bounded_by_bytes(
    editing: Editing, page: dict[str, Any], resources: Resources, cast: Cast, owner_connection: OwnerConnection
) -> None:
    ref = (await editing.add(page))["ref"]
    async with limited_service(resources, cast, content_changes_mib=1) as client:
        limited = msgspec.structs.replace(editing, client=client)
        for _ in range(4):
            await set_text(limited, ref, secrets.token_hex(200_000))
        used = await owner_connection.fetchval(
            "select sum(octet_length(before) + octet_length(after)) from content_changes"
        )
        assert 500_000 < used <= 1024 * 1024
        await limited.undo()


async def test_ids_are_remembered_for_longer_than_changes_can_be_undone(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "IDS_KEPT", 10)
    monkeypatch.setattr(recording, "PRUNE_EVERY", 1)
    await editing.add(page)
    await owner_connection.execute("update content_changes set number = number + 1000")
    await editing.add(page)
    assert await owner_connection.fetchval("select min(number) from content_changes") == 1001
    await owner_connection.execute("update content_changes set number = 1 where number = 1001")
    await editing.add(page)
    assert await owner_connection.fetchval("select min(number) from content_changes") == 1002


async def test_the_list_for_a_second_window(editing: Editing, somebody_else: Editing, page: dict[str, Any]) -> None:
    ref = (await editing.add(page))["ref"]
    await set_text(somebody_else, ref, "theirs")
    await somebody_else.undo()
    response = await editing.client.get(editing.path, params={"since": 1})
    listed = response.json()
    assert [(each["number"], each["kind"], each["undone"], each["target"]) for each in listed["changes"]] == [
        (2, "setValues", 1, None),
        (3, "undo", 0, 2),
    ]
    assert (listed["last"], listed["canUndo"], listed["canRedo"]) == (3, 1, 0)
    assert len({each["author"] for each in listed["changes"]}) == 1
    assert {each["session"] for each in listed["changes"]} == {"their tab"}


async def test_a_reset_and_a_hard_delete_remove_the_changes(
    editing: Editing, page: dict[str, Any], owner_connection: OwnerConnection
) -> None:
    count = "select count(*) from content_changes"
    await editing.add(page)
    assert (await editing.client.post(f"{editing.site.path}/reset")).status_code == 204
    assert await owner_connection.fetchval(count) == 0
    await editing.add(await editing.site.page(editing.client))
    await editing.client.delete(editing.site.path)
    assert (await editing.client.post(f"{editing.site.path}/hard-delete")).status_code == 204
    assert await owner_connection.fetchval(count) == 0
