"""Statements of zones."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed
from sitewright.kit.sealed_columns import SealedColumn

SEALED_COLUMNS = [
    SealedColumn(
        "dns_zones",
        "sealed_dkim_key",
        "dkim/{brand_ref}/{account_domain_ref}",
        if_lost="the zone gets a new DKIM key; some minutes later, run sitewright dns dkim-keys",
        renewal="update dns_zones set dkim_selector = null, dkim_public_key = null, sealed_dkim_key = null,"
        " due_at = now(), attempts = 0 where {lost}",
    )
]
TABLE = WorkTable(
    name="dns_zones",
    ref="account_domain_ref",
    pending="due_at is not null",
    done="due_at = null, attempts = 0",
    dead="due_at = null, failed_at = $3",
)
_ZONE = """
select brand_ref, account_domain_ref, name, provider, template, holder_slots, revision, synced_at, out_of_sync_since,
       waits_since, removed_at, ds, dkim_selector, dkim_public_key, last_error
  from dns_zones where brand_ref = current_brand()
"""


class Zone(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    """Of its account domain."""
    name: str
    provider: str | None
    template: str
    holder_slots: list[str]
    revision: int
    synced_at: datetime | None
    out_of_sync_since: datetime | None
    waits_since: datetime | None
    removed_at: datetime | None
    ds: list[str]
    dkim_selector: str | None
    dkim_public_key: str | None
    last_error: str | None


async def find_zone(tx: Transaction, account_domain_ref: int, *, lock: bool = False) -> Zone | None:
    suffix = " and account_domain_ref = $1" + (" for no key update" if lock else "")
    row = await tx.fetchrow(_ZONE + suffix, account_domain_ref)
    return None if row is None else Zone(*row)


async def find_zone_by_name(tx: Transaction, name: str) -> Zone | None:
    row = await tx.fetchrow(_ZONE + " and name = $1 and removed_at is null", name)
    return None if row is None else Zone(*row)


async def find_active_zone(tx: Transaction, names: Sequence[str]) -> str | None:
    """The longest of the names that is a zone which the provider has."""
    name: str | None = await tx.fetchval(
        "select name from dns_zones where brand_ref = current_brand() and name = any($1) and synced_at is not null"
        " and removed_at is null order by length(name) desc limit 1",
        names,
    )
    return name


async def insert_zones(tx: Transaction, account_domain_refs: Sequence[int], now: datetime) -> None:
    await tx.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, out_of_sync_since, due_at)"
        " select d.brand_ref, d.ref, d.domain, $2, $2, $2 from domain_holders d"
        " where d.brand_ref = current_brand() and d.ref = any($1) on conflict do nothing",
        account_domain_refs,
        now,
    )


async def insert_missing_zones(tx: Transaction, now: datetime, most: int) -> None:
    """Of registered domains, for providers that were set later."""
    await tx.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, out_of_sync_since, due_at)"
        " select d.brand_ref, d.ref, d.domain, $1, $1, $1 from domain_holders d"
        " where d.brand_ref = current_brand() and d.is_registered and not exists (select from dns_zones z"
        " where z.brand_ref = d.brand_ref and z.account_domain_ref = d.ref) order by d.ref limit $2"
        " on conflict do nothing",
        now,
        most,
    )


async def mark_removed(tx: Transaction, account_domain_refs: Sequence[int], now: datetime) -> None:
    await tx.execute(
        "update dns_zones set removed_at = $2, due_at = $2, attempts = 0, waits_since = null"
        " where brand_ref = current_brand() and account_domain_ref = any($1) and removed_at is null",
        account_domain_refs,
        now,
    )


async def delete_zone(tx: Transaction, account_domain_ref: int) -> None:
    await tx.execute(
        "delete from dns_zones where brand_ref = current_brand() and account_domain_ref = $1", account_domain_ref
    )


async def mark_changed(tx: Transaction, account_domain_ref: int, now: datetime) -> None:
    """Its records changed, and are not yet at the provider."""
    await tx.execute(
        "update dns_zones set revision = revision + 1, out_of_sync_since = coalesce(out_of_sync_since, $2)"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
        now,
    )


async def mark_due(tx: Transaction, account_domain_refs: Sequence[int], now: datetime) -> None:
    await tx.execute(
        "update dns_zones set due_at = $2, attempts = 0"
        " where brand_ref = current_brand() and account_domain_ref = any($1)",
        account_domain_refs,
        now,
    )


async def mark_stale_due(tx: Transaction, template: str, now: datetime, checked_before: datetime, most: int) -> None:
    """Zones whose template has changed, and those not compared with the provider for long, in small numbers."""
    await tx.execute(
        "update dns_zones z set due_at = $2, attempts = 0 from (select account_domain_ref from dns_zones"
        " where brand_ref = current_brand() and due_at is null"
        " and ((template <> $1 and removed_at is null) or coalesce(checked_at, created_at) < $3)"
        " order by account_domain_ref limit $4) stale"
        " where z.brand_ref = current_brand() and z.account_domain_ref = stale.account_domain_ref",
        template,
        now,
        checked_before,
        most,
    )


async def set_template(
    tx: Transaction, account_domain_ref: int, provider: str, template: str, *, is_moved: bool
) -> None:
    """`is_moved`: another provider is to have the zone, which may have records of its own."""
    await tx.execute(
        "update dns_zones set provider = $2, template = $3, synced_at = case when $4 then null else synced_at end"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
        provider,
        template,
        is_moved,
    )


async def add_holder_slots(tx: Transaction, account_domain_ref: int, slots: Sequence[str]) -> None:
    """The account holder takes over these parts of the template, with all of their records."""
    await tx.execute(
        "update dns_zones set holder_slots = array(select distinct unnest(holder_slots || $2::text[]) order by 1)"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
        slots,
    )
    await tx.execute(
        "update dns_records set owner = 'holder' where brand_ref = current_brand() and account_domain_ref = $1"
        " and owner = 'service' and slot = any($2)",
        account_domain_ref,
        slots,
    )


async def remove_holder_slot(tx: Transaction, account_domain_ref: int, slot: str) -> None:
    """The service manages this part of the template again."""
    await tx.execute(
        "update dns_zones set holder_slots = array_remove(holder_slots, $2)"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
        slot,
    )


async def set_dkim_key(tx: Transaction, account_domain_ref: int, selector: str, public_key: str, sealed: bytes) -> None:
    await tx.execute(
        "update dns_zones set dkim_selector = $2, dkim_public_key = $3, sealed_dkim_key = $4"
        " where brand_ref = current_brand() and account_domain_ref = $1 and sealed_dkim_key is null",
        account_domain_ref,
        selector,
        public_key,
        sealed,
    )


async def set_ds(tx: Transaction, account_domain_ref: int, ds: Sequence[str]) -> None:
    await tx.execute(
        "update dns_zones set ds = $2 where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
        ds,
    )


async def take_lease(tx: Transaction, account_domain_ref: int, now: datetime, until: datetime) -> bool:
    """Whether this process may send changes of the zone until then."""
    taken = await tx.fetchval(
        "update dns_zones set leased_until = $3 where brand_ref = current_brand() and account_domain_ref = $1"
        " and (leased_until is null or leased_until <= $2) returning true",
        account_domain_ref,
        now,
        until,
    )
    return taken is True


async def end_lease(tx: Transaction, account_domain_ref: int, until: datetime) -> None:
    await tx.execute(
        "update dns_zones set leased_until = null"
        " where brand_ref = current_brand() and account_domain_ref = $1 and leased_until = $2",
        account_domain_ref,
        until,
    )


async def mark_synced(tx: Transaction, zone: Zone, removed_refs: Sequence[int], now: datetime) -> None:
    """The provider has the zone as of this revision; records that it no longer has are deleted."""
    await tx.execute(
        "delete from dns_records where brand_ref = current_brand() and account_domain_ref = $1 and ref = any($2)"
        " and removed_at is not null",
        zone.ref,
        removed_refs,
    )
    await tx.execute(
        "update dns_zones set synced_at = $2, checked_at = $2, waits_since = null, last_error = null, failed_at = null,"
        " out_of_sync_since = case when revision = $3 then null else out_of_sync_since end"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        zone.ref,
        now,
        zone.revision,
    )


async def mark_left(tx: Transaction, account_domain_ref: int) -> None:
    """Its brand has no provider any more: whether the former one still has the zone is not known."""
    await tx.execute(
        "update dns_zones set synced_at = null, out_of_sync_since = null, waits_since = null, last_error = null"
        " where brand_ref = current_brand() and account_domain_ref = $1",
        account_domain_ref,
    )


async def mark_waiting(tx: Transaction, account_domain_ref: int, now: datetime) -> bool:
    """Returns whether it did not wait already."""
    first = await tx.fetchval(
        "update dns_zones z set waits_since = coalesce(z.waits_since, $2), checked_at = $2,"
        " out_of_sync_since = coalesce(z.out_of_sync_since, $2) from (select waits_since from dns_zones"
        " where brand_ref = current_brand() and account_domain_ref = $1) before"
        " where z.brand_ref = current_brand() and z.account_domain_ref = $1 returning before.waits_since is null",
        account_domain_ref,
        now,
    )
    return first is True


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """Claims due zones under a lease, across brands."""
    rows = await connection.fetch("select * from claim_due_dns_zones($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def is_being_removed(connection: Transaction, name: str) -> bool:
    return await connection.fetchval("select is_dns_zone_being_removed($1)", name) is True


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest change of a zone has been waiting for its provider, apart from those that wait for an
    operator; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_dns_zone($1)", now)
    return overdue


async def read_figures(connection: Transaction) -> asyncpg.Record:
    """How many zones there are, and how many are out of sync, wait for an operator, or failed; across brands."""
    row = await connection.fetchrow("select zones, out_of_sync, waiting, failed from dns_zone_figures()")
    assert row is not None  # noqa: S101 - an aggregate has one row
    return row
