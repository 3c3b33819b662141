"""Applying a catalogue makes the database match it, idempotently."""

import httpx
import pytest

from sitewright.catalogue.file import service
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.catalogue.file.plan import Change
from sitewright.features import MAIL
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.users import OwnerConnection


async def apply(owner_connection: OwnerConnection, text: str) -> list[str]:
    async with owner_connection.transaction():
        planned = await service.plan(owner_connection, text, MAIL.kinds)
        await service.apply_changes(owner_connection, planned, TESTER)
    return [_line(change) for change in planned.changes]


def _line(change: Change) -> str:
    fields = ", ".join(f"{each.field} {each.before} -> {each.after}" for each in change.differences)
    return f"{change.action} {change.entry.kind} {change.entry.title} {fields}".strip()


async def test_what_is_exported_can_be_applied_and_changes_nothing(
    owner_connection: OwnerConnection, clean: None
) -> None:
    text = await service.export(owner_connection)
    assert await apply(owner_connection, text) == []
    assert await service.export(owner_connection) == text


async def test_an_empty_database_becomes_the_same(owner_connection: OwnerConnection, clean: None) -> None:
    text = await service.export(owner_connection)
    await owner_connection.execute("set session_replication_role = replica")
    for table in ("domain_products", "package_prices", "packages", "templates", "brand_languages", "brands"):
        await owner_connection.execute(f"delete from {table}")
    for table in ("languages", "currencies", "template_groups", "template_categories", "template_tags"):
        await owner_connection.execute(f"delete from {table}")
    await owner_connection.execute("set session_replication_role = origin")
    assert len(await apply(owner_connection, text)) == 5 + 3 + 3 + 9 + 3 + 10 + 2 + 10
    assert await service.export(owner_connection) == text
    assert await apply(owner_connection, text) == []


async def test_changes_are_shown_field_by_field_and_refs_stay(
    owner_connection: OwnerConnection, owner: httpx.AsyncClient
) -> None:
    before = (await owner.get("/packages/2")).json()["package"]
    text = await service.export(owner_connection)
    changed = text.replace("price: '5.99'", "price: 6.5").replace("mailboxes: 5\n", "mailboxes: 6\n", 1)
    assert await apply(owner_connection, changed) == [
        "change package Northwind Hosting / starter capabilities.mailboxes 5 -> 6, prices.USD.1 5.99 -> 6.50"
    ]
    after = (await owner.get("/packages/2")).json()["package"]
    assert (after["capabilities"]["mailboxes"], after["prices"][0]["formattedPrice"]) == (6, "$6.50")
    assert [price["ref"] for price in after["prices"]] == [price["ref"] for price in before["prices"]]


async def test_a_brand_that_may_be_left_out_stays_as_it_is(owner_connection: OwnerConnection, clean: None) -> None:
    """With its packages: a file for the demo's two brands does not contain the one with history."""
    text = await service.export(owner_connection)
    package = "{key: free, name: Free, defaultCurrency: USD, templateGroup: Essentials}"
    await apply(owner_connection, f"{text}- name: Third\n  languages: [en]\n  packages: [{package}]\n")
    with pytest.raises(InvalidCatalogue, match="the brand Third is missing"):
        await service.plan(owner_connection, text, MAIL.kinds)
    assert (await service.plan(owner_connection, text, MAIL.kinds, may_lack=["Third"])).changes == []


async def test_entries_are_added_and_removed(owner_connection: OwnerConnection, owner: httpx.AsyncClient) -> None:
    text = await service.export(owner_connection)
    more = text.replace("tags:\n- name: one-page", "tags:\n- name: new\n- name: one-page", 1)
    more = more.replace("name: English", "name: English\n- {code: 'no', name: Norsk}", 1)
    more = more.replace("- en\n  - es\n", "- no\n  - es\n", 1)
    assert sorted(await apply(owner_connection, more)) == [
        "add language no",
        "add tag new",
        "change brand Northwind Hosting languages ['en', 'es', 'de'] -> ['no', 'es', 'de']",
    ]
    languages = (await owner.get(f"/brands/{OWN_BRAND}/languages")).json()["languages"]
    assert [language["name"] for language in languages] == ["Norsk", "Español", "Deutsch"]
    assert [line.split()[0] for line in await apply(owner_connection, text)] == ["change", "remove", "remove"]


async def test_an_unused_package_can_be_removed(owner_connection: OwnerConnection, owner: httpx.AsyncClient) -> None:
    text = await service.export(owner_connection)
    start = text.index("  - key: domain\n")
    assert await apply(owner_connection, text[:start] + text[text.index("  - key: legacy\n") :]) == [
        "remove package Northwind Hosting / domain"
    ]
    assert (await owner.get("/packages/4")).status_code == 404


async def test_a_brand_can_be_added_and_renamed(
    owner_connection: OwnerConnection, system_owner: httpx.AsyncClient
) -> None:
    text = await service.export(owner_connection)
    more = text + "- name: Third\n  timeZone: Asia/Tokyo\n  languages: [en]\n"
    assert await apply(owner_connection, more) == ["add brand Third"]
    assert await apply(owner_connection, more) == []
    ref = await ref_of_brand(owner_connection, "Third")
    assert (await system_owner.get(f"/brands/{ref}/languages")).json()["languages"][0]["code"] == "en"
    renamed = more.replace("name: Third", f"ref: {ref}\n  name: Fourth")
    assert await apply(owner_connection, renamed) == ["change brand Fourth name Third -> Fourth"]


async def ref_of_brand(owner_connection: OwnerConnection, name: str) -> int:
    ref: int = await owner_connection.fetchval("select brand_ref from brands where name = $1", name)
    return ref


async def test_brands_get_refs_after_one_that_the_file_chooses(owner_connection: OwnerConnection, clean: None) -> None:
    text = await service.export(owner_connection)
    chosen = 10 + await owner_connection.fetchval("select nextval(pg_get_serial_sequence('brands', 'brand_ref'))")
    third = f"- name: Third\n  languages: [en]\n- ref: {chosen}\n  name: Fourth\n  languages: [en]\n"
    await apply(owner_connection, text + third)
    await apply(owner_connection, text + third + "- name: Fifth\n  languages: [en]\n")
    assert await ref_of_brand(owner_connection, "Fourth") == chosen
    refs = [await ref_of_brand(owner_connection, name) for name in ("Third", "Fifth")]
    assert refs == sorted(refs)
    assert refs[0] > chosen


async def test_the_sequence_of_brands_is_never_set_back(owner_connection: OwnerConnection, clean: None) -> None:
    """Refs above those of the brands are taken: by an import that runs, or since each cluster has a range."""
    text = await service.export(owner_connection)
    taken = await owner_connection.fetchval("select nextval(pg_get_serial_sequence('brands', 'brand_ref'))")
    await apply(owner_connection, text.replace("name: Starter\n", "name: Beginner\n"))
    await apply(owner_connection, f"{text}- name: Third\n  languages: [en]\n")
    assert await ref_of_brand(owner_connection, "Third") > taken
    low = f"- ref: {taken}\n  name: Fourth\n  languages: [en]\n"
    await apply(owner_connection, f"{await service.export(owner_connection)}{low}")
    following = await owner_connection.fetchval("select nextval(pg_get_serial_sequence('brands', 'brand_ref'))")
    assert following > await ref_of_brand(owner_connection, "Third")


async def test_a_global_package_is_in_every_brands_list(
    owner_connection: OwnerConnection, owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    text = await service.export(owner_connection)
    assert (await other_brand.get("/packages/4")).status_code == 404
    await apply(owner_connection, text.replace("    name: A .com domain\n", "    name: Any\n    global: 1\n", 1))
    listed = (await other_brand.get(f"/brands/{OTHER_BRAND}/packages")).json()["packages"]
    [everywhere] = [package for package in listed if package["global"] == 1]
    assert (everywhere["ref"], everywhere["brandRef"], everywhere["brandName"]) == (4, 2, "Southgate Telecom")
    assert len(everywhere["prices"]) == 2
    assert everywhere["domainProduct"]["productSupplier"]["name"] == "Example Registry"
    assert (await other_brand.get("/packages/4")).status_code == 200
    assert (await owner.get("/packages/4")).json()["package"]["brandRef"] == OWN_BRAND


async def test_a_brands_private_template(
    owner_connection: OwnerConnection, owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    text = await service.export(owner_connection)
    await apply(owner_connection, text.replace("  name: Atelier\n", "  name: Atelier\n  brand: Northwind Hosting\n"))
    assert len((await owner.get("/v2/templates")).json()["templates"]) == 10
    assert len((await other_brand.get("/v2/templates")).json()["templates"]) == 9


async def test_an_audit_entry_is_written_once(owner_connection: OwnerConnection, clean: None) -> None:
    text = await service.export(owner_connection)
    for _ in range(2):
        await apply(owner_connection, text.replace("name: Starter\n", "name: Beginner\n"))
    rows = await owner_connection.fetch(
        "select actor, action, details from audit_entries where subject = 'catalogue' order by ref"
    )
    assert [tuple(row) for row in rows][-1] == ("test", "apply", '{"add": 0, "change": 2, "remove": 0}')
    assert len(rows) == 2  # the demo's own, and this one
