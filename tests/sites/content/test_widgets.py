"""GET, PUT and DELETE of a site's widgets."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.sites.content.shapes import MAIN, Site, all_rows, last_audited, values_of
from tests.support.paging import walk
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def names_in(client: httpx.AsyncClient, site: Site, **query: Any) -> list[str]:
    response = await client.get(f"{site.path}/widgets", params=query)
    assert response.status_code == 200, response.text
    return [widget["name"] for widget in response.json()["widgets"]]


async def columns(client: httpx.AsyncClient, site: Site, page: dict[str, Any]) -> dict[str, Any]:
    """A columns widget `team`, with a widget in each column and columns in the first."""
    team = await site.widget(client, page, "team", type="widget.columns")
    await site.widget(client, page, "left", parentId=f"{MAIN}__team__0")
    await site.widget(client, page, "right", parentId=f"{MAIN}__team__1")
    await site.widget(client, page, "inner", parentId=f"{MAIN}__team__0", type="columns", position=1)
    await site.widget(client, page, "deep", parentId=f"{MAIN}__team__0__inner__2")
    return team


async def parents_of(client: httpx.AsyncClient, site: Site, **query: Any) -> dict[str, str]:
    response = await client.get(f"{site.path}/widgets", params=query)
    return {widget["name"]: widget["id"] for widget in response.json()["widgets"]}


async def test_one_widget(owner: httpx.AsyncClient, site: Site) -> None:
    widget = await site.widget(owner, await site.page(owner), values={"content": "Hello"})
    assert (await owner.get(f"{site.path}/widgets/{widget['ref']}")).json() == {"widget": widget}


async def test_widgets_of_the_site_and_of_a_page(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    await other_site.widget(owner, await other_site.page(owner), "theirs")
    page, other_page = await site.page(owner), await site.page(owner, "b")
    places = ((page, "a", 0), (other_page, "b", 0), (page, "c", 1))
    widgets = [await site.widget(owner, each, name, position=position) for each, name, position in places]
    assert (await owner.get(f"{site.path}/widgets")).json() == {"widgets": widgets}
    assert await names_in(owner, site, pageRef=page["ref"]) == ["a", "c"]
    assert await names_in(owner, other_site) == ["theirs"]


async def test_pagination(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    refs = [(await site.widget(owner, page, f"w{number}"))["ref"] for number in range(5)]
    assert await walk(owner, f"{site.path}/widgets?limit=2&pageRef={page['ref']}") == [refs[:2], refs[2:4], refs[4:]]
    assert await names_in(owner, site, offset=4) == ["w4"]
    assert await names_in(owner, site, before=refs[3], limit=2) == ["w1", "w2"]


async def test_the_page_ref_in_the_query_must_belong_to_the_site(
    owner: httpx.AsyncClient, site: Site, other_site: Site
) -> None:
    theirs = await other_site.page(owner)
    for page_ref in (theirs["ref"], 999_999, 0, "x"):
        response = await owner.get(f"{site.path}/widgets", params={"pageRef": page_ref})
        assert problem_in(response) == (400, "invalidPageRef")


@pytest.mark.parametrize("changes", [{"name": "new"}, {"type": "partner.own"}, {}, {"position": 3}, {"position": "0"}])
async def test_an_edit_changes_what_is_sent_and_nothing_else(
    owner: httpx.AsyncClient, site: Site, changes: dict[str, Any]
) -> None:
    widget = await site.widget(owner, await site.page(owner), values={"content": "Hello"})
    changed = widget | changes | ({"position": int(changes["position"])} if "position" in changes else {})
    assert await site.edit_widget(owner, widget, **changes) == changed


async def test_values_are_set_one_by_one(owner: httpx.AsyncClient, site: Site) -> None:
    widget = await site.widget(owner, await site.page(owner), values={"a": "1", "b": "2", "c": "3"})
    edited = await site.edit_widget(owner, widget, values={"b": "new", "c": None, "d": "4", "never": None})
    assert values_of(edited) == {"a": "1", "b": "new", "d": "4"}
    edited = await site.edit_widget(owner, widget, values=[{"name": "a", "value": ""}])
    assert values_of(edited) == {"a": "", "b": "new", "d": "4"}
    refs = {value["name"]: value["ref"] for value in widget["values"]}
    assert {value["ref"] for value in edited["values"] if value["name"] in refs} == {
        ref for name, ref in refs.items() if name != "c"
    }


async def test_concurrent_changes_of_values_are_all_kept(owner: httpx.AsyncClient, site: Site) -> None:
    widget = await site.widget(owner, await site.page(owner))
    await asyncio.gather(*(site.edit_widget(owner, widget, values={f"v{n}": str(n)}) for n in range(10)))
    now = (await owner.get(f"{site.path}/widgets/{widget['ref']}")).json()["widget"]
    assert values_of(now) == {f"v{n}": str(n) for n in range(10)}


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"name": ""}, "invalidName"),
        ({"name": None}, "invalidName"),
        ({"type": "x" * 256}, "invalidType"),
        ({"pageRef": 999_999}, "invalidPageRef"),
        ({"parentId": ""}, "invalidParentId"),
        ({"position": -1}, "invalidPosition"),
        ({"position": 1_000_001}, "invalidPosition"),
        ({"values": [{"name": "a", "value": "1"}, {"name": "a", "value": None}]}, "invalidName"),
        ({"values": {"a": 1}}, "invalidValue"),
        ({"values": None}, "invalidValues"),
        ({"parentId": f"{MAIN}__one__0"}, "invalidParentId"),
        ({"parentId": f"{MAIN}__one__1__inner__0"}, "invalidParentId"),
    ],
)
async def test_rejected_edits_change_nothing(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, sent: dict[str, Any], code: str
) -> None:
    widget = await site.widget(owner, await site.page(owner), "one", type="columns")
    before = await all_rows(owner_connection)
    assert problem_in(await owner.put(f"{site.path}/widgets/{widget['ref']}", json=sent)) == (400, code)
    assert await all_rows(owner_connection) == before


async def test_another_widgets_name_is_taken_and_its_own_is_not(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    await site.widget(owner, page, "taken")
    widget = await site.widget(owner, page, "mine")
    response = await owner.put(f"{site.path}/widgets/{widget['ref']}", json={"name": "taken"})
    assert problem_in(response) == (409, "widgetNameTaken")
    assert (await site.edit_widget(owner, widget, name="mine"))["name"] == "mine"


@pytest.mark.parametrize(
    ("moved", "position", "order"),
    [("a", 2, "bcad"), ("d", 0, "dabc"), ("b", 1, "abcd"), ("c", 3, "abdc"), ("b", 50, "acdb")],
)
async def test_moving_inside_a_parent(
    owner: httpx.AsyncClient, site: Site, moved: str, position: int, order: str
) -> None:
    page = await site.page(owner)
    widgets = {name: await site.widget(owner, page, name, position=place) for place, name in enumerate("abcd")}
    assert (await site.edit_widget(owner, widgets[moved], position=position))["position"] == position
    assert "".join(name for name, _ in await site.order(owner)) == order


async def test_moving_to_another_parent_and_page(owner: httpx.AsyncClient, site: Site) -> None:
    page, other_page = await site.page(owner), await site.page(owner, "b")
    widgets = [await site.widget(owner, page, name, position=place) for place, name in enumerate("abc")]
    await site.widget(owner, other_page, "there", parentId="elsewhere")
    moved = await site.edit_widget(owner, widgets[0], pageRef=other_page["ref"], parentId="elsewhere")
    assert (moved["id"], moved["position"]) == ("elsewhere", 0)
    assert await site.order(owner) == [("b", 0), ("c", 1)]
    assert await site.order(owner, "elsewhere") == [("a", 0), ("there", 1)]
    assert await names_in(owner, site, pageRef=other_page["ref"]) == ["a", "there"]


async def test_concurrent_moves_keep_positions_unique(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    widgets = [await site.widget(owner, page, f"w{place}", position=place) for place in range(6)]
    await asyncio.gather(*(site.edit_widget(owner, widget, position=0) for widget in widgets))
    assert [position for _, position in await site.order(owner)] == list(range(6))


async def test_a_deleted_widget_leaves_no_gap(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    widgets = [await site.widget(owner, page, name, position=place) for place, name in enumerate("abc")]
    path = f"{site.path}/widgets/{widgets[0]['ref']}"
    assert (await owner.delete(path)).status_code == 204
    assert problem_in(await owner.get(path)) == (404, "widgetNotFound")
    assert problem_in(await owner.delete(path)) == (404, "widgetNotFound")
    assert await site.order(owner) == [("b", 0), ("c", 1)]


async def test_widgets_in_columns_are_deleted_with_them(owner: httpx.AsyncClient, site: Site) -> None:
    page, other_page = await site.page(owner), await site.page(owner, "b")
    team = await columns(owner, site, page)
    await columns(owner, site, other_page)
    for name, parent_id in (("beside", MAIN), ("team2", f"{MAIN}__team2__0"), ("odd", f"{MAIN}__team__x")):
        await site.widget(owner, page, name, parentId=parent_id)
    await owner.delete(f"{site.path}/widgets/{team['ref']}")
    assert await names_in(owner, site, pageRef=page["ref"]) == ["beside", "team2", "odd"]
    assert len(await names_in(owner, site, pageRef=other_page["ref"])) == 5


async def test_widgets_in_columns_follow_a_new_name(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    await site.edit_widget(owner, await columns(owner, site, page), name="crew")
    assert await parents_of(owner, site) == {
        "crew": MAIN, "left": f"{MAIN}__crew__0", "right": f"{MAIN}__crew__1", "inner": f"{MAIN}__crew__0",
        "deep": f"{MAIN}__crew__0__inner__2",
    }  # fmt: skip


async def test_widgets_in_columns_follow_to_another_page(owner: httpx.AsyncClient, site: Site) -> None:
    page, other_page = await site.page(owner), await site.page(owner, "b")
    team = await columns(owner, site, page)
    await site.edit_widget(owner, team, pageRef=other_page["ref"], parentId="aside")
    assert await names_in(owner, site, pageRef=page["ref"]) == []
    parents = await parents_of(owner, site, pageRef=other_page["ref"])
    assert parents["deep"] == "aside__team__0__inner__2"


async def test_a_name_too_long_for_the_ids_of_widgets_inside(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    team = await columns(owner, site, await site.page(owner))
    path = f"{site.path}/widgets/{team['ref']}"
    longest = 255 - len(f"{MAIN}____0__inner__2")
    before = await all_rows(owner_connection)
    assert problem_in(await owner.put(path, json={"name": "x" * (longest + 1)})) == (400, "invalidName")
    assert problem_in(await owner.put(path, json={"parentId": "x" * 250})) == (400, "invalidParentId")
    assert await all_rows(owner_connection) == before
    assert (await owner.put(path, json={"name": "x" * longest})).status_code == 200


async def test_widgets_that_wait_in_the_columns_of_a_new_name(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    team = await columns(owner, site, page)
    await site.widget(owner, page, "left", parentId=f"{MAIN}__crew__0")
    response = await owner.put(f"{site.path}/widgets/{team['ref']}", json={"name": "crew"})
    assert problem_in(response) == (409, "widgetNameTaken")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_widget_of_another_site_is_not_found(
    owner: httpx.AsyncClient, site: Site, other_site: Site, owner_connection: OwnerConnection, method: str
) -> None:
    theirs = await other_site.widget(owner, await other_site.page(owner))
    before = await all_rows(owner_connection)
    for ref in (theirs["ref"], 999_999, 0, "abc"):
        response = await owner.request(method, f"{site.path}/widgets/{ref}", json={"name": ""})
        assert problem_in(response) == (404, "widgetNotFound")
    assert await all_rows(owner_connection) == before


async def test_a_page_of_another_site_takes_no_widget(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    theirs = await other_site.page(owner)
    widget = await site.widget(owner, await site.page(owner))
    response = await owner.put(f"{site.path}/widgets/{widget['ref']}", json={"pageRef": theirs["ref"]})
    assert problem_in(response) == (400, "invalidPageRef")


async def test_the_audit_has_field_names_and_no_values(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    widget = await site.widget(owner, await site.page(owner))
    await site.edit_widget(owner, widget, values={"content": "secret"}, position=2)
    details = {"site": site.ref, "fields": ["position", "values"]}
    assert await last_audited(owner_connection) == ("edit", "widget", widget["ref"], details)
    await owner.delete(f"{site.path}/widgets/{widget['ref']}")
    assert await last_audited(owner_connection) == ("delete", "widget", widget["ref"], {"site": site.ref})
