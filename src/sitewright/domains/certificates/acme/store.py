"""SQL of automatic certificates. Rows are changed only while their lease is held: `due_at` is the optimistic lock."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed
from sitewright.kit.sealed_columns import SealedColumn

SEALED_COLUMNS = [
    SealedColumn(
        "acme_accounts",
        "sealed_key",
        "acme account/{directory}",
        if_lost="the service registers at the certificate authority again, and tries hosts that wait for it",
        renewal="with lost as (delete from acme_accounts where {lost} returning directory)"
        " update automatic_certificates set due_at = now()"
        " where due_at is not null and failures > 0 and certificate_ref is null and exists (select from lost)",
    ),
    SealedColumn(
        "automatic_certificates",
        "sealed_order_key",
        "acme order/{brand_ref}/{ref}",
        if_lost="the order begins again",
        renewal="update automatic_certificates set order_url = null, order_directory = null, order_names = null,"
        " sealed_order_key = null where {lost}",
    ),
    SealedColumn(
        "own_certificates",
        "sealed_key",
        "certificate/0/{name}",
        if_lost="the certificate of the service's own name is ordered again",
        renewal="with unused as (delete from own_certificates where {lost} and name not in"
        " (select name from automatic_certificates where brand_ref = 0))"
        " update automatic_certificates set renew_at = now(), due_at = now(), certificate_id = null"
        " where brand_ref = 0 and name in (select name from own_certificates where {lost})",
    ),
]
LEASE = timedelta(seconds=60)
_SOONER = "case when {table}due_at <= {now}::timestamptz + interval '60 seconds' then {table}due_at else {now} end"
"""Due now, except for a row that is due within a lease: a worker may be at it, and must not lose its lease."""
WORK = WorkTable(
    name="automatic_certificates", pending="due_at is not null", done="due_at = null", dead="due_at = null"
)
_COLUMNS = (
    "brand_ref, ref, name, is_wildcard, failures, failing_since, reason_code, order_url, order_directory, order_names,"
    " sealed_order_key, ordered_at, certificate_ref, directory, certificate_id, names, not_before, not_after,"
    " window_start, window_end, renew_at, created_at"
)
_HOSTS = """
select h.host, h.domain_ref, d.site_ref, h.points_here, coalesce(k.capabilities ->> 'autoSslProvisioning', '0') <> '0'
  from automatic_certificate_hosts h
  join mapped_domains d on d.brand_ref = h.brand_ref and d.ref = h.domain_ref
  join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
  left join held_packages p on p.brand_ref = s.brand_ref and p.user_ref = s.user_ref and p.is_subscription
       and p.ended_at is null
  left join package_terms k on k.ref = p.package_ref
 where h.brand_ref = current_brand() and h.group_name = $1 order by h.host
"""
_SAVE_HOST = """
with before as (
    select group_name, points_here from automatic_certificate_hosts
     where brand_ref = current_brand() and domain_ref = $1
), saved as (
    insert into automatic_certificate_hosts as h (brand_ref, domain_ref, host, group_name, points_here)
    select current_brand(), d.ref, d.domain, $2, $3 from mapped_domains d
     where d.brand_ref = current_brand() and d.ref = $1
    on conflict (brand_ref, domain_ref)
       do update set group_name = excluded.group_name, points_here = excluded.points_here
     where (h.group_name, h.points_here) is distinct from (excluded.group_name, excluded.points_here)
    returning 1
)
select (select group_name from before), exists (select from saved)
"""


class Group(msgspec.Struct, frozen=True):
    """A row: what is served, what is in progress, and what failed."""

    brand_ref: int
    ref: int
    name: str
    is_wildcard: bool
    failures: int
    failing_since: datetime | None
    reason_code: str | None
    order_url: str | None
    order_directory: str | None
    order_names: list[str] | None
    sealed_order_key: bytes | None
    ordered_at: datetime | None
    certificate_ref: int | None
    directory: str | None
    certificate_id: str | None
    names: list[str]
    not_before: datetime | None
    not_after: datetime | None
    window_start: datetime | None
    window_end: datetime | None
    renew_at: datetime | None
    created_at: datetime


class GroupHost(msgspec.Struct, frozen=True):
    host: str
    domain_ref: int | None
    site_ref: int | None
    points_here: bool
    is_included: bool
    """Whether the package of the site's owner includes automatic certificates."""


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    rows = await connection.fetch("select * from claim_due_automatic_certificates($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest order or renewal has been waiting; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_automatic_certificate($1)", now)
    return overdue


async def domain_refs_of(tx: Transaction, ref: int) -> list[int]:
    """The mapped hosts of a group."""
    rows = await tx.fetch(
        "select h.domain_ref from automatic_certificates a join automatic_certificate_hosts h"
        " on h.brand_ref = a.brand_ref and h.group_name = a.name where a.brand_ref = current_brand() and a.ref = $1",
        ref,
    )
    return [row["domain_ref"] for row in rows]


async def lock_group(tx: Transaction, item: Claimed) -> Group | None:
    """The row, locked; None if it is gone or another worker has claimed it meanwhile. Use `locking`."""
    row = await tx.fetchrow(
        f"select {_COLUMNS} from automatic_certificates"  # noqa: S608 - fixed parts
        " where brand_ref = current_brand() and ref = $1 and due_at = $2 for update",
        item.ref,
        item.lease_until,
    )
    return None if row is None else Group(*row)


async def lock_hosts(tx: Transaction, brand_ref: int, names: Sequence[str]) -> None:
    """Advisory locks: until the transaction ends, no other one begins or stores an order for these names."""
    await tx.execute(
        "select pg_advisory_xact_lock(lock_key) from (select distinct hashtextextended('acme ' || name, $1) lock_key"
        " from unnest($2::text[]) name order by lock_key) locks",
        brand_ref,
        names,
    )


async def hosts_of(tx: Transaction, name: str) -> list[GroupHost]:
    return [GroupHost(*row) for row in await tx.fetch(_HOSTS, name)]


async def save_host(tx: Transaction, domain_ref: int, group_name: str, *, points_here: bool) -> tuple[str | None, bool]:
    """Returns the group that the host was in, and whether anything changed."""
    row = await tx.fetchrow(_SAVE_HOST, domain_ref, group_name, points_here)
    return (None, False) if row is None else (row[0], row[1])


async def make_due(tx: Transaction, name: str, now: datetime, settled_at: datetime, *, is_wildcard: bool) -> None:
    """Creates the group, due when its hosts have settled, or makes an existing one due now.

    One that had been given up gets new attempts; otherwise the back-off is not reset by a host that changes often.
    """
    sooner = _SOONER.format(table="a.", now="$3")
    await tx.execute(
        "insert into automatic_certificates as a (brand_ref, name, is_wildcard, due_at, created_at)"  # noqa: S608 - fixed
        " values (current_brand(), $1, $2, $4, $3) on conflict (brand_ref, name) do update set"
        f" failures = case when a.due_at is null then 0 else a.failures end, due_at = {sooner},"
        " is_wildcard = excluded.is_wildcard",
        name,
        is_wildcard,
        now,
        settled_at,
    )


async def make_due_now_by_name(tx: Transaction, name: str | None, at: datetime) -> None:
    await tx.execute(
        f"update automatic_certificates set due_at = {_SOONER.format(table='', now='$2')}"  # noqa: S608 - fixed parts
        " where brand_ref = current_brand() and name = $1",
        name,
        at,
    )


async def make_due_if_idle(tx: Transaction, name: str, at: datetime, *, was_given_up: bool) -> None:
    """A group that was paused is looked at again; `was_given_up`: one that was given up too, with new attempts."""
    await tx.execute(
        "update automatic_certificates set due_at = $2, failures = 0 where brand_ref = current_brand() and name = $1"
        " and due_at is null and (failures = 0 or $3)",
        name,
        at,
        was_given_up,
    )


async def make_due_of_users(tx: Transaction, user_refs: Sequence[int], reason_code: str, at: datetime) -> None:
    """The groups of these users' hosts that were paused for this reason."""
    await tx.execute(
        "update automatic_certificates set due_at = $3, reason_code = null, reason_detail = null, last_error = null"
        " where brand_ref = current_brand() and due_at is null and reason_code = $2 and name = any(array("
        "select h.group_name from hosted_sites s"
        " join mapped_domains d on d.brand_ref = s.brand_ref and d.site_ref = s.ref"
        " join automatic_certificate_hosts h on h.brand_ref = d.brand_ref and h.domain_ref = d.ref"
        " where s.brand_ref = current_brand() and s.user_ref = any($1)))",
        user_refs,
        reason_code,
        at,
    )


async def make_due_now(tx: Transaction, ref: int, at: datetime) -> bool:
    """Returns whether there is such a group. The back-off starts again."""
    done = await tx.execute(
        f"update automatic_certificates set due_at = {_SOONER.format(table='', now='$2')}, failures = 0"  # noqa: S608
        " where brand_ref = current_brand() and ref = $1",
        ref,
        at,
    )
    return bool(done == "UPDATE 1")


async def groups_named(tx: Transaction, names: Sequence[str]) -> list[tuple[str, bool]]:
    """Those of these groups that exist, and whether they have hosts left."""
    rows = await tx.fetch(
        "select a.name, exists (select from automatic_certificate_hosts h where h.brand_ref = a.brand_ref"
        " and h.group_name = a.name) from automatic_certificates a"
        " where a.brand_ref = current_brand() and a.name = any($1)",
        names,
    )
    return [(row[0], row[1]) for row in rows]


async def delete_groups(tx: Transaction, names: Sequence[str]) -> None:
    await tx.execute("delete from automatic_certificates where brand_ref = current_brand() and name = any($1)", names)


async def save_order(
    tx: Transaction, item: Claimed, url: str, directory: str, names: Sequence[str], sealed_key: bytes, at: datetime
) -> bool:
    """Before the order is finalized, so that another worker can resume it. Returns whether the lease is still held."""
    done = await tx.execute(
        "update automatic_certificates set order_url = $3, order_directory = $4, order_names = $5,"
        " sealed_order_key = $6, ordered_at = $7 where brand_ref = current_brand() and ref = $1 and due_at = $2",
        item.ref,
        item.lease_until,
        url,
        directory,
        names,
        sealed_key,
        at,
    )
    return bool(done == "UPDATE 1")


async def drop_order(tx: Transaction, item: Claimed) -> None:
    await tx.execute(
        "update automatic_certificates set order_url = null, order_directory = null, order_names = null,"
        " sealed_order_key = null where brand_ref = current_brand() and ref = $1 and due_at = $2",
        item.ref,
        item.lease_until,
    )
    await delete_challenges(tx, item.ref)


async def save_certificate(
    tx: Transaction, item: Claimed, certificate_ref: int | None, directory: str, certificate_id: str | None,
    names: Sequence[str], not_before: datetime, not_after: datetime, renew_at: datetime, due_at: datetime,
) -> None:  # fmt: skip
    """The order is done: what is served from now on, and when it is due again."""
    await tx.execute(
        "update automatic_certificates set certificate_ref = $3, directory = $4, certificate_id = $5, names = $6,"
        " not_before = $7, not_after = $8, renew_at = $9, due_at = $10, window_start = null, window_end = null,"
        " order_url = null, order_directory = null, order_names = null, sealed_order_key = null, attempts = 0,"
        " failures = 0, failing_since = null, reason_code = null, reason_detail = null, last_error = null"
        " where brand_ref = current_brand() and ref = $1 and due_at = $2",
        item.ref, item.lease_until, certificate_ref, directory, certificate_id, names, not_before, not_after, renew_at,
        due_at,
    )  # fmt: skip


async def save_window(
    tx: Transaction,
    item: Claimed,
    window: tuple[datetime | None, datetime | None] | None,
    renew_at: datetime,
    due_at: datetime,
) -> None:
    """What the authority suggests, and when the row is due again; what was wrong before is over."""
    start, end = window or (None, None)
    await tx.execute(
        "update automatic_certificates set window_start = $3, window_end = $4, renew_at = $5, due_at = $6,"
        " attempts = 0, failures = 0, failing_since = null, reason_code = null, reason_detail = null, last_error = null"
        " where brand_ref = current_brand() and ref = $1 and due_at = $2",
        item.ref,
        item.lease_until,
        start,
        end,
        renew_at,
        due_at,
    )


async def save_failure(
    tx: Transaction, item: Claimed, code: str | None, detail: str | None, failures: int, failing_since: datetime | None,
    due_at: datetime | None,
) -> None:  # fmt: skip
    """`due_at`: the next attempt; None where nothing is tried until the hosts change."""
    await tx.execute(
        "update automatic_certificates set reason_code = $3, reason_detail = $4, last_error = $4, failures = $5,"
        " failing_since = $6, due_at = $7 where brand_ref = current_brand() and ref = $1 and due_at = $2",
        item.ref, item.lease_until, code, detail, failures, failing_since, due_at,
    )  # fmt: skip


async def delete_group(tx: Transaction, ref: int) -> None:
    await tx.execute("delete from automatic_certificates where brand_ref = current_brand() and ref = $1", ref)


async def save_challenges(tx: Transaction, item: Claimed, responses: Sequence[tuple[str, str, str]]) -> bool:
    """`responses`: token, host and key authorization of each. Returns whether the lease is still held."""
    is_held: bool = await tx.fetchval(
        "with held as (select brand_ref, ref from automatic_certificates"
        "              where brand_ref = current_brand() and ref = $1 and due_at = $2 for key share),"
        " saved as (insert into acme_challenges (brand_ref, automatic_certificate_ref, token, host, key_authorization)"
        "           select brand_ref, ref, token, host, response"
        "             from held, unnest($3::text[], $4::text[], $5::text[]) responses (token, host, response)"
        "           on conflict (brand_ref, automatic_certificate_ref, token) do nothing)"
        " select exists (select from held)",
        item.ref,
        item.lease_until,
        [token for token, _, _ in responses],
        [host for _, host, _ in responses],
        [response for _, _, response in responses],
    )
    return is_held


async def delete_challenges(tx: Transaction, ref: int) -> None:
    await tx.execute(
        "delete from acme_challenges where brand_ref = current_brand() and automatic_certificate_ref = $1", ref
    )


async def key_authorization(connection: Transaction, host: str, token: str) -> str | None:
    """Across brands, for the edge server."""
    found: str | None = await connection.fetchval("select acme_key_authorization($1, $2)", host, token)
    return found


async def covers(tx: Transaction, name: str, hosts: Sequence[str]) -> bool:
    """Whether the group has a certificate for all of these hosts or an attempt to come, and was not given up."""
    found = await tx.fetchval(
        "select exists (select from automatic_certificates where brand_ref = current_brand() and name = $1"
        " and due_at is not null and (names @> $2::text[] or failures > 0 or not_after is null))",
        name,
        hosts,
    )
    return found is True
