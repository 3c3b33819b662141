"""What exists already is reported before anything is written; with new refs, a brand can be imported twice."""

from pathlib import Path

import httpx
import pytest

from sitewright.catalogue.file import service as catalogue
from sitewright.catalogue.file import store as catalogue_store
from sitewright.features import MAIL
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import service as media_storage
from sitewright.transfer.errors import CollisionsFound
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.service import run_command
from tests.support.transfer import HOST, Installation, export, make_brand, refs_of, tables_of
from tests.support.users import OwnerConnection
from tests.transfer.conftest import Exported

REMAPPED = ("sites", "packages", "account_domains", "mailboxes", "operators", "webhook_subscriptions", "templates")


async def free_names(connection: OwnerConnection) -> None:
    """Rename what must be unique in an installation, except for refs."""
    await connection.execute("select set_config('sitewright.brand_ref', '1', false)")
    for table, column in (
        ("site_domains", "domain"),
        ("account_domains", "domain"),
        ("registered_domains", "domain"),
        ("operators", "username"),
        ("api_credentials", "consumer_key"),
        ("brands", "domain"),
    ):
        await connection.execute(f"update {table} set {column} = 'former-' || {column}")
    await connection.execute("update templates set directory = 'former-' || directory where account_holder_ref is null")
    await connection.execute("update templates set brand_ref = null where account_holder_ref is null")


@pytest.fixture
def exported(only_archive: Exported) -> Exported:
    return only_archive


async def test_every_collision_is_reported_and_nothing_is_imported(exported: Exported, target: Installation) -> None:
    await target.load(exported.file, exported.key)
    found = await target.check(exported.file)
    count = "select (select count(*) from users), (select count(*) from sites), (select count(*) from brands)"
    before = await target.owner.fetchrow(count)
    for expected in ("brand ref 1", f"host {HOST}", "operator's username movingqq", "domain movingqq.com"):
        assert expected in found
    assert f"sites ref {exported.customer.site['ref']}" in found
    with pytest.raises(CollisionsFound, match="Nothing was imported"):
        await target.load(exported.file, exported.key)
    assert await target.staged() == []
    assert await target.owner.fetchrow(count) == before


async def test_a_host_that_is_taken_cannot_get_a_new_ref(exported: Exported, target: Installation) -> None:
    await target.load(exported.file, exported.key)
    await free_names(target.owner)
    await target.owner.execute("update site_domains set domain = $1 where domain = $2", HOST, f"former-{HOST}")
    assert await target.check(exported.file, remap=True) == [f"host {HOST}"]
    with pytest.raises(CollisionsFound):
        await target.load(exported.file, exported.key, remap=True)
    assert await target.owner.fetchval("select count(*) from brands") == 1


async def test_taken_refs_are_replaced_everywhere(exported: Exported, target: Installation, tmp_path: Path) -> None:
    """The second import of the same brand has the same content under other refs."""
    await target.load(exported.file, exported.key)
    await free_names(target.owner)
    assert await target.check(exported.file, remap=True) == []
    brand_ref = await target.load(exported.file, exported.key, remap=True)
    assert brand_ref != OWN_BRAND
    lines = refs_of(exported.file).read_text().splitlines()
    assert lines[0] == "table,old,new"
    changed = {(table, int(old)): int(new) for table, old, new in (line.split(",") for line in lines[1:])}
    before = tables_of(exported.file)
    for table in REMAPPED:
        assert {(table, row["ref"]) for row in before[f"{table}.ndjson"]} <= set(changed), table
    assert changed["brands", OWN_BRAND] == brand_ref

    again = tmp_path / "again.zip"
    await export(target.resources, target.url, again, exported.recipient, brand_ref=brand_ref)
    after = tables_of(again)
    former = {new: old for (table, old), new in changed.items() if table == "sites"}
    assert [former[row["ref"]] for row in after["sites.ndjson"]] == [row["ref"] for row in before["sites.ndjson"]]
    pages = [row | {"site_ref": former[row["site_ref"]]} for row in after["pages.ndjson"]]
    assert pages == before["pages.ndjson"]
    packages = {new: old for (table, old), new in changed.items() if table == "packages"}
    assert [packages[row["package_ref"]] for row in after["account_packages.ndjson"]] == [
        row["package_ref"] for row in before["account_packages.ndjson"]
    ]
    files = [row | {"site_ref": former[row["site_ref"]]} for row in after["site_files.ndjson"]]
    assert files == before["site_files.ndjson"]


@pytest.fixture
async def second_brand(exported: Exported, target: Installation) -> int:
    """Imported after the first one, with the same refs where they need to be unique in a brand only."""
    await target.load(exported.file, exported.key)
    await free_names(target.owner)
    return await target.load(exported.file, exported.key, remap=True)


async def test_the_catalogue_changes_the_domain_product_of_one_brand(second_brand: int, target: Installation) -> None:
    products = "select brand_ref, ref, package_ref, domain_suffix from domain_products order by brand_ref"
    first, second = await target.owner.fetch(products)
    assert (first["ref"], second["brand_ref"]) == (second["ref"], second_brand)
    await target.owner.execute("update brands set name = 'Imported' where brand_ref = $1", second_brand)
    before, suffix, after = (await catalogue.export(target.owner)).rpartition("domainSuffix: .com\n")
    assert suffix
    await apply_catalogue(target, f"{before}domainSuffix: .net\n{after}")
    assert [row["domain_suffix"] for row in await target.owner.fetch(products)] == [".com", ".net"]
    await catalogue_store.replace_domain_product(target.owner, second_brand, second["package_ref"], None)
    assert [row["brand_ref"] for row in await target.owner.fetch(products)] == [OWN_BRAND]


async def apply_catalogue(target: Installation, text: str) -> None:
    async with target.owner.transaction():
        planned = await catalogue.plan(target.owner, text, MAIL.kinds)
        await catalogue.apply_changes(target.owner, planned, TESTER)


async def test_revoking_a_credential_that_two_brands_have(
    second_brand: int, target: Installation, tmp_path: Path
) -> None:
    ref = await target.owner.fetchval("select max(ref) from api_credentials where brand_ref = $1", OWN_BRAND)
    brands = f"select brand_ref from api_credentials where ref = {ref:d} and revoked_at is null order by brand_ref"
    assert [row["brand_ref"] for row in await target.owner.fetch(brands)] == [OWN_BRAND, second_brand]
    revoke = ("credentials", "revoke", "api", str(ref))
    code, output = await run_command(tmp_path, *revoke, database_url=target.url)
    assert (code, f"The brands 1, {second_brand} each have" in output, "--brand REF" in output) == (1, True, True)
    code, output = await run_command(tmp_path, *revoke, "--brand", str(second_brand), database_url=target.url)
    assert code == 0, output
    assert [row["brand_ref"] for row in await target.owner.fetch(brands)] == [OWN_BRAND]


async def test_remapped_media_and_secrets_can_be_read(
    exported: Exported, target: Installation, resources: Resources
) -> None:
    await target.load(exported.file, exported.key)
    await free_names(target.owner)
    brand_ref = await target.load(exported.file, exported.key, remap=True)
    keys = await target.owner.fetch("select object_key, site_ref from media where brand_ref = $1", brand_ref)
    assert len(keys) > 1
    for key, site_ref in keys:
        assert key.startswith(f"{brand_ref}/{site_ref}/")
        assert [chunk async for chunk in media_storage.read(target.resources, brand_ref, key)]
    for sealed, domain in await target.owner.fetch(
        "select sealed_key, domain from certificates where brand_ref = $1", brand_ref
    ):
        assert target.resources.sealer.unseal(sealed, f"certificate/{brand_ref}/{domain}")


async def test_a_missing_global_package_of_another_brand_is_reported(
    owner: httpx.AsyncClient,
    exported: Exported,
    target: Installation,
    owner_connection: OwnerConnection,
    resources: Resources,
    database_url: str,
    tmp_path: Path,
) -> None:
    await make_brand(owner, owner_connection, resources)
    other = await owner_connection.fetchrow("select ref, key from packages where brand_ref = 2 order by ref limit 1")
    assert other is not None
    await owner_connection.execute("update packages set is_global = 1 where ref = $1", other["ref"])
    await owner_connection.execute(
        "update account_packages set package_ref = $1 where brand_ref = 1 and ended_at is null", other["ref"]
    )
    file = tmp_path / "foreign.zip"
    await export(resources, database_url, file, exported.recipient)
    [found] = await target.check(file)
    assert f"The global package {other['key']}" in found
