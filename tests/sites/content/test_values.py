"""Global and static values of a site."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.content.shapes import GLOBAL_VALUE, STATIC_VALUE, Site, all_rows, last_audited
from tests.support.responses import items_in, object_in, problem_in
from tests.support.users import OwnerConnection

JSON = {"Content-Type": "application/json"}


async def create(client: httpx.AsyncClient, site: Site, name: str, value: str) -> dict[str, Any]:
    response = await client.post(f"{site.path}/global-values", json={"name": name, "value": value})
    return object_in(response, "globalValue", 201)


async def put(client: httpx.AsyncClient, site: Site, widget_id: str, **body: Any) -> list[dict[str, Any]]:
    return items_in(await client.put(f"{site.path}/static-values/{widget_id}", json=body), "staticValues")


def by_name(values: list[dict[str, Any]]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in values}


async def test_create_change_and_delete_a_global_value(owner: httpx.AsyncClient, site: Site) -> None:
    values, value = f"{site.path}/global-values", f"{site.path}/global-values/headscript"
    assert (await owner.get(values)).json() == {"globalValues": []}
    created = await create(owner, site, "headscript", "<script>")
    assert_shape(created, GLOBAL_VALUE)
    assert (await owner.get(values)).json() == {"globalValues": [created]}
    response = await owner.put(value, json={"value": "new"})
    assert (response.status_code, response.json()) == (200, {"globalValue": created | {"value": "new"}})
    assert (await owner.get(values)).json() == {"globalValues": [created | {"value": "new"}]}
    assert (await owner.delete(value)).status_code == 204
    assert problem_in(await owner.delete(value)) == (404, "globalValueNotFound")
    assert (await owner.get(values)).json() == {"globalValues": []}


async def test_duplicate_names_are_rejected(owner: httpx.AsyncClient, site: Site, other_site: Site) -> None:
    await create(owner, site, "headscript", "first")
    response = await owner.post(f"{site.path}/global-values", json={"name": "headscript", "value": "second"})
    assert problem_in(response) == (409, "globalValueExists")
    assert (await create(owner, site, "Headscript", "another name"))["name"] == "Headscript"
    assert (await create(owner, other_site, "headscript", "another site"))["value"] == "another site"


async def test_of_concurrent_values_with_one_name_one_is_created(owner: httpx.AsyncClient, site: Site) -> None:
    body = {"name": "headscript", "value": "x"}
    responses = await asyncio.gather(*(owner.post(f"{site.path}/global-values", json=body) for _ in range(10)))
    assert sorted(response.status_code for response in responses) == [201] + [409] * 9


@pytest.mark.parametrize("name", ["x", "x" * 255, "a/b", "a b", "100%", "..", "\N{SNOWMAN}", "a?b#c", "'", "{name}"])
async def test_any_name_can_be_reached_by_its_path(owner: httpx.AsyncClient, site: Site, name: str) -> None:
    created = await create(owner, site, name, "")
    encoded = "".join(f"%{byte:02X}" for byte in name.encode())
    response = await owner.put(f"{site.path}/global-values/{encoded}", json={"value": "new"})
    assert response.json() == {"globalValue": created | {"value": "new"}}


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("name", ["headscript", "%00", "%FF", "x" * 256, "%F0%9F%98%80", "%2e%2e"])
async def test_unknown_names(owner: httpx.AsyncClient, site: Site, other_site: Site, method: str, name: str) -> None:
    await create(owner, other_site, "headscript", "theirs")
    response = await owner.request(method, f"{site.path}/global-values/{name}", json={"value": 7})
    assert response.status_code == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("name", "x" * 256), ("name", None), ("name", 7), ("name", "a\0"), ("value", None), ("value", 7),
     ("value", "\0"), ("value", "\ud800"), ("value", ["x"])],
)  # fmt: skip
async def test_global_values_just_outside_the_limits(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    before = await all_rows(owner_connection)
    body = json.dumps({"name": "headscript", "value": "x", field: value})
    response = await owner.post(f"{site.path}/global-values", content=body, headers=JSON)
    assert problem_in(response) == (400, f"invalid{field.capitalize()}")
    assert await all_rows(owner_connection) == before


async def test_fields_that_are_missing(owner: httpx.AsyncClient, site: Site) -> None:
    assert set((await owner.post(f"{site.path}/global-values")).json()["errors"]) == {"name", "value"}
    await create(owner, site, "headscript", "x")
    response = await owner.put(f"{site.path}/global-values/headscript", json={})
    assert problem_in(response) == (400, "invalidValue")


async def test_an_older_release_has_no_global_values(owner: httpx.AsyncClient, site: Site) -> None:
    await create(owner, site, "headscript", "x")
    values, value = f"{site.path}/global-values", f"{site.path}/global-values/headscript"
    for method, path in (("GET", values), ("POST", values), ("PUT", value)):
        body = {"name": "bodyscript", "value": "y"}
        older = await owner.request(method, path, json=body, headers={"X-Api-Version": "7.44"})
        assert problem_in(older) == (404, "notInThisVersion")
        newer = await owner.request(method, path, json=body, headers={"X-Api-Version": "7.45"})
        assert newer.status_code in (200, 201)
    assert (await owner.delete(value, headers={"X-Api-Version": "7.44"})).status_code == 204


async def test_static_values_are_created_and_changed_alike(owner: httpx.AsyncClient, site: Site) -> None:
    [created] = await put(owner, site, "opening-hours", name="visible", value="0")
    assert_shape(created, STATIC_VALUE)
    assert created["id"] == "opening-hours"
    clock.shift(60)
    both = await put(owner, site, "opening-hours", values={"visible": "1", "title": "Hours"})
    assert by_name(both) == {"visible": "1", "title": "Hours"}
    changed = both[0]
    assert {name: changed[name] for name in ("ref", "created")} == {name: created[name] for name in ("ref", "created")}
    assert changed["updated"] > created["updated"]


async def test_static_values_of_one_static_widget_and_of_all(owner: httpx.AsyncClient, site: Site) -> None:
    hours = await put(owner, site, "opening-hours", name="visible", value="0")
    footer = await put(owner, site, "footer", name="visible", value="1")
    values = f"{site.path}/static-values"
    assert (await owner.get(values)).json() == {"staticValues": hours + footer}
    assert (await owner.get(f"{values}/footer")).json() == {"staticValues": footer}
    assert problem_in(await owner.get(f"{values}/Footer")) == (404, "staticValueNotFound")


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ({"values": [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]}, {"a": "1", "b": ""}),
        ({"values": {"a": "1"}, "name": "b", "value": "2"}, {"a": "1", "b": "2"}),
        ({"values": {"x" * 255: "1"}}, {"x" * 255: "1"}),
        ({"values": {}}, {}),
    ],
)
async def test_forms_of_static_values(
    owner: httpx.AsyncClient, site: Site, body: dict[str, Any], values: dict[str, str]
) -> None:
    assert by_name(await put(owner, site, "footer", **body)) == values


async def test_static_values_as_a_form(owner: httpx.AsyncClient, site: Site) -> None:
    response = await owner.put(f"{site.path}/static-values/footer", data={"name": "visible", "value": "0"})
    assert by_name(response.json()["staticValues"]) == {"visible": "0"}


@pytest.mark.parametrize(
    ("body", "failing"),
    [
        ({}, {"name", "value"}),
        ({"name": "visible"}, {"value"}),
        ({"value": "0"}, {"name"}),
        ({"name": "visible", "values": {}}, {"value"}),
        ({"name": "", "value": "0"}, {"name"}),
        ({"name": "x" * 256, "value": "0"}, {"name"}),
        ({"name": "visible", "value": 0}, {"value"}),
        ({"name": "visible", "value": None}, {"value"}),
        ({"values": {"visible": False}}, {"values[0].value"}),
        ({"values": [{"name": "a", "value": "1"}, {"name": "a", "value": "1"}]}, {"values[1].name"}),
        ({"values": "x"}, {"values"}),
    ],
)
async def test_static_values_just_outside_the_limits(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection, body: dict[str, Any], failing: set[str]
) -> None:
    before = await all_rows(owner_connection)
    response = await owner.put(f"{site.path}/static-values/footer", json=body)
    assert response.status_code == 400
    assert set(response.json()["errors"]) == failing
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("widget_id", ["%00", "x" * 256])
async def test_invalid_static_widget_ids(owner: httpx.AsyncClient, site: Site, method: str, widget_id: str) -> None:
    response = await owner.request(method, f"{site.path}/static-values/{widget_id}", json={"name": ""})
    assert problem_in(response) == (404, "staticValueNotFound")


async def test_concurrent_changes_of_static_values_are_all_kept(owner: httpx.AsyncClient, site: Site) -> None:
    await asyncio.gather(*(put(owner, site, "footer", values={"same": str(n), f"v{n}": "x"}) for n in range(10)))
    values = (await owner.get(f"{site.path}/static-values/footer")).json()["staticValues"]
    assert set(by_name(values)) == {"same", *(f"v{n}" for n in range(10))}


async def test_times_are_in_the_brands_time_zone(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    [value] = await put(owner, site, "footer", name="visible", value="0")
    await owner_connection.execute("update brands set time_zone = 'Asia/Tokyo' where brand_ref = 1")
    [shown] = (await owner.get(f"{site.path}/static-values")).json()["staticValues"]
    assert shown["created"] == await owner_connection.fetchval(
        "select to_char($1::text::timestamp + interval '9 hours', 'YYYY-MM-DD HH24:MI:SS')", value["created"]
    )


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "global-values"), ("POST", "global-values"), ("PUT", "global-values/x"), ("DELETE", "global-values/x"),
     ("GET", "static-values"), ("GET", "static-values/x"), ("PUT", "static-values/x")],
)  # fmt: skip
async def test_deleted_sites_and_those_of_others(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    site: Site,
    owner_connection: OwnerConnection,
    method: str,
    path: str,
) -> None:
    body = {"name": "x", "value": "y"}
    assert problem_in(await reseller.request(method, f"{site.path}/{path}", json=body)) == (404, "siteNotFound")
    await owner_connection.execute("update sites set deleted_at = now()")
    assert problem_in(await owner.request(method, f"{site.path}/{path}", json=body)) == (404, "siteNotFound")


async def test_an_audit_entry_is_written(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    ref, details = (await create(owner, site, "headscript", "x"))["id"], {"site": site.ref}
    assert await last_audited(owner_connection) == ("create", "globalValue", ref, details)
    await owner.put(f"{site.path}/global-values/headscript", json={"value": "y"})
    assert await last_audited(owner_connection) == ("edit", "globalValue", ref, details)
    await owner.delete(f"{site.path}/global-values/headscript")
    assert await last_audited(owner_connection) == ("delete", "globalValue", ref, details)
    await put(owner, site, "footer", values={"b": "1", "a": "2"})
    assert await last_audited(owner_connection) == ("edit", "staticValues", site.ref, {"values": 2})
