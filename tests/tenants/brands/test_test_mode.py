"""`testMode` is fixed when a brand is created in the catalogue, and shown wherever brands are."""

import asyncpg
import httpx
import pytest

from sitewright.catalogue.file import service as catalogue
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.features import MAIL
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.users import OwnerConnection

SETTINGS = f"/brands/{OWN_BRAND}/settings"


async def test_a_test_brand_is_created_and_listed(
    owner_connection: OwnerConnection, resources: Resources, system_owner: httpx.AsyncClient
) -> None:
    text = await catalogue.export(owner_connection)
    assert "testMode: true" not in text
    async with owner_connection.transaction():
        more = f"{text}- name: Third\n  testMode: true\n  languages: [en]\n"
        planned = await catalogue.plan(owner_connection, more, MAIL.kinds)
        await catalogue.apply_changes(owner_connection, planned, TESTER)
    assert "  testMode: true\n" in await catalogue.export(owner_connection)
    async with resources.database.transaction(None) as tx:
        listed = {each.name: each.test_mode for each in await brands.list_brands(tx)}
    assert listed == {"Northwind Hosting": False, "Southgate Telecom": False, "Third": True}
    ref = await owner_connection.fetchval("select brand_ref from brands where name = 'Third'")
    assert (await system_owner.get(f"/brands/{ref}/settings")).json()["settings"]["testMode"] is True
    assert (await system_owner.get(f"/brands/{ref}/test-clock")).status_code == 200


async def test_the_catalogue_cannot_change_it(owner_connection: OwnerConnection, clean: None) -> None:
    text = await catalogue.export(owner_connection)
    changed = text.replace("name: Southgate Telecom\n", "name: Southgate Telecom\n  testMode: true\n")
    with pytest.raises(InvalidCatalogue, match=r"testMode.*is fixed when the brand is created"):
        await catalogue.plan(owner_connection, changed, MAIL.kinds)
    await owner_connection.execute("update brands set test_mode = true where brand_ref = $1", OTHER_BRAND)
    with pytest.raises(InvalidCatalogue, match=r"testMode.*is fixed when the brand is created"):
        await catalogue.plan(owner_connection, text, MAIL.kinds)


async def test_the_settings_show_it_and_cannot_change_it(owner: httpx.AsyncClient) -> None:
    assert (await owner.get(SETTINGS)).json()["settings"]["testMode"] is False
    refused = await owner.put(SETTINGS, json={"testMode": True, "name": "New name"})
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == ["testMode"]
    assert "fixed when the brand is created" in refused.json()["detail"]
    assert (await owner.put(SETTINGS, json={"testMode": False})).status_code == 200


@pytest.mark.parametrize(
    ("change", "error"),
    [("clock_offset = '1 day'", "brands_clock_check"), ("test_mode = true", "permission denied")],
)
async def test_the_service_can_give_no_live_brand_a_time_of_its_own(
    resources: Resources, clean: None, change: str, error: str
) -> None:
    with pytest.raises(asyncpg.PostgresError, match=error):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute(f"update brands set {change} where brand_ref = current_brand()")
