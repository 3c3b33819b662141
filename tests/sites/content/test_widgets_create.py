"""POST /sites/:siteRef/widgets."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.catalogue.packages.shapes import assert_shape
from tests.sites.content.shapes import BODY_LIMIT, MAIN, WIDGET, WIDGET_VALUE, Site, all_rows, last_audited, values_of
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

JSON = {"Content-Type": "application/json"}


async def test_a_widget_as_the_specification_creates_it(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    body = {
        "collection": "widgets", "name": "content1", "parentId": MAIN, "type": "widget.content",
        "pageRef": page["ref"], "position": "0", "values": {"content": "<p>Hello</p>", "style": ""},
    }  # fmt: skip
    response = await owner.post(f"{site.path}/widgets", json=body)
    assert response.status_code == 200
    widget = response.json()["widget"]
    assert_shape(widget, WIDGET)
    for value in widget["values"]:
        assert_shape(value, WIDGET_VALUE)
    shown = {name: widget[name] for name in ("id", "name", "type", "position")}
    assert shown == {"id": MAIN, "name": "content1", "type": "widget.content", "position": 0}
    assert values_of(widget) == {"content": "<p>Hello</p>", "style": ""}


async def test_only_required_fields(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    body = {"pageRef": str(page["ref"]), "name": "one", "type": "content"}
    widget = (await owner.post(f"{site.path}/widgets", json=body)).json()["widget"]
    assert (widget["id"], widget["type"], widget["position"], values_of(widget)) == (MAIN, "content", 0, {})


async def test_every_widget_gets_a_unique_class(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    widgets = [await site.widget(owner, page, f"w{number}") for number in range(3)]
    classes = {value["value"] for widget in widgets for value in widget["values"] if value["name"] == "localClass"}
    assert len(classes) == 3
    own = await site.widget(owner, page, "own", values={"localClass": "mine"})
    assert [(value["name"], value["value"]) for value in own["values"]] == [("localClass", "mine")]


@pytest.mark.parametrize(
    "values", [{"b": "2", "a": "1"}, [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}], {}, []], ids=str
)
async def test_values_in_either_form(owner: httpx.AsyncClient, site: Site, values: Any) -> None:
    widget = await site.widget(owner, await site.page(owner), values=values)
    assert values_of(widget) == ({"b": "2", "a": "1"} if values else {})


async def test_values_are_kept_as_sent(owner: httpx.AsyncClient, site: Site) -> None:
    values = {
        "html": "<script>alert(1)</script>\r\n", "empty": "", " blank ": " ", "\N{SNOWMAN}": "\U0001f600",
        "x" * 255: "long name", "Case": "1", "case": "2", "'; drop table widgets; --": "' or 1=1",
    }  # fmt: skip
    widget = await site.widget(owner, await site.page(owner), values=values)
    assert values_of(widget) == values
    assert values_of((await owner.get(f"{site.path}/widgets/{widget['ref']}")).json()["widget"]) == values


async def test_a_body_of_the_maximum_size(owner: httpx.AsyncClient, site: Site) -> None:
    body = {"pageRef": (await site.page(owner))["ref"], "name": "one", "type": "html", "values": {"html": ""}}
    room = BODY_LIMIT - len(json.dumps(body))
    for extra, status in ((1, 413), (0, 200)):
        content = json.dumps(body | {"values": {"html": "x" * (room + extra)}})
        response = await owner.post(f"{site.path}/widgets", content=content, headers=JSON)
        assert response.status_code == status
    assert len(values_of(response.json()["widget"])["html"]) == room


async def test_ten_megabytes_of_html(owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection) -> None:
    page = await site.page(owner)
    before = await all_rows(owner_connection)
    body = {"pageRef": page["ref"], "name": "one", "type": "html", "values": {"html": "<p>" * 3_500_000}}
    assert problem_in(await owner.post(f"{site.path}/widgets", json=body)) == (413, "bodyTooLarge")
    assert await all_rows(owner_connection) == before


EDGES: list[tuple[str, Any]] = [
    ("name", "x"), ("name", "x" * 255), ("name", "\N{MUSICAL SYMBOL FUSA BLACK}" * 255), ("type", "x" * 255),
    ("type", "partner.own/type"), ("position", 1_000_000), ("position", "7"), ("collection", "x" * 255),
    ("parentId", "\N{MUSICAL SYMBOL FUSA BLACK}" * 255), ("parentId", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), EDGES)
async def test_just_inside_the_limits(owner: httpx.AsyncClient, site: Site, field: str, value: Any) -> None:
    widget = await site.widget(owner, await site.page(owner), **{field: value})
    if field != "collection":
        assert str(widget["id" if field == "parentId" else field]) == str(value)


WRONG: dict[str, list[Any]] = {
    "name": ["", "x" * 256, 7, None, "a\0b", "\ud800"],
    "type": ["", "x" * 256, 7, None],
    "collection": ["", "x" * 256, None],
    "parentId": ["", "x" * 256, 7, None],
    "pageRef": [999_999, 0, -1, "x", 1.0, None, 2**63],
    "position": [-1, 1_000_001, "x", 1.0, True, None],
    "values": ["x", 7, None],
}


@pytest.mark.parametrize(("field", "value"), [(field, each) for field, values in WRONG.items() for each in values])
async def test_just_outside_the_limits(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    page = await site.page(owner)
    before = await all_rows(owner_connection)
    body = {"pageRef": page["ref"], "name": "one", "type": "content", field: value}
    response = await owner.post(f"{site.path}/widgets", content=json.dumps(body), headers=JSON)
    assert problem_in(response) == (400, f"invalid{field[0].upper()}{field[1:]}")
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"": "x"}, "values[0].name"),
        ({"x" * 256: "x"}, "values[0].name"),
        ({"a": 7}, "values[0].value"),
        ({"a": "1", "b": None}, "values[1].value"),
        ({"a": "\0"}, "values[0].value"),
        ([{"name": "a"}], "values[0].value"),
        ([{"value": "a"}], "values[0].name"),
        ([{"name": "a", "value": "1"}, {"name": "a", "value": "2"}], "values[1].name"),
        (["a"], "values[0]"),
    ],
)
async def test_values_just_outside(owner: httpx.AsyncClient, site: Site, values: Any, where: str) -> None:
    body = {"pageRef": (await site.page(owner))["ref"], "name": "one", "type": "content", "values": values}
    response = await owner.post(f"{site.path}/widgets", content=json.dumps(body), headers=JSON)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [where]


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient, site: Site) -> None:
    response = await owner.post(f"{site.path}/widgets", json={"pageRef": 999_999, "name": "", "position": -1})
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == {"pageRef", "name", "position", "type"}


async def test_a_page_of_another_site_is_no_page(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    theirs = await other_site.page(owner)
    body = {"pageRef": theirs["ref"], "name": "one", "type": "content"}
    assert problem_in(await owner.post(f"{site.path}/widgets", json=body)) == (400, "invalidPageRef")


async def test_a_name_is_unique_inside_page_and_parent(owner: httpx.AsyncClient, site: Site) -> None:
    page, other_page = await site.page(owner), await site.page(owner, "b")
    await site.widget(owner, page, "one")
    body = {"pageRef": page["ref"], "name": "one", "type": "content", "position": 4}
    assert problem_in(await owner.post(f"{site.path}/widgets", json=body)) == (409, "widgetNameTaken")
    await site.widget(owner, page, "One")
    await site.widget(owner, other_page, "one")
    await site.widget(owner, page, "one", parentId="elsewhere")


async def test_of_concurrent_widgets_with_one_name_one_is_created(owner: httpx.AsyncClient, site: Site) -> None:
    body = {"pageRef": (await site.page(owner))["ref"], "name": "one", "type": "content"}
    responses = await asyncio.gather(*(owner.post(f"{site.path}/widgets", json=body) for _ in range(12)))
    assert sorted(response.status_code for response in responses) == [200] + [409] * 11


async def test_following_widgets_are_moved(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    for name, position in (("c", 0), ("a", 0), ("b", 1), ("far", 9), ("end", 9)):
        assert (await site.widget(owner, page, name, position=position))["position"] == position
    assert await site.order(owner) == [("a", 0), ("b", 1), ("c", 2), ("end", 9), ("far", 10)]


async def test_positions_sent_in_any_order(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    for position in (3, 0, 2, 1):
        await site.widget(owner, page, f"w{position}", position=position)
    assert await site.order(owner) == [("w0", 0), ("w1", 1), ("w2", 2), ("w3", 3)]


async def test_concurrent_widgets_get_unique_positions(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    await asyncio.gather(*(site.widget(owner, page, f"w{number}") for number in range(12)))
    assert [position for _, position in await site.order(owner)] == list(range(12))


async def test_other_parents_and_pages_are_not_moved(owner: httpx.AsyncClient, site: Site) -> None:
    page, other_page = await site.page(owner), await site.page(owner, "b")
    await site.widget(owner, page, "one")
    await site.widget(owner, page, "two", parentId="elsewhere")
    await site.widget(owner, other_page, "three")
    assert await site.order(owner) == [("one", 0), ("three", 0)]


async def test_a_page_deleted_meanwhile(owner: httpx.AsyncClient, site: Site) -> None:
    page = await site.page(owner)
    body = {"pageRef": page["ref"], "name": "one", "type": "content"}
    for _ in range(5):
        created, _ = await asyncio.gather(
            owner.post(f"{site.path}/widgets", json=body), owner.delete(f"{site.path}/pages/{page['ref']}")
        )
        assert created.status_code in (200, 400)
        page = await site.page(owner)
        body["pageRef"] = page["ref"]


async def test_an_audit_entry_is_written(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page = await site.page(owner)
    widget = await site.widget(owner, page, values={"content": "secret"})
    details = {"site": site.ref, "page": page["ref"]}
    assert await last_audited(owner_connection) == ("create", "widget", widget["ref"], details)


async def test_unknown_sites(owner: httpx.AsyncClient, reseller: httpx.AsyncClient, site: Site) -> None:
    body = {"pageRef": 1, "name": "one", "type": "content"}
    assert problem_in(await owner.post("/sites/999999/widgets", json=body)) == (404, "siteNotFound")
    assert problem_in(await reseller.post(f"{site.path}/widgets", json=body)) == (404, "siteNotFound")
