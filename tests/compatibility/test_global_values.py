"""PUT of a global value that does not exist: 404, or created if the brand's `upsertGlobalValues` is on."""

import asyncio

import httpx
import pytest

from sitewright.catalogue.file import service
from sitewright.kit.resources import Resources
from tests.catalogue.file.test_apply import apply
from tests.compatibility.conftest import Send
from tests.sites.content.shapes import Site, all_rows, last_audited
from tests.support.responses import items_in, object_in, problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection

NOT_THERE = (404, "globalValueNotFound")


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Site:
    return Site(await make_site(owner_connection, resources))


@pytest.fixture
async def upserting(owner_connection: OwnerConnection, site: Site) -> Site:
    await owner_connection.execute("update brands set upsert_global_values = true where brand_ref = 1")
    return site


async def test_by_default_an_unknown_name_is_404_and_creates_nothing(
    send: Send, site: Site, owner_connection: OwnerConnection
) -> None:
    before = await all_rows(owner_connection)
    assert problem_in(await send("PUT", f"{site.path}/global-values/hedscript", value="x")) == NOT_THERE
    assert await all_rows(owner_connection) == before


async def test_with_the_setting_on_the_value_is_created(
    send: Send, caller: httpx.AsyncClient, upserting: Site, owner_connection: OwnerConnection
) -> None:
    path = f"{upserting.path}/global-values"
    created = object_in(await send("PUT", f"{path}/head%20script", value="first"), "globalValue")
    assert (created["name"], created["value"]) == ("head script", "first")
    assert await last_audited(owner_connection) == ("create", "globalValue", created["id"], {"site": upserting.ref})
    changed = object_in(await send("PUT", f"{path}/head%20script", value="second"), "globalValue")
    assert changed == created | {"value": "second"}
    assert (await last_audited(owner_connection))[0] == "edit"
    assert items_in(await caller.get(path), "globalValues") == [changed]


async def test_concurrent_requests_all_succeed_and_create_one_value(owner: httpx.AsyncClient, upserting: Site) -> None:
    path = f"{upserting.path}/global-values"
    responses = await asyncio.gather(
        *(owner.put(f"{path}/headscript", json={"value": str(number)}) for number in range(20))
    )
    assert {response.status_code for response in responses} == {200}
    [value] = items_in(await owner.get(path), "globalValues")
    assert {response.json()["globalValue"]["id"] for response in responses} == {value["id"]}


@pytest.mark.parametrize("name", ["%00", "%FF", "x" * 256, "a%00b"])
async def test_a_name_that_cannot_be_stored_does_not_exist(
    owner: httpx.AsyncClient, upserting: Site, name: str
) -> None:
    assert (await owner.put(f"{upserting.path}/global-values/{name}", json={"value": "x"})).status_code == 404


async def test_a_rejected_request_creates_nothing(
    owner: httpx.AsyncClient, upserting: Site, owner_connection: OwnerConnection
) -> None:
    before = await all_rows(owner_connection)
    assert problem_in(await owner.put(f"{upserting.path}/global-values/a", json={})) == (400, "invalidValue")
    assert problem_in(await owner.put("/sites/999999/global-values/a", json={"value": "x"})) == (404, "siteNotFound")
    assert problem_in(await owner.delete(f"{upserting.path}/global-values/a")) == NOT_THERE
    assert await all_rows(owner_connection) == before


async def test_the_setting_of_one_brand_does_not_affect_another(
    other_brand: httpx.AsyncClient, upserting: Site, owner_connection: OwnerConnection, resources: Resources
) -> None:
    theirs = await make_site(owner_connection, resources, 2)
    assert problem_in(await other_brand.put(f"/sites/{theirs}/global-values/a", json={"value": "x"})) == NOT_THERE


async def test_the_catalogue_file_can_turn_the_setting_on(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    text = await service.export(owner_connection)
    assert "upsertGlobalValues: true" not in text
    changed = text.replace("domain: northwind.example", "domain: northwind.example\n  upsertGlobalValues: true", 1)
    assert await apply(owner_connection, changed) == ["change brand Northwind Hosting upsertGlobalValues False -> True"]
    assert (await owner.put(f"{site.path}/global-values/a", json={"value": "x"})).status_code == 200
    assert "upsertGlobalValues: true" in await service.export(owner_connection)
    assert await apply(owner_connection, text) != []
    assert problem_in(await owner.put(f"{site.path}/global-values/b", json={"value": "x"})) == NOT_THERE
