"""Audit entries: written with the change in one transaction, unchangeable, and visible to their own brand only."""

import asyncpg
import msgspec
import pytest

from sitewright.kit import audit
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service as credentials
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER


async def test_a_change_and_its_audit_row_are_one_transaction(resources: Resources, clean: None) -> None:
    async def entries() -> list[tuple[str, str, str, int]]:
        async with resources.database.transaction(OWN_BRAND) as tx:
            rows = await tx.fetch("select actor, action, subject, subject_ref from audit_entries order by ref")
        return [tuple(row) for row in rows]

    before = await entries()
    with pytest.raises(ZeroDivisionError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await credentials.create_api_credential(tx, resources.sealer, TESTER, brand_ref=OWN_BRAND, label="lost")
            raise ZeroDivisionError
    assert await entries() == before
    async with resources.database.transaction(OWN_BRAND) as tx:
        await credentials.create_api_credential(tx, resources.sealer, TESTER, brand_ref=OWN_BRAND, label="kept")
        ref = await tx.fetchval("select max(ref) from api_credentials")
    assert await entries() == [*before, ("test", "create", "apiCredential", ref)]


async def test_an_entry_has_its_time_and_request(resources: Resources, clean: None) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await audit.record(
            tx, actor="a", action="b", subject="c", ref=5, brand_ref=OWN_BRAND, request_id="r-1", role="x"
        )
        row = await tx.fetchrow("select at, request_id, details from audit_entries order by ref desc limit 1")
        assert row is not None
        assert (row["request_id"], row["details"]) == ("r-1", '{"role": "x"}')
        assert await tx.fetchval("select now() - $1::timestamptz < interval '5 s'", row["at"])


async def test_entries_of_many_subjects_have_the_request_and_the_account_holder(
    resources: Resources, clean: None
) -> None:
    support = msgspec.structs.replace(TESTER, request_id="r-2", as_user_ref=7)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await audit.record_each_by(tx, support, "create", "widget", [8, 9], site=3)
        rows = await tx.fetch(
            "select subject_ref, request_id, details from audit_entries where subject = 'widget' order by ref"
        )
    assert [(row["subject_ref"], row["request_id"]) for row in rows] == [(8, "r-2"), (9, "r-2")]
    assert all(msgspec.json.decode(row["details"]) == {"site": 3, "asUserRef": 7} for row in rows)


@pytest.mark.parametrize(
    "statement",
    ["update audit_entries set actor = 'me'", "delete from audit_entries", "truncate audit_entries"],
)
async def test_the_service_cannot_change_entries(resources: Resources, clean: None, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute(statement)


async def test_a_brand_reads_only_its_own_entries(resources: Resources, clean: None) -> None:
    async with resources.database.transaction(OTHER_BRAND) as tx:
        brands = await tx.fetch("select distinct brand_ref from audit_entries")
    assert [row["brand_ref"] for row in brands] == [OTHER_BRAND]
