"""The hash chain of the audit log finds every entry that was changed, removed or reordered."""

import asyncio
from datetime import timedelta

import pytest

from sitewright.kit import audit, clock
from sitewright.kit.audit.chain import service as chain
from sitewright.kit.audit.chain.seals import InvalidSeal, make_seal, read_seal
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.users import OwnerConnection

CHANGES = {
    "an actor": "update audit_entries set actor = 'nobody' where subject_ref = 3 and brand_ref = 1",
    "a time": "update audit_entries set at = at - interval '1 microsecond' where subject_ref = 3 and brand_ref = 1",
    "details": "update audit_entries set details = '{\"place\": 4}' where subject_ref = 3 and brand_ref = 1",
    "the brand": "update audit_entries set brand_ref = 2 where subject_ref = 3 and brand_ref = 1",
    "a removed entry": "delete from audit_entries where subject_ref = 3 and brand_ref = 1",
    "the newest entry removed": "delete from audit_entries where ref = (select max(ref) from audit_entries)",
    "a removed link": "delete from audit_chain where brand_ref = 1 and sequence = (select max(sequence) - 2"
    " from audit_chain where brand_ref = 1)",
    "the newest link removed": "delete from audit_chain where brand_ref = 1 and sequence = (select max(sequence)"
    " from audit_chain where brand_ref = 1)",
    "an entry and its link removed": "with link as (delete from audit_chain where brand_ref = 1 and sequence ="
    " (select max(sequence) - 2 from audit_chain where brand_ref = 1) returning entry_ref)"
    " delete from audit_entries where ref in (select entry_ref from link)",
    "two entries exchanged": "update audit_entries a set actor = b.actor, subject_ref = b.subject_ref,"
    " details = b.details from audit_entries b where a.brand_ref = 1 and b.brand_ref = 1"
    " and (a.subject_ref, b.subject_ref) in ((3, 4), (4, 3))",
    "two links exchanged": "update audit_chain a set entry_ref = b.entry_ref, at = b.at, digest = b.digest"
    " from audit_chain b where a.brand_ref = 1 and b.brand_ref = 1 and b.sequence <> a.sequence"
    " and a.sequence + b.sequence = 2 * (select max(sequence) from audit_chain where brand_ref = 1) - 3"
    " and abs(a.sequence - b.sequence) = 1",
    "an older date of the link, and the entry removed": "with link as (update audit_chain set at = at - interval"
    " '40 days' where brand_ref = 1 and sequence = (select max(sequence) - 1 from audit_chain where brand_ref = 1)"
    " returning entry_ref) delete from audit_entries where ref in (select entry_ref from link)",
}


async def record(resources: Resources, ref: int, brand_ref: int | None = OWN_BRAND) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await audit.record(
            tx, actor=f"operator:{ref}", action="edit", subject="user", ref=ref, brand_ref=brand_ref, place=ref
        )


async def findings(resources: Resources, sealed: dict[int, dict[int, bytes]] | None = None) -> dict[int, list[str]]:
    heads = await chain.list_heads(resources.database)
    verdicts = [await chain.verify(resources.database, head, (sealed or {}).get(head.brand_ref, {})) for head in heads]
    return {each.head.brand_ref: each.findings for each in verdicts if each.findings}


@pytest.fixture
async def log(resources: Resources, owner_connection: OwnerConnection, clean: None) -> OwnerConnection:
    """Five entries of the brand, and one each of another brand and of the environment."""
    for ref in range(1, 6):
        await record(resources, ref)
    await record(resources, 1, OTHER_BRAND)
    await record(resources, 1, None)
    await chain.chain_entries(resources)
    return owner_connection


async def test_an_untouched_log_is_intact(resources: Resources, log: OwnerConnection) -> None:
    heads = await chain.list_heads(resources.database)
    assert {each.brand_ref for each in heads} == {0, OWN_BRAND, OTHER_BRAND}
    counted = [(await chain.verify(resources.database, each, {})).entries for each in heads]
    assert counted == [each.sequence for each in heads]
    assert sum(counted) == await log.fetchval("select count(*) from audit_entries")
    assert await findings(resources) == {}


@pytest.mark.parametrize("change", CHANGES)
async def test_every_change_is_found(resources: Resources, log: OwnerConnection, change: str) -> None:
    assert await log.execute(CHANGES[change]) not in ("UPDATE 0", "DELETE 0")
    assert len(await findings(resources)) == 1, change


async def test_entries_are_chained_when_they_commit_and_none_waits(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await audit.record_each(tx, "worker", "edit", "user", [1, 2, 3])
        await record(resources, 4)
        await chain.chain_entries(resources)
    await asyncio.gather(*(record(resources, ref) for ref in range(5, 25)))
    await asyncio.gather(*(chain.chain_entries(resources) for _ in range(3)))
    await chain.chain_entries(resources)
    rows = await owner_connection.fetch(
        "select e.subject_ref from audit_chain c join audit_entries e on e.ref = c.entry_ref"
        " where e.action = 'edit' order by c.sequence"
    )
    refs = [row["subject_ref"] for row in rows]
    assert (refs[:4], sorted(refs)) == ([4, 1, 2, 3], list(range(1, 25)))
    assert await findings(resources) == {}


async def test_retention_keeps_the_chain_intact(resources: Resources, log: OwnerConnection) -> None:
    await log.execute("alter table audit_entries disable trigger user")
    await log.execute(
        "insert into audit_entries (brand_ref, at, actor, action, subject)"
        " select 1, now() - days * interval '1 day', 'old', 'edit', 'user' from unnest(array[900, 3, 800, 2]) days"
    )
    await log.execute("alter table audit_entries enable trigger user")
    await log.execute("insert into audit_inbox select 1, ref from audit_entries where actor = 'old'")
    await chain.chain_entries(resources)
    await _prune(resources)
    assert await log.fetchval("select count(*) from audit_entries where actor = 'old'") == 2
    assert await findings(resources) == {}


async def test_links_of_deleted_entries_are_deleted_from_the_beginning(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await owner_connection.execute("delete from audit_entries")
    for table in ("audit_inbox", "audit_chain", "audit_heads"):
        await owner_connection.execute(f"delete from {table}")
    await owner_connection.execute(
        "insert into audit_entries (brand_ref, at, actor, action, subject)"
        " select 1, now() - days * interval '1 day', 'old', 'edit', 'user' from unnest(array[900, 850, 3, 800, 2]) days"
    )
    await chain.chain_entries(resources)
    await _prune(resources)
    rows = await owner_connection.fetch("select sequence from audit_chain where brand_ref = 1 order by 1")
    assert [row["sequence"] for row in rows] == [3, 4, 5]
    assert await findings(resources) == {}


async def _prune(resources: Resources) -> None:
    async with resources.database.transaction(None) as tx:
        await audit.prune(tx, clock.now() - timedelta(days=730), 1000)


async def test_a_seal_finds_a_log_that_was_written_anew(resources: Resources, log: OwnerConnection) -> None:
    seal = make_seal(resources.sealer, await chain.list_heads(resources.database), clock.real_now())
    sealed = read_seal(resources.sealer, seal)
    await record(resources, 6)
    await chain.chain_entries(resources)
    assert await findings(resources, sealed) == {}
    await log.execute("delete from audit_entries where subject_ref = 3 and brand_ref = 1")
    for table in ("audit_chain", "audit_heads"):
        await log.execute(f"delete from {table}")
    await log.execute("insert into audit_inbox select coalesce(brand_ref, 0), ref from audit_entries")
    await chain.chain_entries(resources)
    assert await findings(resources) == {}
    assert list(await findings(resources, sealed)) == [OWN_BRAND]


async def test_a_changed_seal_is_refused(resources: Resources, log: OwnerConnection) -> None:
    seal = make_seal(resources.sealer, await chain.list_heads(resources.database), clock.real_now())
    for changed in (seal.replace(b'"sequence":', b'"sequence":1'), b"{}", b"nonsense", seal[:-1]):
        with pytest.raises(InvalidSeal):
            read_seal(resources.sealer, changed)
