"""SQL of domain checks: the last result of each mapped host and account domain, and when the next check is due."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import msgspec

from sitewright.domains.health.findings import Finding, Status
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed

State = Literal["healthy", "failing"]
_OF_ACCOUNT_DOMAINS = """
select ref, status from (
    select h.ref, (array['failing', 'attention', 'unknown', 'ok'])[
               min(array_position(array['failing', 'attention', 'unknown', 'ok'], s.status))] as status
      from domain_holders h
      join lateral (
           select c.status from domain_checks c where c.brand_ref = h.brand_ref and c.account_domain_ref = h.ref
           union all
           select c.status from mapped_domains d
             join domain_checks c on c.brand_ref = d.brand_ref and c.domain_ref = d.ref
            where d.brand_ref = h.brand_ref and d.domain in (h.domain, 'www.' || h.domain)) s on s.status is not null
     where h.brand_ref = current_brand() and ($1::bigint[] is null or h.ref = any($1))
     group by h.ref) found
 where $2::text is null or status = $2 order by ref desc limit $3
"""

_NEXT = (
    "due_at = $3 + (case when $3 - t.since < interval '1 hour' then interval '1 minute'"
    " when $3 - t.since < interval '7 days' then interval '1 hour' else interval '1 day' end)"
    " * (0.95 + random() / 10), attempts = 0"
)
"""A new host every minute for an hour, then hourly for a week, then daily; with jitter, so that checks spread out."""
WORK = WorkTable(name="domain_checks", pending="t.due_at is not null", done=f"{_NEXT}, last_error = null", dead=_NEXT)
_COLUMNS = (
    "select c.ref, c.domain_ref, c.account_domain_ref, c.status, c.state, c.checked_at, c.findings::text as findings,"
    " c.started_at, c.mailed_at, c.since from domain_checks c where c.brand_ref = current_brand()"
)


class Key(NamedTuple):
    """What is checked: a host that is mapped to a site, or an account domain."""

    kind: Literal["domain", "accountDomain"]
    ref: int

    @property
    def column(self) -> str:
        return "domain_ref" if self.kind == "domain" else "account_domain_ref"


class CheckRow(msgspec.Struct, frozen=True):
    ref: int
    key: Key
    status: Status | None
    state: State | None
    """After the last result that was certain; None before."""
    checked_at: datetime | None
    findings: list[Finding]
    started_at: datetime | None
    mailed_at: datetime | None
    since: datetime
    """The host was mapped, or first checked."""


async def find(tx: Transaction, key: Key) -> CheckRow | None:
    rows = await tx.fetch(f"{_COLUMNS} and c.{key.column} = $1", key.ref)
    return next((_row(*row) for row in rows), None)


async def find_many(tx: Transaction, domain_refs: Sequence[int]) -> dict[int, CheckRow]:
    """By the refs of mapped hosts."""
    rows = await tx.fetch(f"{_COLUMNS} and c.domain_ref = any($1::bigint[])", domain_refs)
    return {row["domain_ref"]: _row(*row) for row in rows}


async def list_account_domains(
    tx: Transaction, refs: Sequence[int] | None, status: Status | None, most: int
) -> list[tuple[int, Status]]:
    """The worst status of each account domain and of the mapped hosts at it, of these refs or of all."""
    rows = await tx.fetch(_OF_ACCOUNT_DOMAINS, refs, None if status is None else status.value, most)
    return [(row[0], Status(row[1])) for row in rows]


async def find_by_ref(tx: Transaction, ref: int) -> CheckRow | None:
    rows = await tx.fetch(f"{_COLUMNS} and c.ref = $1", ref)
    return next((_row(*row) for row in rows), None)


async def lock(tx: Transaction, key: Key) -> CheckRow | None:
    rows = await tx.fetch(f"{_COLUMNS} and c.{key.column} = $1 for no key update", key.ref)
    return next((_row(*row) for row in rows), None)


def _row(
    ref: int,
    domain_ref: int | None,
    account_domain_ref: int | None,
    status: str | None,
    state: State | None,
    checked_at: datetime | None,
    findings: str,
    started_at: datetime | None,
    mailed_at: datetime | None,
    since: datetime,
) -> CheckRow:
    key = Key("domain", domain_ref) if domain_ref is not None else Key("accountDomain", account_domain_ref or 0)
    decoded = msgspec.json.decode(findings, type=list[Finding])
    is_checked = None if status is None else Status(status)
    return CheckRow(ref, key, is_checked, state, checked_at, decoded, started_at, mailed_at, since)


async def begin(tx: Transaction, key: Key, now: datetime, not_since: datetime) -> bool:
    """Whether a check may begin now: none began since then. Of concurrent callers one gets True."""
    found = await tx.fetchval(
        f"insert into domain_checks as c (brand_ref, {key.column}, since, started_at)"  # noqa: S608 - a name of ours
        f" values (current_brand(), $1, $2, $2) on conflict (brand_ref, {key.column}) do update"
        " set started_at = excluded.started_at where c.started_at is null or c.started_at <= $3 returning c.ref",
        key.ref,
        now,
        not_since,
    )
    return found is not None


async def save(
    tx: Transaction,
    ref: int,
    status: Status,
    state: State | None,
    findings: Sequence[Finding],
    at: datetime,
    *,
    is_mailed: bool,
) -> None:
    """A result that is not certain keeps the check that failed last."""
    failing = next((each.code for each in findings if each.status is Status.FAILING), None)
    await tx.execute(
        "update domain_checks set status = $2, state = $3, findings = $4::json, checked_at = $5,"
        " mailed_at = case when $6 then $5 else mailed_at end,"
        " failing_check = case when $3 = 'failing' then coalesce($7, failing_check) end"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        status.value,
        state,
        msgspec.json.encode(findings).decode(),
        at,
        is_mailed,
        failing,
    )


async def add_mapped(tx: Transaction, domain_refs: Sequence[int], now: datetime) -> None:
    """New hosts are due now."""
    await tx.execute(
        "insert into domain_checks (brand_ref, domain_ref, since, due_at)"
        " select current_brand(), ref, $2, $2 from unnest($1::bigint[]) ref on conflict do nothing",
        domain_refs,
        now,
    )


async def make_due(tx: Transaction, domain_refs: Sequence[int], at: datetime) -> None:
    """Check these hosts again at that time, however short ago the last check was."""
    await tx.execute(
        "update domain_checks set due_at = least(due_at, $2), started_at = null"
        " where brand_ref = current_brand() and domain_ref = any($1) and due_at is not null",
        domain_refs,
        at,
    )


async def delete_account_domains(tx: Transaction, refs: Sequence[int]) -> None:
    await tx.execute(
        "delete from domain_checks where brand_ref = current_brand() and account_domain_ref = any($1::bigint[])", refs
    )


async def delete_of_user(tx: Transaction, user_ref: int) -> None:
    """The results of the user's account domains, which name them."""
    await tx.execute(
        "delete from domain_checks c using domain_holders h where c.brand_ref = current_brand()"
        " and h.brand_ref = c.brand_ref and h.ref = c.account_domain_ref and h.user_ref = $1",
        user_ref,
    )


class MappedHost(msgspec.Struct, frozen=True):
    host: str
    site_ref: int
    mapped_at: datetime
    user_ref: int
    protocol: str
    language: str
    is_published: bool
    is_live: bool
    is_enabled: bool
    is_owner_suspended: bool
    is_owner_deleted: bool


async def find_mapped(tx: Transaction, domain_ref: int) -> MappedHost | None:
    row = await tx.fetchrow(
        "select d.domain, d.site_ref, d.created_at, s.user_ref, s.protocol, u.language_code,"
        " s.version_ref is not null, s.live, s.enabled, u.suspended_at is not null, u.deleted_at is not null"
        " from mapped_domains d join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref"
        " join account_holders u on u.brand_ref = s.brand_ref and u.ref = s.user_ref"
        " where d.brand_ref = current_brand() and d.ref = $1",
        domain_ref,
    )
    return None if row is None else MappedHost(*row)


async def find_mapping(tx: Transaction, domain: str) -> int | None:
    """The ref of the mapping of a name, if a site of the brand has it."""
    ref: int | None = await tx.fetchval(
        "select ref from mapped_domains where brand_ref = current_brand() and domain = $1", domain
    )
    return ref


class KnownName(NamedTuple):
    brand_ref: int
    domain_ref: int | None
    account_domain_ref: int | None


async def find_name(connection: Transaction, domain: str) -> KnownName | None:
    """Who has a name, across brands."""
    row = await connection.fetchrow("select * from find_checked_name($1)", domain)
    return None if row is None else KnownName(*row)


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """Claims due checks under a lease, across brands."""
    rows = await connection.fetch("select * from claim_due_domain_checks($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest due check has been waiting, across brands."""
    found: timedelta | None = await connection.fetchval("select $1 - oldest_due_domain_check($1)", now)
    return found
