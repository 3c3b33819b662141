"""Every table is exported, or listed with the reason why not; every column with refs is known."""

import pytest

from sitewright.features import SEALED_COLUMNS
from sitewright.transfer import tables
from sitewright.transfer.schema import Schema, target_of
from sitewright.transfer.store import read_schema
from tests.support.users import OwnerConnection


@pytest.fixture
async def schema(owner_connection: OwnerConnection) -> Schema:
    return await read_schema(owner_connection)


async def test_every_table_is_exported_or_listed_with_a_reason(schema: Schema) -> None:
    exported = {table.name for table in schema.exported}
    assert {"users", "sites", "site_files", "api_credentials"} <= exported
    listed = set(tables.NOT_EXPORTED) | set(tables.SHARED)
    assert (exported | listed, exported & listed) == (set(schema.tables), set())


async def test_every_column_of_refs_is_known(schema: Schema) -> None:
    columns = {
        column.name
        for table in schema.exported
        for column in table.columns
        if column.name.endswith(("_ref", "_refs")) and column.type.startswith("bigint") and column.name != "brand_ref"
    }
    assert columns - set(tables.REFERENCES) - tables.WITHIN_THE_BRAND == set()
    assert set(tables.REFERENCES) & tables.WITHIN_THE_BRAND == set()


async def test_refs_that_are_unique_everywhere_can_be_mapped(schema: Schema) -> None:
    """Whatever refers to such a table is found by the name of its column."""
    unique = {each.table for each in schema.unique if each.is_ref_of(schema.tables[each.table])}
    exported = {table.name for table in schema.exported}
    mapped = {target_of(table.name, column.name) for table in schema.exported for column in table.columns}
    referred = {name for table in schema.exported for name in table.refers_to}
    assert unique & exported & referred <= mapped


async def test_no_secret_is_in_an_archive_without_secrets(schema: Schema) -> None:
    exported = {table.name for table in schema.exported} - tables.LEFT_OUT_WITHOUT_SECRETS
    replaced = tables.REPLACED | tables.REPLACED_WITHOUT_SECRETS
    sealed = [(each.table, each.column) for each in SEALED_COLUMNS if each.table in exported]
    passwords = [
        (table.name, column.name)
        for table in schema.exported
        for column in table.columns
        if table.name in exported and "password" in column.name
    ]
    assert [each for each in [*sealed, *passwords] if each not in replaced] == []


async def test_declared_names_exist(schema: Schema) -> None:
    columns = {(table.name, column.name) for table in schema.tables.values() for column in table.columns}
    named = {*tables.REPLACED, *tables.REPLACED_WITHOUT_SECRETS, *tables.OBJECT_KEYS, *tables.OWN_REFERENCES}
    assert named <= columns
    assert set(tables.LEFT_OUT_WITHOUT_SECRETS) <= set(schema.tables)
